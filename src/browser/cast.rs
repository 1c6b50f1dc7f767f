//! The live view: Chromium's screencast of the page in front, fanned out to any number of viewers.
//!
//! Chromium keeps its pace whatever viewers do: every frame is acknowledged at once, or when it is painted
//! where that must be done (`veil.rs`). A viewer that is slow or wants fewer misses pictures, but never the
//! last one before the page comes to rest.

use super::Browser;
use super::fault::{Code, Fault};
use super::observe::decoded;
use super::owed::InFlight;
use super::tab::Tab;
use super::viewer::{Picture, Unwatch, Viewer, Watch};
use super::window::Window;
use super::wire::{Event, PATIENCE};
use crate::clock::Moment;
use crate::ids::SessionId;
use actix::{ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};
use chromiumoxide::cdp::browser_protocol::page::{
    EventScreencastFrame, StartScreencastFormat, StartScreencastParams, StopScreencastParams,
};
use std::rc::Rc;
use std::time::Duration;

/// Whoever was too busy for a picture is tried again after so long.
const SOON_MS: f64 = 10.0;
/// A screencast that Chromium refused is asked for again after so long: while a page is taking the place of
/// another it casts neither of them.
const REFUSED: Duration = Duration::from_millis(40);
/// One that was granted and brings no picture within that time is begun again.
const UNSEEN: Duration = Duration::from_millis(250);
/// A page that has nothing to show is asked at least so often.
const LONGEST_WAIT: Duration = Duration::from_secs(4);
/// A page that sends no picture for so long has come to rest.
const RESTS: Duration = Duration::from_millis(250);

#[derive(Debug, Default)]
pub struct Cast {
    viewers: Vec<Viewer>,
    running: Option<Running>,
    frames: u32,
    /// As it came; only who holds the page sees it.
    bare: Option<Picture>,
    /// As everybody else saw it.
    last: Option<Picture>,
    /// Somebody misses the last one, and gets it in a moment.
    catching_up: bool,
    /// Once the page rests it is pictured again.
    until_rest: bool,
    /// Counts the screencasts that were asked for, so that an answer to an old one is known.
    asked: u64,
    /// Number of them in a row that brought no picture.
    unseen: u32,
}

#[derive(Debug)]
struct Running {
    tab: Tab,
    width: u32,
    quality: u32,
    in_flight: InFlight,
    /// Its number among all that were asked for.
    number: u64,
    /// A picture came of it.
    is_seen: bool,
}

impl Cast {
    pub fn viewers(&self) -> usize {
        self.viewers.len()
    }

    /// Waits longer with every screencast in a row that brought no picture.
    fn wait_after(&self, first: Duration) -> Duration {
        first.saturating_mul(1 << self.unseen.min(10)).min(LONGEST_WAIT)
    }

    /// The page that was cast is gone.
    pub fn stopped(&mut self) {
        self.running = None;
    }

    /// Width and quality for the most demanding viewer.
    fn wanted(&self) -> Option<(u32, u32)> {
        let width = self.viewers.iter().map(|viewer| viewer.max_width).max()?;
        let quality = self.viewers.iter().map(|viewer| viewer.quality).max()?;
        Some((width, quality))
    }

    /// There is another document: who comes later is not shown what the one before looked like bare.
    pub fn forget(&mut self) {
        self.bare = None;
    }

    /// Whether this page is the one that is cast.
    pub fn is_of(&self, tab: &Tab) -> bool {
        self.running.as_ref().is_some_and(|running| running.tab.session.id() == tab.session.id())
    }

    /// To who holds the page.
    fn show_holder(&mut self, picture: Picture, holder: Option<&SessionId>) {
        self.viewers.retain_mut(|viewer| Some(&viewer.session) != holder || viewer.show(&picture));
        self.bare = Some(picture);
    }

    /// Whether the holder watches, and whether others do.
    fn watched_by(&self, holder: Option<&SessionId>) -> (bool, bool) {
        let is_holder = |viewer: &Viewer| Some(&viewer.session) == holder;
        (self.viewers.iter().any(is_holder), !self.viewers.iter().all(is_holder))
    }

    /// To all but who holds the page; not after a newer one.
    fn show_others(&mut self, picture: Picture, holder: Option<&SessionId>) {
        if self.last.as_ref().is_some_and(|last| last.frame > picture.frame) {
            return;
        }
        self.viewers.retain_mut(|viewer| Some(&viewer.session) == holder || viewer.show(&picture));
        self.last = Some(picture);
    }

    /// The page was given to this viewer, who may see all of it.
    pub fn show_as_it_is(&mut self, session: &SessionId) {
        if let Some(bare) = self.bare.clone() {
            self.show_again(session, &bare);
        }
    }

