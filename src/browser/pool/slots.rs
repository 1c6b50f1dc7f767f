//! Slots for working in a browser: a limited number of runs at once, and one run at a time per profile.
//! Further runs wait in a queue, first come first served; a run that waits for a profile does not delay runs
//! that do not need it.

use crate::browser::error::BrowserError;
use crate::browser::pool::profile_key::ProfileKey;
use crate::clock::Moment;
use crate::ids::RunId;
use actix::{Message, Recipient};
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
    Assigned(Slot),
    /// The run is in the queue. Dropping the receiver leaves the queue.
    Queued {
        why: WaitReason,
        slot: oneshot::Receiver<Slot>,
    },
}

/// Reason for waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// All slots are taken; `ahead` runs are earlier in the queue.
    Full { slots: usize, ahead: usize },
    /// Another run uses the profile.
    Profile(String),
}

/// A slot. Dropping it frees the slot.
#[derive(Debug)]
pub struct Slot {
    pub(in crate::browser) n: u64,
    pub(in crate::browser) release: Recipient<ReleaseSlot>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.release.do_send(ReleaseSlot { n: self.n });
    }
}

#[derive(Message)]
#[rtype(result = "()")]
pub(in crate::browser) struct ReleaseSlot {
    pub(in crate::browser) n: u64,
}

#[derive(Default)]
pub(in crate::browser) struct Slots {
    pub(in crate::browser) last: u64,
    pub(in crate::browser) taken: HashMap<u64, RunId>,
    pub(in crate::browser) queue: VecDeque<QueueEntry>,
}

pub(in crate::browser) struct QueueEntry {
    pub(in crate::browser) owner: RunId,
    pub(in crate::browser) profile_key: ProfileKey,
    pub(in crate::browser) since: Moment,
    pub(in crate::browser) reply_to: oneshot::Sender<Slot>,
}

impl Slots {
    /// Reports whether a run of this tree is working.
    pub(in crate::browser) fn is_working(&self, owner: &RunId) -> bool {
        self.taken.values().any(|taken| taken == owner)
    }

    pub(in crate::browser) fn workers(&self) -> usize {
        self.taken.len()
    }

    pub(in crate::browser) fn queue(&self) -> impl Iterator<Item = &QueueEntry> {
        self.queue.iter().filter(|waiting| !waiting.reply_to.is_closed())
    }
}
