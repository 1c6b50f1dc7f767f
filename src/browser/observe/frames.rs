//! Observation of frames. The lines of each walker are inserted below the line of its frame in the parent's,
//! as if they were one tree. The walkers run concurrently, while the screenshot is taken.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::observe::closed_sheets;
use crate::browser::observe::early_walks::EarlyWalks;
use crate::browser::observe::event_listeners;
use crate::browser::observe::walker_result::{UnreadFrame, WalkerReply, WalkerResult};
use crate::browser::page::frames::frame_tree::Frame;
use crate::browser::page::frames::{
    FRAME_REPLY_TIMEOUT, MAX_FRAME_DEPTH, MOST_FRAMES, MOVING, NEW_DOCUMENT_TRIES, closed_shadow_roots,
    frame_key, frame_tree,
};
use crate::browser::page::tab::Tab;
use crate::clock::Moment;
use futures_util::future::{LocalBoxFuture, join_all, join3, try_join};
use serde_json::{Value, json};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// Time limit for a new frame.
const NEW_FRAME_TIMEOUT: Duration = Duration::from_millis(3000);
/// Time limit for a frame that did not answer the last time.
const SILENT_FRAME_TIMEOUT: Duration = Duration::from_millis(500);
/// Number of element ids that a frame gets at first.
const NUMBERS: u32 = 32;

/// An observation of a page: the id counter, and the number of frames that it may still cover.
struct ObservationPass<'a> {
    page: &'a Tab,
    /// Next element id.
    next: &'a Cell<u32>,
    frames: Cell<usize>,
    /// True if this belongs to the same moment as the previous observation, or follows it shortly.
    again: bool,
    early: EarlyWalks,
}

/// Time at which the walk of a page begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WalkTime {
    Now,
    /// Once the next frame is on its way to the display: a walk before it would hold up the picture.
    AfterFrame,
}

/// Observes the whole page. `next` is the next element id.
pub async fn observe(
    page: &Tab,
    next: &Cell<u32>,
    budget: usize,
    again: bool,
    time: WalkTime,
) -> Result<WalkerResult, PageError> {
    let start = observation_start(page);
    let early = EarlyWalks::begin(page, again, start);
    let function = match time {
        WalkTime::Now => "observe",
        WalkTime::AfterFrame => "observeAfterFrame",
    };
    let call = format!(
        "{function}({{firstEid: {}, budget: {budget}, again: {again}, changesSince: {}}})",
        next.get(),
        json!(start)
    );
    observe_whole_page(page, next, page.call_script(&call).await?, again, early).await
}

/// Returns the Unix milliseconds at which the observation starts; `None` where Chromium may have another clock.
fn observation_start(page: &Tab) -> Option<i64> {
    page.frames.frame_sessions.is_own_chromium().then(|| Moment::now().millis())
}

/// Observes the page again if its own document is unchanged; otherwise returns `None`.
pub async fn observe_if_unchanged(
    page: &Tab,
    next: &Cell<u32>,
    budget: usize,
) -> Result<Option<WalkerResult>, PageError> {
    let call = format!("observeIfUnchanged({{firstEid: {}, budget: {budget}, again: true}})", next.get());
    match page.call_script(&call).await? {
        Some(result) => observe_whole_page(page, next, result, true, EarlyWalks::default()).await.map(Some),
        None => Ok(None),
    }
}

async fn observe_whole_page(
    page: &Tab,
    next: &Cell<u32>,
    mut result: WalkerResult,
    again: bool,
    early: EarlyWalks,
) -> Result<WalkerResult, PageError> {
    next.set(result.next_eid.max(next.get()));
    let pass = ObservationPass { page, next, frames: Cell::new(MOST_FRAMES), again, early };
    page.frames.begin_observation();
    pass.complete(page, &mut result, 0).await;
    Ok(result)
}

