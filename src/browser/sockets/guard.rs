//! Guard of the sockets of a page context: installs the wrapper in documents and workers, keeps its controls, and
//! recognizes what leaves around it.

use crate::browser::cdp::connection::{Connection, Session};
use crate::browser::cdp::message::{CdpEvent, RawCommand};
use crate::browser::injected::{SOCKET_REPORT, socket_wrapper};
use crate::browser::sockets::message_report::{ChannelKind, MessageReport, outgoing_message};
use crate::browser::sockets::sent_frames::{FrameKey, SentFrames};
use crate::page::outgoing_request::OutgoingRequest;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Object group of the controls, apart from that of console messages, which is released from time to time.
const CONTROLS: &str = "askfirst-sockets";
/// Object group of console messages. Chromium retains what pages log while the runtime domain is enabled.
const CONSOLE: &str = "console";
/// Opcodes of frames (RFC 6455, section 5.2).
const TEXT: u64 = 1;
const BINARY: u64 = 2;

/// Guard of the sockets of one page context.
#[derive(Debug)]
pub struct SocketGuard {
    /// Name of the binding by which the wrapper reports; random, so that no page knows it.
    binding: String,
    wrapper: String,
    sessions: RefCell<HashMap<String, GuardedSession>>,
    documents: RefCell<Documents>,
    frames: RefCell<SentFrames>,
    /// Number of controls that are being moved out of the group of console messages.
    moving: Cell<usize>,
}

/// A session of a page, frame or worker.
#[derive(Clone, Debug, Default)]
struct GuardedSession {
    /// Target id of a page.
    page: Option<String>,
    /// Session of the page, frame or worker that this one belongs to.
    outer: Option<String>,
    /// Address of a worker.
    url: String,
}

/// Documents and workers with the wrapper.
#[derive(Debug, Default)]
struct Documents {
    /// Numbers by session and execution context. Chromium uses numbers of contexts again.
    by_context: HashMap<(String, i64), u64>,
    controls: HashMap<u64, Controls>,
    last: u64,
}

/// Controls of the wrapper in one document or worker.
#[derive(Clone, Debug)]
struct Controls {
    session: String,
    object: String,
}

/// A message that the wrapper holds: the number of its document, and its own in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldMessage {
    pub document: u64,
    pub number: u64,
}

/// Event of the sockets.
#[derive(Debug)]
pub enum SocketEvent {
    /// The controls of this document are to be kept (`keep_controls_command`).
    ControlsArrived(u64),
    /// A message is held.
    Held { message: HeldMessage, session: String, report: MessageReport },
    /// A socket is being opened.
    Opened { session: String, url: String },
    /// A frame has left that nobody released.
    SentAround(Box<OutgoingRequest>),
    /// Console messages of this session have piled up.
    ConsoleFull(String),
}

impl Default for SocketGuard {
    fn default() -> Self {
        let binding = format!("{SOCKET_REPORT}{}", crate::ids::token());
        let wrapper = socket_wrapper(&binding);
        let (sessions, documents, frames, moving) = Default::default();
        Self { binding, wrapper, sessions, documents, frames, moving }
    }
}

impl SocketGuard {
    /// Installs the wrapper in a page, or in a frame with its own process, before its first script.
    pub fn install_in_documents(&self, session: &Session) {
        self.enable_reports(session);
        let script = json!({"source": self.wrapper, "runImmediately": true});
        session.post(RawCommand::new("Page.addScriptToEvaluateOnNewDocument", script));
    }

    /// Installs the wrapper in a worker that has not started yet.
    pub fn install_in_worker(&self, session: &Session) {
        // Chromium reports the frames of a worker's sockets there.
        session.post(RawCommand::new("Network.enable", json!({})));
        self.enable_reports(session);
        session.post(RawCommand::new("Runtime.evaluate", json!({"expression": self.wrapper})));
    }

    fn enable_reports(&self, session: &Session) {
        session.post(RawCommand::new("Runtime.enable", json!({})));
        session.post(RawCommand::new("Runtime.addBinding", json!({"name": self.binding})));
    }

