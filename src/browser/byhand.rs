//! Has pages tell what a person types into secret fields while they hold them. They tell it with every letter:
//! when the page is handed back its document may be gone, or the field another one. `typed` keeps it.

use super::link::Session;
use super::script;
use super::typed::BINDING;
use super::wire::Raw;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
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

    /// Nobody holds it any more.
    pub fn end(&self, sessions: impl IntoIterator<Item = Session>) {
        self.now.set(false);
        for session in sessions {
            session.post(Raw::new("Runtime.releaseObjectGroup", json!({"objectGroup": CONSOLE})));
            session.post(Raw::new("Runtime.disable", json!({})));
        }
    }
}
