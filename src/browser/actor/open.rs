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
use tokio::sync::oneshot;

const REOPEN: Duration = Duration::from_secs(10);

/// Ensures that a page is open.
#[derive(Message)]
#[rtype(result = "Result<(), PageError>")]
pub struct EnsureOpen;

impl BrowserShared {
    /// Returns the page context, opening it if necessary.
    pub async fn window(&self) -> Result<Rc<PageContext>, PageError> {
        self.me.send(EnsureOpen).await.map_err(|_| closed())??;
        self.window.borrow().clone().ok_or_else(closed)
    }
}

impl Handler<EnsureOpen> for Browser {
    type Result = CancelOnDrop<Result<(), PageError>>;

    fn handle(&mut self, _: EnsureOpen, ctx: &mut Context<Self>) -> Self::Result {
        if self.is_open() {
            return CancelOnDrop::now(Ok(()));
        }
        let (tell, told) = oneshot::channel();
        self.standing.waiting.push(tell);
        self.open(ctx);
        CancelOnDrop::by(async move { told.await.unwrap_or_else(|_| Err(closed())) })
    }
}

impl Browser {
    fn is_open(&self) -> bool {
        let window = self.here.window.borrow();
        !self.standing.opening
            && window.as_ref().is_some_and(|window| window.count() > 0 && !window.link.is_gone())
    }

    /// Starts opening unless that is in progress.
    pub(crate) fn open(&mut self, ctx: &mut Context<Self>) {
        if self.standing.opening {
            return;
        }
        self.standing.opening = true;
        let window = self.here.window.borrow().clone().filter(|window| !window.link.is_gone());
        let (chromium, owner) = (self.chromium.clone(), self.owner.clone());
        let config = Rc::clone(&self.here.config);
        let (folder, limits) = (config.files.run_files(&self.owner), self.limits.subscribe());
        let opened = async move {
            if let Some(window) = window {
                return Ok((window, false));
            }
            let reached =
                chromium.send(NeedChromium { owner }).await.map_err(|_| BrowserError::ShuttingDown)??;
            Ok((Rc::new(PageContext::open(&reached, &config, folder, limits).await?), true))
        };
        ctx.spawn(opened.into_actor(self).map(|opened, this, ctx| match opened {
            Ok((window, fresh)) => this.set_up_context(window, fresh, ctx),
            Err(fault) => this.answer(Err(fault)),
        }));
    }

    /// Sets up the page context: opens its first page, at the address of the snapshot if there is one.
    fn set_up_context(&mut self, window: Rc<PageContext>, fresh: bool, ctx: &mut Context<Self>) {
        if fresh {
            self.listen_to(&window, ctx);
            self.here.window.replace(Some(Rc::clone(&window)));
            if self.holding.holder().is_some() {
                window.set_takeover(true);
            }
        }
        let snapshot = self.snapshot.clone().filter(|_| self.standing.restore);
        let limit = self.here.config.load_timeout;
        let furnishes = Rc::clone(&window);
        let furnished = async move {
            let tab = window.first_tab().await?;
            if fresh {
                put_cookies(&window, snapshot.as_ref()).await?;
            }
            match snapshot {
                Some(snapshot) => restore(&tab, &snapshot, limit).await.map(|()| Some(snapshot.url)),
                None => Ok(None),
            }
        };
        ctx.spawn(furnished.into_actor(self).map(move |furnished, this, ctx| {
            this.finish_opening(&furnishes, fresh, furnished.as_ref());
            this.answer(furnished.map(|_| ()));
            this.update_cast(ctx);
        }));
    }

    /// Handles the end of opening. After a failure the snapshot stays to be restored; a new context that
    /// failed is dropped, so that it is not used without its cookies.
    fn finish_opening(
        &mut self,
        window: &Rc<PageContext>,
        fresh: bool,
        furnished: Result<&Option<String>, &PageError>,
    ) {
        let ours = self.here.window.borrow().as_ref().is_some_and(|ours| Rc::ptr_eq(ours, window));
        match furnished {
            Ok(reopened) if ours => {
                self.standing.restore = false;
                if let (Some(url), true) = (reopened, std::mem::take(&mut self.standing.crashed)) {
                    self.send_event(BrowserEvent::Reopened { url: url.clone() });
                }
            }
            Err(_) if ours && fresh => drop(self.here.window.replace(None)),
            Ok(_) | Err(_) => {}
        }
    }

    fn answer(&mut self, result: Result<(), PageError>) {
        self.standing.opening = false;
        for waiting in self.standing.waiting.drain(..) {
            let _ = waiting.send(result.clone());
        }
    }

    /// Leaves the current Chromium; the next use restores the state in another one.
    pub(crate) fn leave_chromium(&mut self, ctx: &mut Context<Self>) {
        self.here.window.replace(None);
        self.standing.restore = true;
        self.cast.stopped();
        self.open_for_people(ctx);
    }

    /// Opens the browser without the run's need, if it has viewers or a holder.
    fn open_for_people(&mut self, ctx: &mut Context<Self>) {
        if self.cast.viewers() > 0 || self.holding.holder().is_some() {
            self.open(ctx);
        }
    }

    /// Handles a crash of the page in front or of Chromium.
    pub(crate) fn handle_crash(&mut self, reason: &str, ctx: &mut Context<Self>) {
        tracing::warn!(run_id = %self.owner, reason, "browser crashed");
        self.standing.restore = true;
        self.standing.crashed = true;
        self.cast.stopped();
        self.send_event(BrowserEvent::Crashed { reason: reason.to_owned() });
        self.open_for_people(ctx);
    }
}

/// Restores the cookies: those of a lasting profile if there is one, because another run may have used it
/// since, otherwise those of the snapshot.
async fn put_cookies(window: &PageContext, snapshot: Option<&Snapshot>) -> Result<(), PageError> {
    match (&window.lasting, snapshot) {
        (Some(profile), _) => cookies::restore(window, &cookies::load_profile_cookies(profile)).await,
        (None, Some(snapshot)) => cookies::restore(window, &snapshot.cookies).await,
        (None, None) => Ok(()),
    }
}

/// Restores the page. A page that fails to load is no reason to have no browser.
pub(in crate::browser) async fn restore(
    tab: &Tab,
    snapshot: &Snapshot,
    limit: Duration,
) -> Result<(), PageError> {
    match snapshot::reopen(tab, snapshot, limit.min(REOPEN)).await {
        Err(fault) if fault.code == ErrorCode::BrowserCrashed => Err(fault),
        Err(fault) => {
            tracing::warn!(url = %snapshot.url, code = fault.code.word(), "the page did not come back");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

fn closed() -> PageError {
    PageError::new(ErrorCode::NoPage, "the browser is closed; start a new run")
}
