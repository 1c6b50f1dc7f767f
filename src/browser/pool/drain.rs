//! Replacing a Chromium that has become too large or too old. Each browser leaves it as soon as no
//! observation or action is running and no person holds the page, and reopens in the new one; then the old
//! one ends. Until then it is tracked here with its users.

use crate::browser::messages::LeaveChromium;
use crate::browser::pool::profile_key::ProfileKey;
use crate::browser::pool::supervisor::Supervisor;
use crate::ids::RunId;
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use std::collections::HashSet;

impl Supervisor {
    /// Returns the owners of the browsers in the current Chromium of an instance, or the one to be started
    /// next.
    pub(in crate::browser) fn list_current_users(
        &self,
        profile_key: &ProfileKey,
    ) -> impl Iterator<Item = &RunId> {
        let replaced =
            self.instances.get(profile_key).map(|instance| instance.replaced.as_slice()).unwrap_or_default();
        self.list_users(profile_key)
            .filter(move |owner| !replaced.iter().any(|left| left.owners.contains(*owner)))
    }

    /// Replaces the current Chromium. Browsers in an older one have already received `LeaveChromium`.
    pub(in crate::browser) fn replace_chromium(&mut self, profile_key: &ProfileKey, ctx: &mut Context<Self>) {
        let owners: HashSet<RunId> = self.list_current_users(profile_key).cloned().collect();
        let send_leave =
            |owner: &RunId| Some((owner.clone(), self.users.get(owner)?.browser.send(LeaveChromium)));
        let requests: Vec<_> = owners.iter().filter_map(send_leave).collect();
        let Some(generation) = self.instance_mut(profile_key).retire(owners) else { return };
        for (owner, left) in requests {
            let profile_key = profile_key.clone();
            // A browser that has ended has left too.
            ctx.spawn(left.into_actor(self).map(move |_, this, ctx| {
                let mut left = this.instance_mut(&profile_key).replaced.iter_mut();
                if let Some(old) = left.find(|old| old.generation == generation) {
                    old.owners.remove(&owner);
                }
                this.end_unused_replaced(&profile_key, ctx);
            }));
        }
        self.end_unused_replaced(profile_key, ctx);
    }

    /// Ends the replaced processes without users.
    fn end_unused_replaced(&mut self, profile_key: &ProfileKey, ctx: &mut Context<Self>) {
        let left = self.instance_mut(profile_key).replaced.iter_mut().filter(|old| old.owners.is_empty());
        let ends: Vec<_> = left.filter_map(|old| Some((old.generation, old.end()?))).collect();
        for (generation, end) in ends {
            let profile_key = profile_key.clone();
            ctx.spawn(end.into_actor(self).map(move |(), this, _| {
                this.instance_mut(&profile_key).replaced.retain(|old| old.generation != generation);
            }));
        }
    }
}