impl ObservationPass<'_> {
    /// Adds the content of frames, and passes closed shadow roots to the walker for the next try.
    async fn complete(&self, frame_tab: &Tab, result: &mut WalkerResult, depth: u32) {
        let frames = std::mem::take(&mut result.frames);
        let passed = async {
            result.shadow_candidates > 0
                && closed_shadow_roots::pass_roots(frame_tab, "suspects").await.unwrap_or_default()
        };
        let sheets = async {
            result.closed_sheets > 0 && closed_sheets::pass_sheets(frame_tab).await.unwrap_or_default()
        };
        let inner = join_all(frames.iter().map(|inner| self.observe_frame(frame_tab, inner, depth)));
        let (passed, sheets, inner) = join3(passed, sheets, inner).await;
        result.changed |= passed || sheets;
        // In reverse order, so that the line numbers stay valid.
        for (frame, seen) in frames.iter().zip(inner).rev() {
            splice(result, frame, seen);
        }
    }

    async fn observe_frame(
        &self,
        parent_tab: &Tab,
        inner: &UnreadFrame,
        depth: u32,
    ) -> Result<WalkerResult, PageError> {
        let left = self.frames.get();
        if left == 0 || depth >= MAX_FRAME_DEPTH {
            return Err(PageError::new(ErrorCode::Timeout, "not looked into: the page has too many frames"));
        }
        self.frames.set(left - 1);
        let known = self.page.frames.owned_by(inner.eid);
        let timeout = match known {
            Some(frame) if frame.scripts.silent.get() => SILENT_FRAME_TIMEOUT,
            Some(frame) if !frame.fresh.get() => FRAME_REPLY_TIMEOUT,
            Some(_) | None => NEW_FRAME_TIMEOUT,
        };
        let seen = tokio::time::timeout(timeout, self.observe_with_retry(parent_tab, inner, depth)).await;
        seen.unwrap_or_else(|_| {
            if let Some(frame) = self.page.frames.owned_by(inner.eid) {
                frame.scripts.silent.set(true);
            }
            Err(PageError::new(ErrorCode::Timeout, "the frame does not answer; look again"))
        })
    }

    /// Observes a frame, and tries again if its document went away meanwhile.
    fn observe_with_retry<'a>(
        &'a self,
        parent_tab: &'a Tab,
        inner: &'a UnreadFrame,
        depth: u32,
    ) -> LocalBoxFuture<'a, Result<WalkerResult, PageError>> {
        Box::pin(async move {
            let mut tries = NEW_DOCUMENT_TRIES;
            loop {
                tries -= 1;
                let frame_tab = self.page.frame_at(parent_tab, inner.eid).await?;
                let Some(frame) = frame_tab.frame() else {
                    return Err(frame_tree::frame_gone_error());
                };
                match self.observe_within(&frame_tab, &frame, inner, depth).await {
                    Ok(result) => return Ok(result),
                    Err(fault) if fault.code == ErrorCode::DeadEid && tries > 0 => {
                        self.page.frames.remove_frame_at(&frame_key(parent_tab, inner.eid));
                        tokio::time::sleep(MOVING).await;
                    }
                    Err(fault) if fault.code == ErrorCode::DeadEid => {
                        return Err(PageError::new(
                            ErrorCode::Timeout,
                            "the frame is being loaded; look again",
                        ));
                    }
                    Err(fault) => return Err(fault),
                }
            }
        })
    }

    async fn observe_within(
        &self,
        frame_tab: &Tab,
        frame: &Rc<Frame>,
        inner: &UnreadFrame,
        depth: u32,
    ) -> Result<WalkerResult, PageError> {
        // Enters the isolated world once, before both futures need it.
        frame_tab.ensure_world().await?;
        let result = async {
            let mut result = self.walk(frame_tab, frame, inner).await?;
            self.page.frames.cover(frame);
            self.complete(frame_tab, &mut result, depth + 1).await;
            Ok(result)
        };
        // The listeners of the page itself are queried while its screenshot is taken.
        let listening = async {
            Ok::<_, PageError>(event_listeners::pass_listeners(frame_tab).await.unwrap_or_default())
        };
        let (mut result, listening) = try_join(result, listening).await?;
        result.changed |= listening;
        Ok(result)
    }

    async fn walk(
        &self,
        frame_tab: &Tab,
        frame: &Rc<Frame>,
        inner: &UnreadFrame,
    ) -> Result<WalkerResult, PageError> {
        if frame.numbers.get() == (0, 0) {
            self.assign_eids(frame, NUMBERS);
        }
        let mut answer = self.early.first_reply(frame_tab, frame, inner, self.again).await?;
        loop {
            match answer {
                WalkerReply::Whole(result) => {
                    frame.numbers.set((result.next_eid, frame.numbers.get().1));
                    return Ok(*result);
                }
                WalkerReply::Short { short } => {
                    self.assign_eids(frame, short);
                    let (first, last) = frame.numbers.get();
                    answer = frame_tab
                        .call_script(&format!("more({{firstEid: {first}, lastEid: {last}}})"))
                        .await?;
                }
            }
        }
    }

    fn assign_eids(&self, frame: &Rc<Frame>, count: u32) {
        let first = self.next.get();
        let after = first.saturating_add(count);
        self.next.set(after);
        self.page.frames.assign_eids(frame, first, after.saturating_sub(1));
    }
}

/// Inserts the lines of a frame below its own line, one level deeper.
fn splice(result: &mut WalkerResult, frame: &UnreadFrame, seen: Result<WalkerResult, PageError>) {
    let Some(line) = result.lines.get_mut(frame.line) else { return };
    let depth = line.0 + 1;
    let lines = match seen {
        Ok(inner) => {
            let scroll = scroll_of_frame(&inner);
            attribute(&mut line.4, "source", json!(inner.url));
            result.left_out.add(&inner.left_out);
            result.unshown.add(inner.unshown);
            result.changed |= inner.changed;
            result
                .secrets
                .extend(inner.secrets.into_iter().map(|bounds| frame.place.bounds_with_margin(bounds)));
            if let Some(scroll) = scroll {
                // Scrolling the frame uses the id of its element.
                line.3 = frame.eid;
                attribute(&mut line.4, "scroll", json!(scroll));
            }
            inner.lines
        }
        Err(fault) => {
            // The content of the frame is unknown, so all of it counts as secret.
            result.secrets.extend(frame.visible_bounds());
            vec![(0, String::from("note"), fault.message, 0, Value::Null)]
        }
    };
    let deeper = lines.into_iter().map(|line| (line.0 + depth, line.1, line.2, line.3, line.4));
    let at = frame.line + 1;
    result.lines.splice(at..at, deeper);
}

/// Returns the distances that a frame can be scrolled by; `None` if it cannot.
fn scroll_of_frame(inner: &WalkerResult) -> Option<String> {
    let ((down, most), (across, widest)) = (inner.scroll, inner.scroll_across);
    let upright = format!("{down}/{}", most - down);
    match (most >= 1.0, widest >= 1.0) {
        (false, false) => None,
        (true, false) => Some(upright),
        (_, true) => Some(format!("{upright} {across}/{}", widest - across)),
    }
}

fn attribute(attributes: &mut Value, name: &str, value: Value) {
    if !attributes.is_object() {
        *attributes = json!({});
    }
    attributes[name] = value;
}
