//! What no Chromium and no browser may outgrow: memory, age, and idleness.

use super::Supervisor;
use super::home::Home;
use crate::browser::moving::Move;
use crate::browser::processes;
use crate::ids::RunId;
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use std::time::Duration;

/// The limits of `[browser]`.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many runs may work in a browser at once.
    pub places: usize,
    /// Megabytes that one Chromium may take with all its processes.
    pub memory_mb: Option<u64>,
    pub age: Option<Duration>,
    /// A browser that nobody needs for so long is closed.
    pub idle: Option<Duration>,
    /// How often memory and age are looked at.
    pub tick: Duration,
    /// How long a new Chromium is left alone: one that needs more than it may would else be replaced
    /// for ever.
    pub rest: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            places: 4,
            memory_mb: None,
            age: None,
            idle: None,
            tick: Duration::from_secs(10),
            rest: Duration::from_secs(60),
        }
    }
}

impl Supervisor {
    pub(in crate::browser) fn watch_limits(&self, ctx: &mut Context<Self>) {
        ctx.run_later(self.config.limits.tick, Self::look_at_limits);
    }

    /// Again after a while, counted from when this look is over.
    fn look_at_limits(&mut self, ctx: &mut Context<Self>) {
        let all = self.houses.iter().filter_map(|(home, house)| Some((home.clone(), house.group()?)));
        let all: Vec<(Home, u32)> = all.collect();
        let measured = tokio::task::spawn_blocking(move || {
            let with = |(home, group)| (home, group, processes::memory_mb(group));
            all.into_iter().map(with).collect::<Vec<_>>()
        });
        ctx.spawn(measured.into_actor(self).map(|measured, this, ctx| {
            for (home, group, memory_mb) in measured.unwrap_or_default() {
                let house = this.house(&home);
                // It may be another by now.
                if house.group() == Some(group) {
                    house.memory_mb = memory_mb;
                    this.judge(&home, ctx);
                }
            }
            this.watch_limits(ctx);
        }));
    }

    fn judge(&mut self, home: &Home, ctx: &mut Context<Self>) {
        let limits = self.config.limits.clone();
        let house = self.house(home);
        let Some(age) = house.age().filter(|age| *age >= limits.rest) else {
            return;
        };
        let memory_mb = house.memory_mb.unwrap_or_default();
        let large = limits.memory_mb.is_some_and(|most| memory_mb > most);
        if large || limits.age.is_some_and(|most| age > most) {
            tracing::info!(home = home.id(), memory_mb, age_s = age.as_secs(), "chromium is replaced");
            self.renew(home, ctx);
        }
    }

    /// A run of this owner is at work.
    pub(in crate::browser) fn wakes(&mut self, owner: &RunId, ctx: &mut Context<Self>) {
        if let Some(timer) = self.tenants.get_mut(owner).and_then(|tenant| tenant.idle.take()) {
            ctx.cancel_future(timer);
        }
    }

    /// No run of this owner may be at work any more: after a while its browser is closed.
    pub(in crate::browser) fn rests(&mut self, owner: &RunId, ctx: &mut Context<Self>) {
        let (Some(idle), false) = (self.config.limits.idle, self.places.works(owner)) else { return };
        self.wakes(owner, ctx);
        let Some(tenant) = self.tenants.get_mut(owner) else { return };
        let owner = owner.clone();
        tenant.idle = Some(ctx.run_later(idle, move |this, ctx| this.idles(owner, ctx)));
    }

    /// Nobody has needed it for long. Where it stands is kept, then it is closed.
    fn idles(&mut self, owner: RunId, ctx: &mut Context<Self>) {
        if !self.is_unneeded(&owner) {
            return self.rests(&owner, ctx);
        }
        let Some(tenant) = self.tenants.get(&owner) else { return };
        tracing::info!(run_id = %owner, "an idle browser is closed");
        let kept = tenant.browser.send(Move);
        ctx.spawn(kept.into_actor(self).map(move |_, this, ctx| {
            if this.is_unneeded(&owner) {
                this.close(&owner, ctx);
            } else {
                this.rests(&owner, ctx);
            }
        }));
    }

    /// Whether nobody works in it, looks at it or holds it.
    pub(in crate::browser) fn is_unneeded(&self, owner: &RunId) -> bool {
        let tenant = self.tenants.get(owner);
        let watched = tenant.is_some_and(|tenant| tenant.viewers > 0 || tenant.holder.is_some());
        !watched && !self.places.works(owner)
    }
}
