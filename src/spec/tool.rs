//! Tools of servers of the Model Context Protocol, by the names that agent files call them by. Each is an agent
//! without a file, whose inputs are what its server says.

use super::AgentSpec;
use super::check::is_agent_name;
use crate::config;
use futures_util::future::BoxFuture;
use std::collections::BTreeSet;
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
    /// The tool as an agent, as far as is known now. Where its server was not heard of yet, or cannot be asked, one
    /// that takes anything: its calls say why not.
    fn agent(&self, tool: &ToolRef) -> Result<Arc<AgentSpec>, Missing>;

    /// Done once each of these servers has said what it offers, or was silent for too long. Holds no thread.
    fn heard(&self, servers: BTreeSet<String>, patience: Patience) -> BoxFuture<'static, ()>;
}

/// How long a server that has just begun is waited for, before it is gone on without what it offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Somebody waits for an answer to a request.
    Brief,
    /// What comes of it depends on what is offered.
    Long,
}

/// The servers whose tools these names are.
pub fn servers<'n>(names: impl IntoIterator<Item = &'n str>) -> BTreeSet<String> {
    names.into_iter().filter_map(ToolRef::read).map(|tool| tool.server).collect()
}

/// The servers whose tools a text may name, such as that of a file.
pub fn servers_in(text: &str) -> BTreeSet<String> {
    let ends = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':'));
    servers(text.split(ends).filter_map(|word| word.find(SCHEME).map(|place| &word[place..])))
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
