//! Opening of the database: connections, migrations and errors.

use crate::store::error::StoreError;
use rusqlite::{Connection, ErrorCode};
use std::path::Path;

/// Migrations in order. A released one never changes; a new one is added at the end.
const MIGRATIONS: &[&str] = &[include_str!("../../migrations/0001_start.sql")];

/// Schema version (`user_version`) after the first migration; each later one adds 1. Development before the
/// first release counted up to this number. Its last schema is that of the first migration, so a store of it
/// is opened as it is; stores of its earlier schemas are not.
pub const FIRST_VERSION: usize = 19;

/// Schema version after all migrations.
pub const NEWEST_VERSION: usize = FIRST_VERSION + MIGRATIONS.len() - 1;

/// Milliseconds that a connection waits for a lock.
pub const BUSY_MS: i64 = 5_000;

/// Page cache of a reader, in KiB. Small, since reads are mostly of recent writes.
const READER_CACHE: i64 = 512;

pub fn connect(file: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(file)?;
    // Takes effect in a new file. It must be set before the journal mode, which writes the first page.
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

/// Returns the schema version of the file; 0 for a new one.
pub fn schema_version(connection: &Connection) -> rusqlite::Result<usize> {
    connection.query_row("pragma user_version", [], |row| row.get(0))
}

/// Applies the migrations that a file of this schema version lacks.
pub fn migrate(connection: &mut Connection, version: usize) -> rusqlite::Result<()> {
    for (sql, reached) in MIGRATIONS.iter().zip(FIRST_VERSION..) {
        if reached > version {
            let transaction = connection.transaction()?;
            transaction.execute_batch(sql)?;
            transaction.pragma_update(None, "user_version", reached)?;
            transaction.commit()?;
        }
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
