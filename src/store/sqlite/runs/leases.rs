//! Statements on leases.

use crate::ids::{RunId, SessionId};
use crate::store::rows::LeaseRow;
use crate::store::sqlite::row_reading;
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
pub fn leases(connection: &Connection, root: Option<&RunId>) -> row_reading::Result<Vec<LeaseRow>> {
    let sql = format!("{LEASE} where ?1 is null or root_id = ?1");
    row_reading::query_all(connection, &sql, [root.map(RunId::as_str)], row)
}

fn row(row: &Row<'_>) -> Result<LeaseRow> {
    Ok(LeaseRow {
        root: run_id(row, 0)?,
        run: run_id(row, 1)?,
        holder: row.get::<_, Option<String>>(2)?.map(SessionId::from),
        paused: row.get(3)?,
    })
}
