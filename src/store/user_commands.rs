//! Storage of user commands (stop, pause, resume) that runs have not carried out yet.

use crate::ids::RunId;
use crate::store::error::StoreFuture;
use crate::store::rows::user_command::{StoredUserCommand, UserCommand, UserCommandRow};

/// User commands that runs have not carried out yet.
pub trait UserCommands {
    /// Stores a user command for a run, and for its living descendants if `below`. A newer command replaces
    /// an older one, except that a stop is final. Returns `None` if the run has ended.
    fn add_user_command(
        &self,
        run: RunId,
        command: UserCommand,
        below: bool,
    ) -> StoreFuture<Option<StoredUserCommand>>;
    /// Withdraws the command with this number from all runs that have not carried it out.
    fn withdraw_user_command(&self, n: u64) -> StoreFuture<()>;
    /// Returns all pending commands with their runs.
    fn pending_user_commands(&self) -> StoreFuture<Vec<(RunId, UserCommandRow)>>;
}
