//! Statements on idempotency records.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::postgres::connection::sql::Sql;
use crate::store::rows::idempotency::IdempotencyRecord;

/// Stores a record in place of an earlier one with the same key, unless the run does not exist.
pub fn put(run: &RunId, record: &IdempotencyRecord) -> Sql {
    Sql::new(
        "insert into idempotency_records (key, request_hash, run_id, position, created_at)
         select $1, $2, $3, $4, $5 where exists (select 1 from runs where id = $3)
         on conflict (key) do update
         set request_hash = excluded.request_hash, run_id = excluded.run_id, position = excluded.position,
             created_at = excluded.created_at",
    )
    .with(&record.key)
    .with(&record.request_hash)
    .with(run)
    .with(&record.position)
    .with(Moment::now().millis())
}
