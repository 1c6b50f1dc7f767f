//! Messages between a run and the registry: signals to the run; its reports that it has left, and that its children
//! begin or stop.

use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::rows::inbox::InboxRow;
use crate::store::rows::user_command::UserCommandRow;
use actix::prelude::*;

/// A numbered signal from the registry. The numbers keep signals from being lost while the run leaves.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct NumberedSignal {
    /// Increases by 1 while the run is at work.
    pub n: u64,
    pub signal: RunSignal,
}

/// Message of the registry to a run's actor. Signals are not stored; the stored rows that they announce are.
#[derive(Clone, Debug, PartialEq)]
pub enum RunSignal {
    /// Check for something to do.
    Wake,
    /// A message has been stored in the inbox.
    Read(InboxRow),
    /// Another node may have stored messages in the inbox, or an answer.
    LookAtInbox,
    /// A person's command.
    Command(UserCommandRow),
    Pause,
    /// Pause for a take-over: the action under way is cut off after `TAKE_OVER_GRACE`.
    PauseForTakeover,
    Resume,
    Stop,
    TimeUp,
    /// End the run, because it must not outlive a restart of the service.
    EndAfterRestart,
}

/// Stops the actor at once without a report. The run goes on from its last checkpoint after the next start.
#[derive(Message)]
#[rtype(result = "()")]
pub struct StopRunActor;

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
