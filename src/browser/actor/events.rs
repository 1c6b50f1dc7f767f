//! CDP events, and the browser actor's reactions to them.

use crate::browser::actor::Browser;
use crate::browser::cdp::message::{CdpEvent, CdpEvents, PATIENCE};
use crate::browser::messages::{BrowserEvent, BrowserStatus};
use crate::browser::page::context::PageContext;
use actix::{ActorFutureExt, AsyncContext, Context, StreamHandler, WrapFuture};
use chromiumoxide::cdp::browser_protocol::target::{GetTargetInfoParams, TargetId};
use futures_util::{Stream, StreamExt, stream};
use std::rc::{Rc, Weak};
use std::sync::Arc;

/// A CDP event with its origin. Events of a page context that has been replaced are ignored.
pub(crate) enum TargetEvent {
    /// Event of the browser as a whole.
    Root(Weak<PageContext>, Arc<CdpEvent>),
    /// Event of one page.
    Page(Weak<PageContext>, Arc<CdpEvent>),
    /// Chromium has ended.
    Gone(Weak<PageContext>),
}

impl StreamHandler<TargetEvent> for Browser {
    fn handle(&mut self, heard: TargetEvent, ctx: &mut Context<Self>) {
        let (TargetEvent::Root(from, _) | TargetEvent::Page(from, _) | TargetEvent::Gone(from)) = &heard;
        let Some(window) = from.upgrade().filter(|window| self.is_ours(window)) else { return };
        match heard {
            TargetEvent::Root(_, event) => self.handle_root_event(&window, &event, ctx),
            TargetEvent::Page(_, event) => self.handle_page_event(&window, &event, ctx),
            TargetEvent::Gone(_) => {
                self.here.window.replace(None);
                self.handle_crash("chromium ended", ctx);
            }
        }
        self.send_dialog_to_holder();
    }

    /// Keeps the actor running when one stream ends.
    fn finished(&mut self, _: &mut Context<Self>) {}
}

impl Browser {
    fn is_ours(&self, window: &Rc<PageContext>) -> bool {
        self.here.window.borrow().as_ref().is_some_and(|ours| Rc::ptr_eq(ours, window))
    }

    pub(crate) fn listen_to(&self, window: &Rc<PageContext>, ctx: &mut Context<Self>) {
        let from = Rc::downgrade(window);
        let events = stream_of(window.link.browser().listen());
        let gone = stream::once(std::future::ready(TargetEvent::Gone(from.clone())));
        ctx.add_stream(events.map(move |event| TargetEvent::Root(from.clone(), event)).chain(gone));
    }

    fn handle_root_event(&mut self, window: &Rc<PageContext>, event: &CdpEvent, ctx: &mut Context<Self>) {
        let kind = event.text("/targetInfo/type");
        let is_ours = event.text("/targetInfo/browserContextId") == window.context.as_ref();
        let is_page = is_ours && kind == "page";
        match event.method.as_str() {
            "Target.attachedToTarget" if is_page => self.set_up_page(window, event, ctx),
            "Target.targetCreated" if is_page && !window.attaches => {
                window.attach(event.text("/targetInfo/targetId"));
            }
            "Target.targetInfoChanged" if is_page => self.refresh(window, ctx),
            "Target.targetInfoChanged" if is_ours && kind == "iframe" => self.veil.record_frame_navigation(),
            "Target.targetDestroyed" if window.drop_tab(event.text("/targetId")) => self.update_cast(ctx),
            "Browser.downloadWillBegin" | "Browser.downloadProgress" => {
                self.handle_download_event(window, event, ctx)
            }
            "Target.targetCrashed" => self.tab_crashed(window, event.text("/targetId"), ctx),
            _ => {}
        }
    }

