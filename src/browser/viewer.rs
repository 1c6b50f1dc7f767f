//! Those who watch the live view: what they are sent, how much of it and how often.

use crate::clock::Stopwatch;
use crate::ids::SessionId;
use actix::prelude::SendError;
use actix::{Message, Recipient};
use actix_web::web::Bytes;

/// Chromium gives no more.
const MOST_FPS: u32 = 60;

/// One picture of the page. Clones share the bytes.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Picture {
    /// Counts up within a browser.
    pub frame: u32,
    /// Unix milliseconds, as Chromium took it.
    pub captured_at_ms: f64,
    /// CSS pixels of the viewport.
    pub width: u32,
    pub height: u32,
    pub jpeg: Bytes,
}

/// Sends pictures to `viewer` from now on, the last one at once. A second one by the same session
/// replaces the first.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Watch {
    pub session: SessionId,
    pub viewer: Recipient<Picture>,
    pub max_width: u32,
    pub max_fps: u32,
    /// JPEG quality, 1 to 100.
    pub quality: u32,
}

/// No more pictures to that session.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Unwatch {
    pub session: SessionId,
}

#[derive(Debug)]
pub struct Viewer {
    pub session: SessionId,
    to: Recipient<Picture>,
    pub max_width: u32,
    /// Milliseconds between the takings of two pictures, at least.
    pace: f64,
    pub quality: u32,
    /// When its last picture was taken.
    since: Option<f64>,
    /// When it was sent.
    sent: Option<Stopwatch>,
    /// A newer one was held back from it.
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

    /// False if nobody is there any more.
    pub fn show(&mut self, picture: &Picture) -> bool {
        // As taken, not as it came: on a busy machine pictures come in bursts.
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

    /// In so many milliseconds it may have what was held back; none if nothing was.
    pub fn catches_up_in(&self) -> Option<f64> {
        let spent = self.sent.map_or(self.pace, |since| since.millis() as f64);
        self.behind.then(|| (self.pace - spent).max(0.0))
    }

    /// However soon after the last one.
    pub fn show_again(&mut self, picture: &Picture) {
        self.since = None;
        self.show(picture);
    }
}

/// Nothing is held back from who wants all; else a little less than the period, or every frame that
/// is early by a hair would be lost.
fn pace(max_fps: u32) -> f64 {
    if max_fps >= MOST_FPS { 0.0 } else { 900.0 / f64::from(max_fps.max(1)) }
}
