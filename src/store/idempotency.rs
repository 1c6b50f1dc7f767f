//! Idempotency records. Most are written in the transaction of what they lead to: `NewRun::idempotency_record`,
//! `ResolutionRow::idempotency_record`, `Inbox::deliver`.

use crate::ids::RunId;
use crate::store::error::StoreFuture;
use crate::store::rows::idempotency::IdempotencyRecord;

/// Requests that may be repeated, by their keys.
pub trait IdempotencyRecords {
    /// Returns the run and the request of this key.
    fn idempotency_record(&self, key: String) -> StoreFuture<Option<(RunId, IdempotencyRecord)>>;

    /// Adds a request that led to a run and changed nothing there.
    fn add_idempotency_record(&self, run: RunId, record: IdempotencyRecord) -> StoreFuture<()>;
}
