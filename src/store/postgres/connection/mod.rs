//! Connections to the server: address, opening, the pool, and transactions that survive a lost connection.

pub mod address;
pub(crate) mod connections;
pub(crate) mod errors;
pub mod open;
pub(crate) mod sql;
pub mod store;
pub(crate) mod tls;
pub(crate) mod transaction;
pub(crate) mod tree_queues;
pub(crate) mod worker;
pub(crate) mod writes;
