//! Opening of the database: connections, migrations and errors.

use crate::store::error::StoreError;
use rusqlite::{Connection, ErrorCode};
use std::path::Path;

/// Migrations in order. A released one never changes; a new one is added at the end.
const MIGRATIONS: &[&str] = &[include_str!("../../migrations/0001_start.sql")];

/// Schema version (`user_version`) after all migrations: each adds 1.
const NEWEST_VERSION: usize = MIGRATIONS.len();

/// Mark of a store (`application_id`): `ASKF` in ASCII. Stores from before the first release lack it, but had
/// schema versions of their own.
const APPLICATION_ID: i32 = 0x4153_4b46;

/// Milliseconds that a connection waits for a lock.
pub const BUSY_MS: i64 = 5_000;

/// Page cache of a reader, in KiB. Small, since reads are mostly of recent writes.
const READER_CACHE: i64 = 512;

/// Opens the file for writing, with the pragmas of the store.
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

/// Opens the file for reading, with a bounded cache.
pub fn connect_reader(file: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(file)?;
    // A negative value counts KiB instead of pages.
    connection.pragma_update(None, "cache_size", -READER_CACHE)?;
    Ok(connection)
}

/// Applies the migrations that the file lacks. Refuses a file that this version cannot read, and a new one
/// beside the folders of runs, and leaves them unchanged.
pub fn migrate(connection: &mut Connection, file: &Path, runs: &Path) -> Result<(), StoreError> {
    let failed = |fault| open_error(file, fault);
    let version = schema_version(connection, file, runs)?;
    for (sql, reached) in MIGRATIONS.iter().zip(1..).skip(version) {
        let transaction = connection.transaction().map_err(failed)?;
        transaction.execute_batch(sql).map_err(failed)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
        transaction.pragma_update(None, "user_version", reached).map_err(failed)?;
        transaction.commit().map_err(failed)?;
    }
    Ok(())
}

/// Returns the schema version of the file; 0 for a new one.
fn schema_version(connection: &Connection, file: &Path, runs: &Path) -> Result<usize, StoreError> {
    let pragma = |name: &str| {
        let number = connection.query_row(&format!("pragma {name}"), [], |row| row.get::<_, i32>(0));
        number.map_err(|fault| open_error(file, fault))
    };
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    let (path, runs_path) = (file.display().to_string(), runs.display().to_string());
    match (application, usize::try_from(version).unwrap_or_default()) {
        (0, 0) if std::fs::read_dir(runs).is_ok_and(|mut runs| runs.next().is_some()) => {
            Err(StoreError::Missing { path, runs: runs_path })
        }
        (0, 0) => Ok(0),
        (APPLICATION_ID, found) if found > NEWEST_VERSION => {
            Err(StoreError::Newer { path, found, known: NEWEST_VERSION })
        }
        (APPLICATION_ID, known) => Ok(known),
        (0, _) => Err(StoreError::Unreleased { path, runs: runs_path }),
        _ => Err(StoreError::Damaged { path, reason: String::from("it belongs to another program") }),
    }
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
