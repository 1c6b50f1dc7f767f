//! Link: one socket from the node of a viewer to the owner of a run tree. Passes frames in both directions until either
//! end closes.

use crate::ids::RunId;
use crate::session::relay::{CONNECT_TIMEOUT, MOVED, PATH, RelayedViewer, SILENCE, TICKET};
use crate::store::Store;
use crate::text::error_cause::describe_root_cause;
use actix::{Message, Recipient};
use actix_web::web::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use reqwest::header::{CONNECTION, UPGRADE};
use reqwest::{StatusCode, Upgraded};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::protocol::Role;

/// Longest error text that is read from the owner, in bytes.
const LONGEST_REFUSAL: usize = 4 * 1024;

/// A frame of the owner.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct FromOwner {
    pub root: RunId,
    /// Number of the link.
    pub link: u64,
    pub frame: OwnerFrame,
}

/// Content of a frame of the owner.
#[derive(Debug)]
pub enum OwnerFrame {
    /// Frame for the viewer, as JSON.
    Text(String),
    /// Picture with its header (`protocol::picture`).
    Picture(Bytes),
}

/// Reason why a link ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkEnd {
    /// The session closed it.
    Closed,
    /// No other node owns the tree now.
    NoOwner,
    /// The owner's settings name no address.
    NoAddress,
    /// The owner owns the tree no longer.
    Moved,
    /// The connection was lost.
    Lost,
    /// No connection to the owner; with its address and the cause.
    Unreachable { address: String, cause: String },
    /// The owner, or a service between, refused the connection.
    Refused { address: String, cause: String },
    /// The store cannot say who the owner is; its error was logged.
    StoreFailed,
}

/// A link that is to be opened.
pub struct NewLink {
    pub root: RunId,
    /// Number of the link, which its frames bear.
    pub number: u64,
    pub viewer: RelayedViewer,
    pub store: Arc<dyn Store>,
    pub client: reqwest::Client,
    /// Frames for the owner. The link closes when the sender is dropped and all have been sent.
    pub frames: mpsc::Receiver<String>,
    pub to: Recipient<FromOwner>,
}

type Socket = WebSocketStream<Upgraded>;

impl NewLink {
    /// Connects to the owner and passes frames until the link ends.
    pub async fn run(self) -> LinkEnd {
        match self.connect().await {
            Ok(socket) => self.pass_frames(socket).await,
            Err(end) => end,
        }
    }

    async fn connect(&self) -> Result<Socket, LinkEnd> {
        // Serializing it cannot fail; if it did, the owner would refuse the ticket.
        let viewer = serde_json::to_string(&self.viewer).unwrap_or_default();
        let issued = self.store.issue_ticket(self.root.clone(), viewer).await.map_err(|fault| {
            tracing::warn!(run_id = %self.root, %fault, "the owner of a run was not found");
            LinkEnd::StoreFailed
        })?;
        let owner = issued.ok_or(LinkEnd::NoOwner)?;
        if owner.address.is_empty() {
            return Err(LinkEnd::NoAddress);
        }
        let address = owner.address.trim_end_matches('/').to_owned();
        match timeout(CONNECT_TIMEOUT, open_socket(&self.client, &address, &owner.ticket)).await {
            Ok(opened) => opened,
            Err(_) => Err(LinkEnd::Unreachable { address, cause: String::from("no reply in time") }),
        }
    }

    async fn pass_frames(self, socket: Socket) -> LinkEnd {
        let (to_owner, from_owner) = socket.split();
        let Self { root, number, frames, to, .. } = self;
        let send = |frame| to.send(FromOwner { root: root.clone(), link: number, frame });
        tokio::select! {
            end = pass_to_viewer(from_owner, send) => end,
            end = pass_to_owner(to_owner, frames) => end,
        }
    }
}

/// Opens the socket. The client is also that of other requests, so it can do TLS.
async fn open_socket(client: &reqwest::Client, address: &str, ticket: &str) -> Result<Socket, LinkEnd> {
    let request = client
        .get(format!("{address}{PATH}"))
        .header(TICKET, ticket)
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", generate_key());
    let unreachable = |fault: reqwest::Error| LinkEnd::Unreachable {
        address: address.to_owned(),
        cause: describe_root_cause(&fault),
    };
    let response = request.send().await.map_err(unreachable)?;
    match response.status() {
        StatusCode::SWITCHING_PROTOCOLS => {}
        StatusCode::CONFLICT => return Err(LinkEnd::Moved),
        status => {
            let cause = format!("{status}: {}", read_refusal(response).await);
            return Err(LinkEnd::Refused { address: address.to_owned(), cause });
        }
    }
    let upgraded = response.upgrade().await.map_err(unreachable)?;
    Ok(WebSocketStream::from_raw_socket(upgraded, Role::Client, None).await)
}

/// Reads the detail of a problem, or the beginning of another text.
async fn read_refusal(mut response: reqwest::Response) -> String {
    let mut body = Vec::new();
    while let Ok(Some(part)) = response.chunk().await {
        body.extend_from_slice(&part);
        if body.len() > LONGEST_REFUSAL {
            break;
        }
    }
    body.truncate(LONGEST_REFUSAL);
    let problem: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    problem["detail"].as_str().unwrap_or("no askfirst service answers there").to_owned()
}

/// Passes frames to the session of the viewer, one after the other: it gets the next when it has taken the last.
async fn pass_to_viewer<F: Future>(
    mut from_owner: SplitStream<Socket>,
    send: impl Fn(OwnerFrame) -> F,
) -> LinkEnd {
    loop {
        let frame = match timeout(SILENCE, from_owner.next()).await {
            Ok(Some(Ok(Frame::Text(text)))) => OwnerFrame::Text(text.as_str().to_owned()),
            Ok(Some(Ok(Frame::Binary(bytes)))) => OwnerFrame::Picture(bytes),
            Ok(Some(Ok(Frame::Close(Some(reason))))) if u16::from(reason.code) == MOVED => {
                return LinkEnd::Moved;
            }
            // Pings are answered by the library.
            Ok(Some(Ok(Frame::Ping(_) | Frame::Pong(_) | Frame::Frame(_)))) => continue,
            Ok(Some(Ok(Frame::Close(_)) | Err(_)) | None) | Err(_) => return LinkEnd::Lost,
        };
        // A session that has stopped drops this link.
        send(frame).await;
    }
}

async fn pass_to_owner(
    mut to_owner: SplitSink<Socket, Frame>,
    mut frames: mpsc::Receiver<String>,
) -> LinkEnd {
    while let Some(frame) = frames.recv().await {
        if to_owner.send(Frame::text(frame)).await.is_err() {
            return LinkEnd::Lost;
        }
    }
    // The owner's end may be gone.
    let _ = to_owner.close().await;
    LinkEnd::Closed
}
