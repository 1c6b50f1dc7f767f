//! WebSocket to Chromium. Commands leave at once: chromiumoxide's own connection keeps Nagle's algorithm, which holds
//! back a command until Chromium has answered the one before, such as a screenshot.

use crate::browser::cdp::incoming::{IncomingMessage, parse_message};
use chromiumoxide::types::{CallId, MethodCall, MethodId};
use futures_util::{Sink, Stream};
use serde_json::Value;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::{Error, Message as Frame, protocol::WebSocketConfig};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

pub(crate) struct DevToolsSocket {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    next_id: usize,
    /// Commands that have not been passed to the socket, oldest first.
    queued: VecDeque<Frame>,
    /// True if the socket may hold bytes that have not been sent.
    is_unflushed: bool,
}

impl DevToolsSocket {
    /// Connects to the address of a DevTools socket (`ws://…`).
    pub(crate) async fn connect(url: &str) -> Result<Self, Error> {
        // Pictures and documents come in one message each.
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let (socket, _) = connect_async_with_config(url, Some(config), true).await?;
        Ok(Self { socket, next_id: 0, queued: VecDeque::new(), is_unflushed: false })
    }

    /// Queues a command; it leaves with the next call of `next`. Returns the id of its reply.
    pub(crate) fn submit(
        &mut self,
        method: MethodId,
        session: Option<String>,
        params: Value,
    ) -> serde_json::Result<CallId> {
        let id = CallId::new(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        let call = MethodCall { id, method, session_id: session, params };
        self.queued.push_back(Frame::text(serde_json::to_string(&call)?));
        Ok(id)
    }

    /// Sends what is queued and returns the next message that somebody reads; `None` once the connection is closed. May be
    /// dropped and called again without losing a message.
    pub(crate) async fn next(&mut self) -> Option<Result<IncomingMessage, Error>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<IncomingMessage, Error>>> {
        if let Poll::Ready(Err(fault)) = self.poll_send(context) {
            return Poll::Ready(Some(Err(fault)));
        }
        loop {
            match ready!(Pin::new(&mut self.socket).poll_next(context)) {
                Some(Ok(Frame::Text(text))) => match parse_message(&text) {
                    Ok(Some(message)) => return Poll::Ready(Some(Ok(message))),
                    Ok(None) => {}
                    Err(fault) => tracing::debug!(%fault, "message of chromium cannot be parsed"),
                },
                Some(Ok(Frame::Close(_))) | None => return Poll::Ready(None),
                // Pings are answered by the library.
                Some(Ok(_)) => {}
                Some(Err(fault)) => return Poll::Ready(Some(Err(fault))),
            }
        }
    }

    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let mut socket = Pin::new(&mut self.socket);
        while !self.queued.is_empty() {
            ready!(socket.as_mut().poll_ready(context))?;
            if let Some(frame) = self.queued.pop_front() {
                socket.as_mut().start_send(frame)?;
                self.is_unflushed = true;
            }
        }
        if self.is_unflushed {
            ready!(socket.poll_flush(context))?;
            self.is_unflushed = false;
        }
        Poll::Ready(Ok(()))
    }
}
