//! Where the secret fields of a page are, those in its frames with them.

use super::known::Frame;
use super::place::Place;
use super::sight::{MOST_FRAMES, MOVING, NEW_DOCUMENT_TRIES};
use super::{hosts, stands};
use crate::browser::fault::{Code, Fault};
use crate::browser::paint::Bounds;
use crate::browser::tab::Tab;
use crate::browser::walked::Walked;
use futures_util::future::{LocalBoxFuture, join, join_all};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

/// A frame is waited for no longer; one that was silent before, or that only adds to what is known, hardly.
const PATIENCE: Duration = Duration::from_millis(1500);
const SHORT: Duration = Duration::from_millis(100);
const SOON: Duration = Duration::from_millis(500);
const DEEPEST: u32 = 6;

/// A frame that a walker cannot read: its number, its place, and whether it may show no document at all.
type Unread = (u32, Place, bool);

/// What a document tells: boxes, frames, and how many elements may hold fields that are not seen yet.
type Told = (Vec<Bounds>, Vec<Unread>, u32);

/// One way through all documents of a page.
struct Walk {
    /// So many frames are asked yet.
    left: Cell<usize>,
    /// By the number of the frame: what was told already.
    told: RefCell<HashMap<String, Told>>,
}

impl Tab {
    /// Boxes, in the page's viewport, of all fields in sight that hold secrets; also in frames that no
    /// look has gone through yet. A frame that cannot be asked is one such box.
    pub async fn secret_boxes(&self) -> Result<Vec<Bounds>, Fault> {
        self.boxes_with(HashMap::new()).await
    }

    async fn boxes_with(&self, told: HashMap<String, Told>) -> Result<Vec<Bounds>, Fault> {
        let walk = Walk { left: Cell::new(MOST_FRAMES), told: RefCell::new(told) };
        secrets_in(self, self.clone(), &walk, 0).await
    }

    /// Whether anything changed since a look, and where secret fields are by now: one question to each
    /// document that it went through.
    pub async fn since(&self, look: &Walked) -> Result<(bool, Vec<Bounds>), Fault> {
        let seen = self.frames.seen.borrow().clone();
        let ask = |frame: Rc<Frame>| async move {
            let id = frame.id.clone();
            let asked = self.within(frame);
            let told = tokio::time::timeout(SOON, asked.ask::<(bool, Told)>("afterLook()")).await;
            Some((id, told.ok()?.ok()?))
        };
        let asked = self.ask::<(bool, Told)>("afterLook()");
        let (own, inner) = join(asked, join_all(seen.into_iter().map(ask))).await;
        let (changed, own) = own?;
        let mut changed = changed || look.stirred;
        let mut told = HashMap::from([(self.frame_id().into(), own)]);
        for (id, (inner_changed, inner)) in inner.into_iter().flatten() {
            changed |= inner_changed;
            told.insert(id, inner);
        }
        Ok((changed, self.boxes_with(told).await?))
    }
}

/// Closed roots within closed roots are looked for so often.
const ADOPTIONS: u32 = 5;

/// What a document tells of itself, once all that it holds is known to its walker.
async fn secrets_here(there: &Tab, walk: &Walk) -> Result<(Vec<Bounds>, Vec<Unread>), Fault> {
    for _ in 1..ADOPTIONS {
        let told = walk.told.borrow_mut().remove(there.frame_id().inner());
        let (boxes, frames, unseen) = match told {
            Some(told) => told,
            None => there.ask("secretsHere()").await?,
        };
        if unseen == 0 {
            return Ok((boxes, frames));
        }
        hosts::adopt(there, "unseen").await?;
    }
    let (boxes, frames, _): Told = there.ask("secretsHere()").await?;
    Ok((boxes, frames))
}

fn secrets_in<'a>(
    page: &'a Tab,
    there: Tab,
    walk: &'a Walk,
    depth: u32,
) -> LocalBoxFuture<'a, Result<Vec<Bounds>, Fault>> {
    Box::pin(async move {
        let (mut boxes, frames) = secrets_here(&there, walk).await?;
        let most = if depth < DEEPEST { walk.left.get() } else { 0 };
        let (asked, unasked) = frames.split_at(frames.len().min(most));
        walk.left.set(walk.left.get() - asked.len());
        let inner = join_all(asked.iter().map(|frame| secrets_of(page, &there, frame, walk, depth))).await;
        for ((_, place, _), inner) in asked.iter().zip(inner) {
            match inner {
                Some(inner) => boxes.extend(inner.into_iter().map(|bounds| place.over(bounds))),
                None => boxes.push(place.whole),
            }
        }
        boxes.extend(unasked.iter().map(|(_, place, _)| place.whole));
        Ok(boxes)
    })
}

/// Those of one frame, in its own coordinates; none if it cannot be asked. One that is just being loaded
/// is asked again; one that was silent the last time is hardly waited for.
async fn secrets_of(
    page: &Tab,
    around: &Tab,
    &(owner, _, may_be_none): &Unread,
    walk: &Walk,
    depth: u32,
) -> Option<Vec<Bounds>> {
    for _ in 0..NEW_DOCUMENT_TRIES {
        let inner = page.inner(around, owner).await;
        if may_be_none && inner.as_ref().is_err_and(|fault| fault.code == Code::DeadEid) {
            // A picture, or what a page shows in its place.
            return Some(Vec::new());
        }
        if let Ok(inner) = inner {
            let silent = Rc::clone(&inner.frame()?.silent);
            let patience = if silent.get() { SHORT } else { PATIENCE };
            match tokio::time::timeout(patience, secrets_in(page, inner, walk, depth + 1)).await {
                Ok(Ok(boxes)) => {
                    silent.set(false);
                    return Some(boxes);
                }
                Ok(Err(fault)) if fault.code == Code::DeadEid => page.frames.disown(&stands(around, owner)),
                Ok(Err(_)) => {}
                Err(_) => {
                    silent.set(true);
                    return None;
                }
            }
        }
        tokio::time::sleep(MOVING).await;
    }
    None
}
