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
    CLOSING, CloseAll, FindBrowser, OpenBrowser, ProcessGroup, ReleaseBrowser, SetProfile, Shutdown,
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
    pub(in crate::browser) users: HashMap<RunId, PoolUser>,
    /// Owners whose browser waits for Chromium, and whether it is still wanted.
    opening: HashMap<RunId, bool>,
    /// Profile keys of owners that do not use the shared instance.
    pub(in crate::browser) profile_keys: HashMap<RunId, ProfileKey>,
    pub(in crate::browser) instances: HashMap<ProfileKey, Instance>,
    /// Number of browsers that are closing, per profile key.
    closing: HashMap<ProfileKey, usize>,
    pub(in crate::browser) slots: Slots,
    pub(in crate::browser) shut: bool,
}

impl Supervisor {
    pub fn new(config: BrowserConfig) -> Self {
        Self {
            config,
            users: HashMap::new(),
            opening: HashMap::new(),
            profile_keys: HashMap::new(),
            instances: HashMap::new(),
            closing: HashMap::new(),
            slots: Slots::default(),
            shut: false,
        }
    }

    pub(in crate::browser) fn close(&mut self, owner: &RunId, ctx: &mut Context<Self>) {
        if !self.slots.is_working(owner) {
            self.profile_keys.remove(owner);
        }
        let Some(user) = self.users.remove(owner) else { return };
        for timer in [user.lingering, user.idle].into_iter().flatten() {
            ctx.cancel_future(timer);
        }
        *self.closing.entry(user.profile_key.clone()).or_default() += 1;
        let closing = async move { user.browser.send(Close).await };
        ctx.spawn(closing.into_actor(self).map(move |_, this, ctx| {
            if let Some(count) = this.closing.get_mut(&user.profile_key) {
                *count -= 1;
            }
            this.end_if_unused(&user.profile_key, ctx);
            this.assign_slots(ctx);
        }));
    }

    /// Returns the number of browsers of this profile key that are still closing.
    pub(in crate::browser) fn closing_count(&self, profile_key: &ProfileKey) -> usize {
        self.closing.get(profile_key).copied().unwrap_or_default()
    }

    fn find_profile_key(&self, owner: &RunId) -> ProfileKey {
        self.profile_keys.get(owner).cloned().unwrap_or_default()
    }

    /// Reports whether its run has ended, so that it only waits for a further message.
    pub(in crate::browser) fn is_lingering(&self, owner: &RunId) -> bool {
        self.users.get(owner).is_some_and(|user| user.lingering.is_some())
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
        let profile_key = self.find_profile_key(&open.owner);
        let reply = self.connect(&profile_key, ctx);
        self.opening.insert(open.owner.clone(), true);
        let connecting = async move { reply.await.unwrap_or(Err(BrowserError::ShuttingDown)) };
        Box::pin(connecting.into_actor(self).map(|connected, this, ctx| {
            let wanted = this.opening.remove(&open.owner).unwrap_or(true);
            connected?;
            // Released while Chromium was starting: nothing would ever close the browser opened now.
            if wanted { Ok(this.open_browser(open, ctx)) } else { Err(BrowserError::ShuttingDown) }
        }))
    }
}

