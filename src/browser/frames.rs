//! The frames of a page that no script of the page can reach into: of another origin, sandboxed, in
//! the same process or in one of their own. Each has its own world with its own walker; an eid leads
//! to the frame that gave it.
//!
//! A frame here is one document: when it goes elsewhere or away, its world is gone, and its eids with
//! it. Nobody has to be told of that; whoever asks there hears that the element is gone.

use super::fault::{Code, Fault};
use super::link::Session;
use super::tab::{Tab, World};
use chromiumoxide::cdp::js_protocol::runtime::ExecutionContextId;
use serde::Deserialize;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
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
    /// The frame around it; none: the page itself.
    pub around: Option<Rc<Frame>>,
    /// The eid of its element there.
    pub owner: u32,
}

/// The frames of one page, and which numbers of elements are theirs.
#[derive(Debug, Default)]
pub struct Frames {
    /// First number of a block → its last, and whose it is.
    blocks: RefCell<BTreeMap<u32, (u32, Rc<Frame>)>>,
    /// Our world of the page itself.
    document: Cell<Option<ExecutionContextId>>,
}

/// A frame in the document around it.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Place {
    /// Where its viewport begins.
    pub x: f64,
    pub y: f64,
}

impl Frames {
    /// The frame that gave this number; none for the page itself.
    pub fn holding(&self, eid: u32) -> Option<Rc<Frame>> {
        let blocks = self.blocks.borrow();
        let (_, (last, frame)) = blocks.range(..=eid).next_back()?;
        (eid <= *last).then(|| Rc::clone(frame))
    }

    /// These numbers are that frame's alone.
    pub fn give(&self, frame: &Rc<Frame>, first: u32, last: u32) {
        self.blocks.borrow_mut().insert(first, (last, Rc::clone(frame)));
    }

    /// The page itself is this document: the frames of another one are gone with it.
    pub(super) fn of_document(&self, world: ExecutionContextId) {
        if self.document.replace(Some(world)) != Some(world) {
            self.blocks.borrow_mut().clear();
        }
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

    /// A box in one of its frames (`at`), in the coordinates of the page's viewport.
    pub async fn outward(&self, there: &Self, mut bounds: [f64; 4]) -> Result<[f64; 4], Fault> {
        let mut frame = there.frame();
        while let Some(inner) = frame {
            let place: Place = self.around(&inner).ask(&format!("placeOfFrame({})", inner.owner)).await?;
            bounds[0] += place.x;
            bounds[1] += place.y;
            frame = inner.around.clone();
        }
        Ok(bounds)
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
