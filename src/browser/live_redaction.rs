//! Live redaction: screencast frames for viewers other than the holder, with secret fields painted over.
//!
//! The page is queried for the boxes of the fields. While there are none, frames pass at once and the query
//! is repeated now and then. While there are some, or their state is unknown, each frame waits for a reply
//! that was requested after the frame arrived, and is painted with the boxes of that reply and of the one
//! before, so that a moving field is covered at both positions. Frames whose fields cannot be located,
//! because they jump, are not shown. While one frame is being painted, the query for the next is already
//! sent; Chromium captures no more frames meanwhile than can be shown.

use super::Browser;
use super::ack_window::UnacknowledgedFrame;
use super::fault::PageError;
use super::paint::{self, Bounds};
use super::redaction_motion::{self, STRAY};
use super::stale_frames::StaleFrames;
use super::tab::Tab;
use super::viewer::ScreencastFrame;
use crate::clock::{Moment, Stopwatch};
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use std::time::Duration;

/// Milliseconds after which a page without secret fields is queried again.
const CLEAR_FOR_MS: u64 = 150;
/// Milliseconds after a navigation of the page or a frame during which each frame waits for a reply.
const STIRRED_FOR_MS: u64 = 2000;
/// Milliseconds after which the last reply is too old to be used.
const KNOWN_FOR_MS: u64 = 2000;
/// Milliseconds for which fields that moved get a margin.
const MOVING_FOR_MS: u64 = 1000;
/// Milliseconds after which fields that jumped count as still, and the interval of queries until then.
const JUMPING_FOR_MS: u64 = 300;
const JUMPING: Duration = Duration::from_millis(40);
/// Delay of the query whether fields that moved stand still; the page can settle meanwhile.
const MOVING: Duration = Duration::from_millis(350);

#[derive(Debug, Default)]
pub struct LiveRedaction {
    /// Boxes of the last reply.
    boxes: Vec<Bounds>,
    /// Time since the last reply; `None` if this document has not replied.
    answered: Option<Stopwatch>,
    /// Time since the fields were last seen to move.
    moved: Option<Stopwatch>,
    /// Time since the fields were last seen to move too far.
    jumped: Option<Stopwatch>,
    asking: bool,
    /// Time since the page or one of its frames navigated.
    stirred: Option<Stopwatch>,
    /// Newest screencast frame; it arrived after the last query.
    waiting: Option<PendingFrame>,
    /// Newest frame with known boxes, waiting for the one that is being painted.
    known: Option<(PendingFrame, Vec<Bounds>)>,
    painting: bool,
    /// A timer for the next query is running.
    pausing: bool,
    /// Boxes that stale frames may still show.
    late: StaleFrames,
    /// Counts documents, so that a reply of an old one is not used for the new one.
    document: u64,
}

/// A screencast frame to be redacted. Dropping it acknowledges the frame, and Chromium captures another.
#[derive(Debug)]
struct PendingFrame {
    picture: ScreencastFrame,
    /// True if this is only a reason to request a newer frame once the fields stand still.
    again: bool,
    _owed: Option<UnacknowledgedFrame>,
}

impl LiveRedaction {
    /// Resets the state, because another page is in front or no query was sent for some time.
    pub fn reset(&mut self) {
        let late = std::mem::take(&mut self.late);
        let Self { document, asking, painting, pausing, stirred, .. } = *self;
        *self = Self { document: document + 1, asking, painting, pausing, stirred, late, ..Self::default() };
    }

    /// Resets the state for another document in the page.
    pub fn reset_for_document(&mut self) {
        self.reset();
        self.late.document_came(now_ms());
        self.record_frame_navigation();
    }

    /// Records that a frame navigates: the positions of its fields are unknown.
    pub fn record_frame_navigation(&mut self) {
        self.stirred = Some(Stopwatch::start());
        self.late.frame_left(now_ms(), &self.boxes);
    }

    fn is_clear(&self) -> bool {
        let stirs = self.stirred.is_some_and(|since| since.millis() < STIRRED_FOR_MS);
        !stirs && self.boxes.is_empty() && self.answered.is_some_and(|since| since.millis() < KNOWN_FOR_MS)
    }

