//! User commands to runs: stop, pause or resume. A command is stored before the reply to it and kept until
//! the run has carried it out.

use crate::ids::RunId;

/// A user command to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserCommand {
    Stop,
    Pause,
    Resume,
}

/// A command that a run has not carried out yet. A command to a run tree has the same number in all of its
/// runs; a later command has a larger number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserCommandRow {
    pub n: u64,
    pub command: UserCommand,
}

/// A command that has been stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredUserCommand {
    pub row: UserCommandRow,
    /// The runs it is stored for, parents first, without runs that are to stop already.
    pub runs: Vec<RunId>,
}

impl UserCommand {
    /// Returns the stored name of the command.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Pause => "pause",
            Self::Resume => "resume",
        }
    }

    /// Parses a stored name; `None` for any other word.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Stop, Self::Pause, Self::Resume].into_iter().find(|command| command.name() == name)
    }
}
