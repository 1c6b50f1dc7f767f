//! Registry of a page's frames: their tree, and the ranges of element ids assigned to each.

use crate::browser::cdp::connection::Session;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::page::frames::rest_watch::RestWatch;
use crate::browser::page::frames::sessions::FrameSessions;
use chromiumoxide::cdp::js_protocol::runtime::ExecutionContextId;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

/// Listeners already passed to the walker of one document.
#[derive(Debug, Default)]
pub struct PassedListeners {
    pub world: Option<i64>,
    pub document: Option<String>,
    pub nodes: HashSet<i64>,
}

/// State of a page or frame that its handles share.
#[derive(Debug, Default)]
pub struct ScriptState {
    /// Isolated world of the document; `None` until needed, or once the document is gone.
    pub world: Cell<Option<ExecutionContextId>>,
    /// True if the page or frame did not answer the last time.
    pub silent: Cell<bool>,
    /// True once a frame of the document was found to hold secret fields, or could not be asked.
    pub frames_hold_secrets: Cell<bool>,
    /// Listeners passed to the walker.
    pub listeners: RefCell<PassedListeners>,
}

/// A document in a frame.
#[derive(Debug)]
pub struct Frame {
    /// Chromium's frame id.
    pub id: String,
    pub session: Session,
    pub scripts: Rc<ScriptState>,
    /// Parent frame; `None` for the page itself.
    pub parent: Option<Rc<Frame>>,
    /// Id of the frame's element in the parent document: its eid, or another number known to the walker
    /// there.
    pub owner: u32,
    /// Element ids that its walker may still assign: the next and the last.
    pub numbers: Cell<(u32, u32)>,
    /// True until its walker is queried for the first time.
    pub fresh: Cell<bool>,
    /// Budget and visible part of the last walk; `None` before the first.
    pub last_place: RefCell<Option<Value>>,
    pub rest: RestWatch,
}

/// The frames of one page, and the element ids assigned to each.
#[derive(Debug, Default)]
pub struct Frames {
    pub frame_sessions: Rc<FrameSessions>,
    known: RefCell<KnownFrames>,
}

#[derive(Debug, Default)]
struct KnownFrames {
    /// Blocks of element ids: the first id, mapped to the last one and the frame.
    blocks: BTreeMap<u32, (u32, Rc<Frame>)>,
    /// Frames by the parent frame's id (empty for the page itself) and the id of their element there.
    owned: HashMap<(String, u32), Rc<Frame>>,
    /// Frames that the last observation covered.
    covered: Vec<Rc<Frame>>,
    /// Isolated world of the page itself.
    document: Option<ExecutionContextId>,
}

impl Frames {
    pub fn new(frame_sessions: Rc<FrameSessions>) -> Self {
        Self { frame_sessions, ..Self::default() }
    }

    /// Returns the frame that assigned this element id; `None` for the page itself.
    pub fn frame_of_eid(&self, eid: u32) -> Option<Rc<Frame>> {
        let known = self.known.borrow();
        let (_, (last, frame)) = known.blocks.range(..=eid).next_back()?;
        (eid <= *last).then(|| Rc::clone(frame))
    }

    /// Returns the frame that this element shows.
    pub fn owned_by(&self, eid: u32) -> Option<Rc<Frame>> {
        self.known.borrow().owned.values().find(|frame| frame.owner == eid).cloned()
    }

    /// Returns the frame at this place: its parent's id, and the id of its element there.
    pub(crate) fn frame_at(&self, frame_key: &(String, u32)) -> Option<Rc<Frame>> {
        self.known.borrow().owned.get(frame_key).cloned()
    }

    pub(crate) fn add(&self, frame_key: (String, u32), frame: Rc<Frame>) {
        self.known.borrow_mut().owned.insert(frame_key, frame);
    }

    /// Returns the frames that the last observation covered.
    pub(crate) fn covered(&self) -> Vec<Rc<Frame>> {
        self.known.borrow().covered.clone()
    }

    /// Begins another observation, which has covered no frame yet.
    pub(crate) fn begin_observation(&self) {
        self.known.borrow_mut().covered.clear();
    }

    /// Records that the observation covers a frame.
    pub(crate) fn cover(&self, frame: &Rc<Frame>) {
        self.known.borrow_mut().covered.push(Rc::clone(frame));
    }

