//! Statements that assign pictures to runs. The pictures themselves are files.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::sqlite::row_reading::to_sql_integer;
use rusqlite::{Connection, OptionalExtension, params};

/// Adds the picture to the run and returns its number there. If the run was deleted, records the file as a
/// leftover and returns `None`.
pub fn add_to_run(connection: &Connection, run: &RunId, hash: &str) -> rusqlite::Result<Option<u64>> {
    let n = connection
        .prepare_cached(
            "insert into pictures (run_id, n, hash, at)
             select id, (select coalesce(max(n), 0) + 1 from pictures where run_id = ?1), ?2, ?3
             from runs where id = ?1 returning n",
        )?
        .query_row(params![run.as_str(), hash, Moment::now().millis()], |row| row.get(0))
        .optional()?;
    if n.is_none() {
        let sql = "insert or ignore into leftover_files (kind, name) values ('picture', ?)";
        connection.prepare_cached(sql)?.execute([hash])?;
    }
    Ok(n)
}

/// Fills a reserved number. If the run was deleted, records the file as a leftover.
pub fn fill(connection: &Connection, run: &RunId, n: u64, hash: &str) -> rusqlite::Result<()> {
    let sql = "update pictures set hash = ? where run_id = ? and n = ?";
    let filled = connection.prepare_cached(sql)?.execute(params![hash, run.as_str(), to_sql_integer(n)])?;
    if filled == 0 {
        let sql = "insert or ignore into leftover_files (kind, name) values ('picture', ?)";
        connection.prepare_cached(sql)?.execute([hash])?;
    }
    Ok(())
}
