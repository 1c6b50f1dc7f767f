//! Names of agents, and their lookup.

use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::types::build::Build;
use crate::agent_spec::types::spec::AgentSpec;
use crate::agent_spec::types::tool_ref::{MissingTool, ToolRef};
use std::sync::Arc;

/// The other agents, for checks of references.
pub trait AgentLookup {
    fn agent(&self, name: &str) -> Option<Arc<AgentSpec>>;
    fn names(&self) -> Vec<String>;

    /// Reports why a tool does not exist; `None` if it exists or is unknown.
    fn missing_tool(&self, _tool: &ToolRef) -> Option<MissingTool> {
        None
    }

    /// Reads `build.tool.yml` of an agent's folder.
    fn build_beside(&self, _name: &str) -> Option<Result<Build, SpecFault>> {
        None
    }
}

/// True if the name matches `[a-z][a-z0-9_]{0,63}`.
pub fn is_agent_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.len() <= 64 && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain)
}
