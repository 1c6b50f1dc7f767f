//! Agents without files: tools of MCP servers.

use crate::agent_spec::files::library::Library;
use crate::agent_spec::mcp_tools::{Patience, ToolServers};
use crate::agent_spec::types::spec::AgentSpec;
use crate::agent_spec::types::tool_ref::{MissingTool, ToolRef};
use futures_util::future::BoxFuture;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Library {
    /// Connects the library to the MCP servers. Only the first call takes effect.
    pub fn set_tools(&self, tools: Arc<dyn ToolServers>) {
        let _ = self.tools.set(tools);
    }

    /// Resolves once each server has listed its tools or has not answered in time. Holds no thread.
    pub fn wait_for_servers(&self, servers: BTreeSet<String>, patience: Patience) -> BoxFuture<'static, ()> {
        match self.tools.get() {
            Some(tools) if !servers.is_empty() => tools.wait_listed(servers, patience),
            Some(_) | None => Box::pin(std::future::ready(())),
        }
    }

    /// Returns a tool as an agent, as far as it is known now; `None` if `name` is no tool name.
    pub fn tool(&self, name: &str) -> Option<Result<Arc<AgentSpec>, MissingTool>> {
        let (tool, tools) = (ToolRef::read(name)?, self.tools.get()?);
        Some(tools.agent(&tool))
    }
}
