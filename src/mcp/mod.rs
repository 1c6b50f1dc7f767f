//! Servers of the Model Context Protocol, spoken to as a client: each begins when it is first needed, a program of
//! this machine as a child that ends with the service, and is begun again when it has died. What a server says is
//! nobody's word but its own: all of it is bounded, and none of it is believed.

mod agent;
mod answer;
mod bounded;
mod child;
mod link;
mod remote;

pub use agent::unknown;
pub use answer::{Done, Fault};

use crate::config::mcp::{Leave, McpServer};
use crate::spec::AgentSpec;
use crate::spec::tool::{Missing, Patience, ToolRef, Tools};
use futures_util::future::{BoxFuture, join_all};
use link::{Known, Link, Order};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};

/// How long a server may take, from when it was first needed, before its tools are gone on without. It is one time
/// for all who wait: of one that was silent for so long, nobody waits to hear what it offers.
const PATIENCE: Duration = Duration::from_secs(15);
const BRIEF: Duration = Duration::from_secs(3);
/// How long they may take to be ended.
const END: Duration = Duration::from_secs(2);
/// Orders that wait for one server.
const ORDERS: usize = 256;

/// All servers of the settings. Cheap to clone.
#[derive(Clone)]
pub struct Servers(Arc<Inner>);

struct Inner {
    settings: BTreeMap<String, McpServer>,
    links: BTreeMap<String, OnceLock<Handle>>,
    /// A thread of their own: however much a server says, no run waits for it to be read.
    runtime: Mutex<Option<Runtime>>,
    closed: AtomicBool,
}

/// A server that was needed.
struct Handle {
    orders: mpsc::Sender<Order>,
    known: Arc<Known>,
}

impl Servers {
    pub fn new(settings: BTreeMap<String, McpServer>) -> Self {
        let links = settings.keys().map(|name| (name.clone(), OnceLock::new())).collect();
        Self(Arc::new(Inner { settings, links, runtime: Mutex::default(), closed: AtomicBool::default() }))
    }

    /// What the owner says of a tool, if anything; else the rules do.
    pub fn leave(&self, tool: &ToolRef) -> Option<Leave> {
        let server = self.0.settings.get(&tool.server);
        server.and_then(|server| server.tools.get(&tool.tool)).copied()
    }

    /// Calls a tool. Dropping this tells the server that nobody waits any more.
    pub async fn call(&self, tool: &ToolRef, arguments: Map<String, Value>) -> Result<Done, Fault> {
        let handle = self.handle(&tool.server).ok_or_else(|| Fault::unknown(&tool.server))?;
        let (answer, answered) = oneshot::channel();
        let order = Order::Call { tool: tool.tool.clone(), arguments, answer };
        handle.orders.send(order).await.map_err(|_| Fault::gone(&tool.server))?;
        answered.await.map_err(|_| Fault::gone(&tool.server))?
    }

    /// Ends all of them; when this is done no server is spoken to any more, and its processes are as good as gone.
    pub async fn end(&self) {
        self.0.closed.store(true, Ordering::Relaxed);
        self.0.links.values().filter_map(OnceLock::get).for_each(|handle| handle.known.end());
        let runtime = self.0.runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(runtime) = runtime {
            let _ = tokio::task::spawn_blocking(move || runtime.shutdown_timeout(END)).await;
        }
    }

    fn handle(&self, server: &str) -> Option<&Handle> {
        let settings = self.0.settings.get(server)?;
        Some(self.0.links.get(server)?.get_or_init(|| {
            let (orders, ordered) = mpsc::channel(ORDERS);
            let known = Arc::new(Known::default());
            let link = Link::new(server.to_owned(), settings.clone(), Arc::clone(&known));
            self.0.begin(link, ordered);
            Handle { orders, known }
        }))
    }
}

impl Tools for Servers {
    fn agent(&self, tool: &ToolRef) -> Result<Arc<AgentSpec>, Missing> {
        let Some(handle) = self.handle(&tool.server) else {
            return Err(Missing {
                message: format!(
                    "there is no server \"{}\" among `mcp.servers` of the settings",
                    tool.server
                ),
                named: tool.server.clone(),
                names: self.0.settings.keys().cloned().collect(),
            });
        };
        if self.0.closed.load(Ordering::Relaxed) {
            return Ok(Arc::new(agent::unknown(tool)));
        }
        handle.wanted();
        let Some(listed) = handle.known.now() else { return Ok(Arc::new(agent::unknown(tool))) };
        match listed.iter().find(|known| known.name == tool.tool) {
            Some(known) => Ok(Arc::new(agent::of(tool, known))),
            None => Err(Missing {
                message: format!("the server \"{}\" has no tool \"{}\"", tool.server, tool.tool),
                named: tool.tool.clone(),
                names: listed.iter().map(|known| known.name.to_string()).collect(),
            }),
        }
    }

    fn heard(&self, servers: BTreeSet<String>, patience: Patience) -> BoxFuture<'static, ()> {
        let this = self.clone();
        let patience = match patience {
            Patience::Brief => BRIEF,
            Patience::Long => PATIENCE,
        };
        Box::pin(async move {
            let named = servers.iter().filter_map(|server| this.handle(server));
            let begun = named.inspect(|handle| handle.wanted());
            join_all(begun.map(|handle| handle.known.heard(patience))).await;
        })
    }
}

impl Handle {
    /// Has it begun, if it does not run. Where it has many orders it does, or will; the room that is left is for calls.
    fn wanted(&self) {
        if self.orders.capacity() > ORDERS / 2 {
            let _ = self.orders.try_send(Order::Begin);
        }
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.settings.keys()).finish()
    }
}

impl Inner {
    /// Without a thread no order is heard, and whoever gives one is told so.
    fn begin(&self, link: Link, orders: mpsc::Receiver<Order>) {
        let mut runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        if runtime.is_none() && !self.closed.load(Ordering::Relaxed) {
            match Builder::new_multi_thread().worker_threads(1).thread_name("mcp").enable_all().build() {
                Ok(made) => *runtime = Some(made),
                Err(fault) => tracing::error!(%fault, "no thread for MCP servers"),
            }
        }
        if let Some(runtime) = &*runtime {
            runtime.spawn(link.serve(orders));
        }
    }
}

/// The thread ends with its last server, and their processes with it.
impl Drop for Inner {
    fn drop(&mut self) {
        let runtime = self.runtime.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = runtime.take() {
            runtime.shutdown_background();
        }
    }
}
