//! The wire to one Chromium: calls with answers, and events in the order in which they came.
//!
//! It stands on chromiumoxide's `Connection` and typed commands, not on its `Handler`: the handler
//! queues `Page.navigate` behind a page that never loads (30 s), loses the order between kinds of
//! events, and panics when a page is gone before it was told of it. A message of a newer Chromium
//! that chromiumoxide's tables do not know is data here, never an error.

use super::closed::Closed;
use super::fault::{Code, Fault};
use chromiumoxide::cdp::browser_protocol::target::SessionId;
use chromiumoxide::types::{CallId, Command, EventMessage, Message, Method, MethodId, Response};
use futures_util::StreamExt;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// No answer of Chromium takes longer, unless the caller says so.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Something that Chromium said by itself. Typed only where it is read.
#[derive(Clone, Debug, Deserialize)]
pub struct Event {
    pub method: String,
    #[serde(rename = "sessionId")]
    pub session: Option<String>,
    #[serde(default)]
    pub params: Value,
}

impl Event {
    /// The typed event, if its fields are as known.
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        T::deserialize(&self.params).ok()
    }

    pub fn text(&self, pointer: &str) -> &str {
        self.params.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }
}

impl Method for Event {
    fn identifier(&self) -> MethodId {
        self.method.clone().into()
    }
}

impl EventMessage for Event {
    fn session_id(&self) -> Option<&str> {
        self.session.as_deref()
    }
}

/// Events of one session. Unbounded, because every reader is an actor or a future that never
/// waits for anything else; it ends when the session or Chromium is gone.
pub type Events = mpsc::UnboundedReceiver<Arc<Event>>;

/// One end of the wire; clones share it. Chromium's going away shows as a fault of every call.
#[derive(Clone, Debug)]
pub struct Link {
    orders: mpsc::UnboundedSender<Order>,
    pub closed: Closed,
}

/// The part of the wire that belongs to one page, or to the browser itself (no session).
#[derive(Clone, Debug)]
pub struct Session {
    link: Link,
    id: Option<SessionId>,
}

#[derive(Debug)]
enum Order {
    Call { session: Option<SessionId>, method: MethodId, params: Value, answer: Answer },
    Listen { session: Option<SessionId>, to: mpsc::UnboundedSender<Arc<Event>> },
}

type Answer = oneshot::Sender<Result<Value, Fault>>;

impl Link {
    /// The wire, and the future that drives it: done when Chromium is gone.
    pub fn over(
        connection: chromiumoxide::Connection<Event>,
        closed: Closed,
    ) -> (Self, impl Future<Output = ()>) {
        let (orders, taken) = mpsc::unbounded_channel();
        (Self { orders, closed: closed.clone() }, Driver::new(connection, closed).run(taken))
    }

    pub fn browser(&self) -> Session {
        Session { link: self.clone(), id: None }
    }

    pub fn session(&self, id: impl Into<SessionId>) -> Session {
        Session { link: self.clone(), id: Some(id.into()) }
    }

    pub fn is_gone(&self) -> bool {
        self.orders.is_closed()
    }
}

impl Session {
    pub fn closed(&self) -> &Closed {
        &self.link.closed
    }

    pub fn id(&self) -> &str {
        self.id.as_ref().map(AsRef::as_ref).unwrap_or_default()
    }

    /// Events from now on.
    pub fn listen(&self) -> Events {
        let (to, events) = mpsc::unbounded_channel();
        // With Chromium gone the sender is dropped here, and the stream ends at once.
        let _ = self.link.orders.send(Order::Listen { session: self.id.clone(), to });
        events
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

struct Driver {
    connection: chromiumoxide::Connection<Event>,
    closed: Closed,
    pending: HashMap<CallId, (String, Answer)>,
    listeners: HashMap<String, Vec<mpsc::UnboundedSender<Arc<Event>>>>,
    /// Sessions that ended: a late call on one is answered here, as Chromium may keep silent.
    ended: HashMap<String, Fault>,
}

impl Driver {
    fn new(connection: chromiumoxide::Connection<Event>, closed: Closed) -> Self {
        let (pending, listeners, ended) = Default::default();
        Self { connection, closed, pending, listeners, ended }
    }

    async fn run(mut self, mut orders: mpsc::UnboundedReceiver<Order>) {
        loop {
            tokio::select! {
                order = orders.recv() => match order {
                    Some(order) => self.obey(order),
                    None => return,
                },
                message = self.connection.next() => match message {
                    Some(Ok(Message::Response(response))) => self.answer(response),
                    // Answered here, where nobody can be too busy for it: until then the page waits.
                    Some(Ok(Message::Event(event))) if event.method == "Fetch.requestPaused" => {
                        self.answer_for(&event);
                    }
                    Some(Ok(Message::Event(event))) => self.tell(event),
                    Some(Err(chromiumoxide::error::CdpError::InvalidMessage(_, fault))) => {
                        tracing::debug!(%fault, "unreadable message of chromium");
                    }
                    Some(Err(fault)) => {
                        tracing::debug!(%fault, "wire to chromium broke");
                        return;
                    }
                    None => return,
                },
            }
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Listen { session, to } => {
                let session = key(session.as_ref());
                if !self.ended.contains_key(&session) {
                    self.listeners.entry(session).or_default().push(to);
                }
            }
            Order::Call { session, method, params, answer } => {
                let name = key(session.as_ref());
                if let Some(fault) = self.ended.get(&name) {
                    let _ = answer.send(Err(fault.clone()));
                } else if let Ok(id) = self.connection.submit_command(method, session, params) {
                    self.pending.insert(id, (name, answer));
                }
            }
        }
    }

    fn answer(&mut self, response: Response) {
        let Some((_, answer)) = self.pending.remove(&response.id) else { return };
        let _ = answer.send(match (response.result, response.error) {
            (Some(value), _) => Ok(value),
            (None, Some(fault)) => Err(Fault::new(Code::Protocol, fault.message)),
            (None, None) => Ok(Value::Null),
        });
    }

    fn answer_for(&mut self, paused: &Event) {
        let order = self.closed.answer(paused);
        let (method, session) = (order.identifier(), paused.session.clone().map(SessionId::from));
        let params = serde_json::to_value(order).unwrap_or_default();
        // Chromium's answer to it is of no interest: a page that is gone has no requests.
        let _ = self.connection.submit_command(method, session, params);
    }

    fn tell(&mut self, event: Event) {
        let over = match event.method.as_str() {
            "Inspector.targetCrashed" => event.session.clone().map(|session| (session, Fault::crashed())),
            "Target.detachedFromTarget" => Some((event.text("/sessionId").to_owned(), Fault::tab_closed())),
            _ => None,
        };
        let event = Arc::new(event);
        if let Some(listeners) = self.listeners.get_mut(event.session.as_deref().unwrap_or_default()) {
            listeners.retain(|listener| listener.send(Arc::clone(&event)).is_ok());
        }
        if let Some((session, fault)) = over {
            self.end(session, fault);
        }
    }

    /// A page that is gone answers nothing any more: whoever waits for it is told.
    fn end(&mut self, session: String, fault: Fault) {
        self.listeners.remove(&session);
        for (_, (_, answer)) in self.pending.extract_if(|_, (of, _)| *of == session) {
            let _ = answer.send(Err(fault.clone()));
        }
        self.ended.entry(session).or_insert(fault);
    }
}

fn key(session: Option<&SessionId>) -> String {
    session.map(|id| id.as_ref().to_owned()).unwrap_or_default()
}
