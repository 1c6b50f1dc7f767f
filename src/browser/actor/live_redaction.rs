//! Covers secrets in live pictures before they reach a viewer.

use crate::browser::actor::Browser;
use crate::browser::error::PageError;
use crate::browser::geometry::Bounds;
use crate::browser::page::tab::Tab;
use crate::browser::redaction::motion::MOTION_MARGIN;
use crate::browser::redaction::{motion, paint};
use crate::browser::screencast::ack_window::UnacknowledgedFrame;
use crate::browser::screencast::live_redaction::{PendingFrame, now_ms};
use crate::browser::screencast::viewer::ScreencastFrame;
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use std::time::Duration;

impl Browser {
    /// Shows a frame to viewers other than the holder, once it can be redacted.
    pub(crate) fn redact_frame(
        &mut self,
        picture: ScreencastFrame,
        unacknowledged: Option<UnacknowledgedFrame>,
        tab: Tab,
        quality: u32,
        ctx: &mut Context<Self>,
    ) {
        if self.live_redaction.stale_frames.is_stale(picture.captured_at_ms, now_ms()) {
            return self.restart_screencast(ctx);
        }
        if self.live_redaction.is_clear() {
            self.show_others(picture, ctx);
        } else {
            self.live_redaction.waiting =
                Some(PendingFrame { picture, again: false, _unacknowledged: unacknowledged });
        }
        self.ask_for_boxes(tab, quality, ctx);
    }

    fn ask_for_boxes(&mut self, tab: Tab, quality: u32, ctx: &mut Context<Self>) {
        if !self.live_redaction.is_due() {
            return;
        }
        self.live_redaction.query_running = true;
        let (document, taken) = (self.live_redaction.document, self.live_redaction.waiting.take());
        let before = self.live_redaction.answered.is_some().then(|| self.live_redaction.boxes.clone());
        let queried_tab = tab.clone();
        let answered = async move { queried_tab.secret_boxes().await };
        ctx.spawn(answered.into_actor(self).map(move |answered, this, ctx| {
            this.live_redaction.query_running = false;
            if this.live_redaction.document == document {
                match answered {
                    Ok(boxes) => this.handle_boxes(taken, before, boxes, quality, ctx),
                    Err(fault) => {
                        // The page may have a dialog open. The query is repeated, because this may be the
                        // last frame.
                        let waiting = this.live_redaction.waiting.take().or(taken);
                        this.live_redaction.waiting = waiting.map(|PendingFrame { picture, .. }| {
                            PendingFrame { picture, again: true, _unacknowledged: None }
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
        let Some(waiting) = self.live_redaction.waiting.as_ref().filter(|_| self.screencast.is_of(&tab))
        else {
            return;
        };
        let pause = match (self.live_redaction.is_jumping(), waiting.again) {
            (true, _) => JUMPING,
            (false, true) => MOVING,
            (false, false) => return self.ask_for_boxes(tab, quality, ctx),
        };
        if std::mem::replace(&mut self.live_redaction.pausing, true) {
            return;
        }
        ctx.run_later(pause, move |this, ctx| {
            this.live_redaction.pausing = false;
            if this.live_redaction.waiting.is_some() && this.screencast.is_of(&tab) {
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
        self.live_redaction.update_boxes(after.clone());
        match (taken, before) {
            (Some(taken), Some(_)) if self.live_redaction.is_jumping() => {
                // The frame shows one of the fields' positions, and it is unknown which.
                self.live_redaction.waiting.get_or_insert(PendingFrame { again: true, ..taken });
            }
            // Fields that have just appeared may still be moving.
            (Some(taken), Some(before))
                if before.is_empty() && !after.is_empty()
                    || taken.again && self.live_redaction.is_moving() =>
            {
                self.live_redaction.waiting.get_or_insert(taken);
            }
            (Some(taken), Some(_)) if taken.again => self.restart_screencast(ctx),
            (Some(taken), Some(before)) => {
                self.keep_covered(taken, &before, &after);
                self.paint_known(quality, ctx);
            }
            (Some(taken), None)
                if after.is_empty()
                    && self
                        .live_redaction
                        .stale_frames
                        .boxes_in_left_documents(taken.picture.captured_at_ms)
                        .next()
                        .is_none() =>
            {
                self.show_others(taken.picture, ctx);
            }
            // The frame was captured before the fields were tracked, and they may have been elsewhere.
            // Another one is requested.
            (Some(_), None) => self.restart_screencast(ctx),
            (None, _) => {}
        }
    }

    /// Keeps the frame as known, with the boxes that cover the fields on their way from `before` to `after`.
    fn keep_covered(&mut self, taken: PendingFrame, before: &[Bounds], after: &[Bounds]) {
        let margin = if self.live_redaction.is_moving() { MOTION_MARGIN } else { 0.0 };
        if self.live_redaction.is_moving() {
            let picture = taken.picture.clone();
            self.live_redaction.waiting.get_or_insert(PendingFrame {
                picture,
                again: true,
                _unacknowledged: None,
            });
        }
        let mut boxes = motion::covering_boxes(before, after, margin);
        boxes.extend(self.live_redaction.stale_frames.boxes_in_left_documents(taken.picture.captured_at_ms));
        self.live_redaction.known = Some((taken, boxes));
    }

    fn paint_known(&mut self, quality: u32, ctx: &mut Context<Self>) {
        if self.live_redaction.painting {
            return;
        }
        let Some((taken, boxes)) = self.live_redaction.known.take() else { return };
        self.live_redaction.painting = true;
        let document = self.live_redaction.document;
        let painted = async move { paint_frame(taken, boxes, u8::try_from(quality).unwrap_or(100)).await };
        ctx.spawn(painted.into_actor(self).map(move |painted, this, ctx| {
            this.live_redaction.painting = false;
            match painted {
                Ok(picture) if this.live_redaction.document == document => {
                    this.show_others(picture, ctx);
                }
                Ok(_) => {}
                Err(fault) => tracing::debug!(code = fault.code.word(), "a live picture is not shown"),
            }
            this.paint_known(quality, ctx);
        }));
    }
}

const JUMPING: Duration = Duration::from_millis(40);

/// Delay of the query whether fields that moved stand still; the page can settle meanwhile.
const MOVING: Duration = Duration::from_millis(350);

async fn paint_frame(
    taken: PendingFrame,
    boxes: Vec<Bounds>,
    quality: u8,
) -> Result<ScreencastFrame, PageError> {
    let PendingFrame { picture, _unacknowledged, .. } = taken;
    let jpeg = paint::paint_jpeg(picture.jpeg.clone(), boxes, f64::from(picture.width), quality).await?;
    Ok(ScreencastFrame { jpeg, ..picture })
}