    /// Returns the sessions of frames that have their own processes.
    pub fn sessions(&self) -> Vec<Session> {
        let known = self.known.borrow();
        known.owned.values().filter_map(|frame| self.frame_sessions.session_of_frame(&frame.id)).collect()
    }

    /// Sets the document of the page. The frames of another document are forgotten.
    pub fn set_document(&self, world: ExecutionContextId) {
        let mut known = self.known.borrow_mut();
        if known.document != Some(world) {
            *known = KnownFrames { document: Some(world), ..KnownFrames::default() };
        }
    }

    /// Assigns a block of element ids to a frame.
    pub(crate) fn assign_eids(&self, frame: &Rc<Frame>, first: u32, last: u32) {
        frame.numbers.set((first, last));
        self.known.borrow_mut().blocks.insert(first, (last, Rc::clone(frame)));
    }

    /// Forgets the frame at this element, whose document is gone, and its element ids.
    pub(crate) fn remove_frame_at(&self, frame_key: &(String, u32)) {
        let mut known = self.known.borrow_mut();
        if let Some(gone) = known.owned.remove(frame_key) {
            known.remove_eids(&gone);
        }
    }

    /// Forgets the removed frames of this session, or only the one with this frame id.
    pub fn forget(&self, session: &str, id: Option<&str>) {
        let is_gone = |frame: &Frame| frame.session.id() == session && id.is_none_or(|id| frame.id == id);
        let mut known = self.known.borrow_mut();
        known.owned.retain(|_, frame| !is_gone(frame));
        known.blocks.retain(|_, (_, frame)| !is_gone(frame));
        known.covered.retain(|frame| !is_gone(frame));
    }
}

impl KnownFrames {
    fn remove_eids(&mut self, gone: &Rc<Frame>) {
        self.blocks.retain(|_, (_, frame)| !Rc::ptr_eq(frame, gone));
    }
}

/// Error for an element whose document is gone.
pub fn frame_gone_error() -> PageError {
    PageError::new(
        ErrorCode::DeadEid,
        "the frame that held this element shows another document now; look at the page again",
    )
}

/// Error for a frame whose scripts never yield or whose process is busy.
pub fn frame_timeout_error(timeout: Duration) -> PageError {
    let message = format!("the frame of this element does not answer ({} s); look again", timeout.as_secs());
    PageError::new(ErrorCode::Timeout, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::cdp::connection::Connection;

    fn frame(owner: u32) -> Rc<Frame> {
        Rc::new(Frame {
            id: format!("F{owner}"),
            session: Connection::disconnected().session(String::from("S")),
            scripts: Rc::default(),
            parent: None,
            owner,
            numbers: Cell::new((0, 0)),
            fresh: Cell::new(true),
            last_place: RefCell::default(),
            rest: RestWatch::default(),
        })
    }

    #[test]
    fn removed_frames_are_forgotten() {
        let frames = Frames::default();
        for n in 1..=3 {
            frames.assign_eids(&frame(n), n * 10, n * 10 + 9);
            frames.add((String::new(), n), frame(n));
            frames.cover(&frame(n));
        }
        let left = || {
            let known = frames.known.borrow();
            (known.owned.len(), known.blocks.len(), known.covered.len())
        };
        frames.forget("another", None);
        frames.forget("another", Some("F1"));
        assert_eq!(left(), (3, 3, 3));
        frames.forget("S", Some("F1"));
        assert_eq!(left(), (2, 2, 2));
        assert!(frames.frame_of_eid(15).is_none() && frames.frame_of_eid(25).is_some());
        frames.forget("S", None);
        assert_eq!(left(), (0, 0, 0));
    }

    #[test]
    fn an_eid_leads_to_the_frame_that_assigned_it_until_the_frame_is_gone() {
        let frames = Frames::default();
        let (one, two) = (frame(3), frame(4));
        for (frame, first, last) in [(&one, 10, 19), (&two, 20, 29), (&one, 40, 49)] {
            frames.assign_eids(frame, first, last);
        }
        let owner = |eid| frames.frame_of_eid(eid).map(|frame| frame.owner);
        let holders = [9, 10, 19, 20, 29, 30, 39, 40, 49, 50].map(owner);
        let (a, b) = (Some(3), Some(4));
        assert_eq!(holders, [None, a, a, b, b, None, None, a, a, None]);
        frames.known.borrow_mut().remove_eids(&one);
        assert_eq!([10, 25, 45].map(owner), [None, b, None]);
        frames.set_document(ExecutionContextId::new(1));
        assert_eq!(owner(25), None);
    }
}
