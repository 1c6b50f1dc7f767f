//! YAML of an agent file to its types: shapes, older shapes, comments, faults with their line.

pub mod comments;
pub mod fault;
pub(crate) mod legacy;
pub mod shape;
pub(crate) mod yaml;
