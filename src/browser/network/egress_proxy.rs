//! Proxy in this process, Chromium's only way out. It sees every connection that a page causes, by documents,
//! scripts, frames, workers, sockets or downloads. It resolves names itself and checks the very address that
//! it connects to, so that no public name leads to an internal address.
//!
//! Encrypted and socket traffic is tunnelled (`CONNECT`), so only host and port are visible. Unencrypted requests
//! are forwarded one by one (`forwarding`), each checked by itself. Chromium gets a password made for it, so other
//! programs of this machine cannot use the proxy.

use crate::browser::error::BrowserError;
use crate::browser::network::forwarding::{self, ProxyState};
use crate::browser::network::server_connector::ServerConnector;
use crate::browser::network::url_policy::{FailedConnections, UrlPolicy};
use crate::ids;
use crate::store::tree_leases::deadline::LeaseDeadline;
use base64::Engine;
use std::rc::Rc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};

/// User name with which Chromium signs in to the proxy.
pub const USER: &str = "askfirst";

/// A running proxy. Dropping it stops the proxy.
#[derive(Debug)]
pub struct Proxy {
    pub port: u16,
    /// Password that Chromium must send.
    pub password: String,
    /// The last failed connections, which this proxy alone records.
    pub failures: watch::Receiver<FailedConnections>,
    /// Dropping the sender stops the proxy.
    _lifeline: oneshot::Sender<()>,
}

impl Proxy {
    /// Starts a proxy on its own port and thread, so that pages with much traffic delay nothing else.
    pub fn start(url_policy: UrlPolicy, lease: LeaseDeadline) -> Result<Self, BrowserError> {
        let failed = |fault: std::io::Error| BrowserError::Proxy { reason: fault.to_string() };
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let password = ids::token();
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("{USER}:{password}"));
        let (lifeline, ended) = oneshot::channel();
        let (failures, failed_connections) = watch::channel(FailedConnections::default());
        let connector = ServerConnector::new(url_policy, failures);
        let state = ProxyState { connector, expected: format!("Basic {pair}"), lease };
        std::thread::Builder::new()
            .name(String::from("proxy"))
            .spawn(move || run(listener, state, ended))
            .map_err(failed)?;
        Ok(Self { port, password, failures: failed_connections, _lifeline: lifeline })
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

fn run(listener: std::net::TcpListener, state: ProxyState, ended: oneshot::Receiver<()>) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(fault) => return tracing::error!(%fault, "no proxy for chromium"),
    };
    let tasks = tokio::task::LocalSet::new();
    tasks.block_on(&runtime, async {
        tokio::select! {
            _ = ended => {}
            fault = accept(listener, Rc::new(state)) => tracing::error!(%fault, "chromium's proxy ended"),
        }
    });
    drop(tasks);
    // Name look-ups in progress must not delay the end.
    runtime.shutdown_background();
}

async fn accept(listener: std::net::TcpListener, state: Rc<ProxyState>) -> std::io::Error {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(fault) => return fault,
    };
    loop {
        match listener.accept().await {
            Ok((client, _)) => {
                let state = Rc::clone(&state);
                // The tasks end with the `LocalSet`.
                tokio::task::spawn_local(async move {
                    if let Err(fault) = forwarding::serve_connection(state, client).await {
                        tracing::trace!(%fault, "a connection of chromium broke");
                    }
                });
            }
            // Too many open files: some will be closed soon.
            Err(fault) if fault.raw_os_error().is_some() => {
                tokio::time::sleep(Duration::from_millis(50)).await
            }
            Err(fault) => return fault,
        }
    }
}
