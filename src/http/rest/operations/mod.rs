//! Routes for those who operate the service: its health, its browsers, and the nodes of its cluster.

pub mod browsers;
pub(crate) mod health;
pub(crate) mod nodes;
