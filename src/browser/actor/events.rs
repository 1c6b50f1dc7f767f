//! CDP events, and the browser actor's reactions to them.

use crate::browser::actor::Browser;
use crate::browser::actor::requests::answers;
use crate::browser::cdp::message::{CdpEvent, CdpEvents, REPLY_TIMEOUT};
use crate::browser::cdp::request_policy::PausedRequest;
use crate::browser::messages::{BrowserEvent, BrowserStatus};
use crate::browser::page::context::PageContext;
use actix::{ActorFutureExt, AsyncContext, Context, StreamHandler, WrapFuture};
use chromiumoxide::cdp::browser_protocol::target::{GetTargetInfoParams, TargetId};
use futures_util::{Stream, StreamExt, stream};
use serde_json::Value;
use std::rc::{Rc, Weak};
use std::sync::Arc;

/// A CDP event with its origin. Events of a page context that has been replaced are ignored.
pub(super) enum TargetEvent {
    /// Event of the browser as a whole.
    Root(Weak<PageContext>, Arc<CdpEvent>),
    /// Event of one page.
    Page(Weak<PageContext>, Arc<CdpEvent>),
    /// A request that a page wants to send and that is to be judged.
    Paused(Weak<PageContext>, Box<PausedRequest>),
    /// Chromium has ended.
    Gone(Weak<PageContext>),
}

impl StreamHandler<TargetEvent> for Browser {
    fn handle(&mut self, event: TargetEvent, ctx: &mut Context<Self>) {
        let (TargetEvent::Root(from, _)
        | TargetEvent::Page(from, _)
        | TargetEvent::Paused(from, _)
        | TargetEvent::Gone(from)) = &event;
        let Some(context) = from.upgrade().filter(|context| self.is_ours(context)) else { return };
        match event {
            TargetEvent::Root(_, event) => self.handle_root_event(&context, &event, ctx),
            TargetEvent::Page(_, event) => self.handle_page_event(&context, &event, ctx),
            TargetEvent::Paused(_, paused) => self.judge_request(&context, *paused, ctx),
            TargetEvent::Gone(_) => {
                self.shared.context.replace(None);
                self.handle_crash("chromium ended", ctx);
            }
        }
        self.send_dialog_to_holder();
    }

    /// Keeps the actor running when one stream ends.
    fn finished(&mut self, _: &mut Context<Self>) {}
}

impl Browser {
    fn is_ours(&self, context: &Rc<PageContext>) -> bool {
        self.shared.context.borrow().as_ref().is_some_and(|ours| Rc::ptr_eq(ours, context))
    }

    pub(super) fn listen_to(&self, context: &Rc<PageContext>, ctx: &mut Context<Self>) {
        let from = Rc::downgrade(context);
        let events = into_stream(context.connection.browser().listen());
        let gone = stream::once(std::future::ready(TargetEvent::Gone(from.clone())));
        ctx.add_stream(events.map(move |event| TargetEvent::Root(from.clone(), event)).chain(gone));
        if let Some(paused) = context.take_paused_requests() {
            let from = Rc::downgrade(context);
            let paused =
                stream::unfold(paused, |mut paused| async move { Some((paused.recv().await?, paused)) });
            ctx.add_stream(paused.map(move |paused| TargetEvent::Paused(from.clone(), Box::new(paused))));
        }
    }

    fn handle_root_event(&mut self, context: &Rc<PageContext>, event: &CdpEvent, ctx: &mut Context<Self>) {
        let kind = event.text("/targetInfo/type");
        let is_ours = event.text("/targetInfo/browserContextId") == context.id.as_ref();
        let is_page = is_ours && kind == "page";
        match event.method.as_str() {
            "Target.attachedToTarget" if is_page => {
                let (page, opener) = (event.text("/targetInfo/targetId"), event.text("/targetInfo/openerId"));
                let is_linked = event.params.pointer("/targetInfo/canAccessOpener").and_then(Value::as_bool);
                let is_linked = is_linked.unwrap_or(true);
                context.history.borrow_mut().reach.record_opened(page, opener, is_linked);
                self.set_up_page(context, event, ctx)
            }
            "Target.attachedToTarget" if is_ours && matches!(kind, "shared_worker" | "service_worker") => {
                self.set_up_worker(context, event, ctx);
            }
            "Target.targetCreated" if is_page && !context.attaches => {
                context.attach(event.text("/targetInfo/targetId"));
            }
            "Target.targetInfoChanged" if is_page => self.refresh(context, ctx),
            "Target.targetInfoChanged" if is_ours && kind == "iframe" => {
                self.live_redaction.record_frame_navigation(self.input_time())
            }
            "Target.targetDestroyed" if context.drop_tab(event.text("/targetId")) => {
                self.update_screencast(ctx)
            }
            "Browser.downloadWillBegin" | "Browser.downloadProgress" => {
                self.handle_download_event(context, event, ctx)
            }
            "Target.targetCrashed" => self.tab_crashed(context, event.text("/targetId"), ctx),
            _ => {}
        }
    }

