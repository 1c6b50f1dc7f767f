//! Agent files as typed data: YAML and JSON map to `AgentSpec` one to one, in both directions. The types
//! define the shape of a file; `check` finds errors of meaning.

pub mod comments;
pub mod agent_lookup;
pub mod input_check;
pub mod mcp_tools;
pub mod secret_inputs;
pub mod types;
pub mod files;
pub mod parse;
pub mod template;
pub mod check;

pub mod limits;
pub mod schema;
