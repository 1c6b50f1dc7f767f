//! The frames of a page that no script of the page can reach into: of another origin, sandboxed, in
//! the same process or in one of their own. Each has its own world with its own walker; an eid leads
//! to the frame that gave it.
//!
//! A frame here is one document: when it goes elsewhere or away, its world is gone, and its eids with
//! it. Nobody has to be told of that; whoever asks there hears that the element is gone.

pub mod aim;
pub mod hosts;
pub mod known;
pub mod place;
pub mod processes;
pub mod secrets;
pub mod sight;
pub mod whole;

use super::fault::Fault;
use super::tab::Tab;
use super::wire::Raw;
use known::{Frame, World, gone};
use place::Place;
use serde_json::json;
use std::cell::Cell;
use std::rc::Rc;

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

    /// Numbers of the frames around one of its frames (`at`).
    pub fn around_all(&self, there: &Self) -> Vec<String> {
        self.chain(there).into_iter().filter_map(|(_, around)| Some(around.frame()?.id.clone())).collect()
    }

    /// A box in one of its frames (`at`), in the coordinates of the page's viewport.
    pub async fn outward(&self, there: &Self, mut bounds: [f64; 4]) -> Result<[f64; 4], Fault> {
        for (frame, around) in self.chain(there) {
            let place: Place = around.ask(&format!("placeOfFrame({})", frame.owner)).await?;
            bounds = place.bounds(bounds);
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
        let known = self.frames.owned.borrow().get(&stands(around, owner)).cloned();
        if let Some(frame) = known {
            if session_of(&frame.id).id() == frame.session.id() {
                return Ok(self.within(frame));
            }
            self.frames.disown(&stands(around, owner));
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
        self.frames.owned.borrow_mut().insert(stands(around, owner), Rc::clone(&frame));
        Ok(self.within(frame))
    }
}

/// Where an element stands that shows a frame.
fn stands(around: &Tab, owner: u32) -> (String, u32) {
    (around.frame().map(|frame| frame.id.clone()).unwrap_or_default(), owner)
}

async fn frame_id(around: &Tab, owner: u32) -> Result<String, Fault> {
    let object = around.object(&format!("askfirst.node({owner})")).await?;
    let told = around.call(Raw::new("DOM.describeNode", json!({"objectId": object}))).await?;
    around.session.post(Raw::new("Runtime.releaseObject", json!({"objectId": object})));
    let id = told.pointer("/node/frameId").and_then(serde_json::Value::as_str);
    id.map(str::to_owned).ok_or_else(gone)
}
