//! What is known of the frames of a page: which there are, and which numbers of elements are theirs.

use super::processes::Processes;
use crate::browser::fault::{Code, Fault};
use crate::browser::link::Session;
use chromiumoxide::cdp::js_protocol::runtime::ExecutionContextId;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

/// Our world of one document; none until it is needed, or when that document is gone.
pub type World = Rc<Cell<Option<ExecutionContextId>>>;

/// What the walker of one document has been told.
#[derive(Debug, Default)]
pub struct Told {
    pub world: Option<i64>,
    pub document: Option<String>,
    pub nodes: HashSet<i64>,
}

/// One document in a frame.
#[derive(Debug)]
pub struct Frame {
    /// Chromium's number of the frame.
    pub id: String,
    pub session: Session,
    pub world: World,
    /// It did not answer the last time.
    pub silent: Rc<Cell<bool>>,
    /// What its walker has been told of listeners.
    pub told: Rc<RefCell<Told>>,
    /// The frame around it; none: the page itself.
    pub around: Option<Rc<Frame>>,
    /// The eid of its element there, or another number that the walker there knows it by.
    pub owner: u32,
    /// The numbers that its walker may give yet: the next, and the last.
    pub numbers: Cell<(u32, u32)>,
    /// Its walker has not been asked yet.
    pub fresh: Cell<bool>,
}

/// The frames of one page, and which numbers of elements are theirs.
#[derive(Debug, Default)]
pub struct Frames {
    pub processes: Rc<Processes>,
    /// First number of a block → its last, and whose it is.
    pub(super) blocks: RefCell<BTreeMap<u32, (u32, Rc<Frame>)>>,
    /// By the numbers of their elements, and what those stand in (nothing: the page itself).
    pub(super) owned: RefCell<HashMap<(String, u32), Rc<Frame>>>,
    /// Those that the last look went through.
    pub(super) seen: RefCell<Vec<Rc<Frame>>>,
    /// Our world of the page itself.
    document: Cell<Option<ExecutionContextId>>,
}

impl Frames {
    pub fn new(processes: Rc<Processes>) -> Self {
        Self { processes, ..Self::default() }
    }

    /// The frame that gave this number; none for the page itself.
    pub fn holding(&self, eid: u32) -> Option<Rc<Frame>> {
        let blocks = self.blocks.borrow();
        let (_, (last, frame)) = blocks.range(..=eid).next_back()?;
        (eid <= *last).then(|| Rc::clone(frame))
    }

    /// The frame of an element that is one.
    pub fn owned_by(&self, eid: u32) -> Option<Rc<Frame>> {
        self.owned.borrow().values().find(|frame| frame.owner == eid).cloned()
    }

    /// Those of frames that have a process of their own.
    pub fn sessions(&self) -> Vec<Session> {
        let owned = self.owned.borrow();
        owned.values().filter_map(|frame| self.processes.of(&frame.id)).collect()
    }

    /// The page itself is this document: the frames of another one are gone with it.
    pub fn of_document(&self, world: ExecutionContextId) {
        if self.document.replace(Some(world)) != Some(world) {
            self.blocks.borrow_mut().clear();
            self.owned.borrow_mut().clear();
            self.seen.borrow_mut().clear();
        }
    }

    /// These numbers are that frame's alone.
    pub(super) fn give(&self, frame: &Rc<Frame>, first: u32, last: u32) {
        frame.numbers.set((first, last));
        self.blocks.borrow_mut().insert(first, (last, Rc::clone(frame)));
    }

    /// The document that an element showed is gone, and its elements with it.
    pub(super) fn disown(&self, place: &(String, u32)) {
        let Some(gone) = self.owned.borrow_mut().remove(place) else { return };
        self.take_back(&gone);
    }

    /// Frames of this session, or that of this number alone, were taken out of the page.
    pub fn forget(&self, session: &str, id: Option<&str>) {
        let is_gone = |frame: &Frame| frame.session.id() == session && id.is_none_or(|id| frame.id == id);
        self.owned.borrow_mut().retain(|_, frame| !is_gone(frame));
        self.blocks.borrow_mut().retain(|_, (_, frame)| !is_gone(frame));
        self.seen.borrow_mut().retain(|frame| !is_gone(frame));
    }

    fn take_back(&self, gone: &Rc<Frame>) {
        self.blocks.borrow_mut().retain(|_, (_, frame)| !Rc::ptr_eq(frame, gone));
    }
}

/// The document that held an element is gone.
pub fn gone() -> Fault {
    Fault::new(
        Code::DeadEid,
        "the frame that held this element shows another document now; look at the page again",
    )
}

/// Its scripts never yield, or its process is busy.
pub fn silent(patience: Duration) -> Fault {
    let message = format!("the frame of this element does not answer ({} s); look again", patience.as_secs());
    Fault::new(Code::Timeout, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::link::Link;

    fn frame(owner: u32) -> Rc<Frame> {
        Rc::new(Frame {
            id: format!("F{owner}"),
            session: Link::nowhere().session(String::from("S")),
            world: World::default(),
            silent: Rc::default(),
            told: Rc::default(),
            around: None,
            owner,
            numbers: Cell::new((0, 0)),
            fresh: Cell::new(true),
        })
    }

    #[test]
    fn frames_that_were_taken_out_are_forgotten() {
        let frames = Frames::default();
        for n in 1..=3 {
            frames.give(&frame(n), n * 10, n * 10 + 9);
            frames.owned.borrow_mut().insert((String::new(), n), frame(n));
            frames.seen.borrow_mut().push(frame(n));
        }
        let left = || (frames.owned.borrow().len(), frames.blocks.borrow().len(), frames.seen.borrow().len());
        frames.forget("another", None);
        frames.forget("another", Some("F1"));
        assert_eq!(left(), (3, 3, 3));
        frames.forget("S", Some("F1"));
        assert_eq!(left(), (2, 2, 2));
        assert!(frames.holding(15).is_none() && frames.holding(25).is_some());
        frames.forget("S", None);
        assert_eq!(left(), (0, 0, 0));
    }

    #[test]
    fn a_number_leads_to_the_frame_that_gave_it_and_to_nobody_after_it_is_gone() {
        let frames = Frames::default();
        let (one, two) = (frame(3), frame(4));
        for (frame, first, last) in [(&one, 10, 19), (&two, 20, 29), (&one, 40, 49)] {
            frames.give(frame, first, last);
        }
        let owner = |eid| frames.holding(eid).map(|frame| frame.owner);
        let holders = [9, 10, 19, 20, 29, 30, 39, 40, 49, 50].map(owner);
        let (a, b) = (Some(3), Some(4));
        assert_eq!(holders, [None, a, a, b, b, None, None, a, a, None]);
        frames.take_back(&one);
        assert_eq!([10, 25, 45].map(owner), [None, b, None]);
        frames.of_document(ExecutionContextId::new(1));
        assert_eq!(owner(25), None);
    }
}
