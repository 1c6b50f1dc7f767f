//! Messages of a run to the registry: it has left, its children begin or stop.

use super::Order;
use crate::ids::RunId;
use crate::protocol::Status;
use actix::prelude::*;

/// The run has nothing to do and is gone.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Left {
    pub run: RunId,
    /// The last order that it acted upon; later ones are for the actor that comes next.
    pub heard: u64,
    /// True if there is something to do after all, so that an actor must come.
    pub again: bool,
    /// Its status now.
    pub status: Status,
    /// The caller, which hears that it has ended just now.
    pub parent: Option<RunId>,
    /// Children that it has called and that begin now.
    pub called: Vec<RunId>,
    /// Order for its children: end, stand still or go on, as it did just now.
    pub passes: Option<Order>,
    /// Its children that may not have ended; none if it cannot say which.
    pub living: Option<Vec<RunId>>,
    /// True if its stored state cannot be read: nobody can do anything with it.
    pub unreadable: bool,
}

/// Children that begin now, and those that are not wanted any more, of a run that stays.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Children {
    pub begin: Vec<RunId>,
    pub stop: Vec<RunId>,
}

/// Recipients of a run's messages.
pub(super) struct Above {
    pub(super) left: Recipient<Left>,
    pub(super) children: Recipient<Children>,
}
