//! Types of an agent file. YAML and JSON map to them one to one, in both directions.

pub mod conversation_parts;
pub mod tool_ref;
pub mod type_names;
pub mod build;
pub mod env;
pub mod executor;
pub mod graph;
pub mod limits;
pub mod script;
pub mod spec;
