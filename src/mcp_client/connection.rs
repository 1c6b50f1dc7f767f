//! Connection to one server: started on first use, restarted after it ends, with increasing pauses if it
//! fails to start. Its tools are listed at the start and whenever it reports a change, concurrently with
//! calls.

use crate::clock::Stopwatch;
use crate::config::mcp::McpServer;
use crate::mcp_client::server_process::ServerProcess;
use crate::mcp_client::tool_result::{ToolError, ToolResult};
use crate::mcp_client::{remote_server, server_process, tool_result};
use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, PaginatedRequestParams, Tool,
};
use rmcp::service::{NotificationContext, Peer, RoleClient, RunningService, ServiceError, serve_client};
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::{Map, Value};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Timeout for the start and for listing tools, independent of the timeout of calls.
const BEGIN: Duration = Duration::from_secs(30);
/// Limits of a server: number of tools, bytes of a schema, and bytes of a description.
const TOOLS: usize = 1_000;
const SCHEMA: usize = 32 * 1024;
const DESCRIPTION: usize = 4_000;
/// Pauses in seconds between failed attempts to start.
const FIRST_PAUSE_S: u64 = 1;
const LAST_PAUSE_S: u64 = 60;
/// Minimum interval between listings, however often the server reports changes.
const LISTED_EVERY: Duration = Duration::from_secs(1);

/// Request to the task of a server.
pub enum ServerRequest {
    /// Start the server, because it will be needed.
    Begin,
    Call {
        tool: String,
        arguments: Map<String, Value>,
        answer: oneshot::Sender<Result<ToolResult, ToolError>>,
    },
}

/// The last known tools of a server.
#[derive(Default)]
pub struct ToolListCache {
    /// Outer `None` until the first attempt to list; inner `None` if no attempt has succeeded.
    listed: watch::Sender<Option<Option<Arc<Vec<Tool>>>>>,
    /// Time since the tools were first needed.
    first_asked: OnceLock<Stopwatch>,
}

impl ToolListCache {
    /// Returns the tools, or `None` if they have not been listed.
    pub fn now(&self) -> Option<Arc<Vec<Tool>>> {
        self.listed.borrow().clone().flatten()
    }

    /// Waits until the first attempt to list has finished, but no longer than `limit` after the tools were
    /// first needed.
    pub async fn wait_listed(&self, limit: Duration) {
        let first_asked = self.first_asked.get_or_init(Stopwatch::start);
        let left = limit.saturating_sub(Duration::from_secs_f64(first_asked.seconds()));
        if left.is_zero() {
            return;
        }
        let mut listed = self.listed.subscribe();
        let _ = timeout(left, listed.wait_for(Option::is_some)).await;
    }

    /// Ends all waits for a listing.
    pub fn end(&self) {
        self.publish(None);
    }

    /// Stores a listing. `None` is a failed attempt, which keeps the tools known before.
    fn publish(&self, tools: Option<Vec<Tool>>) {
        self.listed.send_modify(|listed| match tools {
            Some(tools) => *listed = Some(Some(Arc::new(tools))),
            None => drop(listed.get_or_insert(None)),
        });
    }
}

/// Task that owns the connection to one server, starts it when it is needed, and reads its list of tools.
pub struct ServerConnection {
    name: String,
    settings: McpServer,
    known: Arc<ToolListCache>,
    connection: Option<Connection>,
    failed: Option<Failed>,
    changed: Arc<Notify>,
    /// At most one listing at a time.
    listing: JoinSet<()>,
}

struct Connection {
    /// Declared before the process, so that it is dropped first.
    service: RunningService<RoleClient, Listener>,
    child: Option<ServerProcess>,
}

/// A failed start. Further attempts wait for the pause.
struct Failed {
    fault: ToolError,
    since: Stopwatch,
    pause_s: u64,
}

/// Handles notifications of a server: only changes of the tool list. Requests of a server are not supported.
struct Listener {
    changed: Arc<Notify>,
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("askfirst", env!("CARGO_PKG_VERSION")),
        )
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}

impl ServerConnection {
    /// Creates the task without a connection.
    pub fn new(name: String, settings: McpServer, known: Arc<ToolListCache>) -> Self {
        let changed = Arc::new(Notify::new());
        let listing = JoinSet::new();
        Self { name, settings, known, connection: None, failed: None, changed, listing }
    }

