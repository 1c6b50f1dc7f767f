//! Viewers of the live view: size, quality and rate of the frames that each receives.

use crate::clock::Stopwatch;
use crate::ids::SessionId;
use actix::prelude::SendError;
use actix::{Message, Recipient};
use actix_web::web::Bytes;

/// Maximum frame rate of Chromium.
const MOST_FPS: u32 = 60;
/// Part of a period by which a frame may come early.
const TOLERANCE: f64 = 0.1;

/// A screencast frame. Clones share the bytes.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct ScreencastFrame {
    /// Frame number, increasing within a browser.
    pub frame: u32,
    /// Capture time in Unix milliseconds.
    pub captured_at_ms: f64,
    /// Size of the viewport in CSS pixels.
    pub width: u32,
    pub height: u32,
    pub jpeg: Bytes,
}

/// Starts sending frames to `viewer`, beginning with the last one. Replaces an earlier viewer of the same
/// session.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Watch {
    pub session: SessionId,
    pub viewer: Recipient<ScreencastFrame>,
    pub max_width: u32,
    pub max_fps: u32,
    /// JPEG quality, 1 to 100.
    pub quality: u32,
}

/// Stops sending frames to a session.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Unwatch {
    pub session: SessionId,
}

#[derive(Debug)]
pub struct Viewer {
    pub session: SessionId,
    to: Recipient<ScreencastFrame>,
    pub max_width: u32,
    /// Milliseconds from frame to frame at the viewer's rate; 0 at the maximum rate.
    period: f64,
    pub quality: u32,
    /// Capture time from which the next frame is due, in Unix milliseconds.
    due: Option<f64>,
    /// Time since it was sent.
    sent: Option<Stopwatch>,
    /// True if a newer frame was held back.
    behind: bool,
}

impl Viewer {
    pub fn new(watch: Watch) -> Self {
        Self {
            session: watch.session,
            to: watch.viewer,
            max_width: watch.max_width.clamp(64, 4096),
            period: period(watch.max_fps),
            quality: watch.quality.clamp(1, 100),
            due: None,
            sent: None,
            behind: false,
        }
    }

    /// Sends a frame if it is due. Returns false if the viewer is gone.
    pub fn show(&mut self, picture: &ScreencastFrame) -> bool {
        // Uses the capture time: on a busy machine frames arrive in bursts.
        if self.due.is_some_and(|due| self.is_early(due - picture.captured_at_ms)) {
            self.behind = true;
            return self.to.connected();
        }
        match self.to.try_send(picture.clone()) {
            Ok(()) => {
                self.due = Some(self.due_after(picture.captured_at_ms));
                self.sent = Some(Stopwatch::start());
                self.behind = false;
                true
            }
            Err(SendError::Full(_)) => {
                self.behind = true;
                true
            }
            Err(SendError::Closed(_)) => false,
        }
    }

    /// Reports whether a frame comes too early that was captured so many milliseconds before the next one is due. A
    /// distance of more than a period says that the clock was set back.
    fn is_early(&self, before_due: f64) -> bool {
        let tolerance = self.period * TOLERANCE;
        before_due > tolerance && before_due <= self.period + tolerance
    }

    /// Returns when the frame after one of this capture time is due: a period after that one was due, not after it came,
    /// so that the rate is kept where the page draws at another one. At most one frame that was late is made up for.
    fn due_after(&self, captured_at_ms: f64) -> f64 {
        let due = self.due.unwrap_or(captured_at_ms);
        let tolerance = self.period * TOLERANCE;
        due.clamp(captured_at_ms - self.period + tolerance, captured_at_ms + tolerance) + self.period
    }

    /// Returns the milliseconds until a frame that was held back may be sent; `None` if there is none.
    pub fn catches_up_in(&self) -> Option<f64> {
        let spent = self.sent.map_or(self.period, |since| since.millis() as f64);
        self.behind.then(|| (self.period - spent).max(0.0))
    }

    /// Sends a frame regardless of the interval.
    pub fn show_again(&mut self, picture: &ScreencastFrame) {
        self.due = None;
        self.show(picture);
    }
}

fn period(max_fps: u32) -> f64 {
    if max_fps >= MOST_FPS { 0.0 } else { 1000.0 / f64::from(max_fps.max(1)) }
}
