//! Page script for the pages of a take-over. It reports what is typed into secret fields, letter by letter,
//! because at the hand-back the document may be gone or the field be another one;
//! `secrets::typed_by_person` stores it. It also draws the lists of drop-downs, because Chromium's own lists do
//! not appear in screenshots.

use crate::browser::cdp::connection::{Connection, Session};
use crate::browser::cdp::message::{CdpEvent, RawCommand};
use crate::browser::injected;
use crate::secrets::typed_by_person::BINDING;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Isolated world of this script, separate from the walker's: it exists in every document from the beginning,
/// and may reach into frames that the walker must treat as frames.
const WORLD: &str = "askfirst-hands";

static SCRIPT: LazyLock<String> = LazyLock::new(|| format!("{};\naskfirst.noteTyped()", *injected::INSTALL));

/// Object group of console messages. Chromium retains what pages log while the runtime domain is enabled.
const CONSOLE: &str = "console";

/// Installation of the take-over script in the pages and frames of a page context.
#[derive(Debug, Default)]
pub struct TakeoverScript {
    now: Cell<bool>,
    /// Sessions whose documents have the script. It stays installed and reports nothing outside a take-over.
    scripted: RefCell<HashSet<String>>,
    /// Execution contexts per session that draw their lists.
    unfolding: RefCell<HashMap<String, HashSet<i64>>>,
}

/// Builds the command that switches the drawing of lists in a document on or off.
fn unfold_command(document: i64, on: bool) -> RawCommand {
    let expression = format!("globalThis.askfirst?.unfoldLists({on})");
    RawCommand::new("Runtime.evaluate", json!({"expression": expression, "contextId": document}))
}

impl TakeoverScript {
    /// Starts a take-over: installs the script in these sessions and in all that follow.
    pub fn begin(&self, sessions: impl IntoIterator<Item = Session>) {
        self.now.set(true);
        sessions.into_iter().for_each(|session| self.install(&session));
    }

    /// Installs the script in a session during a take-over. Chromium executes the commands before later ones,
    /// and in a paused document before its first script.
    pub fn install(&self, session: &Session) {
        if !self.now.get() {
            return;
        }
        // Bindings report nothing while the runtime domain is disabled.
        session.post(RawCommand::new("Runtime.enable", json!({})));
        session.post(RawCommand::new(
            "Runtime.addBinding",
            json!({"name": BINDING, "executionContextName": WORLD}),
        ));
        if self.scripted.borrow_mut().insert(session.id().to_owned()) {
            let script = json!({"source": *SCRIPT, "worldName": WORLD, "runImmediately": true});
            session.post(RawCommand::new("Page.addScriptToEvaluateOnNewDocument", script));
        }
    }

    /// Follows the creation and destruction of execution contexts.
    pub fn handle_event(&self, event: &CdpEvent, connection: &Connection) {
        let session = event.session.as_deref().unwrap_or_default();
        let number = |pointer: &str| event.params.pointer(pointer).and_then(Value::as_i64);
        let mut unfolding = self.unfolding.borrow_mut();
        match event.method.as_str() {
            "Runtime.executionContextCreated" if self.now.get() && event.text("/context/name") == WORLD => {
                let Some(document) = number("/context/id") else { return };
                unfolding.entry(session.to_owned()).or_default().insert(document);
                connection.session(session.to_owned()).post(unfold_command(document, true));
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

    /// Ends the take-over: stops the lists and disables the runtime domain in these sessions.
    pub fn end(&self, sessions: impl IntoIterator<Item = Session>) {
        self.now.set(false);
        let mut unfolding = self.unfolding.take();
        for session in sessions {
            for document in unfolding.remove(session.id()).unwrap_or_default() {
                session.post(unfold_command(document, false));
            }
            session.post(RawCommand::new("Runtime.releaseObjectGroup", json!({"objectGroup": CONSOLE})));
            session.post(RawCommand::new("Runtime.disable", json!({})));
        }
    }
}
