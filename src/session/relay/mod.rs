//! Relay between nodes: live pictures, a person's input and the page's dialogs at a node that does not own the run.
//!
//! The session of the viewer opens a link to the owner for each run tree that it watches or holds. The owner runs a session
//! for the link under the id of the viewer's session, so that the holder of a page is the same at every node. Frames pass
//! unchanged, and so do the acknowledgements of pictures: the owner sends at most two pictures that the viewer has not
//! acknowledged, and a node between them stores none. A relayed session never opens a link itself.
//!
//! A link is let in by a ticket: a secret that the store issues to a node for one connection to the owner, about one viewer.

pub mod link;
pub mod link_table;
pub mod relayed_sessions;

use crate::ids::SessionId;
use crate::protocol::caller::Caller;
use crate::session::relay::relayed_sessions::RelayedSessions;
use actix::{Actor, Addr};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Path of the socket between nodes. Requests for it may use any host name and show no token: no page can show a ticket.
pub const PATH: &str = "/cluster/live";
/// Header of the request for the socket that holds the ticket.
pub const TICKET: &str = "x-askfirst-ticket";
/// Interval of the owner's pings.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(2);
/// Time without any message after which either end gives the connection up.
pub(crate) const SILENCE: Duration = Duration::from_secs(6);
/// Close code of a socket whose service no longer owns the run tree.
pub(crate) const MOVED: u16 = 4001;

/// Time for a connection to the owner of a tree, and for its reply.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Viewer for whom a node asks, as its ticket names them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RelayedViewer {
    /// Session of the viewer at that node.
    pub session: SessionId,
    pub client: Caller,
}

/// Parts of the relay that all sessions of a node share.
#[derive(Clone)]
pub struct RelayParts {
    /// Client for connections to other nodes. Proxies of the environment are not used, redirects are not followed.
    pub(crate) client: reqwest::Client,
    /// Relayed sessions of this node.
    pub(crate) sessions: Addr<RelayedSessions>,
}

impl RelayParts {
    /// Creates the parts; within an actix system.
    pub fn new() -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder()
            .no_proxy()
            .http1_only()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            // A connection belongs to the thread of its session.
            .pool_max_idle_per_host(0)
            .build()?;
        Ok(Self { client, sessions: RelayedSessions::default().start() })
    }
}
