//! The REST API.

pub(crate) mod model_calls;
pub(crate) mod model_connection;
pub(crate) mod agents;
pub mod browsers;
pub(crate) mod files;
pub(crate) mod health;
pub(crate) mod permissions;
pub(crate) mod plans;
pub(crate) mod questions;
pub(crate) mod runs;
pub(crate) mod tasks;
pub(crate) mod timeline;
pub(crate) mod why;
