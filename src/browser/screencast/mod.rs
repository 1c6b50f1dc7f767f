//! Live view: Chromium's screencast of the tab in front, sent to any number of viewers.
//!
//! Viewers never slow Chromium down: every frame is acknowledged at once, or once live redaction has painted
//! over it (`live_redaction.rs`). A viewer that is slow or wants fewer frames misses some, but never the last one
//! before the page comes to rest. [`Screencast`] decides, and the actor executes its effects.

pub(crate) mod ack_window;
pub(crate) mod live_redaction;
pub(crate) mod stale_frames;
pub mod viewer;

use crate::browser::error::ErrorCode;
use crate::browser::page::tab::Tab;
use crate::browser::screencast::ack_window::{AckWindow, UnacknowledgedFrame};
use crate::browser::screencast::viewer::{ScreencastFrame, Viewer, Watch};
use crate::ids::SessionId;
use std::time::Duration;

/// Milliseconds after which a busy viewer is tried again.
const BUSY_RETRY_MS: f64 = 10.0;
/// Delay before a refused screencast is requested again. Chromium casts neither page while one replaces the
/// other.
const REFUSED_RETRY: Duration = Duration::from_millis(40);
/// Time for the first frame of a granted screencast; after that it is restarted.
const FIRST_FRAME_TIMEOUT: Duration = Duration::from_millis(250);
/// Time without a frame after which a page counts as at rest.
const REST_AFTER: Duration = Duration::from_millis(250);
/// Maximum delay between restarts for a page that shows nothing.
const MAX_RESTART_DELAY: Duration = Duration::from_secs(4);

/// Screencast of one page: its viewers, and the cast that runs for them.
#[derive(Debug, Default)]
pub struct Screencast {
    viewers: Vec<Viewer>,
    running: Option<RunningScreencast>,
    /// Number of frames so far.
    frames: u32,
    /// Last frame without redaction; only the holder of the take-over sees it.
    unredacted: Option<ScreencastFrame>,
    /// Last frame as all other viewers saw it.
    last: Option<ScreencastFrame>,
    /// A timer for viewers that missed the last frame is running.
    catching_up: bool,
    /// A timer that requests another frame once the page rests is running.
    until_rest: bool,
    /// Number of screencasts requested so far; identifies replies to old requests.
    start_count: u64,
    /// Number of consecutive screencasts without a frame.
    unseen: u32,
}

#[derive(Debug)]
struct RunningScreencast {
    tab: Tab,
    width: u32,
    quality: u32,
    in_flight: AckWindow,
    /// Number of this screencast among all requested.
    number: u64,
    /// True once a frame arrived.
    is_seen: bool,
}

/// Work for the actor.
#[derive(Debug)]
pub(in crate::browser) enum CastEffect {
    Stop(Tab),
    /// Starts a screencast; `handle_start_reply` takes the reply.
    Start {
        tab: Tab,
        width: u32,
        quality: u32,
        number: u64,
    },
    /// Resets live redaction, because another page is in front.
    ResetRedaction,
    /// Shows a frame to viewers other than the holder, once it is redacted.
    Redact {
        picture: ScreencastFrame,
        unacknowledged: Option<UnacknowledgedFrame>,
        tab: Tab,
        quality: u32,
    },
    /// Calls `handle_timer` after this time.
    Wait(Duration, CastTimer),
    /// Reports the number of viewers.
    ReportViewers,
}

#[derive(Debug, PartialEq)]
pub(in crate::browser) enum CastTimer {
    /// Restarts the screencast of this number unless it has brought a frame; a refused one in any case.
    FirstFrame { number: u64, is_refused: bool },
    /// Requests another frame if this one is still the last.
    Rest { frame: u32 },
    /// Sends the last frame to viewers that missed it.
    CatchUp,
}

/// A frame that arrived.
pub(in crate::browser) struct ArrivedFrame {
    pub unacknowledged: UnacknowledgedFrame,
    /// `None` if it could not be decoded.
    pub picture: Option<ScreencastFrame>,
}

impl Screencast {
    /// Returns the number of viewers.
    pub fn viewers(&self) -> usize {
        self.viewers.len()
    }

    /// Adds a viewer, in place of an earlier one of the same session.
    pub(in crate::browser) fn watch(&mut self, watch: Watch) {
        self.unwatch(&watch.session);
        self.viewers.push(Viewer::new(watch));
    }

    pub(in crate::browser) fn unwatch(&mut self, session: &SessionId) {
        self.viewers.retain(|viewer| viewer.session != *session);
    }

