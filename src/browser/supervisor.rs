//! Chromium's processes and who uses them, outside of the loops that they serve.
//!
//! It owns the one shared Chromium (started at the first need, ended soon after its last user) and
//! the list of browsers, one for each run tree. Runs write to it (open, release), browsers too (they
//! need Chromium, they tell what they show). States: idle → starting → up → idle. It never looks
//! into a page, and its end is the end of Chromium, by whatever cause it comes.

mod shared;

use super::attended::Attended;
use super::chromium::{self, Chromium};
use super::fault::BrowserError;
use super::reach::Reached;
use super::snapshot::Snapshot;
use super::{Browser, BrowserConfig, BrowserFact, Close, Tell};
use crate::clock::Moment;
use crate::ids::RunId;
use actix::{
    Actor, ActorContext, ActorFutureExt, Addr, AsyncContext, Context, Handler, Message, Recipient,
    ResponseActFuture, SpawnHandle, WrapFuture,
};
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

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

/// A browser wants to be connected. Starts Chromium if need be.
#[derive(Debug, Message)]
#[rtype(result = "Result<Reached, BrowserError>")]
pub struct NeedChromium;

/// The number of Chromium's process group, while one of ours runs.
#[derive(Debug, Message)]
#[rtype(result = "Option<u32>")]
pub struct ProcessGroup;

pub struct Supervisor {
    config: BrowserConfig,
    pub(super) tenants: HashMap<RunId, Tenant>,
    /// Whose browser waits for Chromium, and whether it is still wanted.
    opening: HashMap<RunId, bool>,
    chromium: State,
    /// Counts connections, so that the end of an old one is not taken for that of the new.
    generation: u64,
    ending: Option<SpawnHandle>,
    /// How many Chromium are on their way out.
    dying: watch::Sender<usize>,
    shut: bool,
}

pub(super) struct Tenant {
    browser: Addr<Browser>,
    pub(super) since: Moment,
    pub(super) shown: (String, String),
    pub(super) viewers: usize,
    lingering: Option<SpawnHandle>,
}

enum State {
    Idle,
    Starting(Vec<oneshot::Sender<Result<Reached, BrowserError>>>),
    /// `process` is none for one that runs elsewhere.
    Up {
        reached: Reached,
        process: Option<Box<Chromium>>,
    },
}

impl Supervisor {
    pub fn new(config: BrowserConfig) -> Self {
        Self {
            config,
            tenants: HashMap::new(),
            opening: HashMap::new(),
            chromium: State::Idle,
            generation: 0,
            ending: None,
            dying: watch::Sender::default(),
            shut: false,
        }
    }

    fn close(&mut self, owner: &RunId, ctx: &mut Context<Self>) {
        let Some(tenant) = self.tenants.remove(owner) else { return };
        let closed = async move { tenant.browser.send(Close).await };
        ctx.spawn(closed.into_actor(self).map(|_, this, ctx| this.end_if_unused(ctx)));
    }
}

impl Actor for Supervisor {
    type Context = Context<Self>;

    fn started(&mut self, _: &mut Self::Context) {
        chromium::sweep(&self.config.data_dir);
    }
}

impl Handler<Open> for Supervisor {
    type Result = ResponseActFuture<Self, Result<Addr<Browser>, BrowserError>>;

    fn handle(&mut self, open: Open, ctx: &mut Context<Self>) -> Self::Result {
        let told = self.reach(ctx);
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
        if let Some(ending) = self.ending.take() {
            ctx.cancel_future(ending);
        }
        let (config, me) = (self.config.clone(), ctx.address());
        let owner = open.owner.clone();
        let browser = Browser::start_for(open, config, me);
        let tenant = Tenant {
            browser: browser.clone(),
            since: Moment::now(),
            shown: Default::default(),
            viewers: 0,
            lingering: None,
        };
        self.tenants.insert(owner, tenant);
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
        let Some(tenant) = self.tenants.get_mut(&owner) else { return };
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

    fn handle(&mut self, _: NeedChromium, ctx: &mut Context<Self>) -> Self::Result {
        let told = self.reach(ctx);
        Attended::by(async move { told.await.unwrap_or(Err(BrowserError::ShuttingDown)) })
    }
}

impl Handler<ProcessGroup> for Supervisor {
    type Result = Option<u32>;

    fn handle(&mut self, _: ProcessGroup, _: &mut Context<Self>) -> Self::Result {
        match &self.chromium {
            State::Up { process, .. } => process.as_ref().and_then(|process| process.group()),
            State::Idle | State::Starting(_) => None,
        }
    }
}

impl Handler<Shutdown> for Supervisor {
    type Result = ResponseActFuture<Self, ()>;

    fn handle(&mut self, _: Shutdown, _: &mut Context<Self>) -> Self::Result {
        self.shut = true;
        let started = match &mut self.chromium {
            State::Starting(waiting) => {
                let (tell, told) = oneshot::channel();
                waiting.push(tell);
                Some(told)
            }
            State::Idle | State::Up { .. } => None,
        };
        let tenants = std::mem::take(&mut self.tenants);
        let quiet = async move {
            let closes = tenants.into_values().map(|tenant| tenant.browser.send(Close));
            let _ = tokio::time::timeout(CLOSING, futures_util::future::join_all(closes)).await;
            if let Some(started) = started {
                let _ = started.await;
            }
        };
        let ended = quiet.into_actor(self).then(|(), this, _| {
            let (last, others) = (this.take_chromium(), this.all_dead());
            async move {
                last.await;
                others.await;
            }
            .into_actor(this)
        });
        Box::pin(ended.map(|(), _, ctx: &mut Context<Self>| ctx.stop()))
    }
}
