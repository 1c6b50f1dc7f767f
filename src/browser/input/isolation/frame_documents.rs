//! Documents of a page and its frames, and the guard in each of them.

use crate::browser::cdp::connection::Session;
use crate::browser::cdp::message::RawCommand;
use crate::browser::error::PageError;
use crate::browser::injected;
use crate::browser::page::tab::Tab;
use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use std::time::Duration;

/// Time to wait for a frame. A frame whose scripts do not yield cannot be shut, but receives no input either.
pub const FRAME_TIMEOUT: Duration = Duration::from_millis(400);
/// Maximum number of frames without an address that are asked whether they have the origin of the document around them.
/// The others count as foreign.
const MOST_ASKED: usize = 50;

/// A document of the page, from Chromium's frame tree.
#[derive(Clone, Debug)]
pub struct FrameDocument {
    pub frame: String,
    /// Identifies the document among those that the frame shows one after the other.
    pub loader: String,
    /// Frame around it, in this process or another; empty for the page itself.
    parent: String,
    /// Empty scheme and host (`://`) for documents without an address, which may have the origin of their parent.
    pub origin: String,
    session: Session,
}

/// Isolated world of a document, in which its guard runs.
#[derive(Clone, Debug)]
pub struct GuardWorld {
    session: Session,
    id: Value,
}

/// Lists all documents of a page, including those in other processes. Fails if the page itself does not list its own:
/// then it is unknown what is to be shut.
pub async fn list_documents(page: &Tab) -> Result<Vec<FrameDocument>, PageError> {
    let (own, others) = join(page.call(frame_tree_query()), list_frames(page, FRAME_TIMEOUT)).await;
    Ok(flatten_frame_tree(&own?["frameTree"], &page.session).into_iter().chain(others).collect())
}

/// Lists the documents of those processes that answer within the time.
pub async fn list_documents_within(page: &Tab, limit: Duration) -> Vec<FrameDocument> {
    let (own, others) = join(list_of_session(page.session.clone(), limit), list_frames(page, limit)).await;
    own.into_iter().chain(others).collect()
}

/// Lists the documents of frames in other processes.
async fn list_frames(page: &Tab, limit: Duration) -> Vec<FrameDocument> {
    let sessions = page.frames.frame_sessions.sessions().into_iter();
    join_all(sessions.map(|session| list_of_session(session, limit))).await.into_iter().flatten().collect()
}

/// Returns nothing for a session that does not answer.
async fn list_of_session(session: Session, limit: Duration) -> Vec<FrameDocument> {
    let tree = session.send(frame_tree_query(), limit).await;
    tree.map(|tree| flatten_frame_tree(&tree["frameTree"], &session)).unwrap_or_default()
}

fn frame_tree_query() -> RawCommand {
    RawCommand::new("Page.getFrameTree", json!({}))
}

fn flatten_frame_tree(tree: &Value, session: &Session) -> Vec<FrameDocument> {
    let text = |field: &str| tree["frame"][field].as_str().unwrap_or_default().to_owned();
    let mut all = vec![FrameDocument {
        frame: text("id"),
        loader: text("loaderId"),
        parent: text("parentId"),
        origin: text("securityOrigin"),
        session: session.clone(),
    }];
    for inner in tree["childFrames"].as_array().into_iter().flatten() {
        all.extend(flatten_frame_tree(inner, session));
    }
    all
}

/// Replaces the origins of documents that have the origin of the document around them, such as those of `srcdoc`
/// frames, in which editors of rich text work. Chromium's frame tree does not report it; a document that can reach its
/// frame's element has it. Parents come before their children.
pub async fn resolve_inherited_origins(mut documents: Vec<FrameDocument>) -> Vec<FrameDocument> {
    let may_inherit = |document: &FrameDocument| !document.parent.is_empty() && !document.has_address();
    let asked: Vec<usize> =
        (0..documents.len()).filter(|at| may_inherit(&documents[*at])).take(MOST_ASKED).collect();
    let inherits = join_all(asked.iter().map(|at| documents[*at].reaches_parent())).await;
    for (at, _) in asked.into_iter().zip(inherits).filter(|(_, inherits)| *inherits) {
        let parent = documents.iter().find(|parent| parent.frame == documents[at].parent);
        if let Some(origin) = parent.map(|parent| parent.origin.clone()) {
            documents[at].origin = origin;
        }
    }
    documents
}

impl FrameDocument {
    /// Reports whether the document has an origin of its own, which others can have too. Sandboxed documents have unique
    /// opaque origins, even with equal text.
    pub fn has_address(&self) -> bool {
        self.origin.starts_with("http")
    }

    /// Returns the world of its guard; `None` if the document does not answer.
    pub async fn guard_world(&self) -> Option<GuardWorld> {
        let params = json!({"frameId": self.frame, "worldName": injected::WORLD});
        let world = RawCommand::new("Page.createIsolatedWorld", params);
        let mut reply = self.session.send(world, FRAME_TIMEOUT).await.ok()?;
        Some(GuardWorld { session: self.session.clone(), id: reply["executionContextId"].take() })
    }

    async fn reaches_parent(&self) -> bool {
        let Some(world) = self.guard_world().await else { return false };
        world.evaluate("window.frameElement !== null").await.is_some_and(|reaches| reaches == true)
    }
}

impl GuardWorld {
    /// Calls a function of the guard. Returns its result; `None` if the document does not answer.
    pub async fn call(&self, call: &str) -> Option<Value> {
        self.evaluate(&format!("{}\naskfirstGuard.{call}", injected::GUARD)).await
    }

    /// Calls a function of a guard that runs already, without waiting for the document.
    pub fn post(&self, call: &str) {
        self.session.post(self.evaluation(&format!("askfirstGuard.{call}")));
    }

    async fn evaluate(&self, expression: &str) -> Option<Value> {
        let mut reply = self.session.send(self.evaluation(expression), FRAME_TIMEOUT).await.ok()?;
        Some(reply["result"]["value"].take())
    }

    fn evaluation(&self, expression: &str) -> RawCommand {
        let params = json!({"expression": expression, "contextId": self.id, "returnByValue": true});
        RawCommand::new("Runtime.evaluate", params)
    }
}
