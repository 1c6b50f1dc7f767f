//! Connections to servers, as the URL policy allows them: names are resolved here, and the very address is checked that is
//! connected to.

use crate::browser::network::url_policy::{ConnectFailure, FailedConnections, UrlPolicy};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::watch;

const RESOLVE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit for each address of a name.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(8);
const MOST_ADDRESSES: usize = 4;

/// Server that a request is for.
pub struct Destination {
    /// Host as in the address, with the brackets of IPv6.
    pub host: String,
    pub port: u16,
    /// Address that the URL policy judges.
    pub url: String,
}

impl Destination {
    pub fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// Connects to servers, and records why that failed.
pub struct ServerConnector {
    pub url_policy: UrlPolicy,
    failures: watch::Sender<FailedConnections>,
}

impl ServerConnector {
    pub fn new(url_policy: UrlPolicy, failures: watch::Sender<FailedConnections>) -> Self {
        Self { url_policy, failures }
    }

    /// Connects to the server unless the URL policy blocks it, and records a failure.
    pub async fn open(&self, to: &Destination) -> Result<TcpStream, ()> {
        let opened = self.connect(to).await;
        opened.map_err(|failure| {
            tracing::info!(host = to.authority(), ?failure, "not connected");
            self.failures.send_modify(|failures| failures.add(to.authority(), failure));
        })
    }

    async fn connect(&self, to: &Destination) -> Result<TcpStream, ConnectFailure> {
        let url = to.url.as_str();
        if let Some(why) = self.url_policy.block_reason(url) {
            return Err(ConnectFailure::Blocked(why));
        }
        let name = to.host.trim_start_matches('[').trim_end_matches(']');
        let routed = self.url_policy.route_target(name, to.port);
        let target = routed.unwrap_or((name, to.port));
        let found = tokio::time::timeout(RESOLVE_TIMEOUT, tokio::net::lookup_host(target)).await;
        let all: Vec<SocketAddr> =
            found.map_err(|_| ConnectFailure::Unknown)?.map_err(|_| ConnectFailure::Unknown)?.collect();
        // An IPv4 address can be mapped to IPv6; the policy must see it as IPv4.
        // The owner may route a public name to a private address.
        let why = |address: &SocketAddr| match routed {
            Some(_) => None,
            None => self.url_policy.address_block_reason(url, address.ip().to_canonical()),
        };
        let mut failure = match all.iter().find_map(why) {
            Some(why) => ConnectFailure::Blocked(why),
            None => ConnectFailure::Unknown,
        };
        for address in all.iter().filter(|address| why(address).is_none()).take(MOST_ADDRESSES) {
            failure = match tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
                Ok(Ok(server)) => {
                    // Small messages should not be delayed.
                    let _ = server.set_nodelay(true);
                    return Ok(server);
                }
                Ok(Err(_)) => ConnectFailure::Refused,
                Err(_) => ConnectFailure::Silent,
            };
        }
        Err(failure)
    }
}
