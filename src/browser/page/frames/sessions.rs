//! Frames with their own processes. Each has a CDP session, which attaches automatically and pauses before
//! its first script until it is set up like its page.

use crate::browser::cdp::connection::{Connection, Session};
use crate::browser::cdp::message::{CdpEvent, RawCommand};
use crate::browser::injected;
use crate::browser::network::interception::{self, ServerCheck};
use crate::browser::page::takeover_script::TakeoverScript;
use crate::browser::sockets::guard::SocketGuard;
use chromiumoxide::cdp::browser_protocol::emulation::SetUserAgentOverrideParams;
use chromiumoxide::cdp::browser_protocol::{inspector, network, page};
use chromiumoxide::cdp::js_protocol::runtime::RunIfWaitingForDebuggerParams;
use serde_json::json;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// CDP sessions of the frames of all pages of a page context, by frame id.
#[derive(Debug, Default)]
pub struct FrameSessions {
    sessions: RefCell<HashMap<String, Session>>,
    languages: Option<&'static str>,
    /// True if each session pauses requests by itself, because the browser as a whole does not.
    pauses: bool,
    pub takeover_script: TakeoverScript,
    /// Guard of the sockets in all of them.
    pub sockets: Rc<SocketGuard>,
}

/// Builds the command that attaches the frames of a page or frame automatically. Workers are included:
/// Chromium pauses them too, and those that do not attach would stay paused.
pub fn auto_attach_command() -> RawCommand {
    let params = json!({
        "autoAttach": true,
        "waitForDebuggerOnStart": true,
        "flatten": true,
        "filter": [{"type": "iframe"}, {"type": "worker"}],
    });
    RawCommand::new("Target.setAutoAttach", params)
}

impl FrameSessions {
    pub fn new(languages: Option<&'static str>, pauses: bool) -> Self {
        Self { languages, pauses, ..Self::default() }
    }

    /// Reports whether Chromium was started here, as opposed to one that runs elsewhere.
    pub fn is_own_chromium(&self) -> bool {
        !self.pauses
    }

    pub fn session_of_frame(&self, frame: &str) -> Option<Session> {
        self.sessions.borrow().get(frame).cloned()
    }

    pub fn sessions(&self) -> Vec<Session> {
        self.sessions.borrow().values().cloned().collect()
    }

    /// Follows frames that get or lose a process.
    pub fn handle_event(&self, event: &CdpEvent, connection: &Connection) {
        self.takeover_script.handle_event(event, connection);
        match event.method.as_str() {
            "Target.attachedToTarget" if event.text("/targetInfo/type") == "iframe" => {
                let session = connection.session(event.text("/sessionId").to_owned());
                self.sockets.add_attached(event);
                self.set_up(&session);
                self.sessions.borrow_mut().insert(event.text("/targetInfo/targetId").to_owned(), session);
            }
            "Target.attachedToTarget" if event.text("/targetInfo/type") == "worker" => {
                self.sockets.add_attached(event);
                self.set_up_worker(&connection.session(event.text("/sessionId").to_owned()));
            }
            "Target.detachedFromTarget" => {
                // The frame may have another process by now.
                let gone = event.text("/sessionId");
                self.sessions.borrow_mut().retain(|_, session| session.id() != gone);
            }
            _ => {}
        }
    }

    /// Sends all commands at once, followed by the start: Chromium executes them before the first script.
    fn set_up(&self, session: &Session) {
        session.post(page::EnableParams::default());
        session.post(network::EnableParams::default());
        session.post(inspector::EnableParams::default());
        session.post(auto_attach_command());
        session.post(injected::guard_command());
        self.takeover_script.install(session);
        self.sockets.install_in_documents(session);
        if let Some(languages) = self.languages {
            // An empty user agent keeps Chromium's own.
            let mut reader = SetUserAgentOverrideParams::new("");
            reader.accept_language = Some(languages.to_owned());
            session.post(reader);
        }
        self.start(session);
    }

    /// Sets up a worker, with those that it starts itself.
    pub fn set_up_worker(&self, session: &Session) {
        session.post(auto_attach_command());
        self.sockets.install_in_worker(session);
        self.start(session);
    }

    fn start(&self, session: &Session) {
        if self.pauses {
            session.post(interception::pause_requests_command(ServerCheck::ByPause));
        }
        session.post(RunIfWaitingForDebuggerParams::default());
    }
}