    /// The page is not this viewer's any more.
    fn show_covered(&mut self, session: &SessionId) {
        if let Some(last) = self.last.clone() {
            self.show_again(session, &last);
        }
    }

    /// The last picture to those who miss it.
    fn catch_up(&mut self, holder: Option<&SessionId>) {
        self.catching_up = false;
        for viewer in self.viewers.iter_mut().filter(|viewer| viewer.catches_up_in() == Some(0.0)) {
            let theirs = if Some(&viewer.session) == holder { &self.bare } else { &self.last };
            if let Some(picture) = theirs {
                viewer.show_again(picture);
            }
        }
    }

    fn show_again(&mut self, session: &SessionId, picture: &Picture) {
        for viewer in self.viewers.iter_mut().filter(|viewer| viewer.session == *session) {
            viewer.show_again(picture);
        }
    }
}

impl Handler<Watch> for Browser {
    type Result = ();

    fn handle(&mut self, watch: Watch, ctx: &mut Context<Self>) {
        self.cast.viewers.retain(|viewer| viewer.session != watch.session);
        let session = watch.session.clone();
        self.cast.viewers.push(Viewer::new(watch));
        self.show_last(&session, ctx);
        self.follow_cast(ctx);
        self.report();
    }
}

impl Handler<Unwatch> for Browser {
    type Result = ();

    fn handle(&mut self, Unwatch { session }: Unwatch, ctx: &mut Context<Self>) {
        self.cast.viewers.retain(|viewer| viewer.session != session);
        self.follow_cast(ctx);
        self.report();
    }
}

impl Browser {
    /// What there is to see already: a page that stands still sends no further picture.
    pub(super) fn show_last(&mut self, session: &SessionId, ctx: &mut Context<Self>) {
        if self.holding.holder() == Some(session) {
            return self.cast.show_as_it_is(session);
        }
        self.cast.show_covered(session);
        let frame = |picture: &Option<Picture>| picture.as_ref().map(|picture| picture.frame);
        let newer = frame(&self.cast.bare) != frame(&self.cast.last);
        let bare = self.cast.bare.clone().filter(|_| newer);
        if let (Some(bare), Some(running)) = (bare, &self.cast.running) {
            let (tab, quality) = (running.tab.clone(), running.quality);
            self.veil(bare, None, tab, quality, ctx);
        }
    }

    /// A page that comes to rest sends no further picture: who missed the last one gets it later.
    pub(super) fn let_catch_up(&mut self, ctx: &mut Context<Self>) {
        let soonest = self.cast.viewers.iter().filter_map(Viewer::catches_up_in).reduce(f64::min);
        let Some(wait) = soonest.filter(|_| !self.cast.catching_up) else { return };
        self.cast.catching_up = true;
        ctx.run_later(Duration::from_secs_f64(wait.max(SOON_MS) / 1000.0), |this, ctx| {
            this.cast.catch_up(this.holding.holder());
            this.let_catch_up(ctx);
        });
    }

    /// To all but who holds the page.
    pub(super) fn show_others(&mut self, picture: Picture, ctx: &mut Context<Self>) {
        self.cast.show_others(picture, self.holding.holder());
        self.let_catch_up(ctx);
    }

    /// Makes the screencast fit: of the page in front, for those who watch, or none.
    pub(super) fn follow_cast(&mut self, ctx: &mut Context<Self>) {
        let tab = self.here.window.borrow().as_ref().and_then(|window| window.current().ok());
        let wanted = self.cast.wanted().zip(tab);
        if let (Some(running), Some(((width, quality), tab))) = (&self.cast.running, &wanted)
            && running.tab.target == tab.target
            && (running.width, running.quality) == (*width, *quality)
        {
            return;
        }
        if let Some(running) = self.cast.running.take() {
            running.tab.session.post(StopScreencastParams::default());
        }
        self.veil.begin();
        let Some(((width, quality), tab)) = wanted else {
            (self.cast.bare, self.cast.last) = (None, None);
            return;
        };
        self.cast.unseen = 0;
        self.start_cast(tab, width, quality, ctx);
    }

    fn start_cast(&mut self, tab: Tab, width: u32, quality: u32, ctx: &mut Context<Self>) {
        let order = StartScreencastParams {
            format: Some(StartScreencastFormat::Jpeg),
            quality: Some(i64::from(quality)),
            max_width: Some(i64::from(width)),
            max_height: Some(i64::from(width) * 2),
            every_nth_frame: Some(1),
        };
        let answered = tab.session.begin(order, PATIENCE);
        self.cast.asked += 1;
        let number = self.cast.asked;
        let in_flight = InFlight::default();
        self.cast.running = Some(Running { tab, width, quality, in_flight, number, is_seen: false });
        ctx.spawn(answered.into_actor(self).map(move |answer, this, ctx| {
            this.expect_picture(number, answer.err(), ctx);
        }));
    }

