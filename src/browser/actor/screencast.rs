//! Live pictures: starts and stops the screencast as viewers come and go.

use crate::browser::actor::Browser;
use crate::browser::cdp::message::{CdpEvent, PATIENCE};
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::observe::decode_base64;
use crate::browser::page::context::PageContext;
use crate::browser::page::tab::Tab;
use crate::browser::screencast::ack_window::AckWindow;
use crate::browser::screencast::viewer::{ScreencastFrame, Unwatch, Viewer, Watch};
use crate::browser::screencast::{RunningScreencast, Screencast};
use crate::clock::Moment;
use crate::ids::SessionId;
use actix::{ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};
use chromiumoxide::cdp::browser_protocol::page::{
    EventScreencastFrame, StartScreencastFormat, StartScreencastParams, StopScreencastParams,
};
use std::rc::Rc;
use std::time::Duration;

/// Milliseconds after which a busy viewer is tried again.
const SOON_MS: f64 = 10.0;

/// Delay before a refused screencast is requested again. Chromium casts neither page while one replaces the
/// other.
const REFUSED: Duration = Duration::from_millis(40);

/// Time for the first frame of a granted screencast; after that it is restarted.
const UNSEEN: Duration = Duration::from_millis(250);

/// Time without a frame after which a page counts as at rest.
const RESTS: Duration = Duration::from_millis(250);

pub(in crate::browser) fn decode_frame(
    event: &EventScreencastFrame,
    frame: u32,
    captured_at_ms: f64,
) -> Result<ScreencastFrame, PageError> {
    Ok(ScreencastFrame {
        frame,
        captured_at_ms,
        width: event.metadata.device_width as u32,
        height: event.metadata.device_height as u32,
        jpeg: decode_base64(event.data.as_ref())?,
    })
}

/// Returns the capture time in Unix milliseconds.
fn taken_ms(event: &EventScreencastFrame) -> f64 {
    let taken = event.metadata.timestamp.as_ref().map(|seconds| *seconds.inner() * 1000.0);
    taken.unwrap_or_else(|| Moment::now().millis() as f64)
}

impl Handler<Watch> for Browser {
    type Result = ();

    fn handle(&mut self, watch: Watch, ctx: &mut Context<Self>) {
        self.screencast.viewers.retain(|viewer| viewer.session != watch.session);
        let session = watch.session.clone();
        self.screencast.viewers.push(Viewer::new(watch));
        self.show_last(&session, ctx);
        self.update_screencast(ctx);
        self.report_status();
    }
}

impl Handler<Unwatch> for Browser {
    type Result = ();

    fn handle(&mut self, Unwatch { session }: Unwatch, ctx: &mut Context<Self>) {
        self.screencast.viewers.retain(|viewer| viewer.session != session);
        self.update_screencast(ctx);
        self.report_status();
    }
}

impl Browser {
    /// Shows a viewer the last frame, since a still page sends no other.
    pub(crate) fn show_last(&mut self, session: &SessionId, ctx: &mut Context<Self>) {
        if self.takeover.holder() == Some(session) {
            return self.screencast.show_unredacted(session);
        }
        self.screencast.show_redacted(session);
        let frame = |picture: &Option<ScreencastFrame>| picture.as_ref().map(|picture| picture.frame);
        let newer = frame(&self.screencast.unredacted) != frame(&self.screencast.last);
        let unredacted = self.screencast.unredacted.clone().filter(|_| newer);
        if let (Some(unredacted), Some(running)) = (unredacted, &self.screencast.running) {
            let (tab, quality) = (running.tab.clone(), running.quality);
            self.redact_frame(unredacted, None, &tab, quality, ctx);
        }
    }

    /// Schedules the last frame for viewers that missed it, since a page at rest sends no other.
    pub(crate) fn schedule_catch_up(&mut self, ctx: &mut Context<Self>) {
        let soonest = self.screencast.viewers.iter().filter_map(Viewer::catches_up_in).reduce(f64::min);
        let Some(wait) = soonest.filter(|_| !self.screencast.catching_up) else { return };
        self.screencast.catching_up = true;
        ctx.run_later(Duration::from_secs_f64(wait.max(SOON_MS) / 1000.0), |this, ctx| {
            this.screencast.catch_up(this.takeover.holder());
            this.schedule_catch_up(ctx);
        });
    }

    /// Shows a frame to everyone but the holder.
    pub(crate) fn show_others(&mut self, picture: ScreencastFrame, ctx: &mut Context<Self>) {
        self.screencast.show_others(picture, self.takeover.holder());
        self.schedule_catch_up(ctx);
    }