impl Supervisor {
    fn open_browser(&mut self, open: OpenBrowser, ctx: &mut Context<Self>) -> Addr<Browser> {
        if let Some(user) = self.users.get_mut(&open.owner).filter(|user| user.browser.connected()) {
            if let Some(lingering) = user.lingering.take() {
                ctx.cancel_future(lingering);
            }
            user.browser.do_send(SetEventRecipient { events: open.events, observations: open.observations });
            return user.browser.clone();
        }
        let (config, me) = (self.config.clone(), ctx.address());
        let (owner, profile_key) = (open.owner.clone(), self.find_profile_key(&open.owner));
        // A browser that is still running would have been found above.
        self.close(&owner, ctx);
        let OpenBrowser { snapshot, events, languages, observations, .. } = open;
        let start = BrowserStart { owner: owner.clone(), snapshot, events, languages, observations };
        let browser = Browser::start_for(start, config, me.clone().recipient(), me.recipient());
        let user = PoolUser {
            browser: browser.clone(),
            profile_key,
            since: Moment::now(),
            shown: Default::default(),
            viewers: 0,
            holder: None,
            lingering: None,
            idle: None,
        };
        self.users.insert(owner.clone(), user);
        if !self.slots.is_working(&owner) {
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
        let Some(user) = self.users.get_mut(&owner) else {
            self.profile_keys.remove(&owner);
            return;
        };
        user.browser.do_send(RunEnded);
        if let Some(before) = user.lingering.take() {
            ctx.cancel_future(before);
        }
        user.lingering = Some(ctx.run_later(linger, move |this, ctx| this.close(&owner, ctx)));
    }
}

impl Handler<FindBrowser> for Supervisor {
    type Result = Option<Addr<Browser>>;

    fn handle(&mut self, FindBrowser { owner }: FindBrowser, _: &mut Context<Self>) -> Self::Result {
        self.users.get(&owner).map(|user| user.browser.clone()).filter(Addr::connected)
    }
}

impl Handler<NeedChromium> for Supervisor {
    type Result = CancelOnDrop<Result<ChromiumConnection, BrowserError>>;

    fn handle(&mut self, NeedChromium { owner }: NeedChromium, ctx: &mut Context<Self>) -> Self::Result {
        // Uses the profile key from the time it was opened, whatever its owner has set since.
        let profile_key = self.users.get(&owner).map(|user| user.profile_key.clone());
        let reply = self.connect(&profile_key.unwrap_or_else(|| self.find_profile_key(&owner)), ctx);
        CancelOnDrop::by(async move { reply.await.unwrap_or(Err(BrowserError::ShuttingDown)) })
    }
}

impl Handler<SetProfile> for Supervisor {
    type Result = Result<(), BrowserError>;

    fn handle(&mut self, SetProfile { owner, profile }: SetProfile, ctx: &mut Context<Self>) -> Self::Result {
        let profile_key = ProfileKey::from_profile(profile.clone());
        match profile.clone().filter(|_| !self.is_free(&profile_key, &owner, ctx)) {
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

impl Handler<CloseAll> for Supervisor {
    type Result = ResponseActFuture<Self, ()>;

    fn handle(&mut self, _: CloseAll, ctx: &mut Context<Self>) -> Self::Result {
        self.opening.values_mut().for_each(|wanted| *wanted = false);
        let owners: Vec<RunId> = self.users.keys().cloned().collect();
        owners.iter().for_each(|owner| self.close(owner, ctx));
        // The processes are not waited for by their pages: those end with them.
        let starting = self.still_starting();
        let ended = self.end_all();
        // A browser that starts has no page yet, and ends by itself if nobody uses it.
        let started =
            tokio::time::timeout(CLOSING, futures_util::future::join_all(starting)).into_actor(self);
        Box::pin(
            ended
                .into_actor(self)
                .then(|(), _, _| started)
                .then(|_, this, _| this.end_all().into_actor(this)),
        )
    }
}

impl Handler<Shutdown> for Supervisor {
    type Result = ResponseActFuture<Self, ()>;

    fn handle(&mut self, _: Shutdown, _: &mut Context<Self>) -> Self::Result {
        self.shut = true;
        let starting = self.still_starting();
        let users = std::mem::take(&mut self.users);
        let quiet = async move {
            let closes = users.into_values().map(|user| user.browser.send(Close));
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
    pub(in crate::browser) profile_key: ProfileKey,
    pub(in crate::browser) since: Moment,
    pub(in crate::browser) shown: (String, String),
    pub(in crate::browser) viewers: usize,
    pub(in crate::browser) holder: Option<SessionId>,
    lingering: Option<SpawnHandle>,
    /// Timer that closes the browser when nobody needs it.
    pub(in crate::browser) idle: Option<SpawnHandle>,
}