    /// Records the session of a page.
    pub fn add_page(&self, session: &str, target: &str) {
        let page = GuardedSession { page: Some(target.to_owned()), ..GuardedSession::default() };
        self.sessions.borrow_mut().insert(session.to_owned(), page);
    }

    /// Records the session of a frame or worker, from the event of its attachment.
    pub fn add_attached(&self, event: &CdpEvent) {
        let attached = GuardedSession {
            page: None,
            outer: event.session.clone(),
            url: event.text("/targetInfo/url").to_owned(),
        };
        self.sessions.borrow_mut().insert(event.text("/sessionId").to_owned(), attached);
    }

    /// Returns the target id of the page that a session belongs to; `None` for a worker that belongs to none.
    pub fn page_of(&self, session: &str) -> Option<String> {
        let sessions = self.sessions.borrow();
        let mut found = sessions.get(session)?;
        // As many steps as there are sessions, whatever Chromium reports.
        for _ in 0..sessions.len() {
            match (&found.page, &found.outer) {
                (Some(page), _) => return Some(page.clone()),
                (None, Some(outer)) => found = sessions.get(outer)?,
                (None, None) => return None,
            }
        }
        None
    }

    /// Returns the address of a worker; that of a document is in its reports.
    pub fn sender_url(&self, session: &str) -> String {
        self.sessions.borrow().get(session).map(|session| session.url.clone()).unwrap_or_default()
    }

    /// Follows what Chromium reports about a session.
    pub fn handle_event(&self, event: &CdpEvent) -> Option<SocketEvent> {
        let session = event.session.as_deref().unwrap_or_default();
        match event.method.as_str() {
            "Runtime.bindingCalled" => self.read_report(session, event),
            "Runtime.consoleAPICalled" => self.read_console(session, event),
            "Network.webSocketFrameSent" => self.read_frame(session, event),
            "Network.webSocketCreated" => {
                let (id, url) = (event.text("/requestId"), event.text("/url"));
                self.frames.borrow_mut().add_socket(session, id, url);
                Some(SocketEvent::Opened { session: session.to_owned(), url: url.to_owned() })
            }
            "Network.webSocketClosed" => {
                self.frames.borrow_mut().forget_socket(session, event.text("/requestId"));
                None
            }
            "Runtime.executionContextDestroyed" => {
                let context = number(event, "/executionContextId");
                self.documents.borrow_mut().forget(|of, id| of == session && Some(id) == context);
                None
            }
            "Runtime.executionContextsCleared" => {
                self.documents.borrow_mut().forget(|of, _| of == session);
                None
            }
            "Target.detachedFromTarget" => {
                let gone = event.text("/sessionId");
                self.documents.borrow_mut().forget(|of, _| of == gone);
                self.frames.borrow_mut().forget_session(gone);
                self.sessions.borrow_mut().remove(gone);
                None
            }
            _ => None,
        }
    }

    fn read_report(&self, session: &str, event: &CdpEvent) -> Option<SocketEvent> {
        if event.text("/name") != self.binding {
            return None;
        }
        let context = number(event, "/executionContextId")?;
        let document = *self.documents.borrow().by_context.get(&(session.to_owned(), context))?;
        let report = MessageReport::parse(event.text("/payload"))?;
        let message = HeldMessage { document, number: report.number };
        Some(SocketEvent::Held { message, session: session.to_owned(), report })
    }

    /// Takes the controls of a new document. The first that a document hands over are the wrapper's.
    fn read_console(&self, session: &str, event: &CdpEvent) -> Option<SocketEvent> {
        if event.text("/args/0/value") != self.binding {
            return Some(SocketEvent::ConsoleFull(session.to_owned()));
        }
        let context = (session.to_owned(), number(event, "/executionContextId")?);
        let object = event.text("/args/1/objectId").to_owned();
        let mut documents = self.documents.borrow_mut();
        if documents.by_context.contains_key(&context) {
            return None;
        }
        documents.last += 1;
        let document = documents.last;
        documents.by_context.insert(context, document);
        documents.controls.insert(document, Controls { session: session.to_owned(), object });
        Some(SocketEvent::ControlsArrived(document))
    }

