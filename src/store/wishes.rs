//! Storage of user commands (stop, pause, resume) that runs have not carried out yet.

use super::Reply;
use super::rows::{Wish, WishRow, Wished};
use crate::ids::RunId;

pub trait Wishes {
    /// Stores a user command for a run, and for its living descendants if `below`. A newer command replaces
    /// an older one, except that a stop is final. Returns `None` if the run has ended.
    fn wish(&self, run: RunId, wish: Wish, below: bool) -> Reply<Option<Wished>>;
    /// Withdraws the command with this number from all runs that have not carried it out.
    fn unwish(&self, n: u64) -> Reply<()>;
    /// Returns all pending commands with their runs.
    fn wishes(&self) -> Reply<Vec<(RunId, WishRow)>>;
}
