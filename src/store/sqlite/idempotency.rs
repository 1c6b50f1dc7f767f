//! Statements on idempotency records.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::idempotency::IdempotencyRecords;
use crate::store::rows::idempotency::IdempotencyRecord;
use crate::store::rows::json_columns::json;
use crate::store::sqlite::connection::store::SqliteStore;
use crate::store::sqlite::row_reading::{query_one, run_id};
use rusqlite::{Connection, Result, params};

/// Lifetime of an idempotency record: one day, in milliseconds.
const KEPT_MS: i64 = 24 * 60 * 60 * 1_000;

impl IdempotencyRecords for SqliteStore {
    fn idempotency_record(&self, key: String) -> StoreFuture<Option<(RunId, IdempotencyRecord)>> {
        self.read(move |connection| find(connection, key))
    }

    fn add_idempotency_record(&self, run: RunId, record: IdempotencyRecord) -> StoreFuture<()> {
        self.writer.write_timed("idempotency", move |connection, _| put(connection, &run, Some(&record)))
    }
}

/// Stores an idempotency record, in place of an earlier one with the same key.
pub fn put(connection: &Connection, run: &RunId, record: Option<&IdempotencyRecord>) -> Result<()> {
    let Some(IdempotencyRecord { key, request_hash, position }) = record else { return Ok(()) };
    let now = Moment::now().millis();
    connection
        .prepare_cached("delete from idempotency_records where created_at < ?")?
        .execute([now - KEPT_MS])?;
    connection
        .prepare_cached(
            "insert or replace into idempotency_records (key, request_hash, run_id, position, created_at)
             values (?, ?, ?, ?, ?)",
        )?
        .execute(params![key, request_hash, run.as_str(), position.to_string(), now])?;
    Ok(())
}

fn find(
    connection: &Connection,
    key: String,
) -> std::result::Result<Option<(RunId, IdempotencyRecord)>, StoreError> {
    let found = query_one(
        connection,
        "select run_id, request_hash, position from idempotency_records where key = ?",
        [key.as_str()],
        |row| {
            let (run, position) = (run_id(row, 0)?, row.get::<_, String>(2)?);
            Ok((run, row.get(1)?, json(&position)))
        },
    )?;
    Ok(found.map(|(run, request_hash, position)| (run, IdempotencyRecord { key, request_hash, position })))
}
