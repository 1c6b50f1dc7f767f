//! Downloads of pages: passes Chromium's events to `Downloads`, and executes its effects.

use crate::browser::actor::Browser;
use crate::browser::actor::requests;
use crate::browser::cdp::message::{CdpEvent, REPLY_TIMEOUT, RawCommand};
use crate::browser::downloads::naming::safe_file_name;
use crate::browser::downloads::{ArrivedProgram, DownloadEffect};
use crate::browser::network::request_judge::{DownloadFacts, RequestJudge};
use crate::browser::page::context::PageContext;
use crate::browser::page::held_requests::{HeldBy, HeldRequest};
use crate::page::outgoing_request::OutgoingRequest;
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use serde_json::{Value, json};
use std::rc::Rc;

impl Browser {
    /// Handles the browser-wide download events.
    pub(super) fn handle_download_event(
        &self,
        context: &Rc<PageContext>,
        event: &CdpEvent,
        ctx: &mut Context<Self>,
    ) {
        let (guid, keys) = (event.text("/guid"), context.policy.secrets());
        // While a person holds the pages, nobody asks them about what they do.
        let judge = self.judge.clone().filter(|_| self.takeover.holder().is_none());
        let is_judged = judge.is_some();
        let effect = if event.method == "Browser.downloadWillBegin" {
            let name = safe_file_name(event.text("/suggestedFilename"), keys);
            let (url, _) = keys.hide_secrets((event.text("/url").to_owned(), String::new()));
            context.downloads.handle_begin(guid, name, url, is_judged)
        } else {
            let number = |field: &str| event.params.get(field).and_then(Value::as_f64).unwrap_or_default();
            let bytes = number("receivedBytes").max(number("totalBytes"));
            context.downloads.handle_progress(guid, event.text("/state"), bytes, is_judged)
        };
        match effect {
            Some(DownloadEffect::Cancel { guid, why }) => self.cancel_download(context, guid, why, ctx),
            Some(DownloadEffect::Note(note)) => context.notes.add(note),
            Some(DownloadEffect::Judge { guid, program }) => {
                if let Some(judge) = judge {
                    self.judge_download(context, &*judge, (guid, program), ctx);
                }
            }
            None => {}
        }
    }

    /// Has a program judged that has arrived. If a person must be asked, it is held like a request.
    fn judge_download(
        &self,
        context: &Rc<PageContext>,
        judge: &dyn RequestJudge,
        (guid, program): (String, ArrivedProgram),
        ctx: &mut Context<Self>,
    ) {
        let ArrivedProgram { name, url, size, kind } = program;
        let page = self.shown.0.clone();
        let request = OutgoingRequest {
            method: String::from("GET"),
            url: url.clone(),
            page: page.clone(),
            size: Some(size),
            ..OutgoingRequest::default()
        };
        let judged = judge.judge_download(DownloadFacts { name, url, size, kind, page });
        let held = HeldRequest {
            arrival: 0,
            id: guid.clone(),
            held_by: HeldBy::DownloadFolder,
            kind: format!("download {guid}"),
            request,
            question: Value::Null,
        };
        let Some(arrival) = context.held_requests.begin_judgement() else {
            requests::fail(context, &held);
            return context.downloads.leave_waiting(&guid);
        };
        let context = Rc::downgrade(context);
        ctx.spawn(judged.into_actor(self).map(move |decision, _, _| {
            let Some(context) = context.upgrade() else { return };
            requests::carry_out_decision(&context, decision, HeldRequest { arrival, ..held });
            // The action that fetched it waits no longer.
            context.downloads.leave_waiting(&guid);
        }));
    }

    /// Cancels a download. Chromium refuses to cancel that of another page context; only our own are
    /// reported.
    fn cancel_download(&self, context: &Rc<PageContext>, guid: String, why: String, ctx: &mut Context<Self>) {
        let mut params = json!({"guid": guid});
        if context.profile_folder.is_none() {
            params["browserContextId"] = json!(context.id);
        }
        let reply = context
            .connection
            .browser()
            .send(RawCommand::new("Browser.cancelDownload", params), REPLY_TIMEOUT);
        let context = Rc::downgrade(context);
        ctx.spawn(reply.into_actor(self).map(move |cancelled, _, _| {
            let Some(context) = context.upgrade() else { return };
            let effect = context.downloads.handle_cancelled(&guid, cancelled.is_ok(), &why);
            if let Some(DownloadEffect::Note(note)) = effect {
                context.notes.add(note);
            }
        }));
    }
}
