//! Return of the space of deleted rows to the disk, and the check that the disk still accepts writes.

use crate::store::sqlite::connection::open;
use rusqlite::{Connection, Result};

/// Pages released per transaction. A larger number would delay other writes.
const AT_ONCE: u32 = 512;

/// Releases some free pages. Returns true if more are left.
pub fn release_pages(connection: &Connection) -> Result<bool> {
    let free = || connection.query_row("pragma freelist_count", [], |row| row.get::<_, i64>(0));
    let before = free()?;
    if before == 0 {
        return Ok(false);
    }
    let mut release = connection.prepare(&format!("pragma incremental_vacuum({AT_ONCE})"))?;
    let mut rows = release.query([])?;
    // Each step of the statement releases one page.
    while rows.next()?.is_some() {}
    let after = free()?;
    Ok(after > 0 && after < before)
}

/// Writes 16 KiB, as much as a step may write.
pub fn write_check(connection: &Connection) -> Result<()> {
    connection
        .prepare_cached("insert into write_checks (padding) values (zeroblob(16384))")?
        .execute([])
        .map(|_| ())
}

pub fn clear_check(connection: &Connection) -> Result<()> {
    connection.prepare_cached("delete from write_checks")?.execute([]).map(|_| ())
}

/// Writes the WAL into the file and truncates it, outside of any transaction; only then does the file shrink.
/// Returns false if a reader still needs the WAL.
pub fn shorten_file(connection: &Connection) -> Result<bool> {
    // Do not wait for readers: writes queue behind this call.
    connection.pragma_update(None, "busy_timeout", 0)?;
    let busy = connection.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get::<_, i64>(0));
    connection.pragma_update(None, "busy_timeout", open::BUSY_MS)?;
    Ok(busy? == 0)
}
