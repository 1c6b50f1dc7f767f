//! Leases of all run trees: holders, applicants, and wake-ups that wait until a page is returned. Pure: `apply`
//! returns the effects of an event, which `registry::takeovers` carries out.

use crate::browser::takeover::comparison::TakeoverChanges;
use crate::engine::takeover::lease;
use crate::engine::takeover::lease::{Lease, LeaseEffect, LeaseEvent, LeaseRefusal};
use crate::engine::takeover::pages;
use crate::ids::{RunId, SessionId};
use crate::protocol::Locale;
use crate::protocol::caller::Caller;
use std::collections::{HashMap, HashSet};

/// The leases of all run trees.
#[derive(Default)]
pub struct Leases {
    /// Leases by the root of the tree, each with the run that is paused for it.
    by_tree: HashMap<RunId, (RunId, Lease)>,
    /// Sessions that have a page or have asked for one, with the root of its tree; `None` until the run has been
    /// looked up.
    requests: HashMap<SessionId, Option<RunId>>,
    /// Pages that are being handed back, by root.
    hand_backs: HashMap<RunId, PageHandBack>,
    /// Runs whose wake-ups are held back until the page is no longer taken over.
    delayed_wakes: HashSet<RunId>,
}

/// A page that was handed back: by which client, and with which changes if they are known.
#[derive(Debug, Default, PartialEq)]
pub struct PageHandBack {
    /// `None` if the page was not handed back by a person.
    pub client: Option<Caller>,
    /// `None` if the changes are unknown.
    pub changes: Option<TakeoverChanges>,
}

/// The result of an event.
#[derive(Debug, PartialEq)]
pub struct LeaseChange {
    /// The run that is paused for the lease.
    pub run: RunId,
    pub lease: Lease,
    /// Effects to carry out, in order.
    pub effects: Vec<LeaseEffect>,
    /// True if the page is free now and a wake-up of the run was held back meanwhile.
    pub delayed_wake: bool,
    /// The hand-back after which the page is free now, if it was handed back.
    pub hand_back: PageHandBack,
}

impl PageHandBack {
    /// Returns the report for the run, and false if the page is known to be unchanged.
    pub fn report(&self, locale: Locale) -> (String, bool) {
        let unknown = TakeoverChanges::unknown();
        let changes = self.changes.as_ref().unwrap_or(&unknown);
        (pages::changes_report(changes, locale), *changes != TakeoverChanges::default())
    }
}

impl Leases {
    /// Applies an event to the lease of a tree. Returns `None` if nobody has asked for its page.
    pub fn apply(&mut self, root: &RunId, event: LeaseEvent) -> Result<Option<LeaseChange>, LeaseRefusal> {
        let Some((run, lease)) = self.by_tree.get(root).cloned() else { return Ok(None) };
        let (lease, effects) = lease::transition(lease, event)?;
        tracing::debug!(run_id = %root, ?lease, "lease");
        let by = lease.holder_or_applicant();
        self.requests.retain(|who, tree| tree.as_ref() != Some(root) || Some(who) == by);
        let (mut delayed_wake, mut hand_back) = (false, PageHandBack::default());
        if !lease.is_taken_over() {
            delayed_wake = self.delayed_wakes.remove(&run);
            hand_back = self.hand_backs.remove(root).unwrap_or_default();
        }
        match lease {
            Lease::Free => self.by_tree.remove(root),
            _ => self.by_tree.insert(root.clone(), (run.clone(), lease.clone())),
        };
        Ok(Some(LeaseChange { run, lease, effects, delayed_wake, hand_back }))
    }

    /// Registers that a session asks for a page, so that the loss of its socket is noticed. Refused if it has a page
    /// or has asked for one.
    pub fn add_request(&mut self, by: &SessionId) -> Result<(), LeaseRefusal> {
        if self.requests.contains_key(by) {
            return Err(LeaseRefusal::AlreadyHolding);
        }
        self.requests.insert(by.clone(), None);
        Ok(())
    }

    /// Sets the tree of a request, and the run that is paused for it if nobody has the page yet.
    pub fn set_requested_tree(&mut self, by: &SessionId, root: &RunId, run: RunId) {
        self.requests.insert(by.clone(), Some(root.clone()));
        let entry = self.by_tree.entry(root.clone()).or_insert_with(|| (run.clone(), Lease::Free));
        if !entry.1.is_taken_over() {
            entry.0 = run;
        }
    }

    /// Forgets the request of a session.
    pub fn remove_request(&mut self, by: &SessionId) {
        self.requests.remove(by);
    }

    /// True if the session has a page or has asked for one.
    pub fn has_request(&self, by: &SessionId) -> bool {
        self.requests.contains_key(by)
    }

    /// Returns the root of the tree whose page the session has or has asked for.
    pub fn requested_tree(&self, by: &SessionId) -> Option<&RunId> {
        self.requests.get(by)?.as_ref()
    }

    /// Returns the root of the tree whose page the session has or has asked for, if `run` is that root or the run
    /// paused for it.
    pub fn tree_of_holder(&self, by: &SessionId, run: &RunId) -> Result<RunId, LeaseRefusal> {
        let root = self.requested_tree(by);
        let root = root.filter(|root| *root == run || self.tree_pausing(run).as_ref() == Some(root));
        root.cloned().ok_or(LeaseRefusal::NotHolding)
    }