    /// Starts, restarts or stops the screencast to match the tab in front and the viewers.
    pub(crate) fn update_screencast(&mut self, ctx: &mut Context<Self>) {
        let tab = self.shared.context.borrow().as_ref().and_then(|context| context.current().ok());
        let wanted = self.screencast.requested_size().zip(tab);
        if let (Some(running), Some(((width, quality), tab))) = (&self.screencast.running, &wanted)
            && running.tab.target == tab.target
            && (running.width, running.quality) == (*width, *quality)
        {
            return;
        }
        if let Some(running) = self.screencast.running.take() {
            running.tab.session.post(StopScreencastParams::default());
        }
        self.live_redaction.reset();
        let Some(((width, quality), tab)) = wanted else {
            (self.screencast.unredacted, self.screencast.last) = (None, None);
            return;
        };
        self.screencast.unseen = 0;
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
        let answered = tab.session.send(order, PATIENCE);
        self.screencast.start_count += 1;
        let number = self.screencast.start_count;
        let in_flight = AckWindow::default();
        self.screencast.running =
            Some(RunningScreencast { tab, width, quality, in_flight, number, is_seen: false });
        ctx.spawn(answered.into_actor(self).map(move |answer, this, ctx| {
            this.expect_picture(number, answer.err(), ctx);
        }));
    }

    /// Restarts the screencast of this number if it was refused or brings no frame in time.
    fn expect_picture(&mut self, number: u64, refused: Option<PageError>, ctx: &mut Context<Self>) {
        let is_refused = refused.is_some();
        if let Some(fault) = refused {
            tracing::debug!(code = fault.code.word(), why = %fault, "screencast refused");
            if matches!(fault.code, ErrorCode::NoPage | ErrorCode::BrowserCrashed) {
                return;
            }
        }
        let wait = self.screencast.wait_after(if is_refused { REFUSED } else { UNSEEN });
        ctx.run_later(wait, move |this, ctx| {
            let unseen =
                |running: &RunningScreencast| running.number == number && (is_refused || !running.is_seen);
            if this.screencast.running.as_ref().is_some_and(unseen) {
                this.screencast.unseen = this.screencast.unseen.saturating_add(1);
                this.restart_screencast(ctx);
            }
        });
    }

    /// Restarts the screencast for a new document if no frame of it has arrived.
    pub(crate) fn cast_document(&mut self, ctx: &mut Context<Self>) {
        self.screencast.unseen = 0;
        if self.screencast.running.as_ref().is_some_and(|running| !running.is_seen) {
            self.restart_screencast(ctx);
        }
    }

    /// Restarts the screencast to get another frame: a still page sends none, and the last one received need
    /// not be the last one painted. The state of live redaction is kept.
    pub(crate) fn restart_screencast(&mut self, ctx: &mut Context<Self>) {
        if let Some(RunningScreencast { tab, width, quality, .. }) = self.screencast.running.take() {
            tab.session.post(StopScreencastParams::default());
            self.start_cast(tab, width, quality, ctx);
        }
    }

    /// Requests another frame once the page rests, because Chromium may have dropped the last one.
    fn request_frame_at_rest(&mut self, ctx: &mut Context<Self>) {
        let crowded = |screencast: &Screencast| {
            screencast.running.as_ref().is_some_and(|running| running.in_flight.is_crowded())
        };
        if !crowded(&self.screencast) || std::mem::replace(&mut self.screencast.until_rest, true) {
            return;
        }
        let frame = self.screencast.frames;
        ctx.run_later(RESTS, move |this, ctx| {
            this.screencast.until_rest = false;
            if this.screencast.frames != frame {
                this.request_frame_at_rest(ctx);
            } else if crowded(&this.screencast) {
                this.restart_screencast(ctx);
            }
        });
    }

    pub(crate) fn handle_screencast_frame(
        &mut self,
        context: &Rc<PageContext>,
        event: &CdpEvent,
        ctx: &mut Context<Self>,
    ) {
        let Some(frame) = event.parse_params::<EventScreencastFrame>() else { return };
        let session = context.connection.session(event.session.clone().unwrap_or_default());
        let running =
            self.screencast.running.as_mut().filter(|running| running.tab.session.id() == session.id());
        let Some(RunningScreencast { tab, quality, in_flight, is_seen, .. }) = running else { return };
        *is_seen = true;
        self.screencast.unseen = 0;
        let (tab, quality, taken_ms) = (tab.clone(), *quality, taken_ms(&frame));
        let unacknowledged = in_flight.add_frame(session, frame.session_id, taken_ms);
        match decode_frame(&frame, self.screencast.frames.wrapping_add(1), taken_ms) {
            Ok(picture) => {
                self.screencast.frames = picture.frame;
                let before = self.screencast.viewers();
                self.screencast.show_holder(picture.clone(), self.takeover.holder());
                self.schedule_catch_up(ctx);
                let (holder, others) = self.screencast.watched_by(self.takeover.holder());
                if others {
                    // The holder's frame is acknowledged without waiting for the redaction of the others'.
                    self.redact_frame(picture, (!holder).then_some(unacknowledged), &tab, quality, ctx);
                }
                if self.screencast.viewers() < before {
                    self.report_status();
                }
            }
            Err(fault) => tracing::debug!(code = fault.code.word(), "picture lost"),
        }
        self.request_frame_at_rest(ctx);
    }
}
