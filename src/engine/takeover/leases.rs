//! Leases of all run trees: holders, applicants and waiters.

use crate::browser::takeover::comparison::TakeoverChanges;
use crate::browser::takeover::input_state::HolderInput;
use crate::engine::registry::error::RegistryError;
use crate::engine::takeover::lease::Lease;
use crate::ids::{RunId, SessionId};
use crate::protocol::caller::Caller;
use actix::Recipient;
use std::collections::{HashMap, HashSet};
use tokio::sync::oneshot;

/// Access to a page for the person who holds it.
#[derive(Clone, Debug)]
pub struct PageAccess {
    pub run: RunId,
    pub root: RunId,
    pub input: Recipient<HolderInput>,
}

/// The leases of all run trees.
#[derive(Default)]
pub struct Leases {
    /// Leases by the root of the tree, each with the run that is paused for it.
    pub(crate) by_tree: HashMap<RunId, (RunId, Lease)>,
    /// Sessions that have a page or have asked for one.
    pub(crate) requests: HashMap<SessionId, TakeOverRequest>,
    /// Senders to notify when a run comes to rest.
    pub(crate) at_rest: HashMap<RunId, Vec<oneshot::Sender<()>>>,
    /// Changes on pages that have just been handed back, by root.
    pub(crate) changes: HashMap<RunId, TakeoverChanges>,
    /// Clients that hand a page back, by root.
    pub(crate) returned_by: HashMap<RunId, Caller>,
    /// Runs with pending wake-ups that wait until the page is no longer taken over.
    pub(crate) missed_wakes: HashSet<RunId>,
}

pub(crate) struct TakeOverRequest {
    /// `None` until the run has been looked up.
    pub(crate) root: Option<RunId>,
    pub(crate) answer: oneshot::Sender<Result<PageAccess, RegistryError>>,
}

impl Leases {
    pub fn is_taken_over(&self, root: &RunId) -> bool {
        self.by_tree.get(root).is_some_and(|(_, lease)| lease.is_taken_over())
    }

    /// Returns the roots of trees whose page another session holds. Empty if `socket` is `None`.
    pub fn held_by_others(&self, socket: Option<&SessionId>) -> impl Iterator<Item = &RunId> {
        let held = self.by_tree.iter().filter(|(_, (_, lease))| lease.is_taken_over());
        held.filter(move |(_, (_, lease))| socket.is_some() && lease.holder_or_applicant() != socket)
            .map(|(root, _)| root)
    }

    /// True if the run stands still because its page is taken over.
    pub fn is_run_paused(&self, run: &RunId) -> bool {
        self.tree_held_by(run).is_some_and(|root| self.is_taken_over(&root))
    }

    /// Notifies the waiters that a run has come to rest.
    pub fn notify_at_rest(&mut self, run: &RunId) {
        for sender in self.at_rest.remove(run).unwrap_or_default() {
            // The receiver may have timed out.
            let _ = sender.send(());
        }
    }

    /// Returns the root of the tree whose lease pauses this run.
    pub fn tree_held_by(&self, run: &RunId) -> Option<RunId> {
        self.by_tree.iter().find(|(_, (holder_run, _))| holder_run == run).map(|(root, _)| root.clone())
    }
}
