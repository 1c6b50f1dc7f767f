//! Covers secrets in live pictures before they reach a viewer: executes the effects of `LiveRedaction`.

use crate::browser::actor::Browser;
use crate::browser::error::PageError;
use crate::browser::page::tab::Tab;
use crate::browser::redaction::paint;
use crate::browser::screencast::ack_window::UnacknowledgedFrame;
use crate::browser::screencast::live_redaction::{BoxesQuery, InputTime, PaintRequest, RedactionEffect};
use crate::browser::screencast::viewer::ScreencastFrame;
use crate::clock::Moment;
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};

impl Browser {
    /// Shows a frame to viewers other than the holder, once it can be redacted.
    pub(super) fn redact_frame(
        &mut self,
        picture: ScreencastFrame,
        unacknowledged: Option<UnacknowledgedFrame>,
        tab: &Tab,
        quality: u32,
        ctx: &mut Context<Self>,
    ) {
        let now = self.input_time();
        let effects = self.live_redaction.handle_frame(picture, unacknowledged, now);
        self.run_redaction(effects, tab, quality, ctx);
    }

    /// Returns the time of an input to live redaction.
    pub(super) fn input_time(&self) -> InputTime {
        InputTime { monotonic_ms: self.started.millis(), unix_ms: Moment::now().millis() as f64 }
    }

    /// Executes effects. The pictures are of this tab, and of this JPEG quality.
    fn run_redaction(
        &mut self,
        effects: impl IntoIterator<Item = RedactionEffect>,
        tab: &Tab,
        quality: u32,
        ctx: &mut Context<Self>,
    ) {
        for effect in effects {
            match effect {
                RedactionEffect::Show(picture) => self.show_others(picture, ctx),
                RedactionEffect::QueryBoxes(query) => self.query_boxes(query, tab.clone(), quality, ctx),
                RedactionEffect::Paint(request) => self.paint_frame(request, tab.clone(), quality, ctx),
                RedactionEffect::RestartCast(_unacknowledged) => self.restart_screencast(ctx),
                RedactionEffect::Wait(delay) => {
                    let tab = tab.clone();
                    ctx.run_later(delay, move |this, ctx| {
                        let (is_cast, now) = (this.screencast.shows_tab(&tab), this.input_time());
                        let effect = this.live_redaction.handle_timer(is_cast, now);
                        this.run_redaction(effect, &tab, quality, ctx);
                    });
                }
            }
        }
    }

    fn query_boxes(&self, query: BoxesQuery, tab: Tab, quality: u32, ctx: &mut Context<Self>) {
        let queried_tab = tab.clone();
        let answered = async move { queried_tab.tracked_secret_boxes().await };
        ctx.spawn(answered.into_actor(self).map(move |answered, this, ctx| {
            let reply = answered.inspect_err(log_lost_picture).ok();
            let (is_cast, now) = (this.screencast.shows_tab(&tab), this.input_time());
            let effects = this.live_redaction.handle_boxes(query, reply, is_cast, now);
            this.run_redaction(effects, &tab, quality, ctx);
        }));
    }

    fn paint_frame(&self, request: PaintRequest, tab: Tab, quality: u32, ctx: &mut Context<Self>) {
        let document = request.document;
        let painted = paint_boxes(request, u8::try_from(quality).unwrap_or(100));
        ctx.spawn(painted.into_actor(self).map(move |painted, this, ctx| {
            let picture = painted.inspect_err(log_lost_picture).ok();
            let effects = this.live_redaction.handle_painted(document, picture);
            this.run_redaction(effects, &tab, quality, ctx);
        }));
    }
}

fn log_lost_picture(fault: &PageError) {
    tracing::debug!(code = fault.code.word(), "a live picture is not shown");
}

async fn paint_boxes(request: PaintRequest, quality: u8) -> Result<ScreencastFrame, PageError> {
    let PaintRequest { picture, boxes, unacknowledged, .. } = request;
    let jpeg = paint::paint_jpeg(picture.jpeg.clone(), boxes, f64::from(picture.width), quality).await?;
    drop(unacknowledged);
    Ok(ScreencastFrame { jpeg, ..picture })
}
