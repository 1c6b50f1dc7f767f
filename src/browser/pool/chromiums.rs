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
    pub(in crate::browser) fn instance_mut(&mut self, profile_key: &ProfileKey) -> &mut Instance {
        self.instances.entry(profile_key.clone()).or_default()
    }

    /// Returns a receiver for the connection, and starts Chromium unless it is running or starting.
    pub(in crate::browser) fn connect(
        &mut self,
        profile_key: &ProfileKey,
        ctx: &mut Context<Self>,
    ) -> oneshot::Receiver<Result<ChromiumConnection, BrowserError>> {
        let (reply_to, reply) = oneshot::channel();
        let (shut, config) = (self.shut, self.config.clone());
        let instance = self.instance_mut(profile_key);
        if let Some(ending) = instance.ending.take() {
            ctx.cancel_future(ending);
        }
        match &mut instance.state {
            _ if shut => drop(reply_to.send(Err(BrowserError::ShuttingDown))),
            InstanceState::Up { chromium, .. } if !chromium.connection.is_gone() => {
                drop(reply_to.send(Ok(chromium.clone())))
            }
            InstanceState::Starting(waiting) => waiting.push(reply_to),
            InstanceState::Idle | InstanceState::Up { .. } => {
                let gone = instance.take_chromium();
                instance.state = InstanceState::Starting(vec![reply_to]);
                let (before, profile_key) = (instance.wait_for_ends(), profile_key.clone());
                ctx.spawn(gone.into_actor(self));
                let named = profile_key.clone();
                let started = async move {
                    // Only one Chromium at a time may use a profile.
                    if named.profile().is_some() {
                        before.await;
                    }
                    connect::start(config, named.profile()).await
                };
                let started = started.into_actor(self);
                ctx.spawn(started.map(move |started, this, ctx| this.started_up(&profile_key, started, ctx)));
            }
        }
        reply
    }

    fn started_up(
        &mut self,
        profile_key: &ProfileKey,
        started: Result<StartedChromium, BrowserError>,
        ctx: &mut Context<Self>,
    ) {
        let instance = self.instance_mut(profile_key);
        let InstanceState::Starting(waiting) = std::mem::replace(&mut instance.state, InstanceState::Idle)
        else {
            return;
        };
        let result = match started {
            Ok(StartedChromium { chromium, process, drive }) => {
                instance.generation += 1;
                let generation = instance.generation;
                instance.state = InstanceState::Up {
                    chromium: chromium.clone(),
                    process,
                    since: Moment::now(),
                    age: Stopwatch::start(),
                };
                let profile_key = profile_key.clone();
                let driven = drive.into_actor(self);
                ctx.spawn(
                    driven
                        .map(move |(), this, ctx| this.handle_lost_connection(&profile_key, generation, ctx)),
                );
                Ok(chromium)
            }
            Err(error) => Err(error),
        };
        for reply_to in waiting {
            let _ = reply_to.send(result.clone());
        }
        self.end_if_unused(profile_key, ctx);
    }

    /// Handles a broken connection: Chromium crashed or was killed.
    fn handle_lost_connection(&mut self, profile_key: &ProfileKey, generation: u64, ctx: &mut Context<Self>) {
        let instance = self.instance_mut(profile_key);
        if generation == instance.generation && matches!(instance.state, InstanceState::Up { .. }) {
            tracing::warn!(instance = profile_key.id(), "chromium is gone");
            // Its guard cleans up.
            let gone = instance.take_chromium();
            ctx.spawn(gone.into_actor(self));
        }
    }

    pub(in crate::browser) fn end_if_unused(&mut self, profile_key: &ProfileKey, ctx: &mut Context<Self>) {
        let used = self.list_current_users(profile_key).next().is_some();
        let instance = self.instance_mut(profile_key);
        if used || !matches!(instance.state, InstanceState::Up { .. }) || instance.ending.is_some() {
            return;
        }
        let named = profile_key.clone();
        let ending = ctx.run_later(GRACE, move |this, ctx| {
            this.instance_mut(&named).ending = None;
            if this.list_current_users(&named).next().is_none() {
                this.end(&named, ctx);
            }
        });
        self.instance_mut(profile_key).ending = Some(ending);
    }

    pub(in crate::browser) fn end(&mut self, profile_key: &ProfileKey, ctx: &mut Context<Self>) {
        let gone = self.instance_mut(profile_key).take_chromium();
        ctx.spawn(gone.into_actor(self));
    }

    /// Returns the owners of the browsers that use this instance.
    pub(in crate::browser) fn list_users(&self, profile_key: &ProfileKey) -> impl Iterator<Item = &RunId> {
        self.users.iter().filter(move |(_, user)| user.profile_key == *profile_key).map(|(owner, _)| owner)
    }

    /// Ends all Chromium processes.
    pub(in crate::browser) fn end_all(&mut self) -> impl Future<Output = ()> + use<> {
        let end = |instance: &mut Instance| {
            let left: Vec<_> = instance.replaced.iter_mut().filter_map(ReplacedChromium::end).collect();
            (left.into_iter().chain([instance.take_chromium()]).collect::<Vec<_>>(), instance.wait_for_ends())
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
        for instance in self.instances.values_mut() {
            if let InstanceState::Starting(waiting) = &mut instance.state {
                let (reply_to, reply) = oneshot::channel();
                waiting.push(reply_to);
                all.push(reply);
            }
        }
        all
    }
}

/// Time for which an unused Chromium is kept, so that consecutive runs share it.
const GRACE: Duration = Duration::from_millis(1000);
