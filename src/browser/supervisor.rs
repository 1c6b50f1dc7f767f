//! Chromium's processes and who uses them, outside of the loops that they serve.
//!
//! It owns every Chromium (a shared one and one for each profile; each started at the first need and
//! ended soon after its last user), the list of browsers, one for each run tree, and the places to work
//! in them. Runs write to it (enter, open, release), browsers too (they need Chromium, they tell what
//! they show). Each Chromium is idle → starting → up → idle. It never looks into a page, and its end is
//! the end of Chromium, by whatever cause it comes.

pub mod home;
pub mod houses;
mod leaving;
mod limits;
pub mod places;

pub use limits::Limits;

use super::attended::Attended;
use super::dialogs::AtRest;
use super::fault::BrowserError;
use super::reach::Reached;
use super::snapshot::Snapshot;
use super::{Browser, BrowserConfig, BrowserFact, Close, Tell, strays};
use crate::clock::Moment;
use crate::ids::{RunId, SessionId};
use actix::{
    Actor, ActorContext, ActorFutureExt, Addr, AsyncContext, Context, ContextFutureSpawner, Handler, Message,
    Recipient, ResponseActFuture, SpawnHandle, WrapFuture,
};
use home::Home;
use houses::House;
use places::Places;
use std::collections::HashMap;
use std::time::Duration;

/// How long pages may take to close at the end; Chromium dies with them anyway.
const CLOSING: Duration = Duration::from_secs(1);

/// The browser of a run tree: the same one for as long as it was not closed. Cancels its lingering.
/// `facts` hears what befalls it; a fresh one stands where `snapshot` says.
#[derive(Debug, Message)]
#[rtype(result = "Result<Addr<Browser>, BrowserError>")]
pub struct Open {
    /// The root of the run tree.
    pub owner: RunId,
    pub snapshot: Option<Snapshot>,
    pub facts: Recipient<BrowserFact>,
    /// As in [`BrowserConfig`]; a browser that is there already keeps its own.
    pub languages: Option<&'static str>,
    /// How many looks it has had before; they are counted on.
    pub looks: u64,
}

/// The run ended: its browser is closed after `linger`, or what the settings say.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Release {
    pub owner: RunId,
    pub linger: Option<Duration>,
}

/// The browser of that owner, if it has one.
#[derive(Debug, Message)]
#[rtype(result = "Option<Addr<Browser>>")]
pub struct Find {
    pub owner: RunId,
}

/// Closes everything. Answered when no process and no temporary folder is left; opens nothing after.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Shutdown;

/// A browser wants to be connected. Starts its Chromium if need be.
#[derive(Debug, Message)]
#[rtype(result = "Result<Reached, BrowserError>")]
pub struct NeedChromium {
    pub owner: RunId,
}

/// Where that owner's browser lives, where no run is at work to say so by entering.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), BrowserError>")]
pub struct Settle {
    pub owner: RunId,
    pub profile: Option<String>,
}

/// The number of the shared Chromium's process group, while one of ours runs.
#[derive(Debug, Message)]
#[rtype(result = "Option<u32>")]
pub struct ProcessGroup;

pub struct Supervisor {
    pub(in crate::browser) config: BrowserConfig,
    pub(in crate::browser) tenants: HashMap<RunId, Tenant>,
    /// Whose browser waits for Chromium, and whether it is still wanted.
    opening: HashMap<RunId, bool>,
    /// Who lives elsewhere than in the shared one.
    homes: HashMap<RunId, Home>,
    pub(in crate::browser) houses: HashMap<Home, House>,
    /// How many browsers are just being closed, by where they live.
    closing: HashMap<Home, usize>,
    pub(in crate::browser) places: Places,
    shut: bool,
}

/// One run tree's browser, as far as it has told.
pub(in crate::browser) struct Tenant {
    pub(in crate::browser) browser: Addr<Browser>,
    pub(in crate::browser) home: Home,
    pub(in crate::browser) since: Moment,
    pub(in crate::browser) shown: (String, String),
    pub(in crate::browser) viewers: usize,
    pub(in crate::browser) holder: Option<SessionId>,
    lingering: Option<SpawnHandle>,
    /// Closes it if nobody needs it for long.
    idle: Option<SpawnHandle>,
}

impl Supervisor {
    pub fn new(config: BrowserConfig) -> Self {
        Self {
            config,
            tenants: HashMap::new(),
            opening: HashMap::new(),
            homes: HashMap::new(),
            houses: HashMap::new(),
            closing: HashMap::new(),
            places: Places::default(),
            shut: false,
        }
    }

    pub(in crate::browser) fn close(&mut self, owner: &RunId, ctx: &mut Context<Self>) {
        if !self.places.works(owner) {
            self.homes.remove(owner);
        }
        let Some(tenant) = self.tenants.remove(owner) else { return };
        for timer in [tenant.lingering, tenant.idle].into_iter().flatten() {
            ctx.cancel_future(timer);
        }
        *self.closing.entry(tenant.home.clone()).or_default() += 1;
        let closed = async move { tenant.browser.send(Close).await };
        ctx.spawn(closed.into_actor(self).map(move |_, this, ctx| {
            if let Some(count) = this.closing.get_mut(&tenant.home) {
                *count -= 1;
            }
            this.end_if_unused(&tenant.home, ctx);
            this.serve(ctx);
        }));
    }

    /// How many browsers that lived there are not closed yet.
    fn closing(&self, home: &Home) -> usize {
        self.closing.get(home).copied().unwrap_or_default()
    }

    fn home_of(&self, owner: &RunId) -> Home {
        self.homes.get(owner).cloned().unwrap_or_default()
    }