    /// Starts, restarts or stops the screencast to match the tab in front and the viewers.
    pub(in crate::browser) fn match_viewers(&mut self, front: Option<Tab>) -> Vec<CastEffect> {
        let wanted = self.requested_size().zip(front);
        if let (Some(running), Some(((width, quality), tab))) = (&self.running, &wanted)
            && running.tab.target == tab.target
            && (running.width, running.quality) == (*width, *quality)
        {
            return Vec::new();
        }
        let stopped = self.running.take().map(|running| CastEffect::Stop(running.tab));
        let mut effects: Vec<CastEffect> = stopped.into_iter().collect();
        effects.push(CastEffect::ResetRedaction);
        match wanted {
            Some(((width, quality), tab)) => {
                self.unseen = 0;
                effects.push(self.start(tab, width, quality));
            }
            None => (self.unredacted, self.last) = (None, None),
        }
        effects
    }

    fn start(&mut self, tab: Tab, width: u32, quality: u32) -> CastEffect {
        self.start_count += 1;
        let number = self.start_count;
        let in_flight = AckWindow::default();
        self.running =
            Some(RunningScreencast { tab: tab.clone(), width, quality, in_flight, number, is_seen: false });
        CastEffect::Start { tab, width, quality, number }
    }

    /// Restarts the screencast to get another frame: a still page sends none, and the last one received need
    /// not be the last one painted.
    pub(in crate::browser) fn restart(&mut self) -> Vec<CastEffect> {
        let Some(RunningScreencast { tab, width, quality, .. }) = self.running.take() else {
            return Vec::new();
        };
        vec![CastEffect::Stop(tab.clone()), self.start(tab, width, quality)]
    }

    /// Handles the reply to the start of a screencast: it is restarted if it was refused or brings no frame in
    /// time.
    pub(in crate::browser) fn handle_start_reply(
        &self,
        number: u64,
        refusal: Option<ErrorCode>,
    ) -> Option<CastEffect> {
        if matches!(refusal, Some(ErrorCode::NoPage | ErrorCode::BrowserCrashed)) {
            return None;
        }
        let is_refused = refusal.is_some();
        let delay = self.delay_after(if is_refused { REFUSED_RETRY } else { FIRST_FRAME_TIMEOUT });
        Some(CastEffect::Wait(delay, CastTimer::FirstFrame { number, is_refused }))
    }

    /// Handles the end of a delay.
    pub(in crate::browser) fn handle_timer(
        &mut self,
        timer: CastTimer,
        holder: Option<&SessionId>,
    ) -> Vec<CastEffect> {
        match timer {
            CastTimer::FirstFrame { number, is_refused } => {
                let is_unseen = |running: &RunningScreencast| {
                    running.number == number && (is_refused || !running.is_seen)
                };
                if !self.running.as_ref().is_some_and(is_unseen) {
                    return Vec::new();
                }
                self.unseen = self.unseen.saturating_add(1);
                self.restart()
            }
            CastTimer::Rest { frame } => {
                self.until_rest = false;
                if self.frames != frame {
                    self.wait_for_rest().into_iter().collect()
                } else if self.is_crowded() {
                    self.restart()
                } else {
                    Vec::new()
                }
            }
            CastTimer::CatchUp => {
                self.catch_up(holder);
                self.schedule_catch_up().into_iter().collect()
            }
        }
    }

    /// Handles another document in the page: the screencast is restarted if none of its frames has arrived. A
    /// later holder does not see the unredacted frame of the previous document.
    pub(in crate::browser) fn handle_document(&mut self) -> Vec<CastEffect> {
        self.unredacted = None;
        self.unseen = 0;
        match self.running.as_ref().is_some_and(|running| !running.is_seen) {
            true => self.restart(),
            false => Vec::new(),
        }
    }

    /// Forgets the running screencast: its page is gone.
    pub fn forget_screencast(&mut self) {
        self.running = None;
    }

    /// Returns the unacknowledged frames of the screencast that this CDP session brings.
    pub(in crate::browser) fn find_ack_window(&self, session: &str) -> Option<&AckWindow> {
        self.running
            .as_ref()
            .filter(|running| running.tab.session.id() == session)
            .map(|cast| &cast.in_flight)
    }

    /// Handles a frame of the running screencast.
    pub(in crate::browser) fn handle_frame(
        &mut self,
        ArrivedFrame { unacknowledged, picture }: ArrivedFrame,
        holder: Option<&SessionId>,
    ) -> Vec<CastEffect> {
        let Some(running) = &mut self.running else { return Vec::new() };
        running.is_seen = true;
        self.unseen = 0;
        let (tab, quality) = (running.tab.clone(), running.quality);
        let mut effects = Vec::new();
        if let Some(mut picture) = picture {
            self.frames = self.frames.wrapping_add(1);
            picture.frame = self.frames;
            let before = self.viewers.len();
            self.show_holder(picture.clone(), holder);
            effects.extend(self.schedule_catch_up());
            let (holder_watches, others_watch) = self.watched_by(holder);
            if others_watch {
                // The holder's frame is acknowledged without waiting for the redaction of the others'.
                let unacknowledged = (!holder_watches).then_some(unacknowledged);
                effects.push(CastEffect::Redact { picture, unacknowledged, tab, quality });
            }
            if self.viewers.len() < before {
                effects.push(CastEffect::ReportViewers);
            }
        }
        effects.extend(self.wait_for_rest());
        effects
    }

