//! Tools of MCP servers, by the names that agent files use. Each tool is an agent without a file; its server
//! defines the inputs.

use super::AgentSpec;
use super::check::is_agent_name;
use crate::config;
use futures_util::future::BoxFuture;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

const SCHEME: &str = "mcp:";
/// Longest name of a tool, in characters.
const MOST: usize = 128;

/// Reference to a tool: `mcp:<server>/<tool>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRef {
    pub server: String,
    pub tool: String,
}

impl ToolRef {
    pub fn read(name: &str) -> Option<Self> {
        let (server, tool) = name.strip_prefix(SCHEME)?.split_once('/')?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let fits =
            config::mcp::is_server(server) && (1..=MOST).contains(&tool.len()) && tool.chars().all(plain);
        fits.then(|| Self { server: server.to_owned(), tool: tool.to_owned() })
    }
}

impl fmt::Display for ToolRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}/{}", self.server, self.tool)
    }
}

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
    servers(text.split(ends).filter_map(|word| word.find(SCHEME).map(|place| &word[place..])))
}

/// Reason why a tool does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingTool {
    /// Unknown server, or a server without that tool.
    pub message: String,
    /// The unknown name, and the known ones.
    pub named: String,
    pub names: Vec<String>,
}