    /// Whether its run has ended, and it stays only in case there is more to do.
    pub(in crate::browser) fn is_lingering(&self, owner: &RunId) -> bool {
        self.tenants.get(owner).is_some_and(|tenant| tenant.lingering.is_some())
    }
}

impl Actor for Supervisor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        // Nothing is started before what an earlier service left is gone.
        strays::sweep(self.config.data_dir.clone()).into_actor(self).wait(ctx);
        self.watch_limits(ctx);
    }
}

impl Handler<Open> for Supervisor {
    type Result = ResponseActFuture<Self, Result<Addr<Browser>, BrowserError>>;

    fn handle(&mut self, open: Open, ctx: &mut Context<Self>) -> Self::Result {
        let home = self.home_of(&open.owner);
        let told = self.reach(&home, ctx);
        self.opening.insert(open.owner.clone(), true);
        let reached = async move { told.await.unwrap_or(Err(BrowserError::ShuttingDown)) };
        Box::pin(reached.into_actor(self).map(|reached, this, ctx| {
            let wanted = this.opening.remove(&open.owner).unwrap_or(true);
            reached?;
            // Released while Chromium was still starting: nobody would ever close what opens now.
            if wanted { Ok(this.tenant(open, ctx)) } else { Err(BrowserError::ShuttingDown) }
        }))
    }
}

impl Supervisor {
    fn tenant(&mut self, open: Open, ctx: &mut Context<Self>) -> Addr<Browser> {
        if let Some(tenant) = self.tenants.get_mut(&open.owner).filter(|tenant| tenant.browser.connected()) {
            if let Some(lingering) = tenant.lingering.take() {
                ctx.cancel_future(lingering);
            }
            tenant.browser.do_send(Tell { facts: open.facts, looks: open.looks });
            return tenant.browser.clone();
        }
        let (config, me) = (self.config.clone(), ctx.address());
        let (owner, home) = (open.owner.clone(), self.home_of(&open.owner));
        // Whatever was there before has ended, or it would have been found.
        self.close(&owner, ctx);
        let browser = Browser::start_for(open, config, me);
        let tenant = Tenant {
            browser: browser.clone(),
            home,
            since: Moment::now(),
            shown: Default::default(),
            viewers: 0,
            holder: None,
            lingering: None,
            idle: None,
        };
        self.tenants.insert(owner.clone(), tenant);
        if !self.places.works(&owner) {
            self.rests(&owner, ctx);
        }
        browser
    }
}

impl Handler<Release> for Supervisor {
    type Result = ();

    fn handle(&mut self, Release { owner, linger }: Release, ctx: &mut Context<Self>) {
        if let Some(wanted) = self.opening.get_mut(&owner) {
            *wanted = false;
        }
        let linger = linger.unwrap_or(self.config.linger);
        if linger.is_zero() {
            return self.close(&owner, ctx);
        }
        let Some(tenant) = self.tenants.get_mut(&owner) else {
            self.homes.remove(&owner);
            return;
        };
        tenant.browser.do_send(AtRest);
        if let Some(before) = tenant.lingering.take() {
            ctx.cancel_future(before);
        }
        tenant.lingering = Some(ctx.run_later(linger, move |this, ctx| this.close(&owner, ctx)));
    }
}

impl Handler<Find> for Supervisor {
    type Result = Option<Addr<Browser>>;

    fn handle(&mut self, Find { owner }: Find, _: &mut Context<Self>) -> Self::Result {
        self.tenants.get(&owner).map(|tenant| tenant.browser.clone()).filter(Addr::connected)
    }
}

impl Handler<NeedChromium> for Supervisor {
    type Result = Attended<Result<Reached, BrowserError>>;

    fn handle(&mut self, NeedChromium { owner }: NeedChromium, ctx: &mut Context<Self>) -> Self::Result {
        // Where it was when it began, whatever its owner has said since.
        let home = self.tenants.get(&owner).map(|tenant| tenant.home.clone());
        let told = self.reach(&home.unwrap_or_else(|| self.home_of(&owner)), ctx);
        Attended::by(async move { told.await.unwrap_or(Err(BrowserError::ShuttingDown)) })
    }
}

impl Handler<Settle> for Supervisor {
    type Result = Result<(), BrowserError>;

    fn handle(&mut self, Settle { owner, profile }: Settle, ctx: &mut Context<Self>) -> Self::Result {
        let home = Home::of(profile.clone());
        match profile.clone().filter(|_| !self.is_free(&home, &owner, ctx)) {
            Some(name) => Err(BrowserError::ProfileTaken { name }),
            None => self.settle(&owner, profile).map(|_| ()),
        }
    }
}

impl Handler<ProcessGroup> for Supervisor {
    type Result = Option<u32>;

    fn handle(&mut self, _: ProcessGroup, _: &mut Context<Self>) -> Self::Result {
        self.houses.get(&Home::Shared).and_then(House::group)
    }
}

impl Handler<Shutdown> for Supervisor {
    type Result = ResponseActFuture<Self, ()>;

    fn handle(&mut self, _: Shutdown, _: &mut Context<Self>) -> Self::Result {
        self.shut = true;
        let starting = self.still_starting();
        let tenants = std::mem::take(&mut self.tenants);
        let quiet = async move {
            let closes = tenants.into_values().map(|tenant| tenant.browser.send(Close));
            let _ = tokio::time::timeout(CLOSING, futures_util::future::join_all(closes)).await;
            futures_util::future::join_all(starting).await;
        };
        let ended = quiet.into_actor(self).then(|(), this, _| this.end_all().into_actor(this));
        Box::pin(ended.map(|(), _, ctx: &mut Context<Self>| ctx.stop()))
    }
}
