//! Write check: writes something to the disk and deletes it again.

use rusqlite::{Connection, Result};

/// Writes 16 KiB, as much as a step may write.
pub fn pulse(connection: &Connection) -> Result<()> {
    connection.prepare_cached("insert into pulse (pad) values (zeroblob(16384))")?.execute([]).map(|_| ())
}

pub fn rest(connection: &Connection) -> Result<()> {
    connection.prepare_cached("delete from pulse")?.execute([]).map(|_| ())
}
