//! Connections to the database: opening, one writer, several readers.

pub mod error;
pub(crate) mod opening;
pub(crate) mod readers;
pub mod store;
pub(crate) mod writer;
