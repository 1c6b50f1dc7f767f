//! Leases of run trees, by which several services (nodes) share a store: which trees are this node's, and which runs of them
//! have something to do. A store of one service needs none, and takes the answers of the trait.

pub mod deadline;
pub mod held_trees;
pub mod node_parts;

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::tree_leases::deadline::LeaseDeadline;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;

/// Reason why a run of this node has something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunTask {
    /// It goes on from its rows.
    GoOn,
    /// Its parent has ended or is stopping it.
    Stop,
    /// It must not outlive a restart of its service.
    EndAfterRestart,
}

/// Trees that were claimed, and the runs of them that have something to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimedTrees {
    pub roots: Vec<RunId>,
    pub runs: Vec<(RunId, RunTask)>,
}

/// A service that works on the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    pub id: String,
    /// Name of the machine.
    pub machine: String,
    /// Address at which other nodes reach it; empty if they cannot.
    pub address: String,
    /// Version of the program.
    pub version: String,
    /// The role in its settings.
    pub role: String,
    /// True if it gives its runs to other nodes and takes none.
    pub is_draining: bool,
    /// Runs at work up to which it takes over those of others.
    pub capacity: u64,
    pub started_at: Moment,
    /// Time until its runs go on elsewhere unless it gives a sign of life.
    pub time_left: Duration,
    /// Run trees that it owns.
    pub trees: u64,
    /// Runs of them that have not ended.
    pub runs: u64,
    /// True for the node that was asked.
    pub is_self: bool,
}

/// Result of a drain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drained {
    /// Run trees that were given back.
    pub trees: u64,
    /// Other nodes that may take them.
    pub takers: u64,
}

/// The node that works on a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeWorker {
    ThisNode,
    OtherNode,
    /// A node will take the tree.
    NextTaker,
    /// No node owns the tree, and none would take it.
    Nobody,
}

/// A way to the node that owns a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerTicket {
    /// Address at which other nodes reach the owner; empty if its settings name none.
    pub address: String,
    /// Secret that the owner accepts once, within half a minute.
    pub ticket: String,
}

/// Content of a ticket that another node has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedeemedTicket {
    /// Tree that the connection is about.
    pub root: RunId,
    /// Text of the node that was issued the ticket: for whom it asks.
    pub viewer: String,
}

/// News about the leases of this node.
#[derive(Debug)]
pub enum LeaseNotice {
    /// The node has lost all trees. The sender is used when none of their runs and browsers is at work any more; until then
    /// the node gets no new lease.
    Lost(oneshot::Sender<()>),
    /// Trees of the node that were deleted elsewhere.
    Deleted(Vec<RunId>),
    /// Another node has stored something for a tree of this one.
    Woken,
    /// A tree without an owner has something to do.
    Unowned,
}

/// Leases of run trees.
pub trait TreeLeases {
    /// True if other services may work on the same store.
    fn is_shared(&self) -> bool {
        false
    }

    /// True if this service may step the runs of the tree.
    fn owns(&self, _root: &RunId) -> bool {
        true
    }

    /// Returns who works on a tree.
    fn tree_worker(&self, _root: RunId) -> StoreFuture<TreeWorker> {
        Box::pin(async { Ok(TreeWorker::ThisNode) })
    }

    /// Deadline after which no command may be sent to a page.
    fn lease_deadline(&self) -> LeaseDeadline {
        LeaseDeadline::default()
    }

    /// Returns the news about leases, at the first call.
    fn lease_notices(&self) -> Option<UnboundedReceiver<LeaseNotice>> {
        None
    }

    /// Returns the nodes that share the store, the oldest first; none for a store of one service.
    fn nodes(&self) -> StoreFuture<Vec<NodeRow>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Gives the trees of this node to others, once none of their runs is at work here, and takes none from then on. Fails with
    /// [`StoreError::NoOtherNode`] if no other node would take them.
    fn drain(&self) -> StoreFuture<Drained> {
        Box::pin(async { Err(StoreError::NoOtherNode) })
    }

    /// Takes trees again after a drain, unless the node is one that works on none.
    fn end_drain(&self) -> StoreFuture<()> {
        Box::pin(async { Ok(()) })
    }

    /// Claims trees without an owner and trees of nodes that are gone, as many as the node has room for beside the runs that
    /// are at work there. A node that has none, or works on no runs, claims only those that a person has stopped, so that a
    /// stop takes effect although no node works.
    fn claim_trees(&self, _runs_at_work: usize) -> StoreFuture<ClaimedTrees> {
        Box::pin(async { Ok(ClaimedTrees::default()) })
    }

    /// Returns the runs of this node for which other nodes have stored messages, answers or commands since the last call; none
    /// if it works on no runs.
    fn take_woken_runs(&self) -> StoreFuture<Vec<RunId>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Tells the owner of a tree, or a node that may claim it, that something was stored for it.
    fn wake_owner(&self, _root: &RunId) {}

    /// Issues a ticket for a connection to the node that owns a tree, about this viewer. `None` if no other node owns it.
    fn issue_ticket(&self, _root: RunId, _viewer: String) -> StoreFuture<Option<OwnerTicket>> {
        Box::pin(async { Ok(None) })
    }

    /// Takes a ticket. `None` if it is unknown, used, too old, or for another node.
    fn redeem_ticket(&self, _ticket: String) -> StoreFuture<Option<RedeemedTicket>> {
        Box::pin(async { Ok(None) })
    }

    /// Begins or ends the delivery of the events that other nodes store for a tree.
    fn follow_tree(&self, _root: &RunId, _follows: bool) {}
}
