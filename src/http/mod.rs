//! The HTTP server: routes, access control, errors.

/// Table of all routes.
pub mod routes;
pub mod run_changes;
/// State for all requests.
pub mod service;
/// Access control: Host, Origin, token, limits, headers.
pub mod guard;
/// Errors as RFC 9457 problems.
pub mod problem;
/// WebSocket.
pub mod ws;
/// The service as an MCP server.
pub mod mcp;
/// The OpenAPI document.
pub mod openapi;

mod agent_shapes;
mod agents;
mod authoring;
mod calls;
pub mod chromiums;
mod compat;
mod control;
mod embedded;
mod events;
mod export;
mod files;
mod following;
mod health;
mod lines;
mod model;
mod object;
pub mod openai;
mod permissions;
mod plans;
mod preconditions;
mod questions;
mod reader;
mod refusals;
mod requester;
mod runs;
mod saved;
mod saving;
mod schema;
mod settings;
mod shapes;
mod sign_in;
mod sign_in_page;
mod tasks;
mod timeline;
pub mod translated;
mod translations;
mod ui;
mod usage;
mod watching;
mod why;
