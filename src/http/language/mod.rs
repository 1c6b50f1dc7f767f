//! Language of the reader: which one, and texts of problems in it.

pub(crate) mod reader;
pub mod translate;
