//! Input isolation: keeps input meant for one document away from documents of other sites. Frames of other
//! sites are shut during an action, and a frame created meanwhile starts shut (`injected/input_guard.js`). Otherwise a
//! frame could move under the pointer between aiming and pressing, or take the focus during typing.

use crate::browser::cdp::connection::Session;
use crate::browser::cdp::message::RawCommand;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::injected;
use crate::browser::page::tab::Tab;
use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashSet;
use std::time::Duration;

/// Time to wait for a frame. A frame whose scripts do not yield cannot be shut, but receives no input either.
const ISOLATION_TIMEOUT: Duration = Duration::from_millis(400);
/// Maximum number of frames without an address that are asked whose origin they have; the rest counts as other sites.
const MOST_ASKED: usize = 50;
/// Maximum number of frames of other sites; no honest page has more.
const MOST: usize = 200;
/// Time to wait for the page's own frame tree, without which it is unknown what is to be shut.
const TREE_TIMEOUT: Duration = Duration::from_secs(5);
/// Time after which frames open by themselves, should the command to open them get lost. A button may be held for ten seconds.
const SHUT_MS: u32 = 30_000;

/// A document of the page, from Chromium's frame tree.
#[derive(Clone, Debug)]
struct FrameDocument {
    id: String,
    /// Id of the frame around it, in this process or another; empty for the page itself.
    parent: String,
    /// Empty scheme and host (`://`) for documents without an address, which may have that of their parent.
    origin: String,
    session: Session,
}

/// Frames that stay shut until this is dropped.
#[derive(Debug, Default)]
pub struct InputIsolation(RefCell<Vec<(Session, Value)>>);

impl InputIsolation {
    /// Shuts the frames that the input is not meant for. `meant` lists the page or the frames that may
    /// receive it; their ancestors and documents of the same origins stay open.
    pub async fn shut(page: &Tab, meant: &[Tab]) -> Result<Self, PageError> {
        let documents = resolve_inherited_origins(list_documents(page).await?).await;
        let (spared, chosen) = (reachable_frames(page, meant, &documents), frame_ids(page, meant));
        let others: Vec<&FrameDocument> = documents.iter().filter(|it| !spared.contains(&it.id)).collect();
        if others.len() > MOST {
            let message = format!(
                "nothing was done: the page has {} frames of other sites, too many to keep what is meant for it \
                 away from them",
                others.len()
            );
            return Err(PageError::new(ErrorCode::Covered, message));
        }
        // The page itself is never shut. A frame that is meant may be new and so have started shut.
        let opened = documents.iter().filter(|it| it.id != page.target && chosen.contains(&it.id));
        let open = join_all(opened.map(|document| run_guard_command(document, String::from("open()"))));
        let isolation = Self::default();
        let shut = join_all(others.into_iter().map(|document| isolation.shut_frame(document)));
        join(open, shut).await;
        Ok(isolation)
    }

    /// Shuts a frame. It is opened again also if the action ends before the frame has answered.
    async fn shut_frame(&self, document: &FrameDocument) {
        let Some(world) = create_world(document).await else { return };
        self.0.borrow_mut().push((document.session.clone(), world.clone()));
        let expression = format!("{}\naskfirstGuard.shut({SHUT_MS})", injected::GUARD);
        let _ = document.session.send(evaluation(&world, &expression), ISOLATION_TIMEOUT).await;
    }

    /// Opens the frames again. Returns an error if one of them was about to receive the input.
    pub async fn open(mut self, what: &str) -> Result<(), PageError> {
        let shut = std::mem::take(self.0.get_mut());
        let opened = join_all(shut.iter().map(|(session, world)| open_frame(session, world))).await;
        if opened.into_iter().all(|kept| kept == 0) {
            return Ok(());
        }
        Err(PageError::new(
            ErrorCode::FocusMoved,
            format!(
                "a frame of another site drew {what} to itself; it was kept away from it, so part of it is \
                 lost: look again before you go on"
            ),
        ))
    }
}

impl Drop for InputIsolation {
    fn drop(&mut self) {
        for (session, world) in self.0.get_mut().iter() {
            session.post(evaluation(world, "askfirstGuard.open()"));
        }
    }
}

/// Returns the frame ids of the targets of the input.
fn frame_ids(page: &Tab, meant: &[Tab]) -> HashSet<String> {
    let own =
        |frame_tab: &Tab| frame_tab.frame().map_or_else(|| page.target.clone(), |frame| frame.id.clone());
    meant.iter().map(own).collect()
}

