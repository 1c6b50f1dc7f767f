//! Supervisor of the Chromium processes and their users.
//!
//! An actor that owns every Chromium (a shared one, and one for each profile; each starts on first use and
//! ends soon after its last user has left), the browsers, one for each run tree, and the slots for working in
//! them. Runs send it `RequestSlot`, `OpenBrowser` and `ReleaseBrowser`; browsers send it `NeedChromium`
//! and `BrowserStatus`. States of a Chromium: idle, starting, up, idle. The actor never looks into a page. When
//! it ends, for any reason, so does every Chromium.

use crate::browser::actor::{Browser, BrowserStart};
use crate::browser::cancel_on_drop::CancelOnDrop;
use crate::browser::config::BrowserConfig;
use crate::browser::error::BrowserError;
use crate::browser::messages::{Close, NeedChromium, RunEnded, SetEventRecipient};
use crate::browser::pool::instances::Instance;
use crate::browser::pool::messages::{
    CLOSING, FindBrowser, OpenBrowser, ProcessGroup, ReleaseBrowser, SetProfile, Shutdown,
};
use crate::browser::pool::profile_key::ProfileKey;
use crate::browser::pool::slots::Slots;
use crate::browser::process::connect::ChromiumConnection;
use crate::browser::process::orphaned_processes;
use crate::clock::Moment;
use crate::ids::{RunId, SessionId};
use actix::{
    Actor, ActorContext, ActorFutureExt, Addr, AsyncContext, Context, ContextFutureSpawner, Handler,
    ResponseActFuture, SpawnHandle, WrapFuture,
};
use std::collections::HashMap;

pub struct Supervisor {
    pub(in crate::browser) config: BrowserConfig,
    pub(in crate::browser) tenants: HashMap<RunId, PoolUser>,
    /// Owners whose browser waits for Chromium, and whether it is still wanted.
    opening: HashMap<RunId, bool>,
    /// Profile keys of owners that do not use the shared instance.
    pub(in crate::browser) homes: HashMap<RunId, ProfileKey>,
    pub(in crate::browser) instances: HashMap<ProfileKey, Instance>,
    /// Number of browsers that are closing, per profile key.
    closing: HashMap<ProfileKey, usize>,
    pub(in crate::browser) places: Slots,
    pub(in crate::browser) shut: bool,
}

impl Supervisor {
    pub fn new(config: BrowserConfig) -> Self {
        Self {
            config,
            tenants: HashMap::new(),
            opening: HashMap::new(),
            homes: HashMap::new(),
            instances: HashMap::new(),
            closing: HashMap::new(),
            places: Slots::default(),
            shut: false,
        }
    }

    pub(in crate::browser) fn close(&mut self, owner: &RunId, ctx: &mut Context<Self>) {
        if !self.places.is_working(owner) {
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
            this.assign_slots(ctx);
        }));
    }

    /// Returns the number of browsers of this profile key that are still closing.
    pub(in crate::browser) fn closing(&self, home: &ProfileKey) -> usize {
        self.closing.get(home).copied().unwrap_or_default()
    }

    fn home_of(&self, owner: &RunId) -> ProfileKey {
        self.homes.get(owner).cloned().unwrap_or_default()
    }

    /// Reports whether its run has ended, so that it only waits for a further message.
    pub(in crate::browser) fn is_lingering(&self, owner: &RunId) -> bool {
        self.tenants.get(owner).is_some_and(|tenant| tenant.lingering.is_some())
    }
}

impl Actor for Supervisor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        // Chromium must not start before an earlier service's processes are gone.
        orphaned_processes::sweep(self.config.data_dir.clone()).into_actor(self).wait(ctx);
        self.watch_limits(ctx);
    }
}

impl Handler<OpenBrowser> for Supervisor {
    type Result = ResponseActFuture<Self, Result<Addr<Browser>, BrowserError>>;

    fn handle(&mut self, open: OpenBrowser, ctx: &mut Context<Self>) -> Self::Result {
        let home = self.home_of(&open.owner);
        let told = self.connect(&home, ctx);
        self.opening.insert(open.owner.clone(), true);
        let reached = async move { told.await.unwrap_or(Err(BrowserError::ShuttingDown)) };
        Box::pin(reached.into_actor(self).map(|reached, this, ctx| {
            let wanted = this.opening.remove(&open.owner).unwrap_or(true);
            reached?;
            // Released while Chromium was starting: nothing would ever close the browser opened now.
            if wanted { Ok(this.open_browser(open, ctx)) } else { Err(BrowserError::ShuttingDown) }
        }))
    }
}

