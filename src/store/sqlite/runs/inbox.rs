//! Statements on inboxes.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::inbox::{DeliveryCondition, Inbox};
use crate::store::rows::idempotency::IdempotencyRecord;
use crate::store::rows::inbox::{InboxItem, InboxRow};
use crate::store::sqlite::connection::store::SqliteStore;
use crate::store::sqlite::idempotency;
use crate::store::sqlite::row_reading::query_all;
use crate::store::sqlite::runs::read::run as run_of;
use rusqlite::{Connection, Result, params};
use std::sync::atomic::{AtomicU64, Ordering};

/// Largest number that this process gave to a message.
static LAST_NUMBER: AtomicU64 = AtomicU64::new(0);

impl Inbox for SqliteStore {
    fn deliver(
        &self,
        run: RunId,
        item: InboxItem,
        idempotency_record: Option<IdempotencyRecord>,
    ) -> StoreFuture<Option<InboxRow>> {
        self.writer.write_timed("deliver", move |connection, _| {
            deliver(connection, &run, item, idempotency_record.as_ref())
        })
    }

    fn deliver_if(
        &self,
        run: RunId,
        item: InboxItem,
        holds: DeliveryCondition,
    ) -> StoreFuture<Option<InboxRow>> {
        let delivered = self.writer.write_timed("deliver", move |connection, _| {
            // Read errors are the caller's result and do not fail the transaction.
            let found = run_of(connection, &run).and_then(|row| Ok((row, unread(connection, &run)?)));
            match found {
                Ok((Some(row), unread)) if holds(&row, &unread) => {
                    deliver(connection, &run, item, None).map(Ok)
                }
                Ok(_) => Ok(Ok(None)),
                Err(fault) => Ok(Err(fault)),
            }
        });
        Box::pin(async move { delivered.await? })
    }

    fn inbox(&self, run: RunId) -> StoreFuture<Vec<InboxRow>> {
        self.read(move |connection| unread(connection, &run))
    }
}

/// Adds a row to a run's inbox; `None` if there is no such run.
pub fn deliver(
    connection: &Connection,
    run: &RunId,
    item: InboxItem,
    record: Option<&IdempotencyRecord>,
) -> Result<Option<InboxRow>> {
    let known: bool = connection
        .prepare_cached("select exists (select 1 from runs where id = ?)")?
        .query_row([run.as_str()], |row| row.get(0))?;
    if !known {
        return Ok(None);
    }
    let n = next_number(connection, run)?;
    connection
        .prepare_cached("insert into inbox (run_id, n, at, kind, text) values (?, ?, ?, ?, ?)")?
        .execute(params![run.as_str(), n, Moment::now().millis(), item.kind(), item.text()])?;
    idempotency::put(connection, run, record)?;
    Ok(Some(InboxRow { n, item }))
}

/// Returns a number larger than every earlier one, including those of messages that were read and deleted. Numbers follow
/// the clock, and the newest of the process when messages come faster than that.
fn next_number(connection: &Connection, run: &RunId) -> Result<u64> {
    let now = Moment::now().millis().max(0).unsigned_abs();
    let unread: u64 = connection
        .prepare_cached("select coalesce(max(n), 0) from inbox where run_id = ?")?
        .query_row([run.as_str()], |row| row.get(0))?;
    let least = now.max(unread + 1);
    let raise = |last: u64| Some(least.max(last + 1));
    let last = LAST_NUMBER.fetch_update(Ordering::SeqCst, Ordering::SeqCst, raise).unwrap_or_default();
    Ok(least.max(last + 1))
}

/// Returns the unread messages, oldest first.
pub fn unread(connection: &Connection, run: &RunId) -> std::result::Result<Vec<InboxRow>, StoreError> {
    let sql = "select n, kind, text from inbox where run_id = ? order by n";
    let rows = query_all(connection, sql, [run.as_str()], |row| {
        Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
    })?;
    let read = |(n, kind, text): (u64, String, String)| {
        let unreadable = || StoreError::Corrupt {
            what: format!("run {run}"),
            reason: format!("row {n} of its inbox is not a valid `{kind}`"),
        };
        Ok(InboxRow { n, item: InboxItem::read(&kind, text).ok_or_else(unreadable)? })
    };
    rows.into_iter().map(read).collect()
}
