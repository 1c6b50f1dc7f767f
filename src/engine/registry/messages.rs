//! Messages of a run to the registry: the run has left; its children begin or stop.

use crate::engine::run::signals::RunSignal;
use crate::ids::RunId;
use crate::protocol::Status;
use actix::prelude::*;

/// Reports that the run's actor has nothing to do and has left.
#[derive(Message)]
#[rtype(result = "()")]
pub struct RunLeft {
    pub run: RunId,
    /// Number of the newest signal acted upon. The next actor receives later ones.
    pub covered_up_to: u64,
    /// True if there is something to do after all, so that another actor must start.
    pub must_restart: bool,
    /// Current status.
    pub status: Status,
    /// The parent, to be woken because the run has just ended.
    pub parent: Option<RunId>,
    /// Children begun by the run's last commits, to be started now.
    pub begun_children: Vec<RunId>,
    /// Signal for the children: stop, pause or resume, as the run just did.
    pub forwarded: Option<RunSignal>,
    /// Children that may be living; `None` if unknown.
    pub unfinished_children: Option<Vec<RunId>>,
    /// True if the stored state cannot be read, so that the run cannot be used.
    pub unreadable: bool,
}

/// Starts and stops children of a run that stays at work.
#[derive(Message)]
#[rtype(result = "()")]
pub struct ChildSignals {
    pub begin: Vec<RunId>,
    pub stop: Vec<RunId>,
}

/// Recipients of a run's messages.
pub(crate) struct RegistryRecipients {
    pub(crate) left: Recipient<RunLeft>,
    pub(crate) children: Recipient<ChildSignals>,
}
