//! Downloads of pages: passes Chromium's events to `Downloads`, and executes its effects.

use crate::browser::actor::Browser;
use crate::browser::cdp::message::{CdpEvent, REPLY_TIMEOUT, RawCommand};
use crate::browser::downloads::DownloadEffect;
use crate::browser::downloads::naming::safe_file_name;
use crate::browser::page::context::PageContext;
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
        let effect = if event.method == "Browser.downloadWillBegin" {
            let name = safe_file_name(event.text("/suggestedFilename"), keys);
            let (url, _) = keys.hide_secrets((event.text("/url").to_owned(), String::new()));
            context.downloads.handle_begin(guid, name, url)
        } else {
            let number = |field: &str| event.params.get(field).and_then(Value::as_f64).unwrap_or_default();
            let bytes = number("receivedBytes").max(number("totalBytes"));
            context.downloads.handle_progress(guid, event.text("/state"), bytes)
        };
        match effect {
            Some(DownloadEffect::Cancel { guid, why }) => self.cancel_download(context, guid, why, ctx),
            Some(DownloadEffect::Note(note)) => context.notes.add(note),
            None => {}
        }
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