    /// Serves requests until all senders are dropped.
    pub async fn serve(mut self, mut requests: mpsc::Receiver<ServerRequest>) {
        let changed = Arc::clone(&self.changed);
        loop {
            let lists = !self.listing.is_empty();
            tokio::select! {
                request = requests.recv() => match request {
                    Some(request) => self.execute(request).await,
                    None => return,
                },
                _ = self.listing.join_next(), if lists => {}
                () = changed.notified(), if !lists => {
                    if let Some(peer) = self.living() {
                        self.list(peer, LISTED_EVERY);
                    }
                }
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "it ends with its answer, or when nobody waits for that")]
    async fn execute(&mut self, request: ServerRequest) {
        let peer = self.connected().await;
        let ServerRequest::Call { tool, arguments, mut answer } = request else { return };
        let peer = match peer {
            Ok(peer) => peer,
            Err(fault) => return drop(answer.send(Err(fault))),
        };
        let (server, seconds) = (self.name.clone(), self.settings.timeout_s);
        tokio::spawn(async move {
            let calling = call(&server, seconds, &peer, tool, arguments);
            tokio::select! {
                done = calling => drop(answer.send(done)),
                // Dropping the call notifies the server.
                () = answer.closed() => {}
            }
        });
    }

    /// Returns the connection if the server is running.
    fn living(&mut self) -> Option<Peer<RoleClient>> {
        let connection = self.connection.as_mut()?;
        let ended = connection.child.as_mut().is_some_and(ServerProcess::has_ended);
        if ended || connection.service.is_closed() || connection.service.peer().is_transport_closed() {
            tracing::warn!(server = self.name, "an MCP server has ended");
            self.connection = None;
            return None;
        }
        Some(connection.service.peer().clone())
    }

    /// Returns the connection, starting the server if necessary.
    async fn connected(&mut self) -> Result<Peer<RoleClient>, ToolError> {
        if let Some(peer) = self.living() {
            return Ok(peer);
        }
        if let Some(failed) = &self.failed
            && failed.since.seconds() < failed.pause_s as f64
        {
            return Err(failed.fault.clone());
        }
        let took = Stopwatch::start();
        let begun = self.begin().await;
        match begun {
            Ok(connection) => {
                let peer = connection.service.peer().clone();
                self.connection = Some(connection);
                self.failed = None;
                // Listings of an earlier process are obsolete.
                self.listing.abort_all();
                self.list(peer.clone(), Duration::ZERO);
                tracing::info!(server = self.name, "an MCP server has begun");
                Ok(peer)
            }
            Err(why) => {
                let fault = ToolError::not_begun(&self.name, &why);
                tracing::warn!(server = self.name, why, "an MCP server does not begin");
                let before = self.failed.as_ref().map_or(0, |failed| failed.pause_s);
                // After a slow failure, further attempts fail at once for at least as long as it took.
                let pause_s = (before * 2).max(took.seconds() as u64).clamp(FIRST_PAUSE_S, LAST_PAUSE_S);
                self.failed = Some(Failed { fault: fault.clone(), since: Stopwatch::start(), pause_s });
                self.known.publish(None);
                Err(fault)
            }
        }
    }

    async fn begin(&self) -> Result<Connection, String> {
        let listener = Listener { changed: Arc::clone(&self.changed) };
        if self.settings.url.is_some() {
            let transport = remote_server::transport(&self.settings)?;
            let service = in_time(serve_client(listener, transport)).await?;
            return Ok(Connection { service, child: None });
        }
        let begun = server_process::begin(&self.name, &self.settings).await;
        let (mut child, (stdout, stdin)) = begun.map_err(|fault| fault.to_string())?;
        let transport = AsyncRwTransport::new_client(stdout, stdin);
        match in_time(serve_client(listener, transport)).await {
            Ok(service) => Ok(Connection { service, child: Some(child) }),
            Err(why) => {
                let last = child.last().await;
                Err(if last.is_empty() { why } else { format!("{why} ({last})") })
            }
        }
    }

    /// Lists the tools in the background, so that calls continue.
    fn list(&mut self, peer: Peer<RoleClient>, pause: Duration) {
        let (server, known) = (self.name.clone(), Arc::clone(&self.known));
        self.listing.spawn(async move {
            tokio::time::sleep(pause).await;
            let why = match timeout(BEGIN, list_all_tools(&peer)).await {
                Ok(Ok(tools)) => return known.publish(Some(tools)),
                Ok(Err(fault)) => fault.to_string(),
                Err(_) => String::from("it takes too long"),
            };
            tracing::warn!(server, why, "an MCP server does not list its tools");
            known.publish(None);
        });
    }
}

async fn in_time<T, E: std::fmt::Display>(work: impl Future<Output = Result<T, E>>) -> Result<T, String> {
    match timeout(BEGIN, work).await {
        Ok(done) => done.map_err(|fault| fault.to_string()),
        Err(_) => Err(format!("it printed nothing within {} s", BEGIN.as_secs())),
    }
}

/// Lists the tools page by page, within the limits.
async fn list_all_tools(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, ServiceError> {
    let (mut tools, mut cursor) = (Vec::new(), None);
    loop {
        let page = peer.list_tools(Some(PaginatedRequestParams::default().with_cursor(cursor))).await?;
        let empty = page.tools.is_empty();
        tools.extend(page.tools.into_iter().take(TOOLS - tools.len()).map(trimmed));
        cursor = page.next_cursor;
        if cursor.is_none() || tools.len() >= TOOLS || empty {
            return Ok(tools);
        }
    }
}

fn trimmed(mut tool: Tool) -> Tool {
    if Value::Object(tool.input_schema.as_ref().clone()).to_string().len() > SCHEMA {
        tool.input_schema = Arc::default();
    }
    let words = tool.description.take().map(|words| words.chars().take(DESCRIPTION).collect::<String>());
    Tool::new_with_raw(tool.name, words.map(Into::into), tool.input_schema)
}

async fn call(
    server: &str,
    seconds: u64,
    peer: &Peer<RoleClient>,
    tool: String,
    arguments: Map<String, Value>,
) -> Result<ToolResult, ToolError> {
    let calling = peer.call_tool_once(CallToolRequestParams::new(tool).with_arguments(arguments));
    let limit = Duration::from_secs(seconds);
    let replied = match timeout(limit, calling).await {
        Ok(replied) => replied,
        Err(_) => Err(ServiceError::Timeout { timeout: limit }),
    };
    tool_result::read(
        server,
        replied.map_err(|fault| ToolError::from_service_error(server, seconds, &fault))?,
    )
}
