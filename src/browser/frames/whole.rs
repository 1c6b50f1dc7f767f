//! What is asked of a page as a whole, its frames with it: whether it stands still, whether a text
//! shows, what it says in full, what a person changed.

use super::known::Frame;
use super::place::Place;
use super::sight::{MOST_FRAMES, MOVING, NEW_DOCUMENT_TRIES};
use super::{hosts, stands};
use crate::browser::act::keyboard::quoted;
use crate::browser::fault::{Code, Fault};
use crate::browser::paint::Bounds;
use crate::browser::tab::Tab;
use futures_util::future::{LocalBoxFuture, join_all};
use serde::de::DeserializeOwned;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// A frame is waited for no longer.
const PATIENCE: Duration = Duration::from_millis(1500);
const SHORT: Duration = Duration::from_millis(100);
/// One that never rests, an advertisement for example, is left sooner than the page itself.
const RESTLESS_MS: u64 = 600;
const DEEPEST: u32 = 6;
/// So the page script marks where the text of a frame belongs.
const MARKS: [char; 2] = ['\u{fdd0}', '\u{fdd1}'];

impl Tab {
    /// The same question to every frame that the last look went through; those that do not answer in
    /// time are left out, from now on until a look finds that they do.
    pub async fn in_frames<T: DeserializeOwned>(&self, expression: &str) -> Vec<(Self, T)> {
        let seen = self.frames.seen.borrow().clone();
        let ask = |frame: Rc<Frame>| async move {
            let (silent, there) = (Rc::clone(&frame.silent), self.within(frame));
            let asked = tokio::time::timeout(PATIENCE, there.run_once(expression)).await;
            silent.set(asked.is_err());
            asked.ok()?.ok().map(|answer| (there, answer))
        };
        join_all(seen.into_iter().filter(|frame| !frame.silent.get()).map(ask))
            .await
            .into_iter()
            .flatten()
            .collect()
    }

    /// Boxes, in the page's viewport, of all fields in sight that hold secrets; also in frames that no
    /// look has gone through yet. A frame that cannot be asked is one such box.
    pub async fn secret_boxes(&self) -> Result<Vec<Bounds>, Fault> {
        secrets_in(self, self.clone(), &Cell::new(MOST_FRAMES), 0).await
    }
}

/// A frame that a walker cannot read: its number, its place, and whether it may show no document at all.
type Unread = (u32, Place, bool);

/// Closed roots within closed roots are looked for so often.
const ADOPTIONS: u32 = 5;

/// What a document tells of itself, once all that it holds is known to its walker.
async fn secrets_here(there: &Tab) -> Result<(Vec<Bounds>, Vec<Unread>), Fault> {
    for _ in 1..ADOPTIONS {
        let (boxes, frames, unseen): (_, _, u32) = there.ask("secretsHere()").await?;
        if unseen == 0 {
            return Ok((boxes, frames));
        }
        hosts::adopt(there, "unseen").await?;
    }
    let (boxes, frames, _): (_, _, u32) = there.ask("secretsHere()").await?;
    Ok((boxes, frames))
}

/// `left`: so many frames are asked yet, over all of the page.
fn secrets_in<'a>(
    page: &'a Tab,
    there: Tab,
    left: &'a Cell<usize>,
    depth: u32,
) -> LocalBoxFuture<'a, Result<Vec<Bounds>, Fault>> {
    Box::pin(async move {
        let (mut boxes, frames) = secrets_here(&there).await?;
        let most = if depth < DEEPEST { left.get() } else { 0 };
        let (asked, unasked) = frames.split_at(frames.len().min(most));
        left.set(left.get() - asked.len());
        let inner = join_all(asked.iter().map(|frame| secrets_of(page, &there, frame, left, depth))).await;
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
    left: &Cell<usize>,
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
            match tokio::time::timeout(patience, secrets_in(page, inner, left, depth + 1)).await {
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

/// Waits until the frames stand still too. True if any of them changed.
pub async fn quiet(page: &Tab, quiet_ms: u64) -> bool {
    let call =
        format!("askfirst.quiet({{quietMs: {quiet_ms}, maxMs: {RESTLESS_MS}}}).then((rest) => rest.why)");
    page.in_frames::<String>(&call).await.iter().any(|(_, why)| why != "still")
}

/// Does a text show anywhere?
pub async fn has_text(page: &Tab, text: &str) -> Result<bool, Fault> {
    // Null where it shows, else the frames that are left to be asked.
    let call = format!(
        "((shows) => shows === true ? null : askfirst.framesHere())(askfirst.hasText({}))",
        quoted(text)
    );
    has_text_in(page, page, &call, 0).await
}

fn has_text_in<'a>(
    page: &'a Tab,
    there: &'a Tab,
    call: &'a str,
    depth: u32,
) -> LocalBoxFuture<'a, Result<bool, Fault>> {
    Box::pin(async move {
        let Some(frames) = there.run::<Option<Vec<u32>>>(call).await? else { return Ok(true) };
        if depth >= DEEPEST {
            return Ok(false);
        }
        let ask = |owner| async move {
            let inner = page.inner(there, owner).await?;
            has_text_in(page, &inner, call, depth + 1).await
        };
        let asked = frames.into_iter().map(|owner| tokio::time::timeout(PATIENCE, ask(owner)));
        // A frame that does not answer shows nothing.
        Ok(join_all(asked).await.into_iter().any(|shows| matches!(shows, Ok(Ok(true)))))
    })
}

/// The text of an element, or of the page, in full.
pub async fn extract(page: &Tab, eid: u32) -> Result<String, Fault> {
    match page.frames.owned_by(eid) {
        Some(frame) => text_of(page, page.within(frame), 0, 0).await,
        None => text_of(page, page.at(eid), eid, 0).await,
    }
}

fn text_of(page: &Tab, there: Tab, eid: u32, depth: u32) -> LocalBoxFuture<'_, Result<String, Fault>> {
    Box::pin(async move {
        let text: String = there.ask(&format!("extract({eid})")).await?;
        let mut parts = text.split(MARKS);
        let mut whole = parts.next().unwrap_or_default().to_owned();
        while let (Some(owner), Some(after)) = (parts.next(), parts.next()) {
            let inner = async {
                let inner = page.inner(&there, owner.parse().unwrap_or_default()).await?;
                text_of(page, inner, 0, depth + 1).await
            };
            if depth < DEEPEST
                && let Ok(Ok(text)) = tokio::time::timeout(PATIENCE, inner).await
            {
                whole.push_str(&text);
            }
            whole.push_str(after);
        }
        Ok(whole)
    })
}
