//! What drives the wire: takes orders, sorts answers and events, and answers at once for requests that
//! Chromium paused.

use super::listener::Listener;
use crate::browser::closed::{self, Closed};
use crate::browser::fault::{Code, Fault};
use crate::browser::keyring::Keyring;
use crate::browser::typed::BINDING;
use crate::browser::wire::{Event, Raw};
use chromiumoxide::cdp::browser_protocol::target::SessionId;
use chromiumoxide::types::{CallId, Message, Method, MethodId, Response};
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

#[derive(Debug)]
pub(super) enum Order {
    Call {
        session: Option<SessionId>,
        method: MethodId,
        params: Value,
        answer: Answer,
    },
    Listen {
        session: Option<SessionId>,
        pictures: bool,
        to: mpsc::UnboundedSender<Arc<Event>>,
    },
    /// Pages of this context are judged so from now on, and what is typed in them is kept there; none: as all
    /// are, and nowhere.
    Bound {
        context: String,
        bounds: Option<(Closed, Keyring)>,
    },
}

pub(super) type Answer = oneshot::Sender<Result<Value, Fault>>;

pub(super) struct Driver {
    connection: chromiumoxide::Connection<Event>,
    closed: Closed,
    /// Of the proxy.
    password: Option<String>,
    pages: HashMap<String, Page>,
    /// Pages that were refused a document before anybody listened to them, and which.
    refused: HashMap<String, Arc<Event>>,
    /// Contexts with bounds of their own.
    bounded: HashMap<String, (Closed, Keyring)>,
    pending: HashMap<CallId, (String, Answer)>,
    listeners: HashMap<String, Vec<Listener>>,
    /// Session of a frame → that of what is around it.
    around: HashMap<String, String>,
    ended: Ended,
}

/// Sessions that ended lately: a late call on one is answered here, as Chromium may keep silent.
#[derive(Default)]
struct Ended {
    faults: HashMap<String, Fault>,
    /// In the order in which they ended.
    order: VecDeque<String>,
}

/// A page may begin and end workers and frames for as long as it lives.
const MOST_ENDED: usize = 1000;

impl Ended {
    fn add(&mut self, session: String, fault: Fault) {
        if self.faults.contains_key(&session) {
            return;
        }
        if self.order.len() == MOST_ENDED
            && let Some(oldest) = self.order.pop_front()
        {
            self.faults.remove(&oldest);
        }
        self.order.push_back(session.clone());
        self.faults.insert(session, fault);
    }

    fn why(&self, session: &str) -> Option<&Fault> {
        self.faults.get(session)
    }
}

/// A page: its main frame bears the number of its target.
#[derive(Default)]
struct Page {
    context: String,
    session: Option<String>,
}

impl Driver {
    pub(super) fn new(
        connection: chromiumoxide::Connection<Event>,
        closed: Closed,
        password: Option<String>,
    ) -> Self {
        let (pages, refused, bounded) = Default::default();
        let (pending, listeners, around, ended) = Default::default();
        Self { connection, closed, password, pages, refused, bounded, pending, listeners, around, ended }
    }

