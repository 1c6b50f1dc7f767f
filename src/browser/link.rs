//! The wire to one Chromium: calls with answers, and events in the order in which they came.
//!
//! It stands on chromiumoxide's `Connection` and typed commands, not on its `Handler`: the handler
//! queues `Page.navigate` behind a page that never loads (30 s), loses the order between kinds of
//! events, and panics when a page is gone before it was told of it. A message of a newer Chromium
//! that chromiumoxide's tables do not know is data here, never an error.

mod driver;
mod listener;

use super::closed::Closed;
use super::fault::{Code, Fault};
use super::keyring::Keyring;
use super::proxy::Proxy;
use super::wire::{Event, Events, PATIENCE, Raw};
use chromiumoxide::cdp::browser_protocol::target::SessionId;
use chromiumoxide::types::Command;
use driver::{Driver, Order};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// One end of the wire; clones share it. Chromium's going away shows as a fault of every call.
#[derive(Clone, Debug)]
pub struct Link {
    orders: mpsc::UnboundedSender<Order>,
    pub closed: Closed,
    keys: Keyring,
    /// The way out of that Chromium, which lasts as long as the wire.
    pub proxy: Option<Arc<Proxy>>,
}

/// The part of the wire that belongs to one page, or to the browser itself (no session).
#[derive(Clone, Debug)]
pub struct Session {
    link: Link,
    id: Option<SessionId>,
}

impl Link {
    /// The wire, and the future that drives it: done when Chromium is gone.
    pub fn over(
        connection: chromiumoxide::Connection<Event>,
        closed: Closed,
        keys: Keyring,
        proxy: Option<Arc<Proxy>>,
    ) -> (Self, impl Future<Output = ()>) {
        let (orders, taken) = mpsc::unbounded_channel();
        let password = proxy.as_ref().map(|proxy| proxy.password.clone());
        let driver = Driver::new(connection, closed.clone(), password);
        (Self { orders, closed, keys, proxy }, driver.run(taken))
    }

    /// To a Chromium that is gone.
    #[cfg(test)]
    pub fn nowhere() -> Self {
        let orders = mpsc::unbounded_channel().0;
        Self { orders, closed: Closed::nothing(), keys: Keyring::default(), proxy: None }
    }

    pub fn browser(&self) -> Session {
        Session { link: self.clone(), id: None }
    }

    pub fn session(&self, id: impl Into<SessionId>) -> Session {
        Session { link: self.clone(), id: Some(id.into()) }
    }

    /// The same wire for one context, whose pages have bounds of their own, and persons who type in them.
    pub fn for_context(&self, context: &str, keys: Keyring) -> Self {
        let closed = self.closed.for_one_run(keys.clone());
        let order =
            Order::Bound { context: context.to_owned(), bounds: Some((closed.clone(), keys.clone())) };
        let _ = self.orders.send(order);
        Self { closed, keys, ..self.clone() }
    }

    /// That context is gone.
    pub fn forget_context(&self, context: &str) {
        let _ = self.orders.send(Order::Bound { context: context.to_owned(), bounds: None });
    }

    pub fn is_gone(&self) -> bool {
        self.orders.is_closed()
    }

    /// Whether all of Chromium goes by then: its pages are told to be gone first.
    pub async fn goes_within(&self, patience: Duration) -> bool {
        tokio::time::timeout(patience, self.orders.closed()).await.is_ok()
    }
}

impl Session {
    pub fn closed(&self) -> &Closed {
        &self.link.closed
    }

    pub fn keys(&self) -> &Keyring {
        &self.link.keys
    }

    pub fn id(&self) -> &str {
        self.id.as_ref().map(AsRef::as_ref).unwrap_or_default()
    }

    /// Events from now on, but for live pictures.
    pub fn listen(&self) -> Events {
        self.hear(false)
    }

    /// For who reads them all at once.
    pub fn listen_with_pictures(&self) -> Events {
        self.hear(true)
    }

    fn hear(&self, pictures: bool) -> Events {
        let (to, events) = mpsc::unbounded_channel();
        // With Chromium gone the sender is dropped here, and the stream ends at once.
        let _ = self.link.orders.send(Order::Listen { session: self.id.clone(), pictures, to });
        events
    }

    /// Why it ended, for who heard the last of it.
    pub async fn end(&self) -> Fault {
        self.call(Raw::new("Runtime.evaluate", json!({"expression": "1"})))
            .await
            .err()
            .unwrap_or_else(Fault::tab_closed)
    }

    pub async fn call<C: Command>(&self, command: C) -> Result<C::Response, Fault> {
        self.call_within(command, PATIENCE).await
    }

    pub async fn call_within<C: Command>(
        &self,
        command: C,
        patience: Duration,
    ) -> Result<C::Response, Fault> {
        self.begin(command, patience).await
    }

    /// Sends at once; what is returned waits for the answer.
    pub fn begin<C: Command>(
        &self,
        command: C,
        patience: Duration,
    ) -> impl Future<Output = Result<C::Response, Fault>> + use<C> {
        let method = command.identifier();
        let answer = self.order(command);
        async move {
            let value = match tokio::time::timeout(patience, answer?).await {
                Err(_) => return Err(Fault::slow(&method, patience)),
                Ok(Err(_)) => return Err(Fault::crashed()),
                Ok(Ok(value)) => value?,
            };
            C::response_from_value(value).map_err(|fault| {
                Fault::new(Code::Protocol, format!("{method}: the answer is not as known: {fault}"))
            })
        }
    }

    /// Sends at once and does not care for the answer: for amends made from `drop`.
    pub fn post<C: Command>(&self, command: C) {
        let _ = self.order(command);
    }

    fn order<C: Command>(&self, command: C) -> Result<oneshot::Receiver<Result<Value, Fault>>, Fault> {
        let method = command.identifier();
        let params = serde_json::to_value(command)
            .map_err(|fault| Fault::new(Code::Protocol, format!("{method}: {fault}")))?;
        let (answer, answered) = oneshot::channel();
        let order = Order::Call { session: self.id.clone(), method, params, answer };
        self.link.orders.send(order).map_err(|_| Fault::crashed())?;
        Ok(answered)
    }
}
