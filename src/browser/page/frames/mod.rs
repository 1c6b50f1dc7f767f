//! Frames that no script of the page can access: of another origin or sandboxed, in the same process or in
//! their own. Each has its own isolated world with its own walker; an element id leads to the frame that
//! assigned it.
//!
//! A `Frame` is one document. When the frame navigates or goes away, its world and its element ids are gone.
//! No event is needed for that: the next query gets the error that the element is gone.

pub mod frame_tree;
pub mod closed_shadow_roots;
pub mod rest_watch;
pub mod sessions;
pub mod query_all;
pub mod words_place;

use crate::browser::cdp::message::RawCommand;
use crate::browser::error::PageError;
use crate::browser::geometry::FrameTransform;
use crate::browser::page::frames::frame_tree::{Frame, frame_gone_error};
use crate::browser::page::frames::rest_watch::RestWatch;
use crate::browser::page::tab::Tab;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

impl Tab {
    /// Returns the page or frame that holds an element. Queries there (`ready`, `fill`, …) use its own
    /// coordinates; `to_page_coordinates` converts them to those of the page. Sends nothing. Mouse and key events still
    /// go to the session of the page.
    pub fn frame_of_element(&self, eid: u32) -> Self {
        self.frames.frame_of_eid(eid).map_or_else(|| self.clone(), |frame| self.for_frame(frame))
    }

    /// Returns the document and the element in it that a query about an element concerns: of a frame's element its whole
    /// document, without an element that of the page. Zero stands for the whole document.
    pub(in crate::browser) fn document_of(&self, eid: Option<u32>) -> (Self, u32) {
        let Some(eid) = eid else { return (self.clone(), 0) };
        match self.frames.owned_by(eid) {
            Some(frame) => (self.for_frame(frame), 0),
            None => (self.frame_of_element(eid), eid),
        }
    }

    /// Returns the parent of a frame of this page.
    pub fn find_parent(&self, frame: &Frame) -> Self {
        frame.parent.clone().map_or_else(|| self.clone(), |outer| self.for_frame(outer))
    }

    /// Returns the frame and its ancestors, each with its parent, the innermost first.
    pub(in crate::browser) fn chain(&self, frame_tab: &Self) -> Vec<(Rc<Frame>, Self)> {
        let inner = std::iter::successors(frame_tab.frame(), |frame| frame.parent.clone());
        inner.map(|frame| (Rc::clone(&frame), self.find_parent(&frame))).collect()
    }

    /// Returns the ids of a frame's ancestors.
    pub fn ancestor_ids(&self, frame_tab: &Self) -> Vec<String> {
        self.chain(frame_tab)
            .into_iter()
            .filter_map(|(_, parent_tab)| Some(parent_tab.frame()?.id.clone()))
            .collect()
    }

    /// Converts a box in a frame to the coordinates of the page's viewport.
    pub async fn to_page_coordinates(
        &self,
        frame_tab: &Self,
        mut bounds: [f64; 4],
    ) -> Result<[f64; 4], PageError> {
        for (frame, parent_tab) in self.chain(frame_tab) {
            let transform: FrameTransform =
                parent_tab.call_script(&format!("placeOfFrame({})", frame.owner)).await?;
            bounds = transform.bounds(bounds);
        }
        Ok(bounds)
    }

    /// Returns the names of a frame and its ancestors, the outermost first.
    pub async fn frame_names(&self, frame_tab: &Self) -> Result<String, PageError> {
        let mut names = Vec::new();
        for (frame, parent_tab) in self.chain(frame_tab) {
            names.insert(0, parent_tab.call_script::<String>(&format!("frameChain({})", frame.owner)).await?);
        }
        Ok(names.join(" / "))
    }

    /// Returns the frame that an element of `parent` shows.
    pub(in crate::browser) async fn frame_at(
        &self,
        parent_tab: &Self,
        owner: u32,
    ) -> Result<Self, PageError> {
        let session_of = |id: &str| {
            self.frames.frame_sessions.session_of_frame(id).unwrap_or_else(|| parent_tab.session.clone())
        };
        if let Some(frame) = self.frames.frame_at(&frame_key(parent_tab, owner)) {
            if session_of(&frame.id).id() == frame.session.id() {
                return Ok(self.for_frame(frame));
            }
            self.frames.remove_frame_at(&frame_key(parent_tab, owner));
        }
        let id = frame_id(parent_tab, owner).await?;
        let frame = Rc::new(Frame {
            session: session_of(&id),
            id,
            scripts: Rc::default(),
            parent: parent_tab.frame(),
            owner,
            numbers: Cell::new((0, 0)),
            fresh: Cell::new(true),
            last_place: RefCell::default(),
            rest: RestWatch::default(),
        });
        self.frames.add(frame_key(parent_tab, owner), Rc::clone(&frame));
        Ok(self.for_frame(frame))
    }
}

/// Returns the key of a frame: its parent's id, and the id of its element there.
pub(in crate::browser) fn frame_key(parent_tab: &Tab, owner: u32) -> (String, u32) {
    (parent_tab.frame().map(|frame| frame.id.clone()).unwrap_or_default(), owner)
}

async fn frame_id(parent_tab: &Tab, owner: u32) -> Result<String, PageError> {
    let object = parent_tab.object(&format!("askfirst.node({owner})")).await?;
    let node = parent_tab.call(RawCommand::new("DOM.describeNode", json!({"objectId": object}))).await?;
    parent_tab.session.post(RawCommand::new("Runtime.releaseObject", json!({"objectId": object})));
    let id = node.pointer("/node/frameId").and_then(serde_json::Value::as_str);
    id.map(str::to_owned).ok_or_else(frame_gone_error)
}

/// Maximum number and depth of frames to observe; further ones are listed without their content.
pub(crate) const MOST_FRAMES: usize = 24;
pub(crate) const MAX_FRAME_DEPTH: u32 = 6;

/// Time limit for the reply of a frame that answered before.
pub(crate) const FRAME_REPLY_TIMEOUT: Duration = Duration::from_millis(1500);

/// Number of tries for a frame that is moving to another process, which takes a moment.
pub(crate) const NEW_DOCUMENT_TRIES: u32 = 4;

pub(crate) const MOVING: Duration = Duration::from_millis(50);
