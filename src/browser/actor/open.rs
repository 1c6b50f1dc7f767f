//! Opening the context, and restoring it after a crash or a restart.

use crate::browser::actor::{Browser, BrowserShared, snapshot};
use crate::browser::cancel_on_drop::CancelOnDrop;
use crate::browser::error::{BrowserError, ErrorCode, PageError};
use crate::browser::messages::{BrowserEvent, NeedChromium};
use crate::browser::page::context::PageContext;
use crate::browser::page::cookies;
use crate::browser::page::tab::Tab;
use crate::browser::snapshot::Snapshot;
use actix::{ActorFutureExt, AsyncContext, Context, Handler, Message, WrapFuture};
use std::rc::Rc;
use std::time::Duration;

const REOPEN: Duration = Duration::from_secs(10);

/// Ensures that a page is open.
#[derive(Message)]
#[rtype(result = "Result<(), PageError>")]
struct EnsureOpen;

impl BrowserShared {
    /// Returns the page context, opening it if necessary.
    pub(super) async fn open_context(&self) -> Result<Rc<PageContext>, PageError> {
        self.me.send(EnsureOpen).await.map_err(|_| browser_closed())??;
        self.context.borrow().clone().ok_or_else(browser_closed)
    }
}

impl Handler<EnsureOpen> for Browser {
    type Result = CancelOnDrop<Result<(), PageError>>;

    fn handle(&mut self, _: EnsureOpen, ctx: &mut Context<Self>) -> Self::Result {
        if self.is_open() {
            return CancelOnDrop::now(Ok(()));
        }
        let reply = self.opening_state.wait_for_end();
        self.open(ctx);
        CancelOnDrop::by(async move { reply.await.unwrap_or_else(|_| Err(browser_closed())) })
    }
}

impl Browser {
    fn is_open(&self) -> bool {
        let context = self.shared.context.borrow();
        !self.opening_state.is_opening()
            && context
                .as_ref()
                .is_some_and(|context| context.tabs.count() > 0 && !context.connection.is_gone())
    }

    /// Starts opening unless that is in progress.
    pub(super) fn open(&mut self, ctx: &mut Context<Self>) {
        if !self.opening_state.begin() {
            return;
        }
        let context = self.shared.context.borrow().clone().filter(|context| !context.connection.is_gone());
        let (chromium, owner) = (self.chromium.clone(), self.owner.clone());
        let config = Rc::clone(&self.shared.config);
        let (folder, limits) = (config.files.run_files(&self.owner), self.limits.subscribe());
        let opened = async move {
            if let Some(context) = context {
                return Ok((context, false));
            }
            let chromium =
                chromium.send(NeedChromium { owner }).await.map_err(|_| BrowserError::ShuttingDown)??;
            Ok((Rc::new(PageContext::open(&chromium, &config, folder, limits).await?), true))
        };
        ctx.spawn(opened.into_actor(self).map(|opened, this, ctx| match opened {
            Ok((context, fresh)) => this.set_up_context(context, fresh, ctx),
            Err(fault) => this.opening_state.finish(&Err(fault)),
        }));
    }

    /// Sets up the page context: opens its first page, at the address of the snapshot if there is one.
    fn set_up_context(&mut self, context: Rc<PageContext>, fresh: bool, ctx: &mut Context<Self>) {
        if fresh {
            self.listen_to(&context, ctx);
            self.shared.context.replace(Some(Rc::clone(&context)));
            if self.takeover.holder().is_some() {
                context.set_takeover(true);
            }
        }
        let snapshot = self.snapshot.clone().filter(|_| self.opening_state.restores());
        let limit = self.shared.config.load_timeout;
        let furnished_context = Rc::clone(&context);
        let set_up = async move {
            let tab = context.first_tab().await?;
            if fresh {
                put_cookies(&context, snapshot.as_ref()).await?;
            }
            match snapshot {
                Some(snapshot) => restore(&tab, &snapshot, limit).await.map(|()| Some(snapshot.url)),
                None => Ok(None),
            }
        };
        ctx.spawn(set_up.into_actor(self).map(move |set_up, this, ctx| {
            this.finish_opening(&furnished_context, fresh, set_up.as_ref());
            this.opening_state.finish(&set_up.map(|_| ()));
            this.update_screencast(ctx);
        }));
    }

    /// Handles the end of opening. After a failure the snapshot stays to be restored; a new context that
    /// failed is dropped, so that it is not used without its cookies.
    fn finish_opening(
        &mut self,
        context: &Rc<PageContext>,
        fresh: bool,
        set_up: Result<&Option<String>, &PageError>,
    ) {
        let ours = self.shared.context.borrow().as_ref().is_some_and(|ours| Rc::ptr_eq(ours, context));
        match set_up {
            Ok(reopened) if ours => {
                if let (true, Some(url)) = (self.opening_state.record_open(), reopened) {
                    self.send_event(BrowserEvent::Reopened { url: url.clone() });
                }
            }
            Err(_) if ours && fresh => drop(self.shared.context.replace(None)),
            Ok(_) | Err(_) => {}
        }
    }

    /// Leaves the current Chromium; the next use restores the state in another one.
    pub(super) fn leave_chromium(&mut self, ctx: &mut Context<Self>) {
        self.shared.context.replace(None);
        self.opening_state.record_loss(false);
        self.screencast.forget_screencast();
        self.open_for_people(ctx);
    }

    /// Opens the browser without the run's need, if it has viewers or a holder.
    fn open_for_people(&mut self, ctx: &mut Context<Self>) {
        if self.screencast.viewers() > 0 || self.takeover.holder().is_some() {
            self.open(ctx);
        }
    }

    /// Handles a crash of the page in front or of Chromium.
    pub(super) fn handle_crash(&mut self, reason: &str, ctx: &mut Context<Self>) {
        tracing::warn!(run_id = %self.owner, reason, "browser crashed");
        self.opening_state.record_loss(true);
        self.screencast.forget_screencast();
        self.send_event(BrowserEvent::Crashed { reason: reason.to_owned() });
        self.open_for_people(ctx);
    }
}

/// Restores the cookies: those of a lasting profile if there is one, because another run may have used it
/// since, otherwise those of the snapshot.
async fn put_cookies(context: &PageContext, snapshot: Option<&Snapshot>) -> Result<(), PageError> {
    match (&context.profile_folder, snapshot) {
        (Some(profile), _) => cookies::restore(context, &cookies::load_profile_cookies(profile)).await,
        (None, Some(snapshot)) => cookies::restore(context, &snapshot.cookies).await,
        (None, None) => Ok(()),
    }
}

/// Restores the page. A page that fails to load is no reason to have no browser.
async fn restore(tab: &Tab, snapshot: &Snapshot, limit: Duration) -> Result<(), PageError> {
    match snapshot::reopen(tab, snapshot, limit.min(REOPEN)).await {
        Err(fault) if fault.code == ErrorCode::BrowserCrashed => Err(fault),
        Err(fault) => {
            tracing::warn!(url = %snapshot.url, code = fault.code.word(), "the page did not come back");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

fn browser_closed() -> PageError {
    PageError::new(ErrorCode::NoPage, "the browser is closed; start a new run")
}
