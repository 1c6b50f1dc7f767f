//! Slots for working in a browser: a limited number of runs at once, and one run at a time per profile.
//! Further runs wait in a queue, first come first served; a run that waits for a profile does not delay runs
//! that do not need it.

use super::Supervisor;
use super::home::ProfileKey;
use crate::browser::fault::BrowserError;
use crate::clock::Moment;
use crate::ids::RunId;
use actix::{Addr, AsyncContext, Context, Handler, Message};
use std::collections::{HashMap, VecDeque};
use tokio::sync::oneshot;

/// Requests a slot. A run that works in a browser has one; a run that waits for a person has none.
#[derive(Debug, Message)]
#[rtype(result = "Result<SlotReply, BrowserError>")]
pub struct RequestSlot {
    /// Root of the run tree.
    pub owner: RunId,
    /// Profile that its browser uses from now on.
    pub profile: Option<String>,
}

/// Reply to a request for a slot.
#[derive(Debug)]
pub enum SlotReply {
    In(Slot),
    /// The run is in the queue. Dropping the receiver leaves the queue.
    Waits {
        why: WaitReason,
        place: oneshot::Receiver<Slot>,
    },
}

/// Reason for waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// All slots are taken; `ahead` runs are earlier in the queue.
    Full { places: usize, ahead: usize },
    /// Another run uses the profile.
    Profile(String),
}

/// A slot. Dropping it frees the slot.
#[derive(Debug)]
pub struct Slot {
    n: u64,
    supervisor: Addr<Supervisor>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.supervisor.do_send(ReleaseSlot { n: self.n });
    }
}

#[derive(Message)]
#[rtype(result = "()")]
pub(in crate::browser) struct ReleaseSlot {
    n: u64,
}

#[derive(Default)]
pub(in crate::browser) struct Slots {
    last: u64,
    taken: HashMap<u64, RunId>,
    line: VecDeque<QueueEntry>,
}

pub(in crate::browser) struct QueueEntry {
    pub(in crate::browser) owner: RunId,
    pub(in crate::browser) home: ProfileKey,
    pub(in crate::browser) since: Moment,
    tell: oneshot::Sender<Slot>,
}

impl Slots {
    /// Reports whether a run of this tree is working.
    pub(in crate::browser) fn is_working(&self, owner: &RunId) -> bool {
        self.taken.values().any(|taken| taken == owner)
    }

    pub(in crate::browser) fn workers(&self) -> usize {
        self.taken.len()
    }

    pub(in crate::browser) fn line(&self) -> impl Iterator<Item = &QueueEntry> {
        self.line.iter().filter(|waiting| !waiting.tell.is_closed())
    }
}

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
        let _ = tell.send(Slot { n, supervisor: ctx.address() });
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
