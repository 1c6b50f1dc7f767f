//! Storage of user commands (stop, pause, resume) that runs have not carried out yet.

use super::StoreFuture;
use super::rows::{UserCommand, WishRow, Wished};
use crate::ids::RunId;

pub trait Wishes {
    /// Stores a user command for a run, and for its living descendants if `below`. A newer command replaces
    /// an older one, except that a stop is final. Returns `None` if the run has ended.
    fn wish(&self, run: RunId, wish: UserCommand, below: bool) -> StoreFuture<Option<Wished>>;
    /// Withdraws the command with this number from all runs that have not carried it out.
    fn unwish(&self, n: u64) -> StoreFuture<()>;
    /// Returns all pending commands with their runs.
    fn wishes(&self) -> StoreFuture<Vec<(RunId, WishRow)>>;
}
