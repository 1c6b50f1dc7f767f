//! Positions of a page's secret fields, including those in its frames.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::geometry::{Bounds, FrameTransform};
use crate::browser::page::frames::frame_tree::Frame;
use crate::browser::page::frames::{
    FRAME_REPLY_TIMEOUT, MAX_FRAME_DEPTH, MOST_FRAMES, MOVING, NEW_DOCUMENT_TRIES, closed_shadow_roots,
    frame_key,
};
use crate::browser::page::tab::Tab;
use futures_util::future::{LocalBoxFuture, join, join_all};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

/// Time limit for a frame that did not answer before.
const SILENT_FRAME_TIMEOUT: Duration = Duration::from_millis(100);
/// Time limit for a frame that only adds to an observation.
const RECHECK_TIMEOUT: Duration = Duration::from_millis(500);

/// A frame that the walker cannot read: id of its element, transform, and whether it may show no document.
type Unread = (u32, FrameTransform, bool);

/// Reply of a document: boxes, frames, the number of elements that may hold fields not seen yet, and whether the
/// display shows nothing older than these positions.
type SecretsReply = (Vec<Bounds>, Vec<Unread>, u32, bool);

/// Reply of a document without secret fields or frames.
const NOTHING_SECRET: SecretsReply = (Vec::new(), Vec::new(), 0, true);

/// Boxes of a page's secret fields, now and as far back as the page has tracked them.
#[derive(Debug)]
pub struct TrackedBoxes {
    pub boxes: Vec<Bounds>,
    /// True if what is displayed now is no older than the beginning of the tracking: the compositor draws some
    /// animation frames later than scripts see the page.
    pub is_displayed: bool,
}

/// A traversal of all documents of a page.
struct SecretsTraversal {
    /// Number of frames that may still be queried.
    left: Cell<usize>,
    /// Replies received already, by frame id.
    replies: RefCell<HashMap<String, SecretsReply>>,
    /// False once a document may be displayed as it was before its fields were tracked.
    is_displayed: Cell<bool>,
    /// True once a document is found whose frames hold secret fields and were not tracked until now.
    begins_tracking: Cell<bool>,
}

impl Tab {
    /// Returns the boxes of all visible secret fields in the page's viewport, including frames that no
    /// observation has covered yet. For a frame that cannot be queried, the box is that of the whole frame.
    pub async fn secret_boxes(&self) -> Result<Vec<Bounds>, PageError> {
        Ok(self.tracked_secret_boxes().await?.boxes)
    }

    /// Returns the same, with the information whether pictures of the display show these positions.
    pub async fn tracked_secret_boxes(&self) -> Result<TrackedBoxes, PageError> {
        let walk = SecretsTraversal::new(HashMap::new());
        let boxes = secrets_in(self, self.clone(), &walk, 0).await?;
        Ok(TrackedBoxes { boxes, is_displayed: walk.is_displayed.get() })
    }

    /// Reports whether any document that the last observation covered has changed since, or holds frames whose secret
    /// fields were not tracked yet; and where secret fields are now. Sends one query to each of these documents, except
    /// frames that tell by themselves when they change.
    pub async fn check_since_observation(&self) -> Result<(bool, Vec<Bounds>), PageError> {
        let seen = self.frames.covered();
        let ask = |frame: Rc<Frame>| async move {
            if frame.rest.is_at_rest() {
                return Some((frame.id.clone(), (false, NOTHING_SECRET)));
            }
            let frame_tab = self.for_frame(Rc::clone(&frame));
            let reply = tokio::time::timeout(RECHECK_TIMEOUT, check_document(&frame_tab)).await;
            let (changed, secrets, is_plain) = reply.ok()?.ok()?;
            if is_plain && !changed && secrets == NOTHING_SECRET {
                frame.rest.begin(frame_tab.begin_call("nextChange()"));
            }
            Some((frame.id.clone(), (changed, secrets)))
        };
        let (own, inner) = join(check_document(self), join_all(seen.into_iter().map(ask))).await;
        let (mut changed, own, _) = own?;
        let mut replies = HashMap::from([(self.frame_id().into(), own)]);
        for (id, (inner_changed, inner)) in inner.into_iter().flatten() {
            changed |= inner_changed;
            replies.insert(id, inner);
        }
        let walk = SecretsTraversal::new(replies);
        let boxes = secrets_in(self, self.clone(), &walk, 0).await?;
        Ok((changed || walk.begins_tracking.get(), boxes))
    }
}

/// Reports whether a document has changed since its observation, its secrets, and whether it is sure to have none as
/// long as it does not change.
async fn check_document(frame_tab: &Tab) -> Result<(bool, SecretsReply, bool), PageError> {
    let call = format!("afterObservation({})", frame_tab.scripts.frames_hold_secrets.get());
    frame_tab.call_script(&call).await
}

