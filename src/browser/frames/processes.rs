//! Frames that Chromium keeps in a process of their own: each has a session, which attaches by itself
//! and waits, before its first script, until it has been set up as its page is.

use crate::browser::byhand::ByHand;
use crate::browser::closed;
use crate::browser::link::{Link, Session};
use crate::browser::script;
use crate::browser::wire::{Event, Raw};
use chromiumoxide::cdp::browser_protocol::emulation::SetUserAgentOverrideParams;
use chromiumoxide::cdp::browser_protocol::{inspector, network, page};
use chromiumoxide::cdp::js_protocol::runtime::RunIfWaitingForDebuggerParams;
use serde_json::json;
use std::cell::RefCell;
use std::collections::HashMap;

/// Of all the pages of a window: the sessions of frames, by Chromium's number of the frame.
#[derive(Debug, Default)]
pub struct Processes {
    sessions: RefCell<HashMap<String, Session>>,
    languages: Option<&'static str>,
    /// Requests are paused by each session, not by the browser as a whole.
    pauses: bool,
    pub by_hand: ByHand,
}

/// The order that has frames of a page, or of a frame, attach. Workers come along: Chromium has them
/// wait too, and lets those that do not attach wait for ever.
pub fn attaching() -> Raw {
    let order = json!({
        "autoAttach": true,
        "waitForDebuggerOnStart": true,
        "flatten": true,
        "filter": [{"type": "iframe"}, {"type": "worker"}],
    });
    Raw::new("Target.setAutoAttach", order)
}

impl Processes {
    pub fn new(languages: Option<&'static str>, pauses: bool) -> Self {
        Self { languages, pauses, ..Self::default() }
    }

    pub fn of(&self, frame: &str) -> Option<Session> {
        self.sessions.borrow().get(frame).cloned()
    }

    pub fn sessions(&self) -> Vec<Session> {
        self.sessions.borrow().values().cloned().collect()
    }

    /// A frame got a process, or lost it.
    pub fn hear(&self, event: &Event, link: &Link) {
        self.by_hand.hear(event, link);
        match event.method.as_str() {
            "Target.attachedToTarget" if event.text("/targetInfo/type") == "iframe" => {
                let session = link.session(event.text("/sessionId").to_owned());
                self.set_up(&session);
                self.sessions.borrow_mut().insert(event.text("/targetInfo/targetId").to_owned(), session);
            }
            "Target.attachedToTarget" if event.text("/targetInfo/type") == "worker" => {
                self.start(&link.session(event.text("/sessionId").to_owned()));
            }
            "Target.detachedFromTarget" => {
                // The frame may have another one by now.
                let gone = event.text("/sessionId");
                self.sessions.borrow_mut().retain(|_, session| session.id() != gone);
            }
            _ => {}
        }
    }

    /// All orders at once, and with them the start: all are obeyed before its first script.
    fn set_up(&self, session: &Session) {
        session.post(page::EnableParams::default());
        session.post(network::EnableParams::default());
        session.post(inspector::EnableParams::default());
        session.post(attaching());
        session.post(script::guarding());
        self.by_hand.comes(session);
        if let Some(languages) = self.languages {
            // With the empty name Chromium keeps its own.
            let mut reader = SetUserAgentOverrideParams::new("");
            reader.accept_language = Some(languages.to_owned());
            session.post(reader);
        }
        self.start(session);
    }

    fn start(&self, session: &Session) {
        if self.pauses {
            session.post(closed::pausing());
        }
        session.post(RunIfWaitingForDebuggerParams::default());
    }
}
