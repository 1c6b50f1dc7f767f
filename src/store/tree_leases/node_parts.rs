//! Parts of a store by which a node tells its registry of leases and other nodes of what it has stored.

use crate::ids::RunId;
use crate::store::tree_leases::LeaseNotice;
use crate::store::tree_leases::deadline::LeaseDeadline;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Order to the exchange of hints with other nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HintOrder {
    /// This node has stored events of a tree, up to this number.
    Stored { root: RunId, seq: u64 },
    /// Something was stored for the owner of a tree.
    Wake(RunId),
    /// A question was asked or resolved.
    Questions,
    /// The events of a tree are wanted here, or no longer.
    Follow { root: RunId, follows: bool },
}

/// Channels and limits of a node.
pub struct NodeParts {
    pub deadline: LeaseDeadline,
    pub notices: UnboundedSender<LeaseNotice>,
    pub hints: UnboundedSender<HintOrder>,
    /// Number of runs at work up to which the node claims trees.
    pub capacity: AtomicUsize,
    /// True while the node works on runs: new trees are its own, and it claims those of others.
    pub works: AtomicBool,
    unread_notices: Mutex<Option<UnboundedReceiver<LeaseNotice>>>,
    unread_hints: Mutex<Option<UnboundedReceiver<HintOrder>>>,
}

impl Default for NodeParts {
    fn default() -> Self {
        let ((notices, unread_notices), (hints, unread_hints)) = (unbounded_channel(), unbounded_channel());
        Self {
            deadline: LeaseDeadline::default(),
            notices,
            hints,
            capacity: AtomicUsize::new(0),
            works: AtomicBool::new(true),
            unread_notices: Mutex::new(Some(unread_notices)),
            unread_hints: Mutex::new(Some(unread_hints)),
        }
    }
}

impl NodeParts {
    /// Returns the news for the registry, at the first call.
    pub fn take_notices(&self) -> Option<UnboundedReceiver<LeaseNotice>> {
        self.unread_notices.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns the orders to the exchange of hints, at the first call.
    pub fn take_hints(&self) -> Option<UnboundedReceiver<HintOrder>> {
        self.unread_hints.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
