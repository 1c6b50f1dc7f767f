//! Chromium instances: the shared one, and one for each lasting profile. Each starts on first use, ends soon
//! after its last user has left, and is replaced when it has become too large or too old.

use super::Supervisor;
use super::home::ProfileKey;
use crate::browser::chromium::Chromium;
use crate::browser::fault::BrowserError;
use crate::browser::process_connect::{self, ChromiumConnection, StartedChromium};
use crate::clock::{Moment, Stopwatch};
use crate::ids::RunId;
use actix::{ActorFutureExt, AsyncContext, Context, SpawnHandle, WrapFuture};
use chromiumoxide::cdp::browser_protocol::browser;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::HashSet;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Time for which an unused Chromium is kept, so that consecutive runs share it.
const GRACE: Duration = Duration::from_millis(1000);

/// An instance: its current Chromium, and replaced ones that are ending.
pub(in crate::browser) struct Instance {
    pub(in crate::browser) state: InstanceState,
    /// Counts the connections, so that the end of an old one is not mistaken for that of the current one.
    pub(super) generation: u64,
    ending: Option<SpawnHandle>,
    /// Number of Chromium processes that are ending.
    dying: watch::Sender<usize>,
    /// Replaced Chromium processes that still have users.
    pub(in crate::browser) leaving: Vec<ReplacedChromium>,
    /// Last measured memory in megabytes.
    pub(in crate::browser) memory_mb: Option<u64>,
}

/// A Chromium process that was replaced.
pub(in crate::browser) struct ReplacedChromium {
    /// Generation within its instance.
    pub(in crate::browser) generation: u64,
    /// Process group id.
    pub(in crate::browser) group: Option<u32>,
    pub(in crate::browser) since: Moment,
    /// Run trees that still use it.
    pub(in crate::browser) owners: HashSet<RunId>,
    /// Future that ends the process; `None` once it has been taken.
    end: Option<BoxFuture<'static, ()>>,
}

impl ReplacedChromium {
    /// Takes the future that ends the process.
    pub(super) fn end(&mut self) -> Option<BoxFuture<'static, ()>> {
        self.end.take()
    }
}

pub(in crate::browser) enum InstanceState {
    Idle,
    Starting(Vec<oneshot::Sender<Result<ChromiumConnection, BrowserError>>>),
    /// `process` is `None` for a Chromium that runs elsewhere.
    Up {
        reached: ChromiumConnection,
        process: Option<Box<Chromium>>,
        since: Moment,
        age: Stopwatch,
    },
}

impl Default for Instance {
    fn default() -> Self {
        Self {
            state: InstanceState::Idle,
            generation: 0,
            ending: None,
            dying: watch::Sender::default(),
            leaving: Vec::new(),
            memory_mb: None,
        }
    }
}

impl Instance {
    /// Replaces the current Chromium; the next use starts another. Returns its generation, or `None` if there
    /// is none.
    pub(super) fn retire(&mut self, owners: HashSet<RunId>) -> Option<u64> {
        let (group, since, generation) = (self.group(), self.since()?, self.generation);
        let end = Some(self.take_chromium());
        self.leaving.push(ReplacedChromium { generation, group, since, owners, end });
        Some(generation)
    }
}

impl Instance {
    /// Returns the process group id, while a Chromium of ours is running.
    pub(in crate::browser) fn group(&self) -> Option<u32> {
        match &self.state {
            InstanceState::Up { process, .. } => process.as_ref().and_then(|process| process.group()),
            InstanceState::Idle | InstanceState::Starting(_) => None,
        }
    }

    pub(in crate::browser) fn since(&self) -> Option<Moment> {
        match &self.state {
            InstanceState::Up { since, .. } => Some(*since),
            InstanceState::Idle | InstanceState::Starting(_) => None,
        }
    }

    pub(in crate::browser) fn age(&self) -> Option<Duration> {
        match &self.state {
            InstanceState::Up { age, .. } => Some(Duration::from_secs_f64(age.seconds())),
            InstanceState::Idle | InstanceState::Starting(_) => None,
        }
    }

    /// Removes the current Chromium and returns the future that ends it. The next use starts another.
    pub(super) fn take_chromium(&mut self) -> BoxFuture<'static, ()> {
        let InstanceState::Up { .. } = self.state else { return std::future::ready(()).boxed() };
        let InstanceState::Up { reached, process, .. } =
            std::mem::replace(&mut self.state, InstanceState::Idle)
        else {
            return std::future::ready(()).boxed();
        };
        self.memory_mb = None;
        let Some(process) = process else { return std::future::ready(()).boxed() };
        self.dying.send_modify(|count| *count += 1);
        let dying = self.dying.clone();
        async move {
            if reached.lasting.is_some() {
                reached.link.browser().post(browser::CloseParams::default());
            }
            process.end().await;
            dying.send_modify(|count| *count -= 1);
        }
        .boxed()
    }

    /// Waits until no Chromium process of this instance is ending.
    pub(in crate::browser) fn wait_for_ends(&self) -> impl Future<Output = ()> + use<> {
        let mut dying = self.dying.subscribe();
        async move {
            // Fails only if the supervisor is gone.
            let _ = dying.wait_for(|count| *count == 0).await;
        }
    }
}

impl Supervisor {
    pub(in crate::browser) fn house(&mut self, home: &ProfileKey) -> &mut Instance {
        self.houses.entry(home.clone()).or_default()
    }

