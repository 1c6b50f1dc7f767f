//! Statements on ASYNC actions and plans.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::rows::json_columns::json;
use crate::store::rows::{LogAdditions, RunReport, TaskRow};
use crate::store::sqlite::row_reading;
use crate::store::sqlite::row_reading::run_id;
use crate::store::sqlite::runs::events;
use rusqlite::{Connection, Row, params};
use serde_json::Value;

const TASK: &str =
    "id, action_id, run_id, root_id, child_id, agent, status, progress, display, result, error,
    created_at, started_at, ended_at from tasks";

/// Inserts or updates a task. An id belongs to the run that used it first.
pub fn put(connection: &Connection, row: &TaskRow) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "insert into tasks (id, action_id, run_id, root_id, child_id, agent, status, progress, display,
                                result, error, created_at, started_at, ended_at)
             values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
             on conflict (id) do update
             set child_id = coalesce(excluded.child_id, child_id), agent = excluded.agent, status = excluded.status,
                 progress = coalesce(excluded.progress, progress), display = excluded.display,
                 result = excluded.result, error = excluded.error, started_at = excluded.started_at,
                 ended_at = excluded.ended_at
             where run_id = excluded.run_id",
        )?
        .execute(params![
            row.id,
            row.action_id,
            row.run.as_str(),
            row.root.as_str(),
            row.child.as_ref().map(RunId::as_str),
            row.agent,
            row.status,
            row.progress,
            row.display.as_ref().map(Value::to_string),
            row.result.as_ref().map(Value::to_string),
            row.error,
            row.created_at.millis(),
            row.started_at.map(Moment::millis),
            row.ended_at.map(Moment::millis),
        ])?;
    Ok(())
}

/// Stores the progress of a task with its event. Returns false, and stores nothing, if the task has ended.
pub fn progress(
    connection: &Connection,
    log: &mut LogAdditions,
    task: &TaskRow,
    event: String,
) -> rusqlite::Result<bool> {
    let sql = "update tasks set progress = ? where id = ? and ended_at is null";
    let goes_on = connection.prepare_cached(sql)?.execute(params![task.progress, task.id])? > 0;
    if goes_on {
        events::append(connection, log, &task.root, &task.run, &[event])?;
    }
    Ok(goes_on)
}

/// Cancels the unfinished tasks of a run that has ended.
pub fn cancel_unfinished(connection: &Connection, run: &RunId, now: i64) -> rusqlite::Result<()> {
    let sql = "update tasks set status = 'cancelled', ended_at = ? where run_id = ? and ended_at is null";
    connection.prepare_cached(sql)?.execute(params![now, run.as_str()]).map(drop)
}

/// Stores the data that the run reports about itself: plan, progress, and cause of failure.
pub fn put_run_report(connection: &Connection, run: &RunId, report: &RunReport) -> rusqlite::Result<()> {
    if let Some(plan) = &report.plan {
        let text = (!plan.is_null()).then(|| plan.to_string());
        let sql = "update runs set plan = ? where id = ?";
        connection.prepare_cached(sql)?.execute(params![text, run.as_str()])?;
    }
    if let Some(progress) = report.progress {
        let sql = "update runs set progress = ? where id = ?";
        connection.prepare_cached(sql)?.execute(params![progress, run.as_str()])?;
    }
    if let Some(cause) = &report.cause {
        let sql = "update runs set failure_cause = ? where id = ?";
        connection.prepare_cached(sql)?.execute(params![cause.to_string(), run.as_str()])?;
    }
    Ok(())
}

/// Marks a run as one to stop, so that a restarted service stops it too.
pub fn mark_stopping(connection: &Connection, run: &RunId) -> rusqlite::Result<()> {
    let sql = "update runs set stopping = 1 where id = ?";
    connection.prepare_cached(sql)?.execute([run.as_str()]).map(drop)
}

/// Reads a task.
pub fn task(connection: &Connection, id: &str) -> row_reading::Result<Option<TaskRow>> {
    row_reading::query_one(connection, &format!("select {TASK} where id = ?"), [id], row)
}

