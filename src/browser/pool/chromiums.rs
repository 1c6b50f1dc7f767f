//! Starts a Chromium for its first user and ends it after the last.

use crate::browser::error::BrowserError;
use crate::browser::pool::instances::{Instance, InstanceState, ReplacedChromium};
use crate::browser::pool::profile_key::ProfileKey;
use crate::browser::pool::supervisor::Supervisor;
use crate::browser::process::connect;
use crate::browser::process::connect::{ChromiumConnection, StartedChromium};
use crate::clock::{Moment, Stopwatch};
use crate::ids::RunId;
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use std::time::Duration;
use tokio::sync::oneshot;

impl Supervisor {
    pub(in crate::browser) fn house(&mut self, home: &ProfileKey) -> &mut Instance {
        self.instances.entry(home.clone()).or_default()
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
                    connect::start(config, named.profile()).await
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
        let ends: Vec<_> = self.instances.values_mut().map(end).collect();
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
        for house in self.instances.values_mut() {
            if let InstanceState::Starting(waiting) = &mut house.state {
                let (tell, told) = oneshot::channel();
                waiting.push(tell);
                all.push(told);
            }
        }
        all
    }
}

/// Time for which an unused Chromium is kept, so that consecutive runs share it.
const GRACE: Duration = Duration::from_millis(1000);
