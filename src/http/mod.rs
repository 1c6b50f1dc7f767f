//! The HTTP server: routes, access control, errors.

pub(crate) mod version_preconditions;
pub(crate) mod document_paths;
pub(crate) mod embedded;
pub mod language;
pub(crate) mod caller_header;
pub(crate) mod json_object;
pub mod rest;
/// Table of all routes.
pub mod routes;
/// State for all requests.
pub mod service;
/// Access control: Host, Origin, token, limits, headers.
pub mod guard;
/// Errors as RFC 9457 problems.
pub mod problem;
/// The service as an MCP server.
pub mod mcp;
/// The OpenAPI document.
pub mod openapi;

pub mod openai;
pub(crate) mod refusals;
pub mod ui;