    fn read_frame(&self, session: &str, event: &CdpEvent) -> Option<SocketEvent> {
        let opcode = event.params.pointer("/response/opcode").and_then(Value::as_u64)?;
        let payload = event.text("/response/payloadData");
        let (is_text, content) = match opcode {
            TEXT => (true, payload.as_bytes().to_vec()),
            BINARY => (false, STANDARD.decode(payload).unwrap_or_default()),
            _ => return None,
        };
        let size = content.len() as u64;
        let mut frames = self.frames.borrow_mut();
        if frames.take(&FrameKey::new(session, is_text, &content, size)) {
            return None;
        }
        let url = frames.address(session, event.text("/requestId")).to_owned();
        let sender = self.sender_url(session);
        let request = outgoing_message(&url, "", &sender, String::new(), (is_text, content, size));
        Some(SocketEvent::SentAround(Box::new(request)))
    }

    /// Records that a held message is about to leave, so that its frame is recognized.
    pub fn expect_frame(&self, session: &str, report: &MessageReport) {
        if report.channel == ChannelKind::Socket {
            let key = FrameKey::new(session, report.is_text, &report.content(), report.size);
            self.frames.borrow_mut().expect(key);
        }
    }

    /// Returns the command that releases or drops a held message; `None` if its document is gone.
    pub fn settle_command(
        &self,
        connection: &Connection,
        message: HeldMessage,
        is_released: bool,
    ) -> Option<(Session, RawCommand)> {
        let controls = self.documents.borrow().controls.get(&message.document)?.clone();
        let call = if is_released { "release" } else { "drop" };
        let params = json!({
            "objectId": controls.object,
            "functionDeclaration": format!("function (number) {{ return this.{call}(number); }}"),
            "arguments": [{"value": message.number}],
            "returnByValue": true,
        });
        Some((connection.session(controls.session), RawCommand::new("Runtime.callFunctionOn", params)))
    }

    /// Begins to move the controls of a document out of the group of console messages.
    pub fn keep_controls_command(
        &self,
        connection: &Connection,
        document: u64,
    ) -> Option<(Session, RawCommand)> {
        let controls = self.documents.borrow().controls.get(&document)?.clone();
        self.moving.set(self.moving.get() + 1);
        let params = json!({
            "objectId": controls.object,
            "functionDeclaration": "function () { return this; }",
            "objectGroup": CONTROLS,
        });
        Some((connection.session(controls.session), RawCommand::new("Runtime.callFunctionOn", params)))
    }

    /// Records the controls as they are kept from now on.
    pub fn controls_kept(&self, document: u64, reply: Option<&Value>) {
        self.moving.set(self.moving.get().saturating_sub(1));
        let object = reply.and_then(|reply| reply.pointer("/result/objectId")).and_then(Value::as_str);
        if let (Some(object), Some(controls)) =
            (object, self.documents.borrow_mut().controls.get_mut(&document))
        {
            object.clone_into(&mut controls.object);
        }
    }

    /// Returns the command that releases console messages; `None` while controls are among them.
    pub fn release_console_command(&self) -> Option<RawCommand> {
        let is_free = self.moving.get() == 0;
        is_free.then(|| RawCommand::new("Runtime.releaseObjectGroup", json!({"objectGroup": CONSOLE})))
    }
}

impl Documents {
    fn forget(&mut self, is_gone: impl Fn(&str, i64) -> bool) {
        let Self { by_context, controls, .. } = self;
        by_context.retain(|(session, context), document| {
            let gone = is_gone(session, *context);
            if gone {
                controls.remove(document);
            }
            !gone
        });
    }
}

fn number(event: &CdpEvent, pointer: &str) -> Option<i64> {
    event.params.pointer(pointer).and_then(Value::as_i64)
}