    fn update_boxes(&mut self, boxes: Vec<Bounds>) {
        if self.answered.is_some() && self.boxes != boxes {
            self.moved = Some(Stopwatch::start());
        }
        let went =
            self.answered.is_some() && redaction_motion::moved_further_than(&self.boxes, &boxes, STRAY);
        if went || redaction_motion::is_anywhere(&boxes) {
            self.jumped = Some(Stopwatch::start());
        }
        self.boxes = boxes;
        self.answered = Some(Stopwatch::start());
    }

    fn is_moving(&self) -> bool {
        self.moved.is_some_and(|since| since.millis() < MOVING_FOR_MS)
    }

    fn is_jumping(&self) -> bool {
        self.jumped.is_some_and(|since| since.millis() < JUMPING_FOR_MS)
    }

    fn is_due(&self) -> bool {
        !self.asking && (!self.is_clear() || self.answered.is_none_or(|since| since.millis() >= CLEAR_FOR_MS))
    }
}

impl Browser {
    /// Shows a frame to viewers other than the holder, once it can be redacted.
    pub(super) fn redact_frame(
        &mut self,
        picture: ScreencastFrame,
        owed: Option<UnacknowledgedFrame>,
        tab: Tab,
        quality: u32,
        ctx: &mut Context<Self>,
    ) {
        if self.veil.late.is_stale(picture.captured_at_ms, now_ms()) {
            return self.restart_cast(ctx);
        }
        if self.veil.is_clear() {
            self.show_others(picture, ctx);
        } else {
            self.veil.waiting = Some(PendingFrame { picture, again: false, _owed: owed });
        }
        self.ask_for_boxes(tab, quality, ctx);
    }

    fn ask_for_boxes(&mut self, tab: Tab, quality: u32, ctx: &mut Context<Self>) {
        if !self.veil.is_due() {
            return;
        }
        self.veil.asking = true;
        let (document, taken) = (self.veil.document, self.veil.waiting.take());
        let before = self.veil.answered.is_some().then(|| self.veil.boxes.clone());
        let asked = tab.clone();
        let answered = async move { asked.secret_boxes().await };
        ctx.spawn(answered.into_actor(self).map(move |answered, this, ctx| {
            this.veil.asking = false;
            if this.veil.document == document {
                match answered {
                    Ok(boxes) => this.handle_boxes(taken, before, boxes, quality, ctx),
                    Err(fault) => {
                        // The page may have a dialog open. The query is repeated, because this may be the
                        // last frame.
                        let waiting = this.veil.waiting.take().or(taken);
                        this.veil.waiting = waiting.map(|PendingFrame { picture, .. }| PendingFrame {
                            picture,
                            again: true,
                            _owed: None,
                        });
                        tracing::debug!(code = fault.code.word(), "a live picture is not shown");
                    }
                }
            }
            this.ask_again(tab, quality, ctx);
        }));
    }

    /// Sends the next query, at once or after a delay, if a frame is waiting.
    fn ask_again(&mut self, tab: Tab, quality: u32, ctx: &mut Context<Self>) {
        let Some(waiting) = self.veil.waiting.as_ref().filter(|_| self.cast.is_of(&tab)) else { return };
        let pause = match (self.veil.is_jumping(), waiting.again) {
            (true, _) => JUMPING,
            (false, true) => MOVING,
            (false, false) => return self.ask_for_boxes(tab, quality, ctx),
        };
        if std::mem::replace(&mut self.veil.pausing, true) {
            return;
        }
        ctx.run_later(pause, move |this, ctx| {
            this.veil.pausing = false;
            if this.veil.waiting.is_some() && this.cast.is_of(&tab) {
                this.ask_for_boxes(tab, quality, ctx);
            }
        });
    }

