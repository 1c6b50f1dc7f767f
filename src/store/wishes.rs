//! Wishes of people for runs that have not come to them yet: stop, pause, resume.

use super::Reply;
use super::rows::{Wish, WishRow, Wished};
use crate::ids::RunId;

pub trait Wishes {
    /// Stores what a person wants of a run, and of all that live below it if `below`. The last wish counts, and a stop
    /// is final. `None` if the run has ended.
    fn wish(&self, run: RunId, wish: Wish, below: bool) -> Reply<Option<Wished>>;
    /// Takes the command of this number back, in all runs that have not come to it.
    fn unwish(&self, n: u64) -> Reply<()>;
    /// All runs that have not come to what is wanted of them.
    fn wishes(&self) -> Reply<Vec<(RunId, WishRow)>>;
}
