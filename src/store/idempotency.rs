//! Idempotency records. Most are written in the transaction of what they lead to: `NewRun::idempotency_record`,
//! `ResolutionRow::idempotency_record`, `Inbox::deliver`.

use crate::ids::RunId;
use crate::store::error::StoreFuture;
use crate::store::rows::idempotency::IdempotencyRecord;

pub trait IdempotencyRecords {
    /// The request of this key, with the run that it led to.
    fn idempotency_record(&self, key: String) -> StoreFuture<Option<(RunId, IdempotencyRecord)>>;

    /// One that led to a run and changed nothing there.
    fn add_idempotency_record(&self, run: RunId, record: IdempotencyRecord) -> StoreFuture<()>;
}
