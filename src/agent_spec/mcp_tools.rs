//! Tools of MCP servers, by the names that agent files use. Each tool is an agent without a file; its server
//! defines the inputs.

use crate::agent_spec::agent_lookup::is_agent_name;
use crate::agent_spec::types::spec::AgentSpec;
use crate::agent_spec::types::tool_ref::{MissingTool, SCHEME, ToolRef};
use futures_util::future::BoxFuture;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// True if the name can be called: an agent name or a tool reference.
pub fn is_callable(name: &str) -> bool {
    is_agent_name(name) || ToolRef::read(name).is_some()
}

/// The configured MCP servers.
pub trait ToolServers: fmt::Debug + Send + Sync + 'static {
    /// Returns a tool as an agent, as far as it is known now. If the server has not listed its tools yet or
    /// is unreachable, the agent accepts any input, and its calls report the reason.
    fn agent(&self, tool: &ToolRef) -> Result<Arc<AgentSpec>, MissingTool>;

    /// Resolves once each of these servers has listed its tools or has not answered in time. Holds no thread.
    fn wait_listed(&self, servers: BTreeSet<String>, patience: Patience) -> BoxFuture<'static, ()>;
}

/// Waiting time for a server that is starting, before continuing without its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// A request is waiting for its response.
    Brief,
    /// The result depends on the tools.
    Long,
}

/// Returns the servers of the tool references among these names.
pub fn servers<'n>(names: impl IntoIterator<Item = &'n str>) -> BTreeSet<String> {
    names.into_iter().filter_map(ToolRef::read).map(|tool| tool.server).collect()
}

/// Returns the servers of all tool references in a text, such as a file.
pub fn servers_in(text: &str) -> BTreeSet<String> {
    let ends = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':'));
    servers(text.split(ends).filter_map(|word| word.find(SCHEME).map(|start| &word[start..])))
}
