//! Client of Model Context Protocol servers. Each server starts on first use. A local program runs as a child
//! process, is restarted after it died, and ends with the service. Everything that a server sends is bounded
//! and untrusted.

pub(crate) mod line_limit;
pub(crate) mod remote_server;
pub(crate) mod server_process;
pub(crate) mod tool_agent;
pub(crate) mod tool_result;
pub(crate) mod connection;

use crate::agent_spec::mcp_tools::{Patience, ToolServers};
use crate::agent_spec::types::spec::AgentSpec;
use crate::agent_spec::types::tool_ref::{MissingTool, ToolRef};
use crate::config::mcp::{McpServer, ToolPermission};
use crate::mcp_client::connection::{ServerConnection, ServerRequest, ToolListCache};
use crate::mcp_client::tool_result::{ToolError, ToolResult};
use futures_util::future::{BoxFuture, join_all};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};

/// Maximum time to wait for the tools of a server, counted from their first use. All waiters share this time,
/// so after it nobody waits for a silent server any more.
const LISTING_TIMEOUT: Duration = Duration::from_secs(15);
const BRIEF_LISTING_TIMEOUT: Duration = Duration::from_secs(3);
/// Time for all servers to end.
const END: Duration = Duration::from_secs(2);
/// Maximum number of queued requests to one server.
const MAX_QUEUED_REQUESTS: usize = 256;

/// All servers of the settings. Cheap to clone.
#[derive(Clone)]
pub struct Servers(Arc<ServerSet>);

struct ServerSet {
    settings: BTreeMap<String, McpServer>,
    connections: BTreeMap<String, OnceLock<Handle>>,
    /// A runtime with a thread of its own, so that large messages of a server delay no run.
    runtime: Mutex<Option<Runtime>>,
    closed: AtomicBool,
}

/// A server that has been used.
struct Handle {
    requests: mpsc::Sender<ServerRequest>,
    known: Arc<ToolListCache>,
}

impl Servers {
    /// Creates the servers of the settings. None is started.
    pub fn new(settings: BTreeMap<String, McpServer>) -> Self {
        let connections = settings.keys().map(|name| (name.clone(), OnceLock::new())).collect();
        Self(Arc::new(ServerSet {
            settings,
            connections,
            runtime: Mutex::default(),
            closed: AtomicBool::default(),
        }))
    }

    /// Returns the permission that the settings give a tool, if any. Otherwise the policy rules apply.
    pub fn permission(&self, tool: &ToolRef) -> Option<ToolPermission> {
        let server = self.0.settings.get(&tool.server);
        server.and_then(|server| server.tools.get(&tool.tool)).copied()
    }

    /// Calls a tool. Dropping the future notifies the server.
    pub async fn call(&self, tool: &ToolRef, arguments: Map<String, Value>) -> Result<ToolResult, ToolError> {
        let handle = self.handle(&tool.server).ok_or_else(|| ToolError::unknown(&tool.server))?;
        let (answer, answered) = oneshot::channel();
        let request = ServerRequest::Call { tool: tool.tool.clone(), arguments, answer };
        handle.requests.send(request).await.map_err(|_| ToolError::gone(&tool.server))?;
        answered.await.map_err(|_| ToolError::gone(&tool.server))?
    }

    /// Ends all servers. Afterwards no server is used any more, and their processes have ended or are about
    /// to.
    pub async fn end(&self) {
        self.0.closed.store(true, Ordering::Relaxed);
        self.0.connections.values().filter_map(OnceLock::get).for_each(|handle| handle.known.end());
        let runtime = self.0.runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(runtime) = runtime {
            let _ = tokio::task::spawn_blocking(move || runtime.shutdown_timeout(END)).await;
        }
    }

    fn handle(&self, server: &str) -> Option<&Handle> {
        let settings = self.0.settings.get(server)?;
        Some(self.0.connections.get(server)?.get_or_init(|| {
            let (requests, queue) = mpsc::channel(MAX_QUEUED_REQUESTS);
            let known = Arc::new(ToolListCache::default());
            let connection = ServerConnection::new(server.to_owned(), settings.clone(), Arc::clone(&known));
            self.0.begin(connection, queue);
            Handle { requests, known }
        }))
    }
}

impl ToolServers for Servers {
    fn agent(&self, tool: &ToolRef) -> Result<Arc<AgentSpec>, MissingTool> {
        let Some(handle) = self.handle(&tool.server) else {
            return Err(MissingTool {
                message: format!(
                    "there is no server \"{}\" among `mcp.servers` of the settings",
                    tool.server
                ),
                named: tool.server.clone(),
                names: self.0.settings.keys().cloned().collect(),
            });
        };
        if self.0.closed.load(Ordering::Relaxed) {
            return Ok(Arc::new(tool_agent::unknown(tool)));
        }
        handle.request_start();
        let Some(listed) = handle.known.now() else {
            return Ok(Arc::new(tool_agent::unknown(tool)));
        };
        match listed.iter().find(|known| known.name == tool.tool) {
            Some(known) => Ok(Arc::new(tool_agent::tool_agent(tool, known))),
            None => Err(MissingTool {
                message: format!("the server \"{}\" has no tool \"{}\"", tool.server, tool.tool),
                named: tool.tool.clone(),
                names: listed.iter().map(|known| known.name.to_string()).collect(),
            }),
        }
    }

    fn wait_listed(&self, servers: BTreeSet<String>, patience: Patience) -> BoxFuture<'static, ()> {
        let this = self.clone();
        let timeout = match patience {
            Patience::Brief => BRIEF_LISTING_TIMEOUT,
            Patience::Long => LISTING_TIMEOUT,
        };
        Box::pin(async move {
            let named = servers.iter().filter_map(|server| this.handle(server));
            let begun = named.inspect(|handle| handle.request_start());
            join_all(begun.map(|handle| handle.known.wait_listed(timeout))).await;
        })
    }
}

impl Handle {
    /// Requests the start of the server. Skipped if its queue is half full, which means that it runs or is
    /// starting; the remaining space is for calls.
    fn request_start(&self) {
        if self.requests.capacity() > MAX_QUEUED_REQUESTS / 2 {
            let _ = self.requests.try_send(ServerRequest::Begin);
        }
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.settings.keys()).finish()
    }
}

impl ServerSet {
    /// Starts the connection of a server. If no thread can be created, its receiver is dropped and callers
    /// get an error.
    fn begin(&self, connection: ServerConnection, requests: mpsc::Receiver<ServerRequest>) {
        let mut runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        if runtime.is_none() && !self.closed.load(Ordering::Relaxed) {
            match Builder::new_multi_thread().worker_threads(1).thread_name("mcp").enable_all().build() {
                Ok(started) => *runtime = Some(started),
                Err(fault) => tracing::error!(%fault, "no thread for MCP servers"),
            }
        }
        if let Some(runtime) = &*runtime {
            runtime.spawn(connection.serve(requests));
        }
    }
}

/// Ends the runtime without waiting, and with it all servers and their processes.
impl Drop for ServerSet {
    fn drop(&mut self) {
        let runtime = self.runtime.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = runtime.take() {
            runtime.shutdown_background();
        }
    }
}