    /// Sets the client that hands the page back.
    pub fn set_returning_client(&mut self, root: RunId, client: Caller) {
        self.hand_backs.entry(root).or_default().client = Some(client);
    }

    /// Sets the changes on the page that was handed back; `None` if they are unknown.
    pub fn set_page_changes(&mut self, root: RunId, changes: Option<TakeoverChanges>) {
        self.hand_backs.entry(root).or_default().changes = changes;
    }

    /// Holds back the wake-up of a run whose page is taken over until `apply` reports it. Returns false if the run
    /// can be woken now.
    pub fn hold_back_wake(&mut self, run: &RunId) -> bool {
        let holds_back = self.tree_pausing(run).is_some_and(|root| self.is_taken_over(&root));
        if holds_back {
            self.delayed_wakes.insert(run.clone());
        }
        holds_back
    }

    /// Parks the lease of a run that an ended process had paused.
    pub fn park(&mut self, root: RunId, run: RunId) {
        self.by_tree.entry(root).or_insert((run, Lease::Parked));
    }

    /// True if a person has the page, or it is on its way to or from one.
    pub fn is_taken_over(&self, root: &RunId) -> bool {
        self.by_tree.get(root).is_some_and(|(_, lease)| lease.is_taken_over())
    }

    /// Returns the run that is paused for this person, if the person has the page or is about to.
    pub fn run_paused_for(&self, root: &RunId, by: &SessionId) -> Option<RunId> {
        let (run, lease) = self.by_tree.get(root)?;
        (lease.holder_or_applicant() == Some(by)).then(|| run.clone())
    }

    /// Returns the roots of trees whose page another session holds. Empty if `socket` is `None`.
    pub fn held_by_others(&self, socket: Option<&SessionId>) -> impl Iterator<Item = &RunId> {
        let held = self.by_tree.iter().filter(|(_, (_, lease))| lease.is_taken_over());
        held.filter(move |(_, (_, lease))| socket.is_some() && lease.holder_or_applicant() != socket)
            .map(|(root, _)| root)
    }

    /// Returns the root of the tree whose lease pauses this run.
    pub fn tree_pausing(&self, run: &RunId) -> Option<RunId> {
        self.by_tree.iter().find(|(_, (holder_run, _))| holder_run == run).map(|(root, _)| root.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> (RunId, RunId, SessionId) {
        (RunId::from("root"), RunId::from("child"), SessionId::from("A"))
    }

    /// Leases of a tree whose page the session has.
    fn held() -> Leases {
        let (root, run, by) = ids();
        let mut leases = Leases::default();
        leases.add_request(&by).unwrap();
        leases.set_requested_tree(&by, &root, run);
        for event in [LeaseEvent::Take(by), LeaseEvent::Taken { paused: true }] {
            leases.apply(&root, event).unwrap().unwrap();
        }
        leases
    }

    #[test]
    fn a_wake_up_during_a_take_over_waits_for_the_hand_back() {
        let ((root, run, by), mut leases) = (ids(), held());
        assert!(leases.hold_back_wake(&run) && !leases.hold_back_wake(&root));
        leases.set_returning_client(root.clone(), Caller::from_hello(None, "A", None));
        let returning = leases.apply(&root, LeaseEvent::HandBack(by.clone())).unwrap().unwrap();
        assert_eq!((returning.delayed_wake, returning.hand_back), (false, PageHandBack::default()));
        leases.set_page_changes(root.clone(), Some(TakeoverChanges::default()));
        let free = leases.apply(&root, LeaseEvent::Returned).unwrap().unwrap();
        assert_eq!((free.lease, free.delayed_wake), (Lease::Free, true));
        assert_eq!(free.hand_back.changes, Some(TakeoverChanges::default()));
        assert!(!free.hand_back.report(Locale::En).1 && PageHandBack::default().report(Locale::En).1);
        assert!(free.hand_back.client.is_some());
        assert!(
            !leases.hold_back_wake(&run) && !leases.has_request(&by) && leases.tree_pausing(&run).is_none()
        );
    }

    #[test]
    fn a_session_has_one_page_at_most_and_loses_it_with_its_socket() {
        let ((root, run, by), mut leases) = (ids(), held());
        assert_eq!(leases.add_request(&by), Err(LeaseRefusal::AlreadyHolding));
        assert_eq!(leases.run_paused_for(&root, &by), Some(run.clone()));
        assert_eq!(leases.tree_of_holder(&by, &run), Ok(root.clone()));
        assert_eq!(leases.tree_of_holder(&by, &RunId::from("other")), Err(LeaseRefusal::NotHolding));
        leases.apply(&root, LeaseEvent::Lost(by.clone())).unwrap();
        assert!(!leases.has_request(&by) && leases.is_taken_over(&root));
        let parked = leases.apply(&root, LeaseEvent::Returned).unwrap().unwrap();
        assert_eq!(parked.lease, Lease::Parked);
        assert_eq!(leases.tree_pausing(&run), Some(root));
    }
}
