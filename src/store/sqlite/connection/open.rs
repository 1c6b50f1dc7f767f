//! Opening of the database: connections, migrations and errors.

use crate::store::error::StoreError;
use rusqlite::{Connection, ErrorCode};
use std::path::Path;

/// Migrations in order. A released one never changes; a new one is added at the end.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_start.sql"),
    include_str!("../../migrations/0002_grant_covers.sql"),
];

/// Schema version (`user_version`) after all migrations: each adds 1.
const NEWEST_VERSION: usize = MIGRATIONS.len();

/// Mark of a store (`application_id`): `ASKF` in ASCII. Stores from before the first release lack it, but had
/// schema versions of their own.
const APPLICATION_ID: i32 = 0x4153_4b46;

/// Milliseconds that a connection waits for a lock.
pub const BUSY_MS: i64 = 5_000;

/// Page cache of a reader, in KiB. Small, since reads are mostly of recent writes.
const READER_CACHE: i64 = 512;

/// Opens the file for writing, creates it or applies the migrations that it lacks. Refuses a file that this version
/// cannot read, and a new one beside the folders of runs; a refused file stays as it is.
pub fn open_writer(file: &Path, runs: &Path) -> Result<Connection, StoreError> {
    let failed = |fault| open_error(file, fault);
    let mut connection = Connection::open(file).map_err(failed)?;
    connection.pragma_update(None, "busy_timeout", BUSY_MS).map_err(failed)?;
    // Before the pragmas, which write to the file.
    let version = schema_version(&connection, file, runs)?;
    set_pragmas(&connection).map_err(failed)?;
    migrate(&mut connection, version).map_err(failed)?;
    Ok(connection)
}

/// Opens the file for reading, with a bounded cache.
pub fn open_reader(file: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(file)?;
    set_pragmas(&connection)?;
    // A negative value counts KiB instead of pages.
    connection.pragma_update(None, "cache_size", -READER_CACHE)?;
    Ok(connection)
}

fn set_pragmas(connection: &Connection) -> rusqlite::Result<()> {
    // Takes effect in a new file. It must be set before the journal mode, which writes the first page.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Overwrite deleted content where that costs no additional write.
    connection.pragma_update(None, "secure_delete", "FAST")?;
    connection.pragma_update(None, "busy_timeout", BUSY_MS)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Applies the migrations after `version`, each in a transaction of its own.
fn migrate(connection: &mut Connection, version: usize) -> rusqlite::Result<()> {
    for (sql, reached) in MIGRATIONS.iter().zip(1..).skip(version) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", reached)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Returns the schema version of the file; 0 for a new one.
fn schema_version(connection: &Connection, file: &Path, runs: &Path) -> Result<usize, StoreError> {
    let number = |sql: &str| {
        let number = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        number.map_err(|fault| open_error(file, fault))
    };
    let application = number("pragma application_id")?;
    let version = number("pragma user_version")?;
    let (path, runs_path) = (file.display().to_string(), runs.display().to_string());
    let foreign = |path| StoreError::Damaged { path, reason: String::from("it belongs to another program") };
    if application == i64::from(APPLICATION_ID) {
        return match usize::try_from(version) {
            Ok(found) if found > NEWEST_VERSION => {
                Err(StoreError::Newer { path, found, known: NEWEST_VERSION })
            }
            Ok(known) => Ok(known),
            Err(_) => {
                let reason = format!("its schema version is {version}");
                Err(StoreError::Damaged { path, reason })
            }
        };
    }
    let is_empty = number("select count(*) from sqlite_master")? == 0;
    if application != 0 || (version == 0 && !is_empty) {
        return Err(foreign(path));
    }
    if version != 0 {
        let has_runs =
            number("select count(*) from sqlite_master where type = 'table' and name = 'runs'")? > 0;
        return Err(if has_runs { StoreError::Unreleased { path, runs: runs_path } } else { foreign(path) });
    }
    if std::fs::read_dir(runs).is_ok_and(|mut runs| runs.next().is_some()) {
        return Err(StoreError::Missing { path, runs: runs_path });
    }
    Ok(0)
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
