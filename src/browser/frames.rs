//! The frames of a page that no script of the page can reach into: of another origin, sandboxed, in
//! the same process or in one of their own. Each has its own world with its own walker; an eid leads
//! to the frame that gave it.
//!
//! A frame here is one document: when it goes elsewhere or away, its world is gone, and its eids with
//! it. Nobody has to be told of that; whoever asks there hears that the element is gone.

pub mod aim;
pub mod hosts;
pub mod processes;
pub mod sight;
pub mod whole;

use super::fault::{Code, Fault};
use super::link::Session;
use super::listeners::Told;
use super::tab::{Raw, Tab, World};
use chromiumoxide::cdp::js_protocol::runtime::ExecutionContextId;
use processes::Processes;
use serde::Deserialize;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::time::Duration;

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
    numbers: Cell<(u32, u32)>,
    /// Its walker has not been asked yet.
    fresh: Cell<bool>,
}

/// The frames of one page, and which numbers of elements are theirs.
#[derive(Debug, Default)]
pub struct Frames {
    pub processes: Rc<Processes>,
    /// First number of a block → its last, and whose it is.
    blocks: RefCell<BTreeMap<u32, (u32, Rc<Frame>)>>,
    /// By the numbers of their elements, and what those stand in (nothing: the page itself).
    owned: RefCell<HashMap<(String, u32), Rc<Frame>>>,
    /// Those that the last look went through.
    seen: RefCell<Vec<Rc<Frame>>>,
    /// Our world of the page itself.
    document: Cell<Option<ExecutionContextId>>,
}

/// A frame in the document around it: where its viewport begins.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Place {
    pub x: f64,
    pub y: f64,
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
    pub(super) fn of_document(&self, world: ExecutionContextId) {
        if self.document.replace(Some(world)) != Some(world) {
            self.blocks.borrow_mut().clear();
            self.owned.borrow_mut().clear();
            self.seen.borrow_mut().clear();
        }
    }

    /// These numbers are that frame's alone.
    fn give(&self, frame: &Rc<Frame>, first: u32, last: u32) {
        frame.numbers.set((first, last));
        self.blocks.borrow_mut().insert(first, (last, Rc::clone(frame)));
    }

    /// The document that an element showed is gone, and its elements with it.
    fn disown(&self, around: &Tab, owner: u32) {
        let Some(gone) = self.owned.borrow_mut().remove(&place(around, owner)) else { return };
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

impl Tab {
    /// The page itself, or the frame, that holds an element: what is asked there about it (`ready`,
    /// `fill`, …) is answered in its own coordinates (`outward` has those of the page). Costs nothing.
    /// Mouse and keys are the page's: their events go to its own session.
    pub fn at(&self, eid: u32) -> Self {
        self.frames.holding(eid).map_or_else(|| self.clone(), |frame| self.within(frame))
    }

    /// What is around a frame of this page.
    pub fn around(&self, frame: &Frame) -> Self {
        frame.around.clone().map_or_else(|| self.clone(), |outer| self.within(outer))
    }

    /// The frame itself (`at`), and those around it, each with what it stands in; the innermost first.
    fn chain(&self, there: &Self) -> Vec<(Rc<Frame>, Self)> {
        let inner = std::iter::successors(there.frame(), |frame| frame.around.clone());
        inner.map(|frame| (Rc::clone(&frame), self.around(&frame))).collect()
    }

    /// A box in one of its frames (`at`), in the coordinates of the page's viewport.
    pub async fn outward(&self, there: &Self, mut bounds: [f64; 4]) -> Result<[f64; 4], Fault> {
        for (frame, around) in self.chain(there) {
            let place: Place = around.ask(&format!("placeOfFrame({})", frame.owner)).await?;
            bounds[0] += place.x;
            bounds[1] += place.y;
        }
        Ok(bounds)
    }

    /// What a frame of this page is called, with those around it, the outermost first.
    pub async fn frame_names(&self, there: &Self) -> Result<String, Fault> {
        let mut names = Vec::new();
        for (frame, around) in self.chain(there) {
            names.insert(0, around.ask::<String>(&format!("frameChain({})", frame.owner)).await?);
        }
        Ok(names.join(" / "))
    }

    /// The frame that an element of `around` shows.
    async fn inner(&self, around: &Self, owner: u32) -> Result<Self, Fault> {
        let session_of = |id: &str| self.frames.processes.of(id).unwrap_or_else(|| around.session.clone());
        let known = self.frames.owned.borrow().get(&place(around, owner)).cloned();
        if let Some(frame) = known {
            if session_of(&frame.id).id() == frame.session.id() {
                return Ok(self.within(frame));
            }
            self.frames.disown(around, owner);
        }
        let id = frame_id(around, owner).await?;
        let frame = Rc::new(Frame {
            session: session_of(&id),
            id,
            world: World::default(),
            silent: Rc::default(),
            told: Rc::default(),
            around: around.frame(),
            owner,
            numbers: Cell::new((0, 0)),
            fresh: Cell::new(true),
        });
        self.frames.owned.borrow_mut().insert(place(around, owner), Rc::clone(&frame));
        Ok(self.within(frame))
    }
}

/// Where an element stands that shows a frame.
fn place(around: &Tab, owner: u32) -> (String, u32) {
    (around.frame().map(|frame| frame.id.clone()).unwrap_or_default(), owner)
}

async fn frame_id(around: &Tab, owner: u32) -> Result<String, Fault> {
    let object = around.object(&format!("askfirst.node({owner})")).await?;
    let told = around.call(Raw::new("DOM.describeNode", json!({"objectId": object}))).await?;
    around.session.post(Raw::new("Runtime.releaseObject", json!({"objectId": object})));
    let id = told.pointer("/node/frameId").and_then(serde_json::Value::as_str);
    id.map(str::to_owned).ok_or_else(gone)
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
