//! Connections to the database: opening, one writer, several readers.

pub(crate) mod open;
pub mod error;
pub(crate) mod readers;
pub mod store;
pub(crate) mod writer;
