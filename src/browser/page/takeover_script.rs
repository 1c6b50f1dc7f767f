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

/// In a document that a take-over finds, lists are drawn from the person's first press on; the binding is there only
/// during a take-over.
static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let install = &*injected::INSTALL;
    format!("{install};\naskfirst.noteTyped(); askfirst.unfoldLists(typeof {BINDING} === 'function')")
});

/// Installation of the take-over script in the pages and frames of a page context.
#[derive(Debug, Default)]
pub struct TakeoverScript {
    now: Cell<bool>,
    /// Sessions whose documents have the script. It stays installed and reports nothing outside a take-over.
    scripted: RefCell<HashSet<String>>,
    /// Execution contexts of the script, per session.
    worlds: RefCell<HashMap<String, HashSet<i64>>>,
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
        for session in sessions {
            self.install(&session);
            for document in self.worlds.borrow().get(session.id()).into_iter().flatten() {
                session.post(unfold_command(*document, true));
            }
        }
    }

    /// Installs the script in a session during a take-over. Chromium executes the commands before later ones,
    /// and in a paused document before its first script.
    pub fn install(&self, session: &Session) {
        if !self.now.get() {
            return;
        }
        // The runtime domain is enabled in every session, because the wrapper of sockets reports by it.
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
        let mut worlds = self.worlds.borrow_mut();
        match event.method.as_str() {
            "Runtime.executionContextCreated" if event.text("/context/name") == WORLD => {
                let Some(document) = number("/context/id") else { return };
                worlds.entry(session.to_owned()).or_default().insert(document);
                if self.now.get() {
                    connection.session(session.to_owned()).post(unfold_command(document, true));
                }
            }
            "Runtime.executionContextDestroyed" => {
                if let (Some(all), Some(gone)) = (worlds.get_mut(session), number("/executionContextId")) {
                    all.remove(&gone);
                }
            }
            "Runtime.executionContextsCleared" => drop(worlds.remove(session)),
            "Target.detachedFromTarget" => drop(worlds.remove(event.text("/sessionId"))),
            _ => {}
        }
    }

    /// Ends the take-over: stops the lists and the reports in these sessions.
    pub fn end(&self, sessions: impl IntoIterator<Item = Session>) {
        self.now.set(false);
        let worlds = self.worlds.borrow();
        for session in sessions {
            for document in worlds.get(session.id()).into_iter().flatten() {
                session.post(unfold_command(*document, false));
            }
            session.post(RawCommand::new("Runtime.removeBinding", json!({"name": BINDING})));
        }
    }
}
