//! Tools of servers of the Model Context Protocol, by the names that agent files call them by. Each is an agent
//! without a file, whose inputs are what its server says.

use super::AgentSpec;
use super::check::is_agent_name;
use crate::config;
use std::fmt;
use std::sync::Arc;

const SCHEME: &str = "mcp:";
/// Of the name of a tool.
const MOST: usize = 128;

/// `mcp:<server>/<tool>`
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

/// Whether it may stand where an agent is called: its name, or that of a tool.
pub fn is_callable(name: &str) -> bool {
    is_agent_name(name) || ToolRef::read(name).is_some()
}

/// The servers that there are.
pub trait Tools: fmt::Debug + Send + Sync + 'static {
    /// The tool as an agent. Where its server cannot be asked, one that takes anything: its calls say why not.
    /// May wait for a server to begin.
    fn agent(&self, tool: &ToolRef) -> Result<Arc<AgentSpec>, Missing>;
}

/// Why there is no such tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// No such server in the settings, or a server without such a tool.
    pub message: String,
    /// The name that was written, and those that there are.
    pub named: String,
    pub names: Vec<String>,
}
