//! Chromium after Chromium: the shared one, and one for each profile that lasts. Each is started at the
//! first need, ended soon after its last user, and replaced when it has grown too large or too old.

use super::Supervisor;
use super::home::Home;
use crate::browser::chromium::Chromium;
use crate::browser::fault::BrowserError;
use crate::browser::reach::{self, Reached, Started};
use crate::clock::{Moment, Stopwatch};
use crate::ids::RunId;
use actix::{ActorFutureExt, AsyncContext, Context, SpawnHandle, WrapFuture};
use chromiumoxide::cdp::browser_protocol::browser;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::HashSet;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Runs that follow each other closely share one Chromium.
const GRACE: Duration = Duration::from_millis(1000);

/// One Chromium: what is to be known of it, and of those before it that are on their way out.
pub(in crate::browser) struct House {
    pub(in crate::browser) state: State,
    /// Counts connections, so that the end of an old one is not taken for that of the new.
    pub(super) generation: u64,
    ending: Option<SpawnHandle>,
    /// How many Chromium are on their way out.
    dying: watch::Sender<usize>,
    /// Those that have been replaced and that somebody has not left yet.
    pub(in crate::browser) leaving: Vec<Leaving>,
    /// As measured last, in megabytes.
    pub(in crate::browser) memory_mb: Option<u64>,
}

/// A Chromium that was replaced.
pub(in crate::browser) struct Leaving {
    /// Which one of its house it was.
    pub(in crate::browser) generation: u64,
    /// The number of its process group.
    pub(in crate::browser) group: Option<u32>,
    pub(in crate::browser) since: Moment,
    /// Who is still in it.
    pub(in crate::browser) owners: HashSet<RunId>,
    /// None once it has begun.
    end: Option<BoxFuture<'static, ()>>,
}

impl Leaving {
    /// Its end, once.
    pub(super) fn end(&mut self) -> Option<BoxFuture<'static, ()>> {
        self.end.take()
    }
}

pub(in crate::browser) enum State {
    Idle,
    Starting(Vec<oneshot::Sender<Result<Reached, BrowserError>>>),
    /// `process` is none for one that runs elsewhere.
    Up {
        reached: Reached,
        process: Option<Box<Chromium>>,
        since: Moment,
        age: Stopwatch,
    },
}

impl Default for House {
    fn default() -> Self {
        Self {
            state: State::Idle,
            generation: 0,
            ending: None,
            dying: watch::Sender::default(),
            leaving: Vec::new(),
            memory_mb: None,
        }
    }
}

impl House {
    /// The next need starts another; none if there is none to be replaced.
    pub(super) fn retire(&mut self, owners: HashSet<RunId>) -> Option<u64> {
        let (group, since, generation) = (self.group(), self.since()?, self.generation);
        let end = Some(self.take());
        self.leaving.push(Leaving { generation, group, since, owners, end });
        Some(generation)
    }
}

impl House {
    /// The number of its process group, while one of ours runs.
    pub(in crate::browser) fn group(&self) -> Option<u32> {
        match &self.state {
            State::Up { process, .. } => process.as_ref().and_then(|process| process.group()),
            State::Idle | State::Starting(_) => None,
        }
    }

    pub(in crate::browser) fn since(&self) -> Option<Moment> {
        match &self.state {
            State::Up { since, .. } => Some(*since),
            State::Idle | State::Starting(_) => None,
        }
    }

    pub(in crate::browser) fn age(&self) -> Option<Duration> {
        match &self.state {
            State::Up { age, .. } => Some(Duration::from_secs_f64(age.seconds())),
            State::Idle | State::Starting(_) => None,
        }
    }

    /// Chromium's end, to be waited for; the next need starts another.
    pub(super) fn take(&mut self) -> BoxFuture<'static, ()> {
        let State::Up { .. } = self.state else { return std::future::ready(()).boxed() };
        let State::Up { reached, process, .. } = std::mem::replace(&mut self.state, State::Idle) else {
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

    /// Returns when none is on its way out any more.
    pub(in crate::browser) fn all_dead(&self) -> impl Future<Output = ()> + use<> {
        let mut dying = self.dying.subscribe();
        async move {
            // It fails only when the supervisor is gone, and then nobody waits.
            let _ = dying.wait_for(|count| *count == 0).await;
        }
    }
}

impl Supervisor {
    pub(in crate::browser) fn house(&mut self, home: &Home) -> &mut House {
        self.houses.entry(home.clone()).or_default()
    }

