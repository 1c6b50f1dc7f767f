//! What stands in the pages that a person holds. They tell what is typed into secret fields, with every letter:
//! when the page is handed back its document may be gone, or the field another one. `typed` keeps it. And they
//! draw the lists of drop-downs themselves: Chromium's own stand in no picture.

use super::link::{Link, Session};
use super::script;
use super::typed::BINDING;
use super::wire::{Event, Raw};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Not the one that looks: this one is there in every document from its beginning, and may reach into frames
/// that the walker must know as frames.
const WORLD: &str = "askfirst-hands";

static SCRIPT: LazyLock<String> = LazyLock::new(|| format!("{};\naskfirst.noteTyped()", *script::INSTALL));

/// What pages write to their consoles is kept for us meanwhile.
const CONSOLE: &str = "console";

/// Whether the pages and frames of a window tell it.
#[derive(Debug, Default)]
pub struct ByHand {
    now: Cell<bool>,
    /// Sessions whose documents have the script. It stays, and tells nobody when it is not to.
    scripted: RefCell<HashSet<String>>,
    /// By the session: its documents that draw their lists, until they are told not to.
    unfolding: RefCell<HashMap<String, HashSet<i64>>>,
}

/// Whether a document draws its lists itself.
fn unfolds(document: i64, on: bool) -> Raw {
    let expression = format!("globalThis.askfirst?.unfoldLists({on})");
    Raw::new("Runtime.evaluate", json!({"expression": expression, "contextId": document}))
}

impl ByHand {
    /// A person takes the page: from now on these tell, and all that come.
    pub fn begin(&self, sessions: impl IntoIterator<Item = Session>) {
        self.now.set(true);
        sessions.into_iter().for_each(|session| self.comes(&session));
    }

    /// Obeyed before what is ordered after it; of a document that waits, before its first script.
    pub fn comes(&self, session: &Session) {
        if !self.now.get() {
            return;
        }
        // Without it no binding tells anything.
        session.post(Raw::new("Runtime.enable", json!({})));
        session.post(Raw::new("Runtime.addBinding", json!({"name": BINDING, "executionContextName": WORLD})));
        if self.scripted.borrow_mut().insert(session.id().to_owned()) {
            let script = json!({"source": *SCRIPT, "worldName": WORLD, "runImmediately": true});
            session.post(Raw::new("Page.addScriptToEvaluateOnNewDocument", script));
        }
    }

    /// Documents come and go.
    pub fn hear(&self, event: &Event, link: &Link) {
        let session = event.session.as_deref().unwrap_or_default();
        let number = |place: &str| event.params.pointer(place).and_then(Value::as_i64);
        let mut unfolding = self.unfolding.borrow_mut();
        match event.method.as_str() {
            "Runtime.executionContextCreated" if self.now.get() && event.text("/context/name") == WORLD => {
                let Some(document) = number("/context/id") else { return };
                unfolding.entry(session.to_owned()).or_default().insert(document);
                link.session(session.to_owned()).post(unfolds(document, true));
            }
            "Runtime.executionContextDestroyed" => {
                if let (Some(all), Some(gone)) = (unfolding.get_mut(session), number("/executionContextId")) {
                    all.remove(&gone);
                }
            }
            "Runtime.executionContextsCleared" => drop(unfolding.remove(session)),
            "Target.detachedFromTarget" => drop(unfolding.remove(event.text("/sessionId"))),
            _ => {}
        }
    }

    /// Nobody holds it any more.
    pub fn end(&self, sessions: impl IntoIterator<Item = Session>) {
        self.now.set(false);
        let mut unfolding = self.unfolding.take();
        for session in sessions {
            for document in unfolding.remove(session.id()).unwrap_or_default() {
                session.post(unfolds(document, false));
            }
            session.post(Raw::new("Runtime.releaseObjectGroup", json!({"objectGroup": CONSOLE})));
            session.post(Raw::new("Runtime.disable", json!({})));
        }
    }
}
