//! Idempotency records. Most are stored in the transaction of the request itself: `NewRun::tried`,
//! `Answered::tried`, `Inbox::deliver`. With the defaults no record is kept.

use super::Reply;
use super::rows::Try;
use crate::ids::RunId;

pub trait Tries {
    /// Returns the record of this key, with the run of the request.
    fn tried(&self, _key: String) -> Reply<Option<(RunId, Try)>> {
        Box::pin(async { Ok(None) })
    }

    /// Stores the record of a request that changed nothing in its run.
    fn keep_try(&self, _run: RunId, _tried: Try) -> Reply<()> {
        Box::pin(async { Ok(()) })
    }
}
