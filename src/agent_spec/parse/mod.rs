//! YAML of an agent file to its types: shapes, older shapes, comments, faults with their line.

pub mod schema_check;
pub mod fault;
pub(crate) mod legacy;
pub(crate) mod yaml;
