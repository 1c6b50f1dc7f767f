//! Reference to a tool of an MCP server.

use crate::config;
use std::fmt;

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

pub(crate) const SCHEME: &str = "mcp:";

/// Longest name of a tool, in characters.
const MOST: usize = 128;

/// Reason why a tool does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingTool {
    /// Unknown server, or a server without that tool.
    pub message: String,
    /// The unknown name, and the known ones.
    pub named: String,
    pub names: Vec<String>,
}
