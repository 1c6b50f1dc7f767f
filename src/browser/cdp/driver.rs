//! Driver of the connection: sends commands, dispatches replies and events, and answers paused requests at
//! once.

use crate::browser::cdp::frame_places::FramePlaces;
use crate::browser::cdp::incoming::IncomingMessage;
use crate::browser::cdp::message::{CdpEvent, RawCommand};
use crate::browser::cdp::request_policy::{PausedDecision, PausedRequest, RequestPolicy};
use crate::browser::cdp::socket::DevToolsSocket;
use crate::browser::error::PageError;
use crate::browser::injected::SOCKET_REPORT;
use crate::store::tree_leases::deadline::LeaseDeadline;
use chromiumoxide::cdp::browser_protocol::target::SessionId;
use chromiumoxide::types::{CallId, Method, MethodId};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

#[derive(Debug)]
pub(crate) enum DriverCommand {
    Call {
        session: Option<SessionId>,
        method: MethodId,
        params: Value,
        answer: ReplySender,
    },
    Listen {
        session: Option<SessionId>,
        pictures: bool,
        to: mpsc::UnboundedSender<Arc<CdpEvent>>,
    },
    /// Sets the policy for pages of a context; `None` restores the default.
    SetPolicy {
        context: String,
        policy: Option<Arc<dyn RequestPolicy>>,
    },
}

type ReplySender = oneshot::Sender<Result<Value, PageError>>;

pub(crate) struct Driver {
    socket: DevToolsSocket,
    policy: Arc<dyn RequestPolicy>,
    pages: HashMap<String, PageTarget>,
    places: FramePlaces,
    /// Paused requests of frames that are not known yet, oldest first.
    unplaced: VecDeque<CdpEvent>,
    /// Events of refused documents of pages that had no listener yet, by target id.
    refused: HashMap<String, Arc<CdpEvent>>,
    /// Policies of contexts that have their own.
    context_policies: HashMap<String, Arc<dyn RequestPolicy>>,
    pending: HashMap<CallId, (String, ReplySender)>,
    listeners: HashMap<String, Vec<Subscription>>,
    /// Session of a frame, mapped to that of its parent.
    outer_sessions: HashMap<String, String>,
    ended: EndedSessions,
    /// Number of console messages of pages so far.
    console_messages: u64,
    lease: LeaseDeadline,
    /// Commands that wait until the lease is renewed, oldest first.
    held: VecDeque<HeldCommand>,
}

/// A command that may not be sent after the deadline of the lease.
struct HeldCommand {
    session: Option<SessionId>,
    method: MethodId,
    params: Value,
    /// `None` if nobody waits for the reply.
    answer: Option<ReplySender>,
}

/// Commands that do nothing to a page but end it, and acknowledgements. They are sent after the deadline, too.
const HARMLESS: [&str; 5] = [
    "Target.disposeBrowserContext",
    "Target.closeTarget",
    "Browser.close",
    "Fetch.failRequest",
    "Page.screencastFrameAck",
];

/// Recently ended sessions. Late calls on them fail here, because Chromium may not reply.
#[derive(Default)]
struct EndedSessions {
    faults: HashMap<String, PageError>,
    /// Session ids, oldest first.
    order: VecDeque<String>,
}

/// Maximum number of paused requests of unknown frames.
const MOST_UNPLACED: usize = 200;

/// Chromium retains the console messages of pages until they are released, once per this number.
const CONSOLE_SAMPLE: u64 = 200;

/// Maximum number of ended sessions to remember: a page may create and end workers and frames without limit.
const MOST_ENDED: usize = 1000;

impl EndedSessions {
    fn add(&mut self, session: String, fault: PageError) {
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

    fn end_reason(&self, session: &str) -> Option<&PageError> {
        self.faults.get(session)
    }
}

/// A page. Its main frame's id equals its target id.
#[derive(Default)]
struct PageTarget {
    context: String,
    session: Option<String>,
}

/// Subscription to the events of one session.
#[derive(Debug)]
struct Subscription {
    /// True if the subscriber also receives screencast frames.
    pictures: bool,
    to: mpsc::UnboundedSender<Arc<CdpEvent>>,
}

impl Subscription {
    /// Sends an event. Returns false if the subscriber is gone. Screencast frames go only to subscribers that
    /// asked for them, since they would pile up for one that is busy with other work.
    fn deliver(&self, event: &Arc<CdpEvent>) -> bool {
        if event.method == "Page.screencastFrame" && !self.pictures {
            return !self.to.is_closed();
        }
        self.to.send(Arc::clone(event)).is_ok()
    }
}

impl Driver {
    pub(crate) fn new(socket: DevToolsSocket, policy: Arc<dyn RequestPolicy>, lease: LeaseDeadline) -> Self {
        let (pages, places, unplaced, refused, context_policies) = Default::default();
        let (pending, listeners, outer_sessions, ended) = Default::default();
        Self {
            socket,
            policy,
            pages,
            places,
            unplaced,
            refused,
            context_policies,
            pending,
            listeners,
            outer_sessions,
            ended,
            console_messages: 0,
            lease,
            held: VecDeque::new(),
        }
    }