    /// Shows a frame to everyone but the holder, unless a newer one was shown.
    pub(in crate::browser) fn show_others(
        &mut self,
        picture: ScreencastFrame,
        holder: Option<&SessionId>,
    ) -> Option<CastEffect> {
        if self.last.as_ref().is_none_or(|last| last.frame <= picture.frame) {
            self.viewers.retain_mut(|viewer| Some(&viewer.session) == holder || viewer.show(&picture));
            self.last = Some(picture);
        }
        self.schedule_catch_up()
    }

    /// Shows a viewer the last frame, since a still page sends no other.
    pub(in crate::browser) fn show_last(
        &mut self,
        session: &SessionId,
        holder: Option<&SessionId>,
    ) -> Option<CastEffect> {
        if holder == Some(session) {
            self.show_again(session, self.unredacted.clone());
            return None;
        }
        self.show_again(session, self.last.clone());
        let number = |picture: &Option<ScreencastFrame>| picture.as_ref().map(|picture| picture.frame);
        let is_newer = number(&self.unredacted) != number(&self.last);
        let picture = self.unredacted.clone().filter(|_| is_newer)?;
        let RunningScreencast { tab, quality, .. } = self.running.as_ref()?;
        Some(CastEffect::Redact { picture, unacknowledged: None, tab: tab.clone(), quality: *quality })
    }

    /// Reports whether this tab is the one being cast.
    pub fn shows_tab(&self, tab: &Tab) -> bool {
        self.find_ack_window(tab.session.id()).is_some()
    }

    /// Requests another frame once the page rests, because Chromium may have dropped the last one.
    fn wait_for_rest(&mut self) -> Option<CastEffect> {
        let begins = self.is_crowded() && !std::mem::replace(&mut self.until_rest, true);
        begins.then_some(CastEffect::Wait(REST_AFTER, CastTimer::Rest { frame: self.frames }))
    }

    fn is_crowded(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.in_flight.is_crowded())
    }

    /// Returns the delay before the next attempt; it doubles with every consecutive screencast without a
    /// frame.
    fn delay_after(&self, first: Duration) -> Duration {
        first.saturating_mul(1 << self.unseen.min(10)).min(MAX_RESTART_DELAY)
    }

    /// Returns width and quality for the most demanding viewer.
    fn requested_size(&self) -> Option<(u32, u32)> {
        let width = self.viewers.iter().map(|viewer| viewer.max_width).max()?;
        let quality = self.viewers.iter().map(|viewer| viewer.quality).max()?;
        Some((width, quality))
    }

    /// Shows an unredacted frame to the holder.
    fn show_holder(&mut self, picture: ScreencastFrame, holder: Option<&SessionId>) {
        self.viewers.retain_mut(|viewer| Some(&viewer.session) != holder || viewer.show(&picture));
        self.unredacted = Some(picture);
    }

    /// Reports whether the holder watches, and whether others do.
    fn watched_by(&self, holder: Option<&SessionId>) -> (bool, bool) {
        let is_holder = |viewer: &Viewer| Some(&viewer.session) == holder;
        (self.viewers.iter().any(is_holder), !self.viewers.iter().all(is_holder))
    }

    /// Schedules the last frame for viewers that missed it, since a page at rest sends no other.
    fn schedule_catch_up(&mut self) -> Option<CastEffect> {
        let soonest = self.viewers.iter().filter_map(Viewer::catches_up_in).reduce(f64::min);
        let wait = soonest.filter(|_| !self.catching_up)?;
        self.catching_up = true;
        Some(CastEffect::Wait(Duration::from_secs_f64(wait.max(BUSY_RETRY_MS) / 1000.0), CastTimer::CatchUp))
    }

    /// Sends the last frame to the viewers that missed it.
    fn catch_up(&mut self, holder: Option<&SessionId>) {
        self.catching_up = false;
        for viewer in self.viewers.iter_mut().filter(|viewer| viewer.catches_up_in() == Some(0.0)) {
            let theirs = if Some(&viewer.session) == holder { &self.unredacted } else { &self.last };
            if let Some(picture) = theirs {
                viewer.show_again(picture);
            }
        }
    }

    fn show_again(&mut self, session: &SessionId, picture: Option<ScreencastFrame>) {
        let Some(picture) = picture else { return };
        for viewer in self.viewers.iter_mut().filter(|viewer| viewer.session == *session) {
            viewer.show_again(&picture);
        }
    }
}

#[cfg(test)]
mod tests;
