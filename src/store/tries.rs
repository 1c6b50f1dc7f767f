//! What requests that may be sent again led to. Most are kept with what they do, in one transaction: `NewRun::tried`,
//! `Answered::tried`, `Inbox::deliver`. A store that keeps nothing of that is one all the same.

use super::Reply;
use super::rows::Try;
use crate::ids::RunId;

pub trait Tries {
    /// The request of this key, with the run that it led to.
    fn tried(&self, _key: String) -> Reply<Option<(RunId, Try)>> {
        Box::pin(async { Ok(None) })
    }

    /// One that led to a run and changed nothing there.
    fn keep_try(&self, _run: RunId, _tried: Try) -> Reply<()> {
        Box::pin(async { Ok(()) })
    }
}