/// Returns the ids of the frames that the input may reach.
fn reachable_frames(page: &Tab, meant: &[Tab], documents: &[FrameDocument]) -> HashSet<String> {
    let mut open = frame_ids(page, meant);
    let of_meant = documents.iter().filter(|document| open.contains(&document.id));
    let origins: HashSet<&str> = of_meant.map(|document| document.origin.as_str()).collect();
    let alike =
        documents.iter().filter(|it| is_shared_origin(&it.origin) && origins.contains(it.origin.as_str()));
    open.extend(alike.map(|document| document.id.clone()));
    open.insert(page.target.clone());
    open.extend(meant.iter().flat_map(|frame_tab| page.ancestor_ids(frame_tab)));
    open
}

/// Reports whether an origin can be shared. Sandboxed documents have unique opaque origins, even with equal
/// text.
fn is_shared_origin(origin: &str) -> bool {
    origin.starts_with("http")
}

/// Lists all documents of a page, including those in other processes. Fails if the page itself does not tell its own.
async fn list_documents(page: &Tab) -> Result<Vec<FrameDocument>, PageError> {
    let list = |session: Session, limit: Duration| async move {
        let tree = session.send(RawCommand::new("Page.getFrameTree", json!({})), limit).await?;
        Ok::<_, PageError>(flatten_frame_tree(&tree["frameTree"], &session))
    };
    let others = page.frames.frame_sessions.sessions().into_iter();
    let others = join_all(others.map(|session| list(session, ISOLATION_TIMEOUT)));
    let (own, others) = join(list(page.session.clone(), TREE_TIMEOUT), others).await;
    Ok(own?.into_iter().chain(others.into_iter().flatten().flatten()).collect())
}

/// Replaces the origins of documents that have the origin of the document around them, such as those of `srcdoc`
/// frames, in which editors of rich text work. Chromium's frame tree does not tell it; a document that can reach its
/// frame's element has it. Parents come before their children.
async fn resolve_inherited_origins(mut documents: Vec<FrameDocument>) -> Vec<FrameDocument> {
    let may_inherit =
        |document: &FrameDocument| !document.parent.is_empty() && !is_shared_origin(&document.origin);
    let asked: Vec<usize> =
        (0..documents.len()).filter(|at| may_inherit(&documents[*at])).take(MOST_ASKED).collect();
    let inherits = join_all(asked.iter().map(|at| reaches_parent(&documents[*at]))).await;
    for (at, _) in asked.into_iter().zip(inherits).filter(|(_, inherits)| *inherits) {
        let parent = documents.iter().find(|parent| parent.id == documents[at].parent);
        if let Some(origin) = parent.map(|parent| parent.origin.clone()) {
            documents[at].origin = origin;
        }
    }
    documents
}

async fn reaches_parent(document: &FrameDocument) -> bool {
    let answered = evaluate_in_world(document, "window.frameElement !== null").await;
    answered.is_some_and(|(answered, _)| answered["result"]["value"] == true)
}

fn flatten_frame_tree(tree: &Value, session: &Session) -> Vec<FrameDocument> {
    let text = |field: &str| tree["frame"][field].as_str().unwrap_or_default().to_owned();
    let mut all = vec![FrameDocument {
        id: text("id"),
        parent: text("parentId"),
        origin: text("securityOrigin"),
        session: session.clone(),
    }];
    for inner in tree["childFrames"].as_array().into_iter().flatten() {
        all.extend(flatten_frame_tree(inner, session));
    }
    all
}

/// Runs a command of the guard in a document. Returns `None` if the document does not answer.
async fn run_guard_command(document: &FrameDocument, call: String) -> Option<(Session, Value)> {
    let expression = format!("{}\naskfirstGuard.{call}", injected::GUARD);
    let (_, world) = evaluate_in_world(document, &expression).await?;
    Some((document.session.clone(), world))
}

/// Evaluates an expression in the isolated world of a document. Returns the reply and the world; `None` if the document
/// does not answer.
async fn evaluate_in_world(document: &FrameDocument, expression: &str) -> Option<(Value, Value)> {
    let world = create_world(document).await?;
    let reply = document.session.send(evaluation(&world, expression), ISOLATION_TIMEOUT).await.ok()?;
    Some((reply, world))
}

/// Returns the isolated world of a document; `None` if the document does not answer.
async fn create_world(FrameDocument { id, session, .. }: &FrameDocument) -> Option<Value> {
    let world =
        RawCommand::new("Page.createIsolatedWorld", json!({"frameId": id, "worldName": injected::WORLD}));
    Some(session.send(world, ISOLATION_TIMEOUT).await.ok()?["executionContextId"].take())
}

async fn open_frame(session: &Session, world: &Value) -> u64 {
    let answered = session.send(evaluation(world, "askfirstGuard.open()"), ISOLATION_TIMEOUT).await;
    // A frame that is gone received no input.
    answered.ok().and_then(|answered| answered["result"]["value"].as_u64()).unwrap_or_default()
}

fn evaluation(world: &Value, expression: &str) -> RawCommand {
    RawCommand::new(
        "Runtime.evaluate",
        json!({"expression": expression, "contextId": world, "returnByValue": true}),
    )
}