    pub(super) async fn run(mut self, mut orders: mpsc::UnboundedReceiver<Order>) {
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
                        self.paused(event);
                    }
                    Some(Ok(Message::Event(event))) if event.method == "Fetch.authRequired" => {
                        self.post(&event, closed::sign_in(&event, self.password.as_deref()));
                    }
                    // What pages write to their consoles is for nobody.
                    Some(Ok(Message::Event(event)))
                        if event.method.starts_with("Runtime.")
                            && !event.method.starts_with("Runtime.executionContext") =>
                    {
                        self.typed(&event);
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
            Order::Bound { context, bounds: Some(bounds) } => drop(self.bounded.insert(context, bounds)),
            Order::Bound { context, bounds: None } => drop(self.bounded.remove(&context)),
            Order::Listen { session, pictures, to } => {
                let session = key(session.as_ref());
                self.tell_late(&session, &to);
                if self.ended.why(&session).is_none() {
                    self.listeners.entry(session).or_default().push(Listener { pictures, to });
                }
            }
            Order::Call { session, method, params, answer } => {
                let name = key(session.as_ref());
                if let Some(fault) = self.ended.why(&name) {
                    let _ = answer.send(Err(fault.clone()));
                } else if let Ok(id) = self.connection.submit_command(method, session, params) {
                    self.pending.insert(id, (name, answer));
                }
            }
        }
    }

    fn answer(&mut self, response: Response) {
        let Some((_, answer)) = self.pending.remove(&response.id) else { return };
        let unheard = answer.send(match (response.result, response.error) {
            (Some(value), _) => Ok(value),
            (None, Some(fault)) => Err(Fault::new(Code::Protocol, fault.message)),
            (None, None) => Ok(Value::Null),
        });
        // Whoever ordered a context is gone, and nobody else knows of it.
        let context =
            unheard.err().and_then(|answer| Some(answer.ok()?["browserContextId"].as_str()?.to_owned()));
        if let Some(context) = context {
            self.send(Raw::new("Target.disposeBrowserContext", json!({"browserContextId": context})), None);
        }
    }

    /// A document for a page itself is judged by the page's own bounds. The page is told if it is
    /// refused: a fresh window may ask before it can be listened to.
    fn paused(&mut self, mut event: Event) {
        let target = event.text("/frameId").to_owned();
        let page = self.pages.get(&target);
        let bounds = page.and_then(|page| self.bounded.get(&page.context));
        let closed = bounds.map_or(&self.closed, |(closed, _)| closed);
        let (answer, goes) = closed.answer(&event, page.is_some());
        let session = page.and_then(|page| page.session.clone());
        self.post(&event, answer);
        let document = event.text("/resourceType") == "Document";
        if goes || !document || !self.pages.contains_key(&target) {
            return;
        }
        event.session = session;
        let heard = event.session.as_ref().is_some_and(|session| self.listeners.contains_key(session));
        if heard {
            self.tell(event);
        } else {
            self.refused.insert(target, Arc::new(event));
        }
    }

    /// What a person types. Known here, before any answer that comes after it, and nobody else hears of it.
    fn typed(&self, event: &Event) {
        let mut session = event.session.as_deref().unwrap_or_default();
        while let Some(outer) = self.around.get(session) {
            session = outer;
        }
        let page = self.pages.values().find(|page| page.session.as_deref() == Some(session));
        let bounds = page.and_then(|page| self.bounded.get(&page.context));
        if let Some((_, keys)) = bounds.filter(|_| event.text("/name") == BINDING) {
            keys.typed().hear(event.text("/payload"));
        }
    }

    /// What befell the page before anybody listened.
    fn tell_late(&mut self, session: &str, to: &mpsc::UnboundedSender<Arc<Event>>) {
        let page = self.pages.iter().find(|(_, page)| page.session.as_deref() == Some(session));
        if let Some(event) = page.and_then(|(target, _)| self.refused.remove(target)) {
            let _ = to.send(event);
        }
    }

    fn post(&mut self, paused: &Event, order: Raw) {
        // Chromium's answer to it is of no interest: a page that is gone has no requests.
        self.send(order, paused.session.clone());
    }

    /// Without waiting for an answer.
    fn send(&mut self, order: Raw, session: Option<String>) {
        let (method, session) = (order.identifier(), session.map(SessionId::from));
        let params = serde_json::to_value(order).unwrap_or_default();
        let _ = self.connection.submit_command(method, session, params);
    }

    /// Which pages there are, and whose.
    fn know(&mut self, event: &Event) {
        match event.method.as_str() {
            "Target.targetCreated" | "Target.attachedToTarget"
                if event.text("/targetInfo/type") == "page" =>
            {
                let page = self.pages.entry(event.text("/targetInfo/targetId").to_owned()).or_default();
                event.text("/targetInfo/browserContextId").clone_into(&mut page.context);
                let session = Some(event.text("/sessionId")).filter(|session| !session.is_empty());
                page.session = session.map(str::to_owned).or(page.session.take());
            }
            "Target.targetDestroyed" => {
                self.pages.remove(event.text("/targetId"));
                self.refused.remove(event.text("/targetId"));
            }
            _ => {}
        }
    }

    fn tell(&mut self, event: Event) {
        self.know(&event);
        let over = match event.method.as_str() {
            "Inspector.targetCrashed" => event.session.clone().map(|session| (session, Fault::crashed())),
            "Target.detachedFromTarget" => Some((event.text("/sessionId").to_owned(), Fault::tab_closed())),
            _ => None,
        };
        if let ("Target.attachedToTarget", Some(outer)) = (event.method.as_str(), &event.session) {
            self.around.insert(event.text("/sessionId").to_owned(), outer.clone());
        }
        let event = Arc::new(event);
        let mut heard_by = Some(event.session.as_deref().unwrap_or_default());
        while let Some(session) = heard_by {
            if let Some(listeners) = self.listeners.get_mut(session) {
                listeners.retain(|listener| listener.hears(&event));
            }
            heard_by = self.around.get(session).map(String::as_str);
        }
        if let Some((session, fault)) = over {
            self.end(session, fault);
        }
    }

    /// A page that is gone answers nothing any more: whoever waits for it is told.
    fn end(&mut self, session: String, fault: Fault) {
        self.listeners.remove(&session);
        self.around.remove(&session);
        let inner: Vec<String> =
            self.around.extract_if(|_, outer| *outer == session).map(|(of, _)| of).collect();
        inner.into_iter().for_each(|inner| self.end(inner, fault.clone()));
        for (_, (_, answer)) in self.pending.extract_if(|_, (of, _)| *of == session) {
            let _ = answer.send(Err(fault.clone()));
        }
        self.ended.add(session, fault);
    }
}

fn key(session: Option<&SessionId>) -> String {
    session.map(|id| id.as_ref().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_sessions_that_ended_only_the_last_are_remembered() {
        let mut ended = Ended::default();
        for n in 0..3 * MOST_ENDED {
            ended.add(n.to_string(), Fault::tab_closed());
            ended.add(n.to_string(), Fault::crashed());
        }
        assert_eq!((ended.faults.len(), ended.order.len()), (MOST_ENDED, MOST_ENDED));
        assert_eq!(ended.why(&(3 * MOST_ENDED - 1).to_string()).unwrap().code, Code::NoPage);
        assert!(ended.why("0").is_none());
    }
}