    pub(crate) async fn run(mut self, mut commands: mpsc::UnboundedReceiver<DriverCommand>) {
        loop {
            let lease = self.lease.clone();
            tokio::select! {
                () = lease.wait_until_extended(), if !self.held.is_empty() => self.send_held(),
                command = commands.recv() => match command {
                    Some(command) => self.execute(command),
                    None => return,
                },
                message = self.socket.next() => match message {
                    Some(Ok(IncomingMessage::Reply { id, result })) => self.answer(id, result),
                    // Answered here, because this task is never busy for long: the request is paused until
                    // then.
                    Some(Ok(IncomingMessage::Event(event))) if event.method == "Fetch.requestPaused" => {
                        self.answer_paused_request(event);
                    }
                    Some(Ok(IncomingMessage::Event(event))) if event.method == "Fetch.authRequired" => {
                        self.post(&event, self.policy.answer_challenge(&event));
                    }
                    Some(Ok(IncomingMessage::Event(event)))
                        if event.method.starts_with("Runtime.")
                            && !event.method.starts_with("Runtime.executionContext") =>
                    {
                        self.handle_report(event);
                    }
                    Some(Ok(IncomingMessage::Event(event))) => self.dispatch_event(event),
                    Some(Err(fault)) => {
                        tracing::debug!(%fault, "connection to chromium broke");
                        return;
                    }
                    None => return,
                },
            }
        }
    }

    fn execute(&mut self, command: DriverCommand) {
        match command {
            DriverCommand::SetPolicy { context, policy: Some(policy) } => {
                drop(self.context_policies.insert(context, policy))
            }
            DriverCommand::SetPolicy { context, policy: None } => {
                drop(self.context_policies.remove(&context))
            }
            DriverCommand::Listen { session, pictures, to } => {
                let session = key(session.as_ref());
                self.deliver_refusal(&session, &to);
                if self.ended.end_reason(&session).is_none() {
                    self.listeners.entry(session).or_default().push(Subscription { pictures, to });
                }
            }
            DriverCommand::Call { session, method, params, answer } => {
                let name = key(session.as_ref());
                if let Some(fault) = self.ended.end_reason(&name) {
                    let _ = answer.send(Err(fault.clone()));
                } else {
                    self.submit(HeldCommand { session, method, params, answer: Some(answer) });
                }
            }
        }
    }

    /// Sends a command if the lease allows it, and keeps it until then otherwise.
    fn submit(&mut self, command: HeldCommand) {
        let is_harmless = HARMLESS.contains(&command.method.as_ref());
        if !is_harmless && (!self.held.is_empty() || !self.lease.allows_commands()) {
            return self.held.push_back(command);
        }
        let HeldCommand { session, method, params, answer } = command;
        let name = key(session.as_ref());
        if let Ok(id) = self.socket.submit(method, session.map(Into::into), params)
            && let Some(answer) = answer
        {
            self.pending.insert(id, (name, answer));
        }
    }

    /// Sends the commands that were held, except those whose callers have given up: theirs would come too late.
    fn send_held(&mut self) {
        for command in std::mem::take(&mut self.held) {
            let ended = self.ended.end_reason(&key(command.session.as_ref())).cloned();
            match (command.answer.as_ref().is_some_and(ReplySender::is_closed), ended) {
                (true, _) => {}
                (false, None) => self.submit(command),
                (false, Some(fault)) => {
                    command.answer.map(|answer| answer.send(Err(fault)));
                }
            }
        }
    }

