//! Statements on leases.

use crate::ids::{RunId, SessionId};
use crate::store::error::StoreError;
use crate::store::rows::LeaseRow;
use crate::store::sqlite::connection::error::store_error;
use crate::store::sqlite::row_reading::run_id;
use rusqlite::{Connection, Result, Row, params};

const LEASE: &str = "select root_id, run_id, holder, paused from leases";

/// Sets the lease of a tree; `None` removes it.
pub fn put(connection: &Connection, root: &RunId, row: Option<&LeaseRow>) -> Result<()> {
    let Some(row) = row else {
        connection.prepare_cached("delete from leases where root_id = ?")?.execute([root.as_str()])?;
        return Ok(());
    };
    let holder = row.holder.as_ref().map(SessionId::as_str);
    connection
        .prepare_cached(
            "insert or replace into leases (root_id, run_id, holder, paused) values (?, ?, ?, ?)",
        )?
        .execute(params![root.as_str(), row.run.as_str(), holder, row.paused])?;
    Ok(())
}

/// Returns the lease of one run tree, or all leases.
pub fn leases(
    connection: &Connection,
    root: Option<&RunId>,
) -> std::result::Result<Vec<LeaseRow>, StoreError> {
    let sql = format!("{LEASE} where ?1 is null or root_id = ?1");
    let mut statement = connection.prepare_cached(&sql).map_err(store_error)?;
    let rows = statement.query_map([root.map(RunId::as_str)], row).map_err(store_error)?;
    rows.collect::<Result<_>>().map_err(store_error)
}

fn row(row: &Row<'_>) -> Result<LeaseRow> {
    Ok(LeaseRow {
        root: run_id(row, 0)?,
        run: run_id(row, 1)?,
        holder: row.get::<_, Option<String>>(2)?.map(SessionId::from),
        paused: row.get(3)?,
    })
}

/// Writes 16 KiB, as much as a step may write.
pub fn write_check(connection: &Connection) -> Result<()> {
    connection
        .prepare_cached("insert into write_checks (padding) values (zeroblob(16384))")?
        .execute([])
        .map(|_| ())
}

/// Removes the row that a check of the disk has written.
pub fn clear_check(connection: &Connection) -> Result<()> {
    connection.prepare_cached("delete from write_checks")?.execute([]).map(|_| ())
}
