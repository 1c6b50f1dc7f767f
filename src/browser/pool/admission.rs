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
        let profile_key = self.set_profile(&owner, profile)?;
        let (reply_to, mut reply) = oneshot::channel();
        let waiting = QueueEntry { owner, profile_key: profile_key.clone(), since: Moment::now(), reply_to };
        self.slots.queue.push_back(waiting);
        self.assign_slots(ctx);
        Ok(match reply.try_recv() {
            Ok(slot) => SlotReply::Assigned(slot),
            Err(_) => SlotReply::Queued { why: self.wait_reason(&profile_key), slot: reply },
        })
    }
}

impl Handler<ReleaseSlot> for Supervisor {
    type Result = ();

    fn handle(&mut self, ReleaseSlot { n }: ReleaseSlot, ctx: &mut Context<Self>) {
        let Some(owner) = self.slots.taken.remove(&n) else { return };
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
        let profile_key = ProfileKey::from_profile(profile);
        match profile_key {
            ProfileKey::Shared => drop(self.profile_keys.remove(owner)),
            ProfileKey::Profile(_) => drop(self.profile_keys.insert(owner.clone(), profile_key.clone())),
        }
        Ok(profile_key)
    }

    /// Assigns free slots in the order of the queue.
    pub(in crate::browser) fn assign_slots(&mut self, ctx: &mut Context<Self>) {
        self.slots.queue.retain(|waiting| !waiting.reply_to.is_closed());
        let mut at = 0;
        while at < self.slots.queue.len() && self.slots.workers() < self.config.limits.slots {
            let (owner, profile_key) =
                (self.slots.queue[at].owner.clone(), self.slots.queue[at].profile_key.clone());
            let before = self.slots.queue.iter().take(at).any(|earlier| earlier.profile_key == profile_key);
            let free =
                profile_key == ProfileKey::Shared || (!before && self.is_free(&profile_key, &owner, ctx));
            match if free { self.slots.queue.remove(at) } else { None } {
                Some(waiting) => self.assign_slot(waiting, ctx),
                None => at += 1,
            }
        }
    }

    fn assign_slot(&mut self, QueueEntry { owner, reply_to, .. }: QueueEntry, ctx: &mut Context<Self>) {
        self.slots.last += 1;
        let n = self.slots.last;
        self.slots.taken.insert(n, owner.clone());
        self.cancel_idle_timer(&owner, ctx);
        // If the receiver is gone, the dropped slot is freed again.
        let _ = reply_to.send(Slot { n, release: ctx.address().recipient() });
    }

    /// Reports whether no other run uses the profile. A browser whose run has ended is closed for it.
    pub(in crate::browser) fn is_free(
        &mut self,
        profile_key: &ProfileKey,
        owner: &RunId,
        ctx: &mut Context<Self>,
    ) -> bool {
        let others: Vec<RunId> =
            self.list_users(profile_key).filter(|other| *other != owner).cloned().collect();
        let gone = others.iter().all(|other| self.is_lingering(other));
        for other in others.iter().filter(|_| gone) {
            self.close(other, ctx);
        }
        let taken = |other: &RunId| other != owner && self.profile_keys.get(other) == Some(profile_key);
        others.is_empty() && self.closing_count(profile_key) == 0 && !self.slots.taken.values().any(taken)
    }

    fn wait_reason(&self, profile_key: &ProfileKey) -> WaitReason {
        let slots = self.config.limits.slots;
        match profile_key {
            ProfileKey::Profile(name) if self.slots.workers() < slots => WaitReason::Profile(name.clone()),
            ProfileKey::Shared | ProfileKey::Profile(_) => {
                WaitReason::Full { slots, ahead: self.slots.queue().count().saturating_sub(1) }
            }
        }
    }
}