/// Returns the tasks of a run tree, oldest first.
pub fn tasks(connection: &Connection, root: &RunId) -> row_reading::Result<Vec<TaskRow>> {
    let sql = format!("select {TASK} where root_id = ? order by created_at, id");
    row_reading::query_all(connection, &sql, [root.as_str()], row)
}

/// Returns the tasks that have not ended, oldest first.
pub fn living(connection: &Connection) -> row_reading::Result<Vec<TaskRow>> {
    row_reading::query_all(
        connection,
        &format!("select {TASK} where ended_at is null order by created_at, id"),
        (),
        row,
    )
}

/// Table of reserved ids. It lives as long as the write connection, as do the steps that reserve ids.
pub const RESERVED_IDS: &str =
    "create temp table reserved_task_ids (id text primary key, run_id text not null)";

/// Reserves each id, or the id with the first free number, that is neither a task's nor reserved by another
/// run.
pub fn reserve(connection: &Connection, run: &RunId, wanted: &[String]) -> rusqlite::Result<Vec<String>> {
    let sql = "delete from reserved_task_ids where run_id = ? or id in (select id from tasks)";
    connection.prepare_cached(sql)?.execute([run.as_str()])?;
    let sql = "select 1 from tasks where id = ?1 union all select 1 from reserved_task_ids where id = ?1";
    let mut taken = connection.prepare_cached(sql)?;
    let mut reserve =
        connection.prepare_cached("insert into reserved_task_ids (id, run_id) values (?, ?)")?;
    let mut ids = Vec::new();
    for wanted in wanted {
        let id = match taken.exists([wanted])? {
            true => first_free_id(wanted, |id| taken.exists([id]))?,
            false => wanted.clone(),
        };
        reserve.execute([id.as_str(), run.as_str()])?;
        ids.push(id);
    }
    Ok(ids)
}

/// Returns the name with a free number from 2 on, where numbers are given in order. The search doubles its
/// step and then bisects, because plain names such as `a1` are taken thousands of times in the life of a
/// store.
fn first_free_id<E>(name: &str, mut is_taken: impl FnMut(&str) -> Result<bool, E>) -> Result<String, E> {
    let id = |n: u64| format!("{name}-{n}");
    let (mut taken, mut free) = (1, 2);
    while is_taken(&id(free))? {
        (taken, free) = (free, free.saturating_mul(2));
    }
    while free - taken > 1 {
        let middle = taken + (free - taken) / 2;
        match is_taken(&id(middle))? {
            true => taken = middle,
            false => free = middle,
        }
    }
    Ok(id(free))
}

fn row(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    let moment = |at: Option<i64>| at.map(Moment::from_millis);
    let value = |text: Option<String>| text.map(|text| json(&text));
    Ok(TaskRow {
        id: row.get(0)?,
        action_id: row.get(1)?,
        run: run_id(row, 2)?,
        root: run_id(row, 3)?,
        child: row.get::<_, Option<String>>(4)?.map(RunId::from),
        agent: row.get(5)?,
        status: row.get(6)?,
        progress: row.get(7)?,
        display: value(row.get(8)?),
        result: value(row.get(9)?),
        error: row.get(10)?,
        created_at: Moment::from_millis(row.get(11)?),
        started_at: moment(row.get(12)?),
        ended_at: moment(row.get(13)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::convert::Infallible;

    // A task id is unique; the ten-thousandth number of a name is found with few queries (S4.11).
    #[test]
    fn taken_task_names_are_numbered_without_one_query_each() {
        let mut taken = BTreeSet::from([String::from("a1")]);
        let mut queries = 0_u64;
        for n in 2..=10_000_u64 {
            let found = first_free_id("a1", |id| {
                queries += 1;
                Ok::<_, Infallible>(taken.contains(id))
            });
            let Ok(found) = found;
            assert_eq!(found, format!("a1-{n}"));
            taken.insert(found);
        }
        assert!(queries < 10_000 * 30, "{queries} questions for 10,000 names");
        // Ids chosen by agents leave gaps; the result is free all the same.
        taken.extend([String::from("b"), String::from("b-2"), String::from("b-4")]);
        let Ok(found) = first_free_id("b", |id| Ok::<_, Infallible>(taken.contains(id)));
        assert!(!taken.contains(&found), "{found}");
    }
}
