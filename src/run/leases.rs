//! The leases of all run trees: who holds which page, who wants one, and who waits for what.

use super::error::RegistryError;
use super::lease::Lease;
use crate::browser::holding::Changes;
use crate::browser::input::Input;
use crate::ids::{RunId, SessionId};
use crate::protocol::caller::Caller;
use actix::Recipient;
use std::collections::{HashMap, HashSet};
use tokio::sync::oneshot;

/// What somebody who holds a page has of it.
#[derive(Clone, Debug)]
pub struct Hold {
    pub run: RunId,
    pub root: RunId,
    pub input: Recipient<Input>,
}

/// The leases of all run trees.
#[derive(Default)]
pub struct Leases {
    /// By the root of the tree: the run that stands still for it, and how it stands itself.
    pub(super) of: HashMap<RunId, (RunId, Lease)>,
    /// Those who want or have a page.
    pub(super) wants: HashMap<SessionId, Want>,
    /// Who is told when a run is at rest.
    pub(super) at_rest: HashMap<RunId, Vec<oneshot::Sender<()>>>,
    /// What changed on a page that has just been handed back.
    pub(super) changes: HashMap<RunId, Changes>,
    /// The client that hands a page back, by the root of its tree.
    pub(super) returned_by: HashMap<RunId, Caller>,
    /// Runs with something to do as soon as their page is not in anybody's hands.
    pub(super) late: HashSet<RunId>,
}

pub(super) struct Want {
    /// None until it is known.
    pub(super) root: Option<RunId>,
    pub(super) answer: oneshot::Sender<Result<Hold, RegistryError>>,
}

impl Leases {
    pub fn is_in_hands(&self, root: &RunId) -> bool {
        self.of.get(root).is_some_and(|(_, lease)| lease.is_in_hands())
    }

    /// Roots of the trees whose page somebody holds who is not at this socket; none without one.
    pub fn held_by_others(&self, socket: Option<&SessionId>) -> impl Iterator<Item = &RunId> {
        let held = self.of.iter().filter(|(_, (_, lease))| lease.is_in_hands());
        held.filter(move |(_, (_, lease))| socket.is_some() && lease.by() != socket).map(|(root, _)| root)
    }

    /// Whether the run stands still because its page is in somebody's hands.
    pub fn keeps_still(&self, run: &RunId) -> bool {
        self.root_of(run).is_some_and(|root| self.is_in_hands(&root))
    }

    /// Of a run that has just come to rest.
    pub fn rests(&mut self, run: &RunId) {
        for waiting in self.at_rest.remove(run).unwrap_or_default() {
            // Who does not wait any more has been told otherwise.
            let _ = waiting.send(());
        }
    }

    /// The tree for which this run stands still.
    pub fn root_of(&self, run: &RunId) -> Option<RunId> {
        self.of.iter().find(|(_, (held, _))| held == run).map(|(root, _)| root.clone())
    }
}
