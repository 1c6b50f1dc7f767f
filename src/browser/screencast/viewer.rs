//! Viewers of the live view: size, quality and rate of the frames that each receives.

use crate::clock::Stopwatch;
use crate::ids::SessionId;
use actix::prelude::SendError;
use actix::{Message, Recipient};
use actix_web::web::Bytes;

/// Maximum frame rate of Chromium.
const MOST_FPS: u32 = 60;

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
    /// Minimum interval between the capture times of two frames, in milliseconds.
    pace: f64,
    pub quality: u32,
    /// Capture time of the last frame sent.
    since: Option<f64>,
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
            pace: pace(watch.max_fps),
            quality: watch.quality.clamp(1, 100),
            since: None,
            sent: None,
            behind: false,
        }
    }

    /// Sends a frame if it is due. Returns false if the viewer is gone.
    pub fn show(&mut self, picture: &ScreencastFrame) -> bool {
        // Uses the capture time: on a busy machine frames arrive in bursts.
        if self.since.is_some_and(|since| (0.0..self.pace).contains(&(picture.captured_at_ms - since))) {
            self.behind = true;
            return self.to.connected();
        }
        match self.to.try_send(picture.clone()) {
            Ok(()) => {
                self.since = Some(picture.captured_at_ms);
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

    /// Returns the milliseconds until a frame that was held back may be sent; `None` if there is none.
    pub fn catches_up_in(&self) -> Option<f64> {
        let spent = self.sent.map_or(self.pace, |since| since.millis() as f64);
        self.behind.then(|| (self.pace - spent).max(0.0))
    }

    /// Sends a frame regardless of the interval.
    pub fn show_again(&mut self, picture: &ScreencastFrame) {
        self.since = None;
        self.show(picture);
    }
}

/// Returns the minimum interval. It is 0 at the maximum rate, otherwise a little less than the period,
/// because frames that are slightly early would be lost.
fn pace(max_fps: u32) -> f64 {
    if max_fps >= MOST_FPS { 0.0 } else { 900.0 / f64::from(max_fps.max(1)) }
}
