//! Reading of rows, and the parts of statements that walk run trees.

use crate::ids::RunId;
use crate::store::error::StoreError;
use crate::store::sqlite::connection::error::store_error;
use rusqlite::{Connection, OptionalExtension, Params, Row};

/// Table `tree`: the run `?1` and its descendants.
pub(crate) const WITH_TREE: &str = "with recursive tree (id) as (
    select ?1 union all select runs.id from runs join tree on runs.parent_id = tree.id)";

/// Table `above`: the run `?1` and its ancestors.
pub(crate) const WITH_ANCESTORS: &str = "with recursive above (id) as (
    select ?1 union all select parent_id from runs join above using (id) where parent_id is not null)";

/// Converts a row number to SQLite's `i64`. Numbers beyond its range match no row.
pub(crate) fn to_sql_integer(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

pub(crate) fn query_one<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    map: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>> {
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row(parameters, map).optional())
        .map_err(store_error)
}

pub(crate) fn query_all<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql).map_err(store_error)?;
    let rows = statement.query_map(parameters, map).map_err(store_error)?;
    rows.collect::<rusqlite::Result<_>>().map_err(store_error)
}

/// Reads the id of a run from the column of this index.
pub(crate) fn run_id(row: &Row<'_>, column: usize) -> rusqlite::Result<RunId> {
    Ok(RunId::from(row.get::<_, String>(column)?))
}

pub(crate) type Result<T> = std::result::Result<T, StoreError>;