    fn handle_page_event(&mut self, window: &Rc<PageContext>, event: &CdpEvent, ctx: &mut Context<Self>) {
        let session = event.session.as_deref().unwrap_or_default();
        window.note_event(event);
        window.processes.handle_event(event, &window.link);
        match event.method.as_str() {
            "Page.frameDetached" => window.forget_frames(session, Some(event.text("/frameId"))),
            "Target.detachedFromTarget" => window.forget_frames(event.text("/sessionId"), None),
            "Page.javascriptDialogOpening" => self.dialog_opened(window, event, ctx),
            "Page.downloadWillBegin" if window.attaches => window.downloads.announce(event.text("/guid")),
            "Page.downloadWillBegin" => {
                window.note(format!("download of \"{}\" refused", event.text("/suggestedFilename")));
            }
            "Page.fileChooserOpened" if !window.choosing.get() => self.chooser_opened(window, event),
            "Page.javascriptDialogClosed" => window.asking.forget_session(session),
            "Page.frameNavigated" if event.params.pointer("/frame/parentId").is_none() => {
                window.asking.end_leaving(session);
                window.empty_blocked_page(event);
                self.close_chooser_of_session(session);
                if let Some(tab) = window.find(session) {
                    tab.handle_navigation();
                    self.veil.reset_for_document();
                    self.cast.forget();
                    self.cast_document(ctx);
                }
            }
            "Page.frameNavigated" | "Page.frameAttached" | "Target.attachedToTarget" => {
                self.veil.record_frame_navigation()
            }
            "Page.navigatedWithinDocument" | "Page.domContentEventFired" | "Page.loadEventFired" => {
                self.refresh(window, ctx);
            }
            "Page.screencastFrame" => self.picture(window, event, ctx),
            "Inspector.targetCrashed" => {
                if let Some(tab) = window.find(session) {
                    self.tab_crashed(window, &tab.target, ctx);
                }
            }
            _ => {}
        }
    }

    /// Sets up a page that attached and brings it to the front.
    fn set_up_page(&mut self, window: &Rc<PageContext>, event: &CdpEvent, ctx: &mut Context<Self>) {
        let (target, session) =
            (event.text("/targetInfo/targetId").to_owned(), event.text("/sessionId").to_owned());
        if window.has(&target) {
            return;
        }
        let waits = event.params.pointer("/waitingForDebugger").and_then(serde_json::Value::as_bool);
        let from = Rc::downgrade(window);
        let events = stream_of(window.link.session(session.clone()).listen_with_pictures());
        ctx.add_stream(events.map(move |event| TargetEvent::Page(from.clone(), event)));
        let window = Rc::clone(window);
        let coming = window.announce();
        let taken = async move {
            let _coming = coming;
            window.set_up_page(&target, &session, waits.unwrap_or_default()).await
        };
        ctx.spawn(taken.into_actor(self).map(|taken, this, ctx| match taken {
            Ok(_) => this.update_cast(ctx),
            Err(fault) => tracing::warn!(run_id = %this.owner, code = fault.code.word(), "page not taken in"),
        }));
    }

    fn tab_crashed(&mut self, window: &Rc<PageContext>, target: &str, ctx: &mut Context<Self>) {
        if !window.drop_tab(target) {
            return;
        }
        window.close_target(target);
        if window.count() == 0 {
            self.handle_crash("the page crashed", ctx);
        } else {
            self.update_cast(ctx);
        }
    }

    /// Fetches address and title of the tab in front from Chromium instead of the page, which may be busy. No
    /// event reports a changed title by itself.
    pub(crate) fn refresh(&self, window: &Rc<PageContext>, ctx: &mut Context<Self>) {
        let Ok(tab) = window.current() else { return };
        let order = GetTargetInfoParams { target_id: Some(TargetId::new(tab.target)) };
        let asked = window.link.browser().send(order, PATIENCE);
        ctx.spawn(asked.into_actor(self).map(|told, this, _| {
            if let Ok(told) = told {
                this.update_address(told.target_info.url, told.target_info.title);
            }
        }));
    }

    fn update_address(&mut self, url: String, title: String) {
        let shown = self.here.config.keys.hide_secrets((url, title));
        if !shown.0.is_empty() && self.shown != shown {
            self.shown = shown;
            let (url, title) = self.shown.clone();
            self.send_event(BrowserEvent::Navigated { url, title });
            self.show_address();
            self.report_status();
        }
    }

    /// Reports address, title, viewers and holder to the pool, for its list.
    pub(crate) fn report_status(&self) {
        let (url, title) = self.shown.clone();
        self.inventory.do_send(BrowserStatus {
            owner: self.owner.clone(),
            url,
            title,
            viewers: self.cast.viewers(),
            holder: self.holding.holder().cloned(),
        });
    }
}

fn stream_of(events: CdpEvents) -> impl Stream<Item = Arc<CdpEvent>> {
    stream::unfold(events, |mut events| async move { events.recv().await.map(|event| (event, events)) })
}