    /// The answer comes when Chromium is there; begins to start it if nobody did.
    pub(in crate::browser) fn reach(
        &mut self,
        home: &Home,
        ctx: &mut Context<Self>,
    ) -> oneshot::Receiver<Result<Reached, BrowserError>> {
        let (tell, told) = oneshot::channel();
        let (shut, config) = (self.shut, self.config.clone());
        let house = self.house(home);
        if let Some(ending) = house.ending.take() {
            ctx.cancel_future(ending);
        }
        match &mut house.state {
            _ if shut => drop(tell.send(Err(BrowserError::ShuttingDown))),
            State::Up { reached, .. } if !reached.link.is_gone() => drop(tell.send(Ok(reached.clone()))),
            State::Starting(waiting) => waiting.push(tell),
            State::Idle | State::Up { .. } => {
                let gone = house.take();
                house.state = State::Starting(vec![tell]);
                let (before, home) = (house.all_dead(), home.clone());
                ctx.spawn(gone.into_actor(self));
                let named = home.clone();
                let started = async move {
                    // A profile is one Chromium's at a time.
                    if named.profile().is_some() {
                        before.await;
                    }
                    reach::start(config, named.profile()).await
                };
                let started = started.into_actor(self);
                ctx.spawn(started.map(move |started, this, ctx| this.started_up(&home, started, ctx)));
            }
        }
        told
    }

    fn started_up(&mut self, home: &Home, started: Result<Started, BrowserError>, ctx: &mut Context<Self>) {
        let house = self.house(home);
        let State::Starting(waiting) = std::mem::replace(&mut house.state, State::Idle) else { return };
        let result = match started {
            Ok(Started { reached, process, drive }) => {
                house.generation += 1;
                let generation = house.generation;
                house.state = State::Up {
                    reached: reached.clone(),
                    process,
                    since: Moment::now(),
                    age: Stopwatch::start(),
                };
                let home = home.clone();
                let driven = drive.into_actor(self);
                ctx.spawn(driven.map(move |(), this, ctx| this.lost(&home, generation, ctx)));
                Ok(reached)
            }
            Err(error) => Err(error),
        };
        for tell in waiting {
            let _ = tell.send(result.clone());
        }
        self.end_if_unused(home, ctx);
    }

    /// The connection broke: Chromium died, or was killed.
    fn lost(&mut self, home: &Home, generation: u64, ctx: &mut Context<Self>) {
        let house = self.house(home);
        if generation == house.generation && matches!(house.state, State::Up { .. }) {
            tracing::warn!(home = home.id(), "chromium is gone");
            // Its guard cleans up after it.
            let gone = house.take();
            ctx.spawn(gone.into_actor(self));
        }
    }

    pub(in crate::browser) fn end_if_unused(&mut self, home: &Home, ctx: &mut Context<Self>) {
        let used = self.lives_now(home).next().is_some();
        let house = self.house(home);
        if used || !matches!(house.state, State::Up { .. }) || house.ending.is_some() {
            return;
        }
        let named = home.clone();
        let ending = ctx.run_later(GRACE, move |this, ctx| {
            this.house(&named).ending = None;
            if this.lives_now(&named).next().is_none() {
                this.end(&named, ctx);
            }
        });
        self.house(home).ending = Some(ending);
    }

    pub(in crate::browser) fn end(&mut self, home: &Home, ctx: &mut Context<Self>) {
        let gone = self.house(home).take();
        ctx.spawn(gone.into_actor(self));
    }

    /// Whose browsers live there.
    pub(in crate::browser) fn lives_in(&self, home: &Home) -> impl Iterator<Item = &RunId> {
        self.tenants.iter().filter(move |(_, tenant)| tenant.home == *home).map(|(owner, _)| owner)
    }

    /// The ends of all of them.
    pub(in crate::browser) fn end_all(&mut self) -> impl Future<Output = ()> + use<> {
        let end = |house: &mut House| {
            let left: Vec<_> = house.leaving.iter_mut().filter_map(Leaving::end).collect();
            (left.into_iter().chain([house.take()]).collect::<Vec<_>>(), house.all_dead())
        };
        let ends: Vec<_> = self.houses.values_mut().map(end).collect();
        async move {
            let (last, others): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
            futures_util::future::join_all(last.into_iter().flatten()).await;
            futures_util::future::join_all(others).await;
        }
    }

    /// Those that are just starting, to be waited for before they can be ended.
    pub(in crate::browser) fn still_starting(
        &mut self,
    ) -> Vec<oneshot::Receiver<Result<Reached, BrowserError>>> {
        let mut all = Vec::new();
        for house in self.houses.values_mut() {
            if let State::Starting(waiting) = &mut house.state {
                let (tell, told) = oneshot::channel();
                waiting.push(tell);
                all.push(told);
            }
        }
        all
    }
}
