//! The REST API.

pub(crate) mod model_calls;
pub(crate) mod model_connection;
pub(crate) mod agents;
pub(crate) mod files;
pub mod operations;
pub(crate) mod permissions;
pub(crate) mod plans;
pub(crate) mod questions;
pub(crate) mod runs;
pub(crate) mod tasks;
pub(crate) mod timeline;
pub(crate) mod why;
