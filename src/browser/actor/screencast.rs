//! Live pictures: passes viewers and frames to `Screencast`, and executes its effects.

use crate::browser::actor::Browser;
use crate::browser::cdp::message::{CdpEvent, REPLY_TIMEOUT};
use crate::browser::error::PageError;
use crate::browser::page::context::PageContext;
use crate::browser::page::tab::Tab;
use crate::browser::page::tab::decode_base64;
use crate::browser::screencast::viewer::{ScreencastFrame, Unwatch, Watch};
use crate::browser::screencast::{ArrivedFrame, CastEffect};
use crate::clock::Moment;
use crate::ids::SessionId;
use actix::{ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};
use chromiumoxide::cdp::browser_protocol::page::{
    EventScreencastFrame, StartScreencastFormat, StartScreencastParams, StopScreencastParams,
};
use std::rc::Rc;

/// Decodes a frame; the screencast numbers it.
fn decode_frame(event: &EventScreencastFrame, captured_at_ms: f64) -> Result<ScreencastFrame, PageError> {
    Ok(ScreencastFrame {
        frame: 0,
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
        let session = watch.session.clone();
        self.screencast.watch(watch);
        self.show_last(&session, ctx);
        self.update_screencast(ctx);
        self.report_status();
    }
}

impl Handler<Unwatch> for Browser {
    type Result = ();

    fn handle(&mut self, Unwatch { session }: Unwatch, ctx: &mut Context<Self>) {
        self.screencast.unwatch(&session);
        self.update_screencast(ctx);
        self.report_status();
    }
}

impl Browser {
    /// Shows a viewer the last frame, since a still page sends no other.
    pub(super) fn show_last(&mut self, session: &SessionId, ctx: &mut Context<Self>) {
        let effect = self.screencast.show_last(session, self.takeover.holder());
        self.run_screencast(effect, ctx);
    }

    /// Shows a frame to everyone but the holder.
    pub(super) fn show_others(&mut self, picture: ScreencastFrame, ctx: &mut Context<Self>) {
        let effect = self.screencast.show_others(picture, self.takeover.holder());
        self.run_screencast(effect, ctx);
    }

    /// Starts, restarts or stops the screencast to match the tab in front and the viewers.
    pub(super) fn update_screencast(&mut self, ctx: &mut Context<Self>) {
        let front = self.shared.context.borrow().as_ref().and_then(|context| context.current().ok());
        let effects = self.screencast.match_viewers(front);
        self.run_screencast(effects, ctx);
    }

    /// Requests another frame. The state of live redaction is kept.
    pub(super) fn restart_screencast(&mut self, ctx: &mut Context<Self>) {
        let effects = self.screencast.restart();
        self.run_screencast(effects, ctx);
    }

    /// Handles a new document in a page.
    pub(super) fn cast_document(&mut self, ctx: &mut Context<Self>) {
        let effects = self.screencast.handle_document();
        self.run_screencast(effects, ctx);
    }

    fn run_screencast(&mut self, effects: impl IntoIterator<Item = CastEffect>, ctx: &mut Context<Self>) {
        for effect in effects {
            match effect {
                CastEffect::Stop(tab) => tab.session.post(StopScreencastParams::default()),
                CastEffect::Start { tab, width, quality, number } => {
                    self.start_cast(&tab, width, quality, number, ctx);
                }
                CastEffect::ResetRedaction => self.live_redaction.reset(),
                CastEffect::Redact { picture, unacknowledged, tab, quality } => {
                    self.redact_frame(picture, unacknowledged, &tab, quality, ctx);
                }
                CastEffect::Wait(delay, timer) => {
                    ctx.run_later(delay, move |this, ctx| {
                        let effects = this.screencast.handle_timer(timer, this.takeover.holder());
                        this.run_screencast(effects, ctx);
                    });
                }
                CastEffect::ReportViewers => self.report_status(),
            }
        }
    }

    fn start_cast(&self, tab: &Tab, width: u32, quality: u32, number: u64, ctx: &mut Context<Self>) {
        let command = StartScreencastParams {
            format: Some(StartScreencastFormat::Jpeg),
            quality: Some(i64::from(quality)),
            max_width: Some(i64::from(width)),
            max_height: Some(i64::from(width) * 2),
            every_nth_frame: Some(1),
        };
        let answered = tab.session.send(command, REPLY_TIMEOUT);
        ctx.spawn(answered.into_actor(self).map(move |answer, this, ctx| {
            let refusal = answer.err();
            if let Some(fault) = &refusal {
                tracing::debug!(code = fault.code.word(), why = %fault, "screencast refused");
            }
            let effect = this.screencast.handle_start_reply(number, refusal.map(|fault| fault.code));
            this.run_screencast(effect, ctx);
        }));
    }

    pub(super) fn handle_screencast_frame(
        &mut self,
        context: &Rc<PageContext>,
        event: &CdpEvent,
        ctx: &mut Context<Self>,
    ) {
        let Some(frame) = event.parse_params::<EventScreencastFrame>() else { return };
        let session = context.connection.session(event.session.clone().unwrap_or_default());
        let Some(in_flight) = self.screencast.find_ack_window(session.id()) else { return };
        let taken_ms = taken_ms(&frame);
        let unacknowledged = in_flight.add_frame(session, frame.session_id, taken_ms);
        let picture = decode_frame(&frame, taken_ms)
            .inspect_err(|fault| tracing::debug!(code = fault.code.word(), "picture lost"))
            .ok();
        let arrived = ArrivedFrame { unacknowledged, picture };
        let effects = self.screencast.handle_frame(arrived, self.takeover.holder());
        self.run_screencast(effects, ctx);
    }
}
