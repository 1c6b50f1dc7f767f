//! Admits runs to slots, and moves the queue on.

use crate::browser::error::BrowserError;
use crate::browser::pool::profile_key::ProfileKey;
use crate::browser::pool::slots::{QueueEntry, ReleaseSlot, RequestSlot, Slot, SlotReply, WaitReason};
use crate::browser::pool::supervisor::Supervisor;
use crate::clock::Moment;
use crate::ids::RunId;
use actix::{AsyncContext, Context, Handler};
use tokio::sync::oneshot;

impl Handler<RequestSlot> for Supervisor {
    type Result = Result<SlotReply, BrowserError>;

    fn handle(
        &mut self,
        RequestSlot { owner, profile }: RequestSlot,
        ctx: &mut Context<Self>,
    ) -> Self::Result {
        if self.shut {
            return Err(BrowserError::ShuttingDown);
        }
        let home = self.set_profile(&owner, profile)?;
        let (tell, mut told) = oneshot::channel();
        let waiting = QueueEntry { owner, home: home.clone(), since: Moment::now(), tell };
        self.places.line.push_back(waiting);
        self.assign_slots(ctx);
        Ok(match told.try_recv() {
            Ok(place) => SlotReply::In(place),
            Err(_) => SlotReply::Waits { why: self.wait_reason(&home), place: told },
        })
    }
}

impl Handler<ReleaseSlot> for Supervisor {
    type Result = ();

    fn handle(&mut self, ReleaseSlot { n }: ReleaseSlot, ctx: &mut Context<Self>) {
        let Some(owner) = self.places.taken.remove(&n) else { return };
        self.start_idle_timer(&owner, ctx);
        self.assign_slots(ctx);
    }
}

impl Supervisor {
    /// Sets the profile key of a run tree's browser.
    pub(in crate::browser) fn set_profile(
        &mut self,
        owner: &RunId,
        profile: Option<String>,
    ) -> Result<ProfileKey, BrowserError> {
        if profile.is_some() && self.config.cdp_url.is_some() {
            return Err(BrowserError::ProfileElsewhere);
        }
        let home = ProfileKey::from_profile(profile);
        match home {
            ProfileKey::Shared => drop(self.homes.remove(owner)),
            ProfileKey::Profile(_) => drop(self.homes.insert(owner.clone(), home.clone())),
        }
        Ok(home)
    }

    /// Assigns free slots in the order of the queue.
    pub(in crate::browser) fn assign_slots(&mut self, ctx: &mut Context<Self>) {
        self.places.line.retain(|waiting| !waiting.tell.is_closed());
        let mut at = 0;
        while at < self.places.line.len() && self.places.workers() < self.config.limits.places {
            let (owner, home) = (self.places.line[at].owner.clone(), self.places.line[at].home.clone());
            let before = self.places.line.iter().take(at).any(|earlier| earlier.home == home);
            let free = home == ProfileKey::Shared || (!before && self.is_free(&home, &owner, ctx));
            match if free { self.places.line.remove(at) } else { None } {
                Some(waiting) => self.assign_slot(waiting, ctx),
                None => at += 1,
            }
        }
    }

    fn assign_slot(&mut self, QueueEntry { owner, tell, .. }: QueueEntry, ctx: &mut Context<Self>) {
        self.places.last += 1;
        let n = self.places.last;
        self.places.taken.insert(n, owner.clone());
        self.cancel_idle_timer(&owner, ctx);
        // If the receiver is gone, the dropped slot is freed again.
        let _ = tell.send(Slot { n, release: ctx.address().recipient() });
    }

    /// Reports whether no other run uses the profile. A browser whose run has ended is closed for it.
    pub(in crate::browser) fn is_free(
        &mut self,
        home: &ProfileKey,
        owner: &RunId,
        ctx: &mut Context<Self>,
    ) -> bool {
        let others: Vec<RunId> = self.users_of(home).filter(|other| *other != owner).cloned().collect();
        let gone = others.iter().all(|other| self.is_lingering(other));
        for other in others.iter().filter(|_| gone) {
            self.close(other, ctx);
        }
        let taken = |other: &RunId| other != owner && self.homes.get(other) == Some(home);
        others.is_empty() && self.closing(home) == 0 && !self.places.taken.values().any(taken)
    }

    fn wait_reason(&self, home: &ProfileKey) -> WaitReason {
        let places = self.config.limits.places;
        match home {
            ProfileKey::Profile(name) if self.places.workers() < places => WaitReason::Profile(name.clone()),
            ProfileKey::Shared | ProfileKey::Profile(_) => {
                WaitReason::Full { places, ahead: self.places.line().count().saturating_sub(1) }
            }
        }
    }
}
