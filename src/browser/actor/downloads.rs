//! Downloads of pages: asked about, refused, or kept in the files of the run.

use crate::browser::actor::Browser;
use crate::browser::cdp::message::{CdpEvent, PATIENCE, RawCommand};
use crate::browser::downloads::naming::{program_refusal, safe_file_name};
use crate::browser::downloads::registry::Download;
use crate::browser::page::context::PageContext;
use crate::files;
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use serde_json::{Value, json};
use std::rc::Rc;

impl Browser {
    /// Handles the browser-wide download events.
    pub(crate) fn handle_download_event(
        &self,
        context: &Rc<PageContext>,
        event: &CdpEvent,
        ctx: &mut Context<Self>,
    ) {
        let guid = event.text("/guid").to_owned();
        match event.method.as_str() {
            "Browser.downloadWillBegin" => self.handle_download_begin(context, &guid, event, ctx),
            "Browser.downloadProgress" if context.downloads.find(&guid).is_some() => {
                self.handle_download_progress(context, guid, event, ctx);
            }
            _ => {}
        }
    }

    fn handle_download_begin(
        &self,
        context: &Rc<PageContext>,
        guid: &str,
        event: &CdpEvent,
        ctx: &mut Context<Self>,
    ) {
        let (downloads, keys) = (&context.downloads, context.policy.secrets());
        let begun = Download {
            guid: guid.to_owned(),
            name: safe_file_name(event.text("/suggestedFilename"), keys),
            url: keys.hide_secrets((event.text("/url").to_owned(), String::new())).0,
            program_may: downloads.may_fetch_programs(),
            refused: false,
        };
        let held_back = begun.is_held_back().then(|| program_refusal(&begun));
        let room = downloads.remember(begun);
        if let Some(why) = held_back.or_else(|| (!room).then(|| String::from(TOO_MANY))) {
            self.cancel(context, guid.to_owned(), why, ctx);
        }
    }

    fn handle_download_progress(
        &self,
        context: &Rc<PageContext>,
        guid: String,
        event: &CdpEvent,
        ctx: &mut Context<Self>,
    ) {
        let number = |field: &str| event.params.get(field).and_then(Value::as_f64).unwrap_or_default();
        let bytes = number("receivedBytes").max(number("totalBytes"));
        match event.text("/state") {
            // Sizes are far below the largest integer that a float represents exactly.
            "inProgress" if bytes > context.downloads.folder.max as f64 => {
                let most = context.downloads.folder.max;
                self.cancel(context, guid, format!("it is larger than {}", files::format_size(most)), ctx);
            }
            "completed" if context.downloads.has_file(&guid) => self.keep_download(context, &guid),
            "canceled" if context.downloads.is_refused(&guid) => {}
            "canceled" if context.downloads.is_own(&guid) => {
                if let Some(begun) = context.downloads.remove(&guid) {
                    context.note(format!("download of \"{}\" broke off before it was whole", begun.name));
                }
            }
            "canceled" | "completed" => drop(context.downloads.remove(&guid)),
            _ => {}
        }
    }

    /// Cancels a download. Chromium refuses to cancel that of another page context; only our own are
    /// reported.
    fn cancel(&self, context: &Rc<PageContext>, guid: String, why: String, ctx: &mut Context<Self>) {
        context.downloads.refuse(&guid);
        let mut params = json!({"guid": guid});
        if context.profile_folder.is_none() {
            params["browserContextId"] = json!(context.id);
        }
        let order =
            context.connection.browser().send(RawCommand::new("Browser.cancelDownload", params), PATIENCE);
        let context = Rc::downgrade(context);
        ctx.spawn(order.into_actor(self).map(move |cancelled, _, _| {
            let Some(context) = context.upgrade() else { return };
            // A download that completed before it could be cancelled is handled on its completion event.
            if cancelled.is_err() && context.downloads.has_file(&guid) {
                return;
            }
            let begun = context.downloads.remove(&guid).filter(|_| cancelled.is_ok());
            if let Some(begun) = begun {
                context.note(format!("download of \"{}\" refused: {why}", begun.name));
            }
        }));
    }

    fn keep_download(&self, context: &PageContext, guid: &str) {
        let downloads = &context.downloads;
        let path = downloads.folder.incoming_path(guid);
        let Some(begun) = downloads.find(guid) else { return };
        if begun.is_held_back() || !begun.program_may && files::has_executable_signature(&path) {
            let _ = std::fs::remove_file(&path);
            context.note(format!("download of \"{}\" refused: {}", begun.name, program_refusal(&begun)));
        } else {
            match downloads.folder.move_in(&path, &begun.name) {
                Ok(kept) => {
                    context.note(format!("downloaded {}; it is among the files of this run", kept.display()));
                    downloads.keep(kept);
                }
                Err(fault) => context.note(format!("download of \"{}\" refused: {fault}", begun.name)),
            }
        }
        downloads.remove(guid);
    }
}

const TOO_MANY: &str = "too many downloads are under way";
