//! Statements on run trees.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::rows::RunRow;
use crate::store::rows::usage::{RaisedRunLimits, UsedUpLimit};
use crate::store::sqlite::row_reading;
use crate::store::sqlite::row_reading::{Result, WITH_ANCESTORS, WITH_TREE, run_id};
use crate::store::sqlite::runs::{read, usage};
use rusqlite::{Connection, params};

/// Returns the descendants of a run that have not ended.
pub fn living_below(connection: &Connection, run: &RunId) -> Result<Vec<RunId>> {
    let sql = format!(
        "{WITH_TREE} select id from runs where id in tree and id <> ?1 and ended_at is null order by id"
    );
    row_reading::query_all(connection, &sql, [run.as_str()], |row| run_id(row, 0))
}

/// Returns living runs whose parent has ended or is stopping them.
pub fn orphaned_runs(connection: &Connection) -> Result<Vec<RunId>> {
    let sql = "select child.id from runs child join runs parent on parent.id = child.parent_id
               where child.ended_at is null and (parent.ended_at is not null or child.stopping) order by child.id";
    row_reading::query_all(connection, sql, (), |row| run_id(row, 0))
}

/// Returns waiting and paused runs that may have missed a message, or the end of a child after their last
/// commit, and all runs that wait without a question.
pub fn with_missed_signals(connection: &Connection) -> Result<Vec<RunId>> {
    let sql = "select id from runs where ended_at is null
                   and (status = 'waiting' and question_reference is null
                        or status in ('waiting', 'paused')
                           and (exists (select 1 from inbox where run_id = runs.id)
                                or exists (select 1 from runs child where child.parent_id = runs.id
                                               and child.ended_at >= runs.updated_at)))
               order by id";
    row_reading::query_all(connection, sql, (), |row| run_id(row, 0))
}

/// Returns living runs that must not outlive a restart of the service.
pub fn ephemeral_runs(connection: &Connection) -> Result<Vec<RunId>> {
    let sql =
        "select id from runs where ended_at is null and json_extract(bounds, '$.ephemeral') order by id";
    row_reading::query_all(connection, sql, (), |row| run_id(row, 0))
}

/// Returns living runs whose deadline has passed.
pub fn overdue_runs(connection: &Connection, now: Moment) -> Result<Vec<RunId>> {
    let sql = "select id from runs where deadline is not null and deadline <= ? and ended_at is null";
    row_reading::query_all(connection, sql, [now.millis()], |row| run_id(row, 0))
}

/// Returns those of the given runs that have ended.
pub fn ended_runs(connection: &Connection, runs: &[RunId]) -> Result<Vec<RunRow>> {
    let mut found = Vec::new();
    for id in runs {
        found.extend(read::run(connection, id)?.filter(|row| row.ended_at.is_some()));
    }
    Ok(found)
}

/// Returns the latest ends, newest first.
pub fn latest_ended_runs(connection: &Connection, skip: usize, limit: usize) -> Result<Vec<(RunId, Moment)>> {
    let sql = "select id, ended_at from runs where ended_at is not null
               order by ended_at desc, id desc limit ? offset ?";
    row_reading::query_all(connection, sql, [limit, skip], |row| {
        Ok((run_id(row, 0)?, Moment::from_millis(row.get(1)?)))
    })
}

/// Returns the token or money limit of a run or of an ancestor that the usage of the whole tree below it has
/// reached.
pub fn used_up_limit(connection: &Connection, run: &RunId) -> Result<Option<UsedUpLimit>> {
    let sql = format!(
        "{WITH_ANCESTORS} select id, json_extract(bounds, '$.tokens'), json_extract(bounds, '$.money')
         from runs where id in (select id from above)"
    );
    let limits = row_reading::query_all(connection, &sql, [run.as_str()], |row| {
        Ok((run_id(row, 0)?, row.get::<_, Option<u64>>(1)?, row.get::<_, Option<f64>>(2)?))
    })?;
    for (above, tokens, money) in limits {
        if tokens.is_none() && money.is_none() {
            continue;
        }
        let reached = usage::sum_tree_usage(connection, &above)?.used_up_limit(tokens, money);
        if reached.is_some() {
            return Ok(reached);
        }
    }
    Ok(None)
}

/// Counts a new run at each of its ancestors. Returns its number in the whole tree and the smallest limit
/// that it exceeds. Runs in the transaction that adds the run, so that no two runs get the same number.
pub fn count_descendant(
    connection: &Connection,
    parent: Option<&RunId>,
) -> rusqlite::Result<(u64, Option<u64>)> {
    let Some(parent) = parent else { return Ok((0, None)) };
    let mut statement = connection.prepare_cached(&format!(
        "{WITH_ANCESTORS} update runs set descendants = descendants + 1 where id in (select id from above)
         returning parent_id is null, descendants, descendant_limit"
    ))?;
    let above = statement
        .query_map([parent.as_str()], |row| Ok((row.get::<_, bool>(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<Vec<(bool, u64, Option<u64>)>>>()?;
    let ordinal = above.iter().find(|(is_root, ..)| *is_root).map_or(0, |(_, below, _)| *below);
    let exceeded_limit = above.iter().filter_map(|(_, below, most)| most.filter(|most| below > most)).min();
    Ok((ordinal, exceeded_limit))
}

/// Raises limits of a run. `None` leaves a limit unchanged.
pub fn raise(connection: &Connection, run: &RunId, raised: &RaisedRunLimits) -> rusqlite::Result<()> {
    for (path, value) in [
        ("$.tokens", raised.tokens.map(|most| most.to_string())),
        ("$.money", raised.money.map(|most| most.to_string())),
    ] {
        let Some(value) = value else { continue };
        let sql = "update runs set bounds = json_set(bounds, ?, json(?)) where id = ?";
        connection.execute(sql, params![path, value, run.as_str()])?;
    }
    Ok(())
}