    fn handle_page_event(&mut self, context: &Rc<PageContext>, event: &CdpEvent, ctx: &mut Context<Self>) {
        let session = event.session.as_deref().unwrap_or_default();
        context.note_event(event);
        context.frame_sessions.handle_event(event, &context.connection);
        context.tools.handle_event(event, &context.connection);
        self.handle_socket_event(context, event, ctx);
        record_document(context, event);
        match event.method.as_str() {
            "Network.responseReceived" => answers::record_answer(context, event),
            "Network.loadingFailed" => context.held_requests.forget_failed(event.text("/requestId")),
            "Page.frameDetached" => context.forget_frames(session, Some(event.text("/frameId"))),
            "Target.detachedFromTarget" => context.forget_frames(event.text("/sessionId"), None),
            "Page.javascriptDialogOpening" => self.dialog_opened(context, event, ctx),
            "Page.downloadWillBegin" if context.attaches => {
                context.downloads.record_begin(event.text("/guid"))
            }
            "Page.downloadWillBegin" => {
                context.notes.add(format!("download of \"{}\" refused", event.text("/suggestedFilename")));
            }
            "Page.fileChooserOpened" if !context.handles_chooser() => self.handle_chooser(context, event),
            "Page.javascriptDialogClosed" => context.pending_dialog().forget_session(session),
            "Page.frameNavigated" if event.params.pointer("/frame/parentId").is_none() => {
                self.handle_navigation(context, event, ctx);
            }
            "Page.frameNavigated" | "Page.frameAttached" | "Target.attachedToTarget" => {
                self.live_redaction.record_frame_navigation(self.input_time())
            }
            "Page.navigatedWithinDocument" | "Page.domContentEventFired" | "Page.loadEventFired" => {
                self.refresh(context, ctx);
            }
            "Page.screencastFrame" => self.handle_screencast_frame(context, event, ctx),
            "Inspector.targetCrashed" => {
                if let Some(tab) = context.tabs.find_by_session(session) {
                    self.tab_crashed(context, &tab.target, ctx);
                }
            }
            _ => {}
        }
    }

    /// Handles a new document in a page itself, not in a frame of it.
    fn handle_navigation(&mut self, context: &PageContext, event: &CdpEvent, ctx: &mut Context<Self>) {
        let session = event.session.as_deref().unwrap_or_default();
        context.pending_dialog().document_arrived(session);
        context.empty_blocked_page(event);
        self.takeover.close_chooser_of_session(session);
        if let Some(tab) = context.tabs.find_by_session(session) {
            let mut history = context.history.borrow_mut();
            history.begin_document(&tab.target, event.text("/frame/url"));
            history.senders.record_loader(&tab.target, event.text("/frame/loaderId"));
            drop(history);
            tab.handle_navigation();
            self.live_redaction.reset_for_document(self.input_time());
            self.cast_document(ctx);
        }
    }

