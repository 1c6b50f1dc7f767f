//! Opening of the database: connections, migrations and errors.

use crate::store::error::StoreError;
use crate::store::sqlite::listing::search;
use rusqlite::{Connection, ErrorCode};
use std::path::Path;

/// Migrations in order; `user_version` counts the applied ones.
pub const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_start.sql"),
    include_str!("../../migrations/0002_leases.sql"),
    include_str!("../../migrations/0003_pulse.sql"),
    include_str!("../../migrations/0004_children.sql"),
    include_str!("../../migrations/0005_budgets.sql"),
    include_str!("../../migrations/0006_tasks.sql"),
    include_str!("../../migrations/0007_progress.sql"),
    include_str!("../../migrations/0008_prices.sql"),
    include_str!("../../migrations/0009_cause.sql"),
    include_str!("../../migrations/0010_calls.sql"),
    include_str!("../../migrations/0011_metadata.sql"),
    include_str!("../../migrations/0012_overdue.sql"),
    include_str!("../../migrations/0013_exported.sql"),
    include_str!("../../migrations/0014_tries.sql"),
    include_str!("../../migrations/0015_task_list.sql"),
    include_str!("../../migrations/0016_answering_clients.sql"),
    include_str!("../../migrations/0017_typed_inbox_and_wishes.sql"),
    include_str!("../../migrations/0018_models.sql"),
    include_str!("../../migrations/0020_sign_ins.sql"),
];

/// Milliseconds that a connection waits for a lock.
pub const BUSY_MS: i64 = 5_000;

/// Page cache of a reader, in KiB. Small, since reads are mostly of recent writes.
const READER_CACHE: i64 = 512;

pub fn connect(file: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(file)?;
    // Takes effect in a new file; an older file adopts it with its next `vacuum`.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Overwrite deleted content where that costs no additional write.
    connection.pragma_update(None, "secure_delete", "FAST")?;
    connection.pragma_update(None, "busy_timeout", BUSY_MS)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

pub fn connect_reader(file: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(file)?;
    // A negative value counts KiB instead of pages.
    connection.pragma_update(None, "cache_size", -READER_CACHE)?;
    Ok(connection)
}

pub fn applied_migrations(connection: &Connection) -> rusqlite::Result<usize> {
    connection.query_row("pragma user_version", [], |row| row.get(0))
}

pub fn migrate(connection: &mut Connection, applied: usize) -> rusqlite::Result<()> {
    for (index, sql) in MIGRATIONS.iter().enumerate().skip(applied) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(sql)?;
        if index + 1 == search::MIGRATION {
            search::index_all(&transaction)?;
        }
        transaction.pragma_update(None, "user_version", index + 1)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Explains why the file cannot be used and what to do about it.
pub fn open_error(file: &Path, fault: rusqlite::Error) -> StoreError {
    let (path, reason) = (file.display().to_string(), fault.to_string());
    match fault.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, reason },
        Some(ErrorCode::DiskFull) => StoreError::Full,
        _ => StoreError::Open { path, reason },
    }
}
