//! Live redaction: screencast frames for viewers other than the holder, with secret fields painted over.
//!
//! The page is queried for the boxes of the fields. While there are none, frames pass at once and the query
//! is repeated now and then. While there are some, or their state is unknown, each frame waits for a reply
//! that was requested after the frame arrived, and is painted with the boxes of that reply and of the one
//! before, so that a moving field is covered at both positions. Frames whose fields cannot be located,
//! because they jump, are not shown. While one frame is being painted, the query for the next is already
//! sent; Chromium captures no more frames meanwhile than can be shown.

use crate::browser::geometry::Bounds;
use crate::browser::redaction::motion;
use crate::browser::redaction::motion::MOTION_MARGIN;
use crate::browser::screencast::ack_window::UnacknowledgedFrame;
use crate::browser::screencast::stale_frames::StaleFrames;
use crate::browser::screencast::viewer::ScreencastFrame;
use crate::clock::{Moment, Stopwatch};

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
#[derive(Debug, Default)]
pub struct LiveRedaction {
    /// Boxes of the last reply.
    pub(in crate::browser) boxes: Vec<Bounds>,
    /// Time since the last reply; `None` if this document has not replied.
    pub(in crate::browser) answered: Option<Stopwatch>,
    /// Time since the fields were last seen to move.
    moved: Option<Stopwatch>,
    /// Time since the fields were last seen to move too far.
    jumped: Option<Stopwatch>,
    pub(in crate::browser) query_running: bool,
    /// Time since the page or one of its frames navigated.
    stirred: Option<Stopwatch>,
    /// Newest screencast frame; it arrived after the last query.
    pub(in crate::browser) waiting: Option<PendingFrame>,
    /// Newest frame with known boxes, waiting for the one that is being painted.
    pub(in crate::browser) known: Option<(PendingFrame, Vec<Bounds>)>,
    pub(in crate::browser) painting: bool,
    /// A timer for the next query is running.
    pub(in crate::browser) pausing: bool,
    /// Boxes that stale frames may still show.
    pub(in crate::browser) stale_frames: StaleFrames,
    /// Counts documents, so that a reply of an old one is not used for the new one.
    pub(in crate::browser) document: u64,
}

/// A screencast frame to be redacted. Dropping it acknowledges the frame, and Chromium captures another.
#[derive(Debug)]
pub(in crate::browser) struct PendingFrame {
    pub(in crate::browser) picture: ScreencastFrame,
    /// True if this is only a reason to request a newer frame once the fields stand still.
    pub(in crate::browser) again: bool,
    pub(in crate::browser) _unacknowledged: Option<UnacknowledgedFrame>,
}

impl LiveRedaction {
    /// Resets the state, because another page is in front or no query was sent for some time.
    pub fn reset(&mut self) {
        let stale_frames = std::mem::take(&mut self.stale_frames);
        let Self { document, query_running, painting, pausing, stirred, .. } = *self;
        *self = Self {
            document: document + 1,
            query_running,
            painting,
            pausing,
            stirred,
            stale_frames,
            ..Self::default()
        };
    }

    /// Resets the state for another document in the page.
    pub fn reset_for_document(&mut self) {
        self.reset();
        self.stale_frames.document_came(now_ms());
        self.record_frame_navigation();
    }

    /// Records that a frame navigates: the positions of its fields are unknown.
    pub fn record_frame_navigation(&mut self) {
        self.stirred = Some(Stopwatch::start());
        self.stale_frames.frame_left(now_ms(), &self.boxes);
    }

    pub(in crate::browser) fn is_clear(&self) -> bool {
        let stirs = self.stirred.is_some_and(|since| since.millis() < STIRRED_FOR_MS);
        !stirs && self.boxes.is_empty() && self.answered.is_some_and(|since| since.millis() < KNOWN_FOR_MS)
    }

    pub(in crate::browser) fn update_boxes(&mut self, boxes: Vec<Bounds>) {
        if self.answered.is_some() && self.boxes != boxes {
            self.moved = Some(Stopwatch::start());
        }
        let went = self.answered.is_some() && motion::moved_further_than(&self.boxes, &boxes, MOTION_MARGIN);
        if went || motion::is_anywhere(&boxes) {
            self.jumped = Some(Stopwatch::start());
        }
        self.boxes = boxes;
        self.answered = Some(Stopwatch::start());
    }

    pub(in crate::browser) fn is_moving(&self) -> bool {
        self.moved.is_some_and(|since| since.millis() < MOVING_FOR_MS)
    }

    pub(in crate::browser) fn is_jumping(&self) -> bool {
        self.jumped.is_some_and(|since| since.millis() < JUMPING_FOR_MS)
    }

    pub(in crate::browser) fn is_due(&self) -> bool {
        !self.query_running
            && (!self.is_clear() || self.answered.is_none_or(|since| since.millis() >= CLEAR_FOR_MS))
    }
}

pub(in crate::browser) fn now_ms() -> f64 {
    Moment::now().millis() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_jumping_fields_are_unknown() {
        let mut redaction = LiveRedaction::default();
        for boxes in [[10.0, 10.0, 20.0, 5.0], [10.0 + MOTION_MARGIN, 10.0, 20.0, 5.0]] {
            redaction.update_boxes(vec![boxes]);
            assert!(!redaction.is_jumping());
        }
        assert!(redaction.is_moving());
        redaction.update_boxes(vec![[500.0, 10.0, 20.0, 5.0]]);
        assert!(redaction.is_jumping());
        redaction.reset_for_document();
        assert!(!redaction.is_jumping());
        redaction.update_boxes(vec![[-1e6, -1e6, 2e6, 2e6]]);
        assert!(redaction.is_jumping());
        redaction.reset_for_document();
        assert!(!redaction.is_jumping() && !redaction.is_moving());
    }

    #[test]
    fn a_page_with_unknown_secret_fields_is_not_clear() {
        let mut redaction = LiveRedaction::default();
        assert!(!redaction.is_clear() && redaction.is_due());
        redaction.answered = Some(Stopwatch::start());
        assert!(redaction.is_clear() && !redaction.is_due());
        redaction.boxes = vec![[0.0; 4]];
        assert!(!redaction.is_clear() && redaction.is_due());
        redaction.query_running = true;
        redaction.reset_for_document();
        assert!(!redaction.is_clear() && !redaction.is_due(), "one question at a time");
        assert_eq!(redaction.document, 1);
    }
}
