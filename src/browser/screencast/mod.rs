//! Live view: Chromium's screencast of the tab in front, sent to any number of viewers.
//!
//! Viewers never slow Chromium down: every frame is acknowledged at once, or once live redaction has painted
//! over it (`live_redaction.rs`). A viewer that is slow or wants fewer frames misses some, but never the last one
//! before the page comes to rest.

pub(crate) mod ack_window;
pub(crate) mod live_redaction;
pub(crate) mod stale_frames;
pub mod viewer;

use crate::browser::page::tab::Tab;
use crate::browser::screencast::ack_window::AckWindow;
use crate::browser::screencast::viewer::{ScreencastFrame, Viewer};
use crate::ids::SessionId;
use std::time::Duration;

/// Maximum delay between restarts for a page that shows nothing.
const LONGEST_WAIT: Duration = Duration::from_secs(4);
#[derive(Debug, Default)]
pub struct Screencast {
    pub(in crate::browser) viewers: Vec<Viewer>,
    pub(in crate::browser) running: Option<RunningScreencast>,
    pub(in crate::browser) frames: u32,
    /// Last frame without redaction; only the holder of the take-over sees it.
    pub(in crate::browser) unredacted: Option<ScreencastFrame>,
    /// Last frame as all other viewers saw it.
    pub(in crate::browser) last: Option<ScreencastFrame>,
    /// A timer for viewers that missed the last frame is running.
    pub(in crate::browser) catching_up: bool,
    /// A timer that requests another frame once the page rests is running.
    pub(in crate::browser) until_rest: bool,
    /// Number of screencasts requested so far; identifies replies to old requests.
    pub(in crate::browser) start_count: u64,
    /// Number of consecutive screencasts without a frame.
    pub(in crate::browser) unseen: u32,
}

#[derive(Debug)]
pub(in crate::browser) struct RunningScreencast {
    pub(in crate::browser) tab: Tab,
    pub(in crate::browser) width: u32,
    pub(in crate::browser) quality: u32,
    pub(in crate::browser) in_flight: AckWindow,
    /// Number of this screencast among all requested.
    pub(in crate::browser) number: u64,
    /// True once a frame arrived.
    pub(in crate::browser) is_seen: bool,
}

impl Screencast {
    pub fn viewers(&self) -> usize {
        self.viewers.len()
    }

    /// Returns the delay before the next attempt; it doubles with every consecutive screencast without a
    /// frame.
    pub(in crate::browser) fn wait_after(&self, first: Duration) -> Duration {
        first.saturating_mul(1 << self.unseen.min(10)).min(LONGEST_WAIT)
    }

    /// Forgets the running screencast: its page is gone.
    pub fn forget_screencast(&mut self) {
        self.running = None;
    }

    /// Returns width and quality for the most demanding viewer.
    pub(in crate::browser) fn requested_size(&self) -> Option<(u32, u32)> {
        let width = self.viewers.iter().map(|viewer| viewer.max_width).max()?;
        let quality = self.viewers.iter().map(|viewer| viewer.quality).max()?;
        Some((width, quality))
    }

    /// Forgets the unredacted frame of the previous document, so that a later holder does not see it.
    pub fn forget(&mut self) {
        self.unredacted = None;
    }

    /// Reports whether this tab is the one being cast.
    pub fn is_of(&self, tab: &Tab) -> bool {
        self.running.as_ref().is_some_and(|running| running.tab.session.id() == tab.session.id())
    }

    /// Shows an unredacted frame to the holder.
    pub(in crate::browser) fn show_holder(&mut self, picture: ScreencastFrame, holder: Option<&SessionId>) {
        self.viewers.retain_mut(|viewer| Some(&viewer.session) != holder || viewer.show(&picture));
        self.unredacted = Some(picture);
    }

    /// Reports whether the holder watches, and whether others do.
    pub(in crate::browser) fn watched_by(&self, holder: Option<&SessionId>) -> (bool, bool) {
        let is_holder = |viewer: &Viewer| Some(&viewer.session) == holder;
        (self.viewers.iter().any(is_holder), !self.viewers.iter().all(is_holder))
    }

    /// Shows a frame to everyone but the holder, unless a newer one was shown.
    pub(in crate::browser) fn show_others(&mut self, picture: ScreencastFrame, holder: Option<&SessionId>) {
        if self.last.as_ref().is_some_and(|last| last.frame > picture.frame) {
            return;
        }
        self.viewers.retain_mut(|viewer| Some(&viewer.session) == holder || viewer.show(&picture));
        self.last = Some(picture);
    }

    /// Shows the last unredacted frame to the viewer that has become the holder.
    pub fn show_unredacted(&mut self, session: &SessionId) {
        if let Some(unredacted) = self.unredacted.clone() {
            self.show_again(session, &unredacted);
        }
    }

    /// Shows the last redacted frame to a viewer that is not the holder.
    pub(in crate::browser) fn show_redacted(&mut self, session: &SessionId) {
        if let Some(last) = self.last.clone() {
            self.show_again(session, &last);
        }
    }

    /// Sends the last frame to the viewers that missed it.
    pub(in crate::browser) fn catch_up(&mut self, holder: Option<&SessionId>) {
        self.catching_up = false;
        for viewer in self.viewers.iter_mut().filter(|viewer| viewer.catches_up_in() == Some(0.0)) {
            let theirs = if Some(&viewer.session) == holder { &self.unredacted } else { &self.last };
            if let Some(picture) = theirs {
                viewer.show_again(picture);
            }
        }
    }

    fn show_again(&mut self, session: &SessionId, picture: &ScreencastFrame) {
        for viewer in self.viewers.iter_mut().filter(|viewer| viewer.session == *session) {
            viewer.show_again(picture);
        }
    }
}
