//! Space that deleted rows held, given back to the disk. A file made by an older version keeps its free pages until
//! it has been written anew once.

use rusqlite::{Connection, Result};

/// Pages that one transaction gives back: more would keep those waiting who have something to store.
const AT_ONCE: u32 = 512;
/// `pragma auto_vacuum` of a file that can give back.
const INCREMENTAL: i64 = 2;

/// Gives some free pages back; whether there are more.
pub fn release_pages(connection: &Connection) -> Result<bool> {
    let free = || connection.query_row("pragma freelist_count", [], |row| row.get::<_, i64>(0));
    let before = free()?;
    if before == 0 {
        return Ok(false);
    }
    let mut release = connection.prepare(&format!("pragma incremental_vacuum({AT_ONCE})"))?;
    let mut rows = release.query([])?;
    // It gives back one page at each step.
    while rows.next()?.is_some() {}
    let after = free()?;
    Ok(after > 0 && after < before)
}

/// Writes the log into the file and empties it, outside of any transaction: only then is the file shorter. False if
/// a reader still needs the log.
pub fn shorten_file(connection: &Connection) -> Result<bool> {
    // Nobody who stores something waits for a reader.
    connection.pragma_update(None, "busy_timeout", 0)?;
    let busy = connection.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get::<_, i64>(0));
    connection.pragma_update(None, "busy_timeout", super::opening::BUSY_MS)?;
    Ok(busy? == 0)
}

/// Makes a file of an older version one that can give back. It is written anew for that, once.
pub fn prepare_file(connection: &Connection) {
    let mode = connection.query_row("pragma auto_vacuum", [], |row| row.get::<_, i64>(0));
    if mode.is_ok_and(|mode| mode == INCREMENTAL) {
        return;
    }
    let made = connection
        .pragma_update(None, "auto_vacuum", "INCREMENTAL")
        .and_then(|()| connection.execute_batch("vacuum"));
    if let Err(fault) = made {
        tracing::warn!(%fault, "the store keeps the space of what is deleted until there is more room on the disk");
    }
}