    /// Begins the screencast of this number again if it was refused, or brings no picture in time.
    fn expect_picture(&mut self, number: u64, refused: Option<Fault>, ctx: &mut Context<Self>) {
        let is_refused = refused.is_some();
        if let Some(fault) = refused {
            tracing::debug!(code = fault.code.word(), why = %fault, "screencast refused");
            if matches!(fault.code, Code::NoPage | Code::BrowserCrashed) {
                return;
            }
        }
        let wait = self.cast.wait_after(if is_refused { REFUSED } else { UNSEEN });
        ctx.run_later(wait, move |this, ctx| {
            let unseen = |running: &Running| running.number == number && (is_refused || !running.is_seen);
            if this.cast.running.as_ref().is_some_and(unseen) {
                this.cast.unseen = this.cast.unseen.saturating_add(1);
                this.cast_anew(ctx);
            }
        });
    }

    /// Another document came: what it looks like is asked for at once if nothing was seen until now.
    pub(super) fn cast_document(&mut self, ctx: &mut Context<Self>) {
        self.cast.unseen = 0;
        if self.cast.running.as_ref().is_some_and(|running| !running.is_seen) {
            self.cast_anew(ctx);
        }
    }

    /// Has the page pictured again: of one that stands still no other picture comes, and the last that came
    /// need not be the last that there was. What is known of it holds.
    pub(super) fn cast_anew(&mut self, ctx: &mut Context<Self>) {
        if let Some(Running { tab, width, quality, .. }) = self.cast.running.take() {
            tab.session.post(StopScreencastParams::default());
            self.start_cast(tab, width, quality, ctx);
        }
    }

    /// Chromium may have dropped what the page came to rest with.
    fn picture_the_rest(&mut self, ctx: &mut Context<Self>) {
        let crowded =
            |cast: &Cast| cast.running.as_ref().is_some_and(|running| running.in_flight.is_crowded());
        if !crowded(&self.cast) || std::mem::replace(&mut self.cast.until_rest, true) {
            return;
        }
        let frame = self.cast.frames;
        ctx.run_later(RESTS, move |this, ctx| {
            this.cast.until_rest = false;
            if this.cast.frames != frame {
                this.picture_the_rest(ctx);
            } else if crowded(&this.cast) {
                this.cast_anew(ctx);
            }
        });
    }

    pub(super) fn picture(&mut self, window: &Rc<Window>, event: &Event, ctx: &mut Context<Self>) {
        let Some(frame) = event.read::<EventScreencastFrame>() else { return };
        let session = window.link.session(event.session.clone().unwrap_or_default());
        let running = self.cast.running.as_mut().filter(|running| running.tab.session.id() == session.id());
        let Some(Running { tab, quality, in_flight, is_seen, .. }) = running else { return };
        *is_seen = true;
        self.cast.unseen = 0;
        let (tab, quality, taken_ms) = (tab.clone(), *quality, taken_ms(&frame));
        let owed = in_flight.one(session, frame.session_id, taken_ms);
        match picture(&frame, self.cast.frames.wrapping_add(1), taken_ms) {
            Ok(picture) => {
                self.cast.frames = picture.frame;
                let before = self.cast.viewers();
                self.cast.show_holder(picture.clone(), self.holding.holder());
                self.let_catch_up(ctx);
                let (holder, others) = self.cast.watched_by(self.holding.holder());
                if others {
                    // Who holds the page does not wait for the others' paint.
                    self.veil(picture, (!holder).then_some(owed), tab, quality, ctx);
                }
                if self.cast.viewers() < before {
                    self.report();
                }
            }
            Err(fault) => tracing::debug!(code = fault.code.word(), "picture lost"),
        }
        self.picture_the_rest(ctx);
    }
}

/// When it was taken, in Unix milliseconds.
fn taken_ms(event: &EventScreencastFrame) -> f64 {
    let taken = event.metadata.timestamp.as_ref().map(|seconds| *seconds.inner() * 1000.0);
    taken.unwrap_or_else(|| Moment::now().millis() as f64)
}

fn picture(event: &EventScreencastFrame, frame: u32, captured_at_ms: f64) -> Result<Picture, Fault> {
    Ok(Picture {
        frame,
        captured_at_ms,
        width: event.metadata.device_width as u32,
        height: event.metadata.device_height as u32,
        jpeg: decoded(event.data.as_ref())?,
    })
}
