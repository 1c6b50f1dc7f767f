//! CDP events, and the browser actor's reactions to them.

use super::listed::Shown;
use super::window::Window;
use super::wire::{CdpEvent, Events, PATIENCE};
use super::{Browser, BrowserFact};
use actix::{ActorFutureExt, AsyncContext, Context, StreamHandler, WrapFuture};
use chromiumoxide::cdp::browser_protocol::target::{GetTargetInfoParams, TargetId};
use futures_util::{Stream, StreamExt, stream};
use std::rc::{Rc, Weak};
use std::sync::Arc;

/// A CDP event with its origin. Events of a page context that has been replaced are ignored.
pub(super) enum BrowserEvent {
    /// Event of the browser as a whole.
    Root(Weak<Window>, Arc<CdpEvent>),
    /// Event of one page.
    Page(Weak<Window>, Arc<CdpEvent>),
    /// Chromium has ended.
    Gone(Weak<Window>),
}

impl StreamHandler<BrowserEvent> for Browser {
    fn handle(&mut self, heard: BrowserEvent, ctx: &mut Context<Self>) {
        let (BrowserEvent::Root(from, _) | BrowserEvent::Page(from, _) | BrowserEvent::Gone(from)) = &heard;
        let Some(window) = from.upgrade().filter(|window| self.is_ours(window)) else { return };
        match heard {
            BrowserEvent::Root(_, event) => self.hear_root(&window, &event, ctx),
            BrowserEvent::Page(_, event) => self.hear_page(&window, &event, ctx),
            BrowserEvent::Gone(_) => {
                self.here.window.replace(None);
                self.crashed("chromium ended", ctx);
            }
        }
        self.confide();
    }

    /// Keeps the actor running when one stream ends.
    fn finished(&mut self, _: &mut Context<Self>) {}
}

impl Browser {
    fn is_ours(&self, window: &Rc<Window>) -> bool {
        self.here.window.borrow().as_ref().is_some_and(|ours| Rc::ptr_eq(ours, window))
    }

    pub(super) fn listen_to(&self, window: &Rc<Window>, ctx: &mut Context<Self>) {
        let from = Rc::downgrade(window);
        let events = stream_of(window.link.browser().listen());
        let gone = stream::once(std::future::ready(BrowserEvent::Gone(from.clone())));
        ctx.add_stream(events.map(move |event| BrowserEvent::Root(from.clone(), event)).chain(gone));
    }

    fn hear_root(&mut self, window: &Rc<Window>, event: &CdpEvent, ctx: &mut Context<Self>) {
        let kind = event.text("/targetInfo/type");
        let is_ours = event.text("/targetInfo/browserContextId") == window.context.as_ref();
        let is_page = is_ours && kind == "page";
        match event.method.as_str() {
            "Target.attachedToTarget" if is_page => self.take_in(window, event, ctx),
            "Target.targetCreated" if is_page && !window.attaches => {
                window.attach(event.text("/targetInfo/targetId"));
            }
            "Target.targetInfoChanged" if is_page => self.refresh(window, ctx),
            "Target.targetInfoChanged" if is_ours && kind == "iframe" => self.veil.stir(),
            "Target.targetDestroyed" if window.drop_tab(event.text("/targetId")) => self.follow_cast(ctx),
            "Browser.downloadWillBegin" | "Browser.downloadProgress" => {
                self.download_told(window, event, ctx)
            }
            "Target.targetCrashed" => self.tab_crashed(window, event.text("/targetId"), ctx),
            _ => {}
        }
    }