    /// Sets up a page that attached and brings it to the front.
    fn set_up_page(&mut self, context: &Rc<PageContext>, event: &CdpEvent, ctx: &mut Context<Self>) {
        let (target, session) =
            (event.text("/targetInfo/targetId").to_owned(), event.text("/sessionId").to_owned());
        if context.tabs.has(&target) {
            return;
        }
        context.sockets().add_page(&session, &target);
        let waits = event.params.pointer("/waitingForDebugger").and_then(Value::as_bool);
        let from = Rc::downgrade(context);
        let events = into_stream(context.connection.session(session.clone()).listen_with_pictures());
        ctx.add_stream(events.map(move |event| TargetEvent::Page(from.clone(), event)));
        let context = Rc::clone(context);
        let setup = context.begin_setup();
        let taken = async move {
            let _setup = setup;
            context.set_up_page(&target, &session, waits.unwrap_or_default()).await
        };
        ctx.spawn(taken.into_actor(self).map(|taken, this, ctx| match taken {
            Ok(_) => this.update_screencast(ctx),
            Err(fault) => tracing::warn!(run_id = %this.owner, code = fault.code.word(), "page not set up"),
        }));
    }

    /// Sets up a worker that belongs to no page: its sockets are held too.
    fn set_up_worker(&self, context: &Rc<PageContext>, event: &CdpEvent, ctx: &mut Context<Self>) {
        let session = context.connection.session(event.text("/sessionId").to_owned());
        context.sockets().add_attached(event);
        let from = Rc::downgrade(context);
        let events = into_stream(session.listen());
        ctx.add_stream(events.map(move |event| TargetEvent::Page(from.clone(), event)));
        context.set_up_worker(&session);
    }

    fn tab_crashed(&mut self, context: &Rc<PageContext>, target: &str, ctx: &mut Context<Self>) {
        if !context.drop_tab(target) {
            return context.tabs.record_early_crash(target);
        }
        context.close_target(target);
        if context.tabs.count() == 0 {
            self.handle_crash("the page crashed", ctx);
        } else {
            self.update_screencast(ctx);
        }
    }

    /// Fetches address and title of the tab in front from Chromium instead of the page, which may be busy. No
    /// event reports a changed title by itself.
    pub(super) fn refresh(&self, context: &Rc<PageContext>, ctx: &mut Context<Self>) {
        let Ok(tab) = context.current() else { return };
        let command = GetTargetInfoParams { target_id: Some(TargetId::new(tab.target)) };
        let request = context.connection.browser().send(command, REPLY_TIMEOUT);
        ctx.spawn(request.into_actor(self).map(|info, this, _| {
            if let Ok(info) = info {
                this.update_address(info.target_info.url, info.target_info.title);
            }
        }));
    }

    fn update_address(&mut self, url: String, title: String) {
        let shown = self.shared.config.keys.hide_secrets((url, title));
        if !shown.0.is_empty() && self.shown != shown {
            self.shown = shown;
            let (url, title) = self.shown.clone();
            self.send_event(BrowserEvent::Navigated { url, title });
            self.takeover.show_address(&self.shown.0);
            self.report_status();
        }
    }

    /// Reports address, title, viewers and holder to the pool, for its list.
    pub(super) fn report_status(&self) {
        let (url, title) = self.shown.clone();
        self.inventory.do_send(BrowserStatus {
            owner: self.owner.clone(),
            url,
            title,
            viewers: self.screencast.viewers(),
            holder: self.takeover.holder().cloned(),
        });
    }
}

fn into_stream(events: CdpEvents) -> impl Stream<Item = Arc<CdpEvent>> {
    stream::unfold(events, |mut events| async move { events.recv().await.map(|event| (event, events)) })
}

/// Records the addresses that documents get without being loaded anew, those of frames, and which document sends a request.
fn record_document(context: &PageContext, event: &CdpEvent) {
    let (frame, url) = match event.method.as_str() {
        "Network.requestWillBeSent" => {
            let (id, loader) = (event.text("/requestId"), event.text("/loaderId"));
            return context.history.borrow_mut().senders.record_sender(id, loader);
        }
        "Page.navigatedWithinDocument" => (event.text("/frameId"), event.text("/url")),
        "Page.frameNavigated" if event.params.pointer("/frame/parentId").is_some() => {
            (event.text("/frame/id"), event.text("/frame/url"))
        }
        "Target.attachedToTarget" if event.text("/targetInfo/type") == "iframe" => {
            (event.text("/targetInfo/targetId"), event.text("/targetInfo/url"))
        }
        _ => return,
    };
    let page = event.session.as_deref().and_then(|session| context.sockets().page_of(session));
    if let Some(page) = page {
        context.history.borrow_mut().reach.record_address(&page, url, frame == page);
    }
}