impl Supervisor {
    fn open_browser(&mut self, open: OpenBrowser, ctx: &mut Context<Self>) -> Addr<Browser> {
        if let Some(tenant) = self.tenants.get_mut(&open.owner).filter(|tenant| tenant.browser.connected()) {
            if let Some(lingering) = tenant.lingering.take() {
                ctx.cancel_future(lingering);
            }
            tenant.browser.do_send(SetEventRecipient { facts: open.facts, looks: open.looks });
            return tenant.browser.clone();
        }
        let (config, me) = (self.config.clone(), ctx.address());
        let (owner, home) = (open.owner.clone(), self.home_of(&open.owner));
        // A browser that is still running would have been found above.
        self.close(&owner, ctx);
        let OpenBrowser { snapshot, facts, languages, looks, .. } = open;
        let start = BrowserStart { owner: owner.clone(), snapshot, facts, languages, looks };
        let browser = Browser::start_for(start, config, me.clone().recipient(), me.recipient());
        let tenant = PoolUser {
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
        if !self.places.is_working(&owner) {
            self.start_idle_timer(&owner, ctx);
        }
        browser
    }
}

impl Handler<ReleaseBrowser> for Supervisor {
    type Result = ();

    fn handle(&mut self, ReleaseBrowser { owner, linger }: ReleaseBrowser, ctx: &mut Context<Self>) {
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
        tenant.browser.do_send(RunEnded);
        if let Some(before) = tenant.lingering.take() {
            ctx.cancel_future(before);
        }
        tenant.lingering = Some(ctx.run_later(linger, move |this, ctx| this.close(&owner, ctx)));
    }
}

impl Handler<FindBrowser> for Supervisor {
    type Result = Option<Addr<Browser>>;

    fn handle(&mut self, FindBrowser { owner }: FindBrowser, _: &mut Context<Self>) -> Self::Result {
        self.tenants.get(&owner).map(|tenant| tenant.browser.clone()).filter(Addr::connected)
    }
}

impl Handler<NeedChromium> for Supervisor {
    type Result = CancelOnDrop<Result<ChromiumConnection, BrowserError>>;

    fn handle(&mut self, NeedChromium { owner }: NeedChromium, ctx: &mut Context<Self>) -> Self::Result {
        // Uses the profile key from the time it was opened, whatever its owner has set since.
        let home = self.tenants.get(&owner).map(|tenant| tenant.home.clone());
        let told = self.connect(&home.unwrap_or_else(|| self.home_of(&owner)), ctx);
        CancelOnDrop::by(async move { told.await.unwrap_or(Err(BrowserError::ShuttingDown)) })
    }
}

impl Handler<SetProfile> for Supervisor {
    type Result = Result<(), BrowserError>;

    fn handle(&mut self, SetProfile { owner, profile }: SetProfile, ctx: &mut Context<Self>) -> Self::Result {
        let home = ProfileKey::from_profile(profile.clone());
        match profile.clone().filter(|_| !self.is_free(&home, &owner, ctx)) {
            Some(name) => Err(BrowserError::ProfileTaken { name }),
            None => self.set_profile(&owner, profile).map(|_| ()),
        }
    }
}

impl Handler<ProcessGroup> for Supervisor {
    type Result = Option<u32>;

    fn handle(&mut self, _: ProcessGroup, _: &mut Context<Self>) -> Self::Result {
        self.instances.get(&ProfileKey::Shared).and_then(Instance::group)
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

/// State of one run tree's browser, as last reported.
pub(in crate::browser) struct PoolUser {
    pub(in crate::browser) browser: Addr<Browser>,
    pub(in crate::browser) home: ProfileKey,
    pub(in crate::browser) since: Moment,
    pub(in crate::browser) shown: (String, String),
    pub(in crate::browser) viewers: usize,
    pub(in crate::browser) holder: Option<SessionId>,
    lingering: Option<SpawnHandle>,
    /// Timer that closes the browser when nobody needs it.
    pub(in crate::browser) idle: Option<SpawnHandle>,
}