    fn hear_page(&mut self, window: &Rc<Window>, event: &CdpEvent, ctx: &mut Context<Self>) {
        let session = event.session.as_deref().unwrap_or_default();
        window.hear(event);
        window.processes.hear(event, &window.link);
        match event.method.as_str() {
            "Page.frameDetached" => window.forget_frames(session, Some(event.text("/frameId"))),
            "Target.detachedFromTarget" => window.forget_frames(event.text("/sessionId"), None),
            "Page.javascriptDialogOpening" => self.dialog_opened(window, event, ctx),
            "Page.downloadWillBegin" if window.attaches => window.download_comes(event),
            "Page.downloadWillBegin" => {
                window.note(format!("download of \"{}\" refused", event.text("/suggestedFilename")));
            }
            "Page.fileChooserOpened" if !window.choosing.get() => self.chooser_opened(window, event),
            "Page.javascriptDialogClosed" => window.asking.over(session),
            "Page.frameNavigated" if event.params.pointer("/frame/parentId").is_none() => {
                window.asking.left(session);
                window.turn_away(event);
                self.chooser_over(session);
                if let Some(tab) = window.find(session) {
                    tab.turned();
                    self.veil.forget();
                    self.cast.forget();
                    self.cast_document(ctx);
                }
            }
            "Page.frameNavigated" | "Page.frameAttached" | "Target.attachedToTarget" => self.veil.stir(),
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
    fn take_in(&mut self, window: &Rc<Window>, event: &CdpEvent, ctx: &mut Context<Self>) {
        let (target, session) =
            (event.text("/targetInfo/targetId").to_owned(), event.text("/sessionId").to_owned());
        if window.has(&target) {
            return;
        }
        let waits = event.params.pointer("/waitingForDebugger").and_then(serde_json::Value::as_bool);
        let from = Rc::downgrade(window);
        let events = stream_of(window.link.session(session.clone()).listen_with_pictures());
        ctx.add_stream(events.map(move |event| BrowserEvent::Page(from.clone(), event)));
        let window = Rc::clone(window);
        let coming = window.announce();
        let taken = async move {
            let _coming = coming;
            window.take_in(&target, &session, waits.unwrap_or_default()).await
        };
        ctx.spawn(taken.into_actor(self).map(|taken, this, ctx| match taken {
            Ok(_) => this.follow_cast(ctx),
            Err(fault) => tracing::warn!(run_id = %this.owner, code = fault.code.word(), "page not taken in"),
        }));
    }

    fn tab_crashed(&mut self, window: &Rc<Window>, target: &str, ctx: &mut Context<Self>) {
        if !window.drop_tab(target) {
            return;
        }
        window.close_target(target);
        if window.count() == 0 {
            self.crashed("the page crashed", ctx);
        } else {
            self.follow_cast(ctx);
        }
    }

    /// Fetches address and title of the tab in front from Chromium instead of the page, which may be busy. No
    /// event reports a changed title by itself.
    pub(super) fn refresh(&self, window: &Rc<Window>, ctx: &mut Context<Self>) {
        let Ok(tab) = window.current() else { return };
        let order = GetTargetInfoParams { target_id: Some(TargetId::new(tab.target)) };
        let asked = window.link.browser().begin(order, PATIENCE);
        ctx.spawn(asked.into_actor(self).map(|told, this, _| {
            if let Ok(told) = told {
                this.show(told.target_info.url, told.target_info.title);
            }
        }));
    }

    fn show(&mut self, url: String, title: String) {
        let shown = self.here.config.keys.hidden_in((url, title));
        if !shown.0.is_empty() && self.shown != shown {
            self.shown = shown;
            let (url, title) = self.shown.clone();
            self.tell(BrowserFact::Navigated { url, title });
            self.show_address();
            self.report();
        }
    }

    /// Reports address, title, viewers and holder to the supervisor, for its list.
    pub(super) fn report(&self) {
        let (url, title) = self.shown.clone();
        self.supervisor.do_send(Shown {
            owner: self.owner.clone(),
            url,
            title,
            viewers: self.cast.viewers(),
            holder: self.holding.holder().cloned(),
        });
    }
}

fn stream_of(events: Events) -> impl Stream<Item = Arc<CdpEvent>> {
    stream::unfold(events, |mut events| async move { events.recv().await.map(|event| (event, events)) })
}