    fn answer(&mut self, id: CallId, result: Result<Value, PageError>) {
        let Some((_, answer)) = self.pending.remove(&id) else { return };
        let undelivered = answer.send(result);
        // The caller that created a context is gone, so the context is disposed of.
        let context =
            undelivered.err().and_then(|answer| Some(answer.ok()?["browserContextId"].as_str()?.to_owned()));
        if let Some(context) = context {
            self.send(
                RawCommand::new("Target.disposeBrowserContext", json!({"browserContextId": context})),
                None,
            );
        }
    }

    /// Answers a paused request by the policy of the context that its frame or worker belongs to. One of an
    /// unknown frame that may have an effect waits until the frame is known.
    fn answer_paused_request(&mut self, event: CdpEvent) {
        let target = event.text("/frameId").to_owned();
        let is_main_frame = self.pages.contains_key(&target);
        let place = self.places.find(&target);
        if place.is_none() && event.text("/request/method") != "GET" {
            return self.keep_unplaced(event);
        }
        let own = place.as_ref().and_then(|place| self.context_policies.get(&place.context));
        let policy = Arc::clone(own.unwrap_or(&self.policy));
        match policy.decide_paused_request(&event, is_main_frame) {
            PausedDecision::Continue(answer) => self.post(&event, answer),
            PausedDecision::Refuse(answer) => {
                self.post(&event, answer);
                self.report_refusal(event, target);
            }
            PausedDecision::Judge => {
                let page = place.and_then(|place| place.page);
                let paused = PausedRequest { event, page, is_main_frame };
                if let Err(unheard) = policy.forward_for_judgement(paused) {
                    // The owner of the page is gone, and the page with it.
                    let answer = fail_command(&unheard.event);
                    self.post(&unheard.event, answer);
                }
            }
        }
    }

    /// Keeps a request until its frame is known. The oldest fails when there are too many.
    fn keep_unplaced(&mut self, event: CdpEvent) {
        if self.unplaced.len() == MOST_UNPLACED
            && let Some(oldest) = self.unplaced.pop_front()
        {
            let answer = fail_command(&oldest);
            self.post(&oldest, answer);
        }
        self.unplaced.push_back(event);
    }

    /// Answers the kept requests whose frames are known now.
    fn answer_unplaced(&mut self) {
        for event in std::mem::take(&mut self.unplaced) {
            self.answer_paused_request(event);
        }
    }

    /// Delivers the refusal of a page's document as an event, later if nobody listens to the page yet: a new
    /// window may send requests before that.
    fn report_refusal(&mut self, mut event: CdpEvent, target: String) {
        let Some(page) = self.pages.get(&target) else { return };
        let session = page.session.clone();
        if event.text("/resourceType") != "Document" {
            return;
        }
        event.session = session;
        let has_listeners =
            event.session.as_ref().is_some_and(|session| self.listeners.contains_key(session));
        if has_listeners {
            self.dispatch_event(event);
        } else {
            self.refused.insert(target, Arc::new(event));
        }
    }

    /// Handles what pages and our scripts in them report. Console messages of pages are discarded, but for one in
    /// `CONSOLE_SAMPLE`, which tells the owner of the page that they pile up.
    fn handle_report(&mut self, event: CdpEvent) {
        match event.method.as_str() {
            "Runtime.bindingCalled" if event.text("/name").starts_with(SOCKET_REPORT) => {
                self.dispatch_event(event);
            }
            "Runtime.bindingCalled" => self.store_typed(&event),
            "Runtime.consoleAPICalled" => {
                self.console_messages = self.console_messages.wrapping_add(1);
                let is_sample = self.console_messages.is_multiple_of(CONSOLE_SAMPLE);
                if is_sample || event.text("/args/0/value").starts_with(SOCKET_REPORT) {
                    self.dispatch_event(event);
                }
            }
            _ => {}
        }
    }

    /// Stores what a person typed. Done here, so that it is known before any later reply is delivered, and to
    /// nobody else.
    fn store_typed(&self, event: &CdpEvent) {
        let mut session = event.session.as_deref().unwrap_or_default();
        while let Some(outer) = self.outer_sessions.get(session) {
            session = outer;
        }
        let page = self.pages.values().find(|page| page.session.as_deref() == Some(session));
        if let Some(policy) = page.and_then(|page| self.context_policies.get(&page.context)) {
            policy.store_typed(event);
        }
    }

