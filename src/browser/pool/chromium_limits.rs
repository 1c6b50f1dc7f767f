//! Limits on Chromium's memory and age, and on the idle time of browsers.

use crate::browser::messages::LeaveChromium;
use crate::browser::pool::profile_key::ProfileKey;
use crate::browser::pool::supervisor::Supervisor;
use crate::browser::process::process_table;
use crate::ids::RunId;
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};

impl Supervisor {
    pub(in crate::browser) fn watch_limits(&self, ctx: &mut Context<Self>) {
        ctx.run_later(self.config.limits.tick, Self::measure_and_check_limits);
    }

    /// Checks the limits, and schedules the next check after this one has finished.
    fn measure_and_check_limits(&mut self, ctx: &mut Context<Self>) {
        let all = self
            .instances
            .iter()
            .filter_map(|(profile_key, instance)| Some((profile_key.clone(), instance.group()?)));
        let all: Vec<(ProfileKey, u32)> = all.collect();
        let measured = tokio::task::spawn_blocking(move || {
            let with = |(profile_key, group)| (profile_key, group, process_table::memory_mb(group));
            all.into_iter().map(with).collect::<Vec<_>>()
        });
        ctx.spawn(measured.into_actor(self).map(|measured, this, ctx| {
            for (profile_key, group, memory_mb) in measured.unwrap_or_default() {
                let instance = this.instance_mut(&profile_key);
                // The process may have been replaced by now.
                if instance.group() == Some(group) {
                    instance.memory_mb = memory_mb;
                    this.check_limits(&profile_key, ctx);
                }
            }
            this.watch_limits(ctx);
        }));
    }

    fn check_limits(&mut self, profile_key: &ProfileKey, ctx: &mut Context<Self>) {
        let limits = self.config.limits.clone();
        let instance = self.instance_mut(profile_key);
        let Some(age) = instance.age().filter(|age| *age >= limits.rest) else {
            return;
        };
        let memory_mb = instance.memory_mb.unwrap_or_default();
        let large = limits.memory_mb.is_some_and(|most| memory_mb > most);
        if large || limits.age.is_some_and(|most| age > most) {
            tracing::info!(
                instance = profile_key.id(),
                memory_mb,
                age_s = age.as_secs(),
                "chromium is replaced"
            );
            self.replace_chromium(profile_key, ctx);
        }
    }

    /// Cancels the idle timer of an owner whose run works.
    pub(in crate::browser) fn cancel_idle_timer(&mut self, owner: &RunId, ctx: &mut Context<Self>) {
        if let Some(timer) = self.users.get_mut(owner).and_then(|user| user.idle.take()) {
            ctx.cancel_future(timer);
        }
    }

    /// Starts the idle timer of an owner without a working run.
    pub(in crate::browser) fn start_idle_timer(&mut self, owner: &RunId, ctx: &mut Context<Self>) {
        let (Some(idle), false) = (self.config.limits.idle, self.slots.is_working(owner)) else { return };
        self.cancel_idle_timer(owner, ctx);
        let Some(user) = self.users.get_mut(owner) else { return };
        let owner = owner.clone();
        user.idle = Some(ctx.run_later(idle, move |this, ctx| this.close_idle_browser(owner, ctx)));
    }

    /// Closes an idle browser after it has stored a snapshot.
    fn close_idle_browser(&mut self, owner: RunId, ctx: &mut Context<Self>) {
        if !self.is_unneeded(&owner) {
            return self.start_idle_timer(&owner, ctx);
        }
        let Some(user) = self.users.get(&owner) else { return };
        tracing::info!(run_id = %owner, "an idle browser is closed");
        let kept = user.browser.send(LeaveChromium);
        ctx.spawn(kept.into_actor(self).map(move |_, this, ctx| {
            if this.is_unneeded(&owner) {
                this.close(&owner, ctx);
            } else {
                this.start_idle_timer(&owner, ctx);
            }
        }));
    }

    /// Reports whether no run works in the browser and nobody watches or holds it.
    fn is_unneeded(&self, owner: &RunId) -> bool {
        let user = self.users.get(owner);
        let watched = user.is_some_and(|user| user.viewers > 0 || user.holder.is_some());
        !watched && !self.slots.is_working(owner)
    }
}