    /// Returns a receiver for the connection, and starts Chromium unless it is running or starting.
    pub(in crate::browser) fn connect(
        &mut self,
        home: &ProfileKey,
        ctx: &mut Context<Self>,
    ) -> oneshot::Receiver<Result<ChromiumConnection, BrowserError>> {
        let (tell, told) = oneshot::channel();
        let (shut, config) = (self.shut, self.config.clone());
        let house = self.house(home);
        if let Some(ending) = house.ending.take() {
            ctx.cancel_future(ending);
        }
        match &mut house.state {
            _ if shut => drop(tell.send(Err(BrowserError::ShuttingDown))),
            InstanceState::Up { reached, .. } if !reached.link.is_gone() => {
                drop(tell.send(Ok(reached.clone())))
            }
            InstanceState::Starting(waiting) => waiting.push(tell),
            InstanceState::Idle | InstanceState::Up { .. } => {
                let gone = house.take_chromium();
                house.state = InstanceState::Starting(vec![tell]);
                let (before, home) = (house.wait_for_ends(), home.clone());
                ctx.spawn(gone.into_actor(self));
                let named = home.clone();
                let started = async move {
                    // Only one Chromium at a time may use a profile.
                    if named.profile().is_some() {
                        before.await;
                    }
                    process_connect::start(config, named.profile()).await
                };
                let started = started.into_actor(self);
                ctx.spawn(started.map(move |started, this, ctx| this.started_up(&home, started, ctx)));
            }
        }
        told
    }

    fn started_up(
        &mut self,
        home: &ProfileKey,
        started: Result<StartedChromium, BrowserError>,
        ctx: &mut Context<Self>,
    ) {
        let house = self.house(home);
        let InstanceState::Starting(waiting) = std::mem::replace(&mut house.state, InstanceState::Idle)
        else {
            return;
        };
        let result = match started {
            Ok(StartedChromium { reached, process, drive }) => {
                house.generation += 1;
                let generation = house.generation;
                house.state = InstanceState::Up {
                    reached: reached.clone(),
                    process,
                    since: Moment::now(),
                    age: Stopwatch::start(),
                };
                let home = home.clone();
                let driven = drive.into_actor(self);
                ctx.spawn(
                    driven.map(move |(), this, ctx| this.handle_lost_connection(&home, generation, ctx)),
                );
                Ok(reached)
            }
            Err(error) => Err(error),
        };
        for tell in waiting {
            let _ = tell.send(result.clone());
        }
        self.end_if_unused(home, ctx);
    }

    /// Handles a broken connection: Chromium crashed or was killed.
    fn handle_lost_connection(&mut self, home: &ProfileKey, generation: u64, ctx: &mut Context<Self>) {
        let house = self.house(home);
        if generation == house.generation && matches!(house.state, InstanceState::Up { .. }) {
            tracing::warn!(home = home.id(), "chromium is gone");
            // Its guard cleans up.
            let gone = house.take_chromium();
            ctx.spawn(gone.into_actor(self));
        }
    }

    pub(in crate::browser) fn end_if_unused(&mut self, home: &ProfileKey, ctx: &mut Context<Self>) {
        let used = self.current_users_of(home).next().is_some();
        let house = self.house(home);
        if used || !matches!(house.state, InstanceState::Up { .. }) || house.ending.is_some() {
            return;
        }
        let named = home.clone();
        let ending = ctx.run_later(GRACE, move |this, ctx| {
            this.house(&named).ending = None;
            if this.current_users_of(&named).next().is_none() {
                this.end(&named, ctx);
            }
        });
        self.house(home).ending = Some(ending);
    }

    pub(in crate::browser) fn end(&mut self, home: &ProfileKey, ctx: &mut Context<Self>) {
        let gone = self.house(home).take_chromium();
        ctx.spawn(gone.into_actor(self));
    }

    /// Returns the owners of the browsers that use this instance.
    pub(in crate::browser) fn users_of(&self, home: &ProfileKey) -> impl Iterator<Item = &RunId> {
        self.tenants.iter().filter(move |(_, tenant)| tenant.home == *home).map(|(owner, _)| owner)
    }

    /// Ends all Chromium processes.
    pub(in crate::browser) fn end_all(&mut self) -> impl Future<Output = ()> + use<> {
        let end = |house: &mut Instance| {
            let left: Vec<_> = house.leaving.iter_mut().filter_map(ReplacedChromium::end).collect();
            (left.into_iter().chain([house.take_chromium()]).collect::<Vec<_>>(), house.wait_for_ends())
        };
        let ends: Vec<_> = self.houses.values_mut().map(end).collect();
        async move {
            let (last, others): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
            futures_util::future::join_all(last.into_iter().flatten()).await;
            futures_util::future::join_all(others).await;
        }
    }

    /// Returns receivers for the instances that are starting, which can only be ended after that.
    pub(in crate::browser) fn still_starting(
        &mut self,
    ) -> Vec<oneshot::Receiver<Result<ChromiumConnection, BrowserError>>> {
        let mut all = Vec::new();
        for house in self.houses.values_mut() {
            if let InstanceState::Starting(waiting) = &mut house.state {
                let (tell, told) = oneshot::channel();
                waiting.push(tell);
                all.push(told);
            }
        }
        all
    }
}
