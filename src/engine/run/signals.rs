//! Signals to a run.

use crate::store::rows::inbox::InboxRow;
use crate::store::rows::user_command::UserCommandRow;
use actix::prelude::*;

/// A numbered signal from the registry. The numbers keep signals from being lost while the run leaves.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct NumberedSignal {
    pub n: u64,
    pub signal: RunSignal,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RunSignal {
    /// Check for something to do.
    Wake,
    /// A message has been stored in the inbox.
    Read(InboxRow),
    /// A person's command.
    Command(UserCommandRow),
    Pause,
    /// Pause for a take-over: the action under way is cut off after `TAKE_OVER_GRACE`.
    GiveWay,
    Resume,
    Stop,
    TimeUp,
    /// End the run, because it must not outlive a restart of the service.
    Lapse,
}

/// Stops the actor at once without a report. The run goes on from its last checkpoint after the next start.
#[derive(Message)]
#[rtype(result = "()")]
pub struct StopRunActor;
