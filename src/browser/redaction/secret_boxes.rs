//! Positions of a page's secret fields, including those in its frames.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::geometry::{Bounds, FrameTransform};
use crate::browser::page::frames::frame_tree::Frame;
use crate::browser::page::frames::{MOST_FRAMES, MOVING, NEW_DOCUMENT_TRIES, closed_shadow_roots, frame_key};
use crate::browser::page::tab::Tab;
use futures_util::future::{LocalBoxFuture, join, join_all};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

/// Limits for a frame: usual; if it did not answer before; and if it only adds to an observation.
const PATIENCE: Duration = Duration::from_millis(1500);
const SHORT: Duration = Duration::from_millis(100);
const SOON: Duration = Duration::from_millis(500);
const DEEPEST: u32 = 6;

/// A frame that the walker cannot read: id of its element, transform, and whether it may show no document.
type Unread = (u32, FrameTransform, bool);

/// Reply of a document: boxes, frames, and the number of elements that may hold fields not seen yet.
type SecretsReply = (Vec<Bounds>, Vec<Unread>, u32);

/// A traversal of all documents of a page.
struct SecretsTraversal {
    /// Number of frames that may still be queried.
    left: Cell<usize>,
    /// Replies received already, by frame id.
    told: RefCell<HashMap<String, SecretsReply>>,
}

impl Tab {
    /// Returns the boxes of all visible secret fields in the page's viewport, including frames that no
    /// observation has covered yet. For a frame that cannot be queried, the box is that of the whole frame.
    pub async fn secret_boxes(&self) -> Result<Vec<Bounds>, PageError> {
        self.boxes_with(HashMap::new()).await
    }

    async fn boxes_with(&self, told: HashMap<String, SecretsReply>) -> Result<Vec<Bounds>, PageError> {
        let walk = SecretsTraversal { left: Cell::new(MOST_FRAMES), told: RefCell::new(told) };
        secrets_in(self, self.clone(), &walk, 0).await
    }

    /// Reports whether any document that the last observation covered has changed since, and where secret
    /// fields are now. Sends one query to each of these documents.
    pub async fn check_since_observation(&self) -> Result<(bool, Vec<Bounds>), PageError> {
        let seen = self.frames.covered();
        let ask = |frame: Rc<Frame>| async move {
            let id = frame.id.clone();
            let asked = self.for_frame(frame);
            let told =
                tokio::time::timeout(SOON, asked.call_script::<(bool, SecretsReply)>("afterLook()")).await;
            Some((id, told.ok()?.ok()?))
        };
        let asked = self.call_script::<(bool, SecretsReply)>("afterLook()");
        let (own, inner) = join(asked, join_all(seen.into_iter().map(ask))).await;
        let (mut changed, own) = own?;
        let mut told = HashMap::from([(self.frame_id().into(), own)]);
        for (id, (inner_changed, inner)) in inner.into_iter().flatten() {
            changed |= inner_changed;
            told.insert(id, inner);
        }
        Ok((changed, self.boxes_with(told).await?))
    }
}

/// Maximum number of passes for closed shadow roots within closed shadow roots.
const ADOPTIONS: u32 = 5;

/// Returns boxes and frames of one document, once its walker has all closed shadow roots.
async fn secrets_here(there: &Tab, walk: &SecretsTraversal) -> Result<(Vec<Bounds>, Vec<Unread>), PageError> {
    for _ in 1..ADOPTIONS {
        let told = walk.told.borrow_mut().remove(there.frame_id().inner());
        let (boxes, frames, unseen) = match told {
            Some(told) => told,
            None => there.call_script("secretsHere()").await?,
        };
        if unseen == 0 {
            return Ok((boxes, frames));
        }
        closed_shadow_roots::adopt(there, "unseen").await?;
    }
    let (boxes, frames, _): SecretsReply = there.call_script("secretsHere()").await?;
    Ok((boxes, frames))
}

fn secrets_in<'a>(
    page: &'a Tab,
    there: Tab,
    walk: &'a SecretsTraversal,
    depth: u32,
) -> LocalBoxFuture<'a, Result<Vec<Bounds>, PageError>> {
    Box::pin(async move {
        let (mut boxes, frames) = secrets_here(&there, walk).await?;
        let most = if depth < DEEPEST { walk.left.get() } else { 0 };
        let (asked, unasked) = frames.split_at(frames.len().min(most));
        walk.left.set(walk.left.get() - asked.len());
        let inner =
            join_all(asked.iter().map(|frame| query_frame_secrets(page, &there, frame, walk, depth))).await;
        for ((_, place, _), inner) in asked.iter().zip(inner) {
            match inner {
                Some(inner) => boxes.extend(inner.into_iter().map(|bounds| place.bounds_with_margin(bounds))),
                None => boxes.push(place.whole),
            }
        }
        boxes.extend(unasked.iter().map(|(_, place, _)| place.whole));
        Ok(boxes)
    })
}

/// Returns the boxes of one frame in its own coordinates, or `None` if it cannot be queried. A loading frame
/// is queried again; one that did not answer the last time gets a short limit.
async fn query_frame_secrets(
    page: &Tab,
    around: &Tab,
    &(owner, _, may_be_none): &Unread,
    walk: &SecretsTraversal,
    depth: u32,
) -> Option<Vec<Bounds>> {
    for _ in 0..NEW_DOCUMENT_TRIES {
        let inner = page.frame_at(around, owner).await;
        if may_be_none && inner.as_ref().is_err_and(|fault| fault.code == ErrorCode::DeadEid) {
            // An image, or the fallback that the page shows for it.
            return Some(Vec::new());
        }
        if let Ok(inner) = inner {
            let scripts = Rc::clone(&inner.frame()?.scripts);
            let patience = if scripts.silent.get() { SHORT } else { PATIENCE };
            match tokio::time::timeout(patience, secrets_in(page, inner, walk, depth + 1)).await {
                Ok(Ok(boxes)) => {
                    scripts.silent.set(false);
                    return Some(boxes);
                }
                Ok(Err(fault)) if fault.code == ErrorCode::DeadEid => {
                    page.frames.remove_frame_at(&frame_key(around, owner))
                }
                Ok(Err(_)) => {}
                Err(_) => {
                    scripts.silent.set(true);
                    return None;
                }
            }
        }
        tokio::time::sleep(MOVING).await;
    }
    None
}
