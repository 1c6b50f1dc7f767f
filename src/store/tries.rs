//! Idempotency records. Most are written in the transaction of what they lead to: `NewRun::tried`, `Answered::tried`,
//! `Inbox::deliver`.

use super::StoreFuture;
use super::rows::Try;
use crate::ids::RunId;

pub trait Tries {
    /// The request of this key, with the run that it led to.
    fn tried(&self, key: String) -> StoreFuture<Option<(RunId, Try)>>;

    /// One that led to a run and changed nothing there.
    fn keep_try(&self, run: RunId, tried: Try) -> StoreFuture<()>;
}