    /// Handles a reply: the boxes `before` and `after` the arrival of the frame are known.
    fn handle_boxes(
        &mut self,
        taken: Option<PendingFrame>,
        before: Option<Vec<Bounds>>,
        after: Vec<Bounds>,
        quality: u32,
        ctx: &mut Context<Self>,
    ) {
        self.veil.update_boxes(after.clone());
        match (taken, before) {
            (Some(taken), Some(_)) if self.veil.is_jumping() => {
                // The frame shows one of the fields' positions, and it is unknown which.
                self.veil.waiting.get_or_insert(PendingFrame { again: true, ..taken });
            }
            // Fields that have just appeared may still be moving.
            (Some(taken), Some(before))
                if before.is_empty() && !after.is_empty() || taken.again && self.veil.is_moving() =>
            {
                self.veil.waiting.get_or_insert(taken);
            }
            (Some(taken), Some(_)) if taken.again => self.restart_cast(ctx),
            (Some(taken), Some(before)) => {
                let stray = if self.veil.is_moving() { STRAY } else { 0.0 };
                if self.veil.is_moving() {
                    let picture = taken.picture.clone();
                    self.veil.waiting.get_or_insert(PendingFrame { picture, again: true, _owed: None });
                }
                let mut boxes = redaction_motion::covering_boxes(&before, &after, stray);
                boxes.extend(self.veil.late.boxes_in_left_documents(taken.picture.captured_at_ms));
                self.veil.known = Some((taken, boxes));
                self.paint_known(quality, ctx);
            }
            (Some(taken), None)
                if after.is_empty()
                    && self
                        .veil
                        .late
                        .boxes_in_left_documents(taken.picture.captured_at_ms)
                        .next()
                        .is_none() =>
            {
                self.show_others(taken.picture, ctx);
            }
            // The frame was captured before the fields were tracked, and they may have been elsewhere.
            // Another one is requested.
            (Some(_), None) => self.restart_cast(ctx),
            (None, _) => {}
        }
    }

    fn paint_known(&mut self, quality: u32, ctx: &mut Context<Self>) {
        if self.veil.painting {
            return;
        }
        let Some((taken, boxes)) = self.veil.known.take() else { return };
        self.veil.painting = true;
        let document = self.veil.document;
        let painted = async move { painted(taken, boxes, u8::try_from(quality).unwrap_or(100)).await };
        ctx.spawn(painted.into_actor(self).map(move |painted, this, ctx| {
            this.veil.painting = false;
            match painted {
                Ok(picture) if this.veil.document == document => {
                    this.show_others(picture, ctx);
                }
                Ok(_) => {}
                Err(fault) => tracing::debug!(code = fault.code.word(), "a live picture is not shown"),
            }
            this.paint_known(quality, ctx);
        }));
    }
}

fn now_ms() -> f64 {
    Moment::now().millis() as f64
}

async fn painted(taken: PendingFrame, boxes: Vec<Bounds>, quality: u8) -> Result<ScreencastFrame, PageError> {
    let PendingFrame { picture, _owed, .. } = taken;
    let jpeg = paint::paint_jpeg(picture.jpeg.clone(), boxes, f64::from(picture.width), quality).await?;
    Ok(ScreencastFrame { jpeg, ..picture })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_jumping_fields_are_unknown() {
        let mut veil = LiveRedaction::default();
        for boxes in [[10.0, 10.0, 20.0, 5.0], [10.0 + STRAY, 10.0, 20.0, 5.0]] {
            veil.update_boxes(vec![boxes]);
            assert!(!veil.is_jumping());
        }
        assert!(veil.is_moving());
        veil.update_boxes(vec![[500.0, 10.0, 20.0, 5.0]]);
        assert!(veil.is_jumping());
        veil.reset_for_document();
        assert!(!veil.is_jumping());
        veil.update_boxes(vec![[-1e6, -1e6, 2e6, 2e6]]);
        assert!(veil.is_jumping());
        veil.reset_for_document();
        assert!(!veil.is_jumping() && !veil.is_moving());
    }

    #[test]
    fn a_page_with_unknown_secret_fields_is_not_clear() {
        let mut veil = LiveRedaction::default();
        assert!(!veil.is_clear() && veil.is_due());
        veil.answered = Some(Stopwatch::start());
        assert!(veil.is_clear() && !veil.is_due());
        veil.boxes = vec![[0.0; 4]];
        assert!(!veil.is_clear() && veil.is_due());
        veil.asking = true;
        veil.reset_for_document();
        assert!(!veil.is_clear() && !veil.is_due(), "one question at a time");
        assert_eq!(veil.document, 1);
    }
}
