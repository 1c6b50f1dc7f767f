//! Opening the context, and opening it again where it was after a crash or a restart.

use super::attended::Attended;
use super::fault::{BrowserError, Code, Fault};
use super::snapshot::{self, Snapshot};
use super::supervisor::NeedChromium;
use super::window::Window;
use super::{Browser, BrowserFact, Here, cookies};
use actix::{ActorFutureExt, AsyncContext, Context, Handler, Message, WrapFuture};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::oneshot;

const REOPEN: Duration = Duration::from_secs(10);

/// Makes sure that a page is open.
#[derive(Message)]
#[rtype(result = "Result<(), Fault>")]
pub struct Ensure;

/// Whether the opening is under way, and what it opens from.
#[derive(Debug)]
pub struct Standing {
    opening: bool,
    waiting: Vec<oneshot::Sender<Result<(), Fault>>>,
    /// The next opening puts the snapshot back.
    restore: bool,
    crashed: bool,
}

impl Standing {
    pub fn new(restore: bool) -> Self {
        Self { opening: false, waiting: Vec::new(), restore, crashed: false }
    }

    /// It is still to be where it was.
    pub fn restores(&self) -> bool {
        self.restore
    }
}

impl Here {
    /// The open window. Opens it if need be.
    pub async fn window(&self) -> Result<Rc<Window>, Fault> {
        self.me.send(Ensure).await.map_err(|_| closed())??;
        self.window.borrow().clone().ok_or_else(closed)
    }
}

impl Handler<Ensure> for Browser {
    type Result = Attended<Result<(), Fault>>;

    fn handle(&mut self, _: Ensure, ctx: &mut Context<Self>) -> Self::Result {
        if self.is_open() {
            return Attended::now(Ok(()));
        }
        let (tell, told) = oneshot::channel();
        self.standing.waiting.push(tell);
        self.open(ctx);
        Attended::by(async move { told.await.unwrap_or_else(|_| Err(closed())) })
    }
}

impl Browser {
    fn is_open(&self) -> bool {
        let window = self.here.window.borrow();
        !self.standing.opening
            && window.as_ref().is_some_and(|window| window.count() > 0 && !window.link.is_gone())
    }

    /// Begins to open what is not open yet.
    pub(super) fn open(&mut self, ctx: &mut Context<Self>) {
        if self.standing.opening {
            return;
        }
        self.standing.opening = true;
        let window = self.here.window.borrow().clone().filter(|window| !window.link.is_gone());
        let (supervisor, owner) = (self.supervisor.clone(), self.owner.clone());
        let config = Rc::clone(&self.here.config);
        let folder = config.files.of(&self.owner);
        let opened = async move {
            if let Some(window) = window {
                return Ok((window, false));
            }
            let reached =
                supervisor.send(NeedChromium { owner }).await.map_err(|_| BrowserError::ShuttingDown)??;
            Ok((Rc::new(Window::open(&reached, &config, folder).await?), true))
        };
        ctx.spawn(opened.into_actor(self).map(|opened, this, ctx| match opened {
            Ok((window, fresh)) => this.furnish(window, fresh, ctx),
            Err(fault) => this.answer(Err(fault)),
        }));
    }

    /// The context is there: gets its first page, at the address of the snapshot if there is one.
    fn furnish(&mut self, window: Rc<Window>, fresh: bool, ctx: &mut Context<Self>) {
        if fresh {
            self.listen_to(&window, ctx);
            self.here.window.replace(Some(Rc::clone(&window)));
            self.bound();
            if self.holding.holder().is_some() {
                window.by_hand(true);
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
            this.furnished(&furnishes, fresh, furnished.as_ref());
            this.answer(furnished.map(|_| ()));
            this.follow_cast(ctx);
        }));
    }

    /// What did not come back is still to be put back, and not into a context without its cookies.
    fn furnished(&mut self, window: &Rc<Window>, fresh: bool, furnished: Result<&Option<String>, &Fault>) {
        let ours = self.here.window.borrow().as_ref().is_some_and(|ours| Rc::ptr_eq(ours, window));
        match furnished {
            Ok(reopened) if ours => {
                self.standing.restore = false;
                if let (Some(url), true) = (reopened, std::mem::take(&mut self.standing.crashed)) {
                    self.tell(BrowserFact::Reopened { url: url.clone() });
                }
            }
            Err(_) if ours && fresh => drop(self.here.window.replace(None)),
            Ok(_) | Err(_) => {}
        }
    }

    fn answer(&mut self, result: Result<(), Fault>) {
        self.standing.opening = false;
        for waiting in self.standing.waiting.drain(..) {
            let _ = waiting.send(result.clone());
        }
    }

    /// It stands in no Chromium any more; the next need opens it where it stood.
    pub(super) fn set_down(&mut self, ctx: &mut Context<Self>) {
        self.here.window.replace(None);
        self.standing.restore = true;
        self.cast.stopped();
        self.open_for_people(ctx);
    }

    /// Somebody looks at the page or holds it: it is opened without anybody else's need.
    fn open_for_people(&mut self, ctx: &mut Context<Self>) {
        if self.cast.viewers() > 0 || self.holding.holder().is_some() {
            self.open(ctx);
        }
    }

    /// The page in front died, or all of Chromium did.
    pub(super) fn crashed(&mut self, reason: &str, ctx: &mut Context<Self>) {
        tracing::warn!(run_id = %self.owner, reason, "browser crashed");
        self.standing.restore = true;
        self.standing.crashed = true;
        self.cast.stopped();
        self.tell(BrowserFact::Crashed { reason: reason.to_owned() });
        self.open_for_people(ctx);
    }
}

/// Those of the snapshot; those of the profile where there is one, as another run may have had it since.
async fn put_cookies(window: &Window, snapshot: Option<&Snapshot>) -> Result<(), Fault> {
    match (&window.lasting, snapshot) {
        (Some(profile), _) => cookies::put(window, &cookies::kept(profile)).await,
        (None, Some(snapshot)) => cookies::put(window, &snapshot.cookies).await,
        (None, None) => Ok(()),
    }
}

/// A page that does not come back is no reason to have no browser.
async fn restore(tab: &super::tab::Tab, snapshot: &Snapshot, limit: Duration) -> Result<(), Fault> {
    match snapshot::reopen(tab, snapshot, limit.min(REOPEN)).await {
        Err(fault) if fault.code == Code::BrowserCrashed => Err(fault),
        Err(fault) => {
            tracing::warn!(url = %snapshot.url, code = fault.code.word(), "the page did not come back");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

fn closed() -> Fault {
    Fault::new(Code::NoPage, "the browser is closed; start a new run")
}