/// Maximum number of passes for closed shadow roots within closed shadow roots.
const ADOPTIONS: u32 = 5;

/// Returns boxes and frames of one document, once its walker has all closed shadow roots.
async fn secrets_here(
    frame_tab: &Tab,
    walk: &SecretsTraversal,
) -> Result<(Vec<Bounds>, Vec<Unread>), PageError> {
    for _ in 1..ADOPTIONS {
        let reply = walk.replies.borrow_mut().remove(frame_tab.frame_id().inner());
        let reply = match reply {
            Some(reply) => reply,
            None => frame_tab.call_script(&secrets_call(frame_tab)).await?,
        };
        if reply.2 == 0 {
            return Ok(walk.take_boxes(reply));
        }
        closed_shadow_roots::pass_roots(frame_tab, "unseen").await?;
    }
    Ok(walk.take_boxes(frame_tab.call_script(&secrets_call(frame_tab)).await?))
}

fn secrets_call(frame_tab: &Tab) -> String {
    format!("secretsHere({})", frame_tab.scripts.frames_hold_secrets.get())
}

impl SecretsTraversal {
    fn new(replies: HashMap<String, SecretsReply>) -> Self {
        Self {
            left: Cell::new(MOST_FRAMES),
            replies: RefCell::new(replies),
            is_displayed: Cell::new(true),
            begins_tracking: Cell::new(false),
        }
    }

    /// Notes that frames of a document hold secret fields, so that the next queries track where they are.
    fn note_holding_frames(&self, frame_tab: &Tab) {
        if !frame_tab.scripts.frames_hold_secrets.replace(true) {
            self.is_displayed.set(false);
            self.begins_tracking.set(true);
        }
    }

    /// Returns boxes and frames of a reply, and keeps whether they are displayed.
    fn take_boxes(&self, (boxes, frames, _, is_displayed): SecretsReply) -> (Vec<Bounds>, Vec<Unread>) {
        self.is_displayed.set(self.is_displayed.get() && is_displayed);
        (boxes, frames)
    }
}

fn secrets_in<'a>(
    page: &'a Tab,
    frame_tab: Tab,
    walk: &'a SecretsTraversal,
    depth: u32,
) -> LocalBoxFuture<'a, Result<Vec<Bounds>, PageError>> {
    Box::pin(async move {
        let (mut boxes, frames) = secrets_here(&frame_tab, walk).await?;
        let most = if depth < MAX_FRAME_DEPTH { walk.left.get() } else { 0 };
        let (queried, skipped) = frames.split_at(frames.len().min(most));
        walk.left.set(walk.left.get() - queried.len());
        let inner =
            join_all(queried.iter().map(|frame| query_frame_secrets(page, &frame_tab, frame, walk, depth)))
                .await;
        if !skipped.is_empty()
            || inner.iter().any(|inner| inner.as_ref().is_none_or(|boxes| !boxes.is_empty()))
        {
            walk.note_holding_frames(&frame_tab);
        }
        for ((_, transform, _), inner) in queried.iter().zip(inner) {
            match inner {
                Some(inner) => {
                    boxes.extend(inner.into_iter().map(|bounds| transform.bounds_with_margin(bounds)))
                }
                None => boxes.push(transform.frame_bounds),
            }
        }
        boxes.extend(skipped.iter().map(|(_, transform, _)| transform.frame_bounds));
        Ok(boxes)
    })
}

/// Returns the boxes of one frame in its own coordinates, or `None` if it cannot be queried. A loading frame
/// is queried again; one that did not answer the last time gets a short limit.
async fn query_frame_secrets(
    page: &Tab,
    parent_tab: &Tab,
    &(owner, _, may_be_none): &Unread,
    walk: &SecretsTraversal,
    depth: u32,
) -> Option<Vec<Bounds>> {
    for _ in 0..NEW_DOCUMENT_TRIES {
        let inner = page.frame_at(parent_tab, owner).await;
        if may_be_none && inner.as_ref().is_err_and(|fault| fault.code == ErrorCode::DeadEid) {
            // An image, or the fallback that the page shows for it.
            return Some(Vec::new());
        }
        if let Ok(inner) = inner {
            let scripts = Rc::clone(&inner.frame()?.scripts);
            let timeout = if scripts.silent.get() { SILENT_FRAME_TIMEOUT } else { FRAME_REPLY_TIMEOUT };
            match tokio::time::timeout(timeout, secrets_in(page, inner, walk, depth + 1)).await {
                Ok(Ok(boxes)) => {
                    scripts.silent.set(false);
                    return Some(boxes);
                }
                Ok(Err(fault)) if fault.code == ErrorCode::DeadEid => {
                    page.frames.remove_frame_at(&frame_key(parent_tab, owner))
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