    /// Delivers the refusal that happened before anyone listened to the page.
    fn deliver_refusal(&mut self, session: &str, to: &mpsc::UnboundedSender<Arc<CdpEvent>>) {
        let page = self.pages.iter().find(|(_, page)| page.session.as_deref() == Some(session));
        if let Some(event) = page.and_then(|(target, _)| self.refused.remove(target)) {
            let _ = to.send(event);
        }
    }

    fn post(&mut self, paused: &CdpEvent, command: RawCommand) {
        // The reply is ignored: a page that is gone has no requests.
        self.send(command, paused.session.clone());
    }

    /// Sends a command without waiting for the reply.
    fn send(&mut self, command: RawCommand, session: Option<String>) {
        let method = command.identifier();
        let params = serde_json::to_value(command).unwrap_or_default();
        self.submit(HeldCommand { session: session.map(SessionId::from), method, params, answer: None });
    }

    /// Keeps track of the pages and their contexts.
    fn track_pages(&mut self, event: &CdpEvent) {
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

    fn dispatch_event(&mut self, event: CdpEvent) {
        self.track_pages(&event);
        if self.places.handle_event(&event) && !self.unplaced.is_empty() {
            self.answer_unplaced();
        }
        let over = match event.method.as_str() {
            "Inspector.targetCrashed" => event.session.clone().map(|session| (session, PageError::crashed())),
            "Target.detachedFromTarget" => {
                Some((event.text("/sessionId").to_owned(), PageError::tab_closed()))
            }
            _ => None,
        };
        if let ("Target.attachedToTarget", Some(outer)) = (event.method.as_str(), &event.session) {
            self.outer_sessions.insert(event.text("/sessionId").to_owned(), outer.clone());
        }
        let event = Arc::new(event);
        let mut receiver = Some(event.session.as_deref().unwrap_or_default());
        while let Some(session) = receiver {
            if let Some(listeners) = self.listeners.get_mut(session) {
                listeners.retain(|listener| listener.deliver(&event));
            }
            receiver = self.outer_sessions.get(session).map(String::as_str);
        }
        if let Some((session, fault)) = over {
            self.end_session(session, fault);
        }
    }

    /// Ends a session and its inner sessions: pending calls on them fail.
    fn end_session(&mut self, session: String, fault: PageError) {
        self.listeners.remove(&session);
        self.outer_sessions.remove(&session);
        let inner: Vec<String> =
            self.outer_sessions.extract_if(|_, outer| *outer == session).map(|(of, _)| of).collect();
        inner.into_iter().for_each(|inner| self.end_session(inner, fault.clone()));
        for (_, (_, answer)) in self.pending.extract_if(|_, (of, _)| *of == session) {
            let _ = answer.send(Err(fault.clone()));
        }
        self.ended.add(session, fault);
    }
}

fn fail_command(paused: &CdpEvent) -> RawCommand {
    let id = paused.text("/requestId");
    RawCommand::new("Fetch.failRequest", json!({"requestId": id, "errorReason": "BlockedByClient"}))
}

fn key(session: Option<&SessionId>) -> String {
    session.map(|id| id.as_ref().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::error::ErrorCode;

    #[test]
    fn only_the_last_ended_sessions_are_remembered() {
        let mut ended = EndedSessions::default();
        for n in 0..3 * MOST_ENDED {
            ended.add(n.to_string(), PageError::tab_closed());
            ended.add(n.to_string(), PageError::crashed());
        }
        assert_eq!((ended.faults.len(), ended.order.len()), (MOST_ENDED, MOST_ENDED));
        assert_eq!(ended.end_reason(&(3 * MOST_ENDED - 1).to_string()).unwrap().code, ErrorCode::NoPage);
        assert!(ended.end_reason("0").is_none());
    }

    // A subscriber that waits for something else for a minute would collect thousands of frames.
    #[test]
    fn frames_go_only_to_subscribers_of_pictures() {
        let event =
            |method: &str| Arc::new(CdpEvent { method: method.to_owned(), session: None, params: json!({}) });
        for pictures in [true, false] {
            let (to, mut received) = mpsc::unbounded_channel();
            let listener = Subscription { pictures, to };
            for method in ["Page.screencastFrame", "Page.loadEventFired"] {
                assert!(listener.deliver(&event(method)));
            }
            let first = received.try_recv().unwrap();
            assert_eq!(first.method == "Page.screencastFrame", pictures);
            drop(received);
            assert!(!listener.deliver(&event("Page.screencastFrame")), "one that is gone is forgotten");
        }
    }
}
