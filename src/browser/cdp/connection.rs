//! Connection to one Chromium: calls with replies, and events in the order of their arrival.
//!
//! Uses chromiumoxide's typed commands, but not its `Handler`, which queues `Page.navigate`
//! behind a page that never loads (30 s), loses the order between kinds of events, and panics when a page is
//! gone before the handler knew it. Messages of a newer Chromium that chromiumoxide's tables lack are data
//! here, never an error.

use crate::browser::cdp::driver::{Driver, DriverCommand};
use crate::browser::cdp::message::{CdpEvents, REPLY_TIMEOUT, RawCommand};
use crate::browser::cdp::request_policy::RequestPolicy;
use crate::browser::cdp::socket::DevToolsSocket;
use crate::browser::error::{ErrorCode, PageError};
use crate::store::tree_leases::deadline::LeaseDeadline;
use chromiumoxide::cdp::browser_protocol::target::SessionId;
use chromiumoxide::types::Command;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};

/// Handle to the connection; clones share it. Once Chromium has ended, every call returns an error.
#[derive(Clone, Debug)]
pub struct Connection {
    commands: mpsc::UnboundedSender<DriverCommand>,
}

/// CDP session of one page, or of the browser itself if it has no id.
#[derive(Clone, Debug)]
pub struct Session {
    connection: Connection,
    pub(in crate::browser) id: Option<SessionId>,
}

/// Reply to a command that has been sent.
#[derive(Debug)]
pub struct PendingReply(oneshot::Receiver<Result<Value, PageError>>);

impl PendingReply {
    /// Reports whether the reply, or an error in its place, has come.
    pub fn has_come(&mut self) -> bool {
        !matches!(self.0.try_recv(), Err(TryRecvError::Empty))
    }
}

impl Connection {
    /// Returns the connection, and the future that drives it until Chromium is gone. `policy` applies to the
    /// pages of contexts without one of their own; after the deadline `lease` commands wait.
    pub(crate) fn new(
        socket: DevToolsSocket,
        policy: Arc<dyn RequestPolicy>,
        lease: LeaseDeadline,
    ) -> (Self, impl Future<Output = ()>) {
        let (commands, taken) = mpsc::unbounded_channel();
        (Self { commands }, Driver::new(socket, policy, lease).run(taken))
    }

    /// Returns a connection to a Chromium that is gone.
    #[cfg(test)]
    pub fn disconnected() -> Self {
        Self { commands: mpsc::unbounded_channel().0 }
    }

    pub fn browser(&self) -> Session {
        Session { connection: self.clone(), id: None }
    }

    pub fn session(&self, id: impl Into<SessionId>) -> Session {
        Session { connection: self.clone(), id: Some(id.into()) }
    }

    /// Sets the policy for the pages of a context; `None` forgets that of a context that is gone.
    pub fn set_context_policy(&self, context: &str, policy: Option<Arc<dyn RequestPolicy>>) {
        let _ = self.commands.send(DriverCommand::SetPolicy { context: context.to_owned(), policy });
    }

    pub fn is_gone(&self) -> bool {
        self.commands.is_closed()
    }

    /// Reports whether the connection closes within this time: Chromium reports its pages gone before it
    /// ends.
    pub async fn closes_within(&self, timeout: Duration) -> bool {
        tokio::time::timeout(timeout, self.commands.closed()).await.is_ok()
    }
}

impl Session {
    pub fn id(&self) -> &str {
        self.id.as_ref().map(AsRef::as_ref).unwrap_or_default()
    }

    /// Subscribes to events, without screencast frames.
    pub fn listen(&self) -> CdpEvents {
        self.subscribe(false)
    }

    /// Subscribes to events including screencast frames, for a subscriber that reads at once.
    pub fn listen_with_pictures(&self) -> CdpEvents {
        self.subscribe(true)
    }

    fn subscribe(&self, pictures: bool) -> CdpEvents {
        let (to, events) = mpsc::unbounded_channel();
        // If Chromium is gone, the sender is dropped here and the stream ends at once.
        let _ =
            self.connection.commands.send(DriverCommand::Listen { session: self.id.clone(), pictures, to });
        events
    }

    /// Returns the reason why the session ended, after its event stream has ended.
    pub async fn end_reason(&self) -> PageError {
        self.call(RawCommand::new("Runtime.evaluate", json!({"expression": "1"})))
            .await
            .err()
            .unwrap_or_else(PageError::tab_closed)
    }

    pub async fn call<C: Command>(&self, command: C) -> Result<C::Response, PageError> {
        self.send(command, REPLY_TIMEOUT).await
    }

    /// Sends a command at once. The returned future waits for the reply; it may be dropped.
    pub fn send<C: Command>(
        &self,
        command: C,
        timeout: Duration,
    ) -> impl Future<Output = Result<C::Response, PageError>> + use<C> {
        let method = command.identifier();
        let sent = self.begin(command);
        async move {
            let value = match tokio::time::timeout(timeout, sent?.0).await {
                Err(_) => return Err(PageError::slow(&method, timeout)),
                Ok(Err(_)) => return Err(PageError::crashed()),
                Ok(Ok(value)) => value?,
            };
            C::response_from_value(value).map_err(|fault| {
                PageError::new(
                    ErrorCode::Protocol,
                    format!("{method}: the reply has an unknown form: {fault}"),
                )
            })
        }
    }

    /// Sends a command at once, whose reply may take as long as it likes.
    pub fn begin<C: Command>(&self, command: C) -> Result<PendingReply, PageError> {
        let method = command.identifier();
        let params = serde_json::to_value(command)
            .map_err(|fault| PageError::new(ErrorCode::Protocol, format!("{method}: {fault}")))?;
        let (answer, answered) = oneshot::channel();
        let command = DriverCommand::Call { session: self.id.clone(), method, params, answer };
        self.connection.commands.send(command).map_err(|_| PageError::crashed())?;
        Ok(PendingReply(answered))
    }

    /// Sends a command at once and ignores the reply: for clean-up in `drop`.
    pub fn post<C: Command>(&self, command: C) {
        drop(self.send(command, REPLY_TIMEOUT));
    }
}
