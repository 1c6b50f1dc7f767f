//! Statements that read the timeline data of a run tree.

use crate::clock::Moment;
use crate::ids::{QuestionId, RunId};
use crate::store::rows::StepRow;
use crate::store::rows::json_columns::json;
use crate::store::rows::recordings::CallRow;
use crate::store::rows::trace::{
    EffectRow, StepHead, TimelineData, TimelineEvent, TimelineQuestion, TraceBounds,
};
use crate::store::sqlite::connection::error::store_error;
use crate::store::sqlite::recordings::{CALL, call_row};
use crate::store::sqlite::row_reading::{Result, WITH_TREE, run_id};
use crate::store::sqlite::runs::read;
use crate::store::sqlite::{row_reading, tasks};
use rusqlite::{Connection, Row, params};

/// Events of model calls, actions and items. Of action events only the shown fields are read, since page
/// contents may be long.
const TIMELINE_EVENTS: &str = "
    select seq, run_id, at, json_extract(body, '$.event'),
        case json_extract(body, '$.event')
            when 'action_started' then json_object(
                'action_id', json_extract(body, '$.data.action_id'), 'action', json_extract(body, '$.data.action'),
                'role', json_extract(body, '$.data.target.role'), 'name', json_extract(body, '$.data.target.name'),
                'url', json_extract(body, '$.data.params.url'), 'key', json_extract(body, '$.data.params.key'),
                'direction', json_extract(body, '$.data.params.direction'))
            when 'action_finished' then json_object(
                'action_id', json_extract(body, '$.data.action_id'), 'action', json_extract(body, '$.data.action'),
                'ok', json(case json_extract(body, '$.data.ok') when 1 then 'true' else 'false' end),
                'took_ms', json_extract(body, '$.data.took_ms'), 'code', json_extract(body, '$.data.error.code'))
            else json_extract(body, '$.data') end
    from events
    where root_id = ?2 and run_id in tree
        and (body glob '{\"type\":\"event\",\"event\":\"usage\"*'
            or body glob '{\"type\":\"event\",\"event\":\"item\"*'
            or body glob '{\"type\":\"event\",\"event\":\"action_*')
    order by seq";

/// Returns the timeline data of a run and its descendants; empty if the run does not exist.
pub fn timeline_data(connection: &Connection, run: &RunId, bounds: TraceBounds) -> Result<TimelineData> {
    // Use a single transaction, so that all queries see the same moment while the tree goes on.
    let _moment = connection.unchecked_transaction().map_err(store_error)?;
    let Some(root) = read::run(connection, run)?.map(|row| row.root) else {
        return Ok(TimelineData::default());
    };
    let own = |sql: &str| format!("{WITH_TREE} {sql}");
    let sql = own(&format!(
        "select {} from runs where id in tree order by depth, id limit {}",
        read::RUN,
        bounds.runs
    ));
    let runs = row_reading::query_all(connection, &sql, [run.as_str()], read::run_row)?;
    let sql = own("select (select count(*) from tree), (select count(*) from steps where run_id in tree)");
    let (all_runs, all_steps) =
        row_reading::query_one(connection, &sql, [run.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?
            .unwrap_or((0_u64, 0_u64));
    let steps = steps(connection, run, bounds.steps)?;
    let missing = |all: u64, read: usize| all.saturating_sub(u64::try_from(read).unwrap_or(u64::MAX));
    let left_out = missing(all_runs, runs.len()) + missing(all_steps, steps.len());
    let ours = |of: &RunId| runs.iter().any(|row| row.id == *of);
    let tasks = tasks::tasks(connection, &root)?.into_iter().filter(|task| ours(&task.run)).collect();
    let (questions, effects) = (questions(connection, run, &root)?, effects(connection, run)?);
    let (calls, events) = (calls(connection, run)?, events(connection, run, &root)?);
    Ok(TimelineData { runs, steps, questions, effects, calls, tasks, events, left_out })
}

/// Returns the newest steps in order.
fn steps(connection: &Connection, run: &RunId, most: usize) -> Result<Vec<StepHead>> {
    let sql = format!(
        "{WITH_TREE} select run_id, n, node, outcome, at, took_ms from steps where run_id in tree
         order by at desc, n desc limit ?2"
    );
    let mut steps = row_reading::query_all(connection, &sql, params![run.as_str(), most], |row| {
        Ok(StepHead {
            run: run_id(row, 0)?,
            n: row.get(1)?,
            node: row.get(2)?,
            outcome: row.get(3)?,
            at: Moment::from_millis(row.get(4)?),
            took_ms: row.get(5)?,
        })
    })?;
    steps.reverse();
    Ok(steps)
}

/// Returns the questions, found through the events that report them: events are indexed by run tree.
fn questions(connection: &Connection, run: &RunId, root: &RunId) -> Result<Vec<TimelineQuestion>> {
    let sql = format!(
        "{WITH_TREE} select reference, run_id, kind, frame, asked_at, resolved_at, resolved_by, answer, client
         from questions
         where run_id in tree and reference in (
             select json_extract(body, '$.reference') from events
             where root_id = ?2 and body glob '{{\"type\":\"agent_question\"*')
         order by asked_at, reference"
    );
    row_reading::query_all(connection, &sql, [run.as_str(), root.as_str()], |row| {
        Ok(TimelineQuestion {
            reference: QuestionId::from(row.get::<_, String>(0)?),
            run: run_id(row, 1)?,
            kind: row.get(2)?,
            frame: json(&row.get::<_, String>(3)?),
            asked_at: Moment::from_millis(row.get(4)?),
            resolved_at: row.get::<_, Option<i64>>(5)?.map(Moment::from_millis),
            resolved_by: row.get(6)?,
            answer: row.get::<_, Option<String>>(7)?.map(|text| json(&text)),
            client: row.get::<_, Option<String>>(8)?.map(|text| json(&text)),
        })
    })
}

fn calls(connection: &Connection, run: &RunId) -> Result<Vec<(RunId, CallRow)>> {
    let sql = format!(
        "{WITH_TREE} select {CALL}, run_id from model_calls where run_id in tree order by at, run_id, n"
    );
    row_reading::query_all(connection, &sql, [run.as_str()], |row| Ok((run_id(row, 13)?, call_row(row)?)))
}

fn events(connection: &Connection, run: &RunId, root: &RunId) -> Result<Vec<TimelineEvent>> {
    row_reading::query_all(
        connection,
        &format!("{WITH_TREE} {TIMELINE_EVENTS}"),
        [run.as_str(), root.as_str()],
        |row| {
            Ok(TimelineEvent {
                seq: row.get(0)?,
                run: run_id(row, 1)?,
                at: Moment::from_millis(row.get(2)?),
                name: row.get(3)?,
                data: json(&row.get::<_, String>(4)?),
            })
        },
    )
}

const EFFECT: &str = "run_id, n, action_id, action, intent_at, receipt_at, receipt from effects";

fn effects(connection: &Connection, run: &RunId) -> Result<Vec<EffectRow>> {
    let sql = format!("{WITH_TREE} select {EFFECT} where run_id in tree order by intent_at, run_id, n");
    row_reading::query_all(connection, &sql, [run.as_str()], effect_row)
}

/// Reads the `n`th effect of a run.
pub fn effect(connection: &Connection, run: &RunId, n: u64) -> Result<Option<EffectRow>> {
    let sql = format!("select {EFFECT} where run_id = ? and n = ?");
    row_reading::query_one(
        connection,
        &sql,
        params![run.as_str(), row_reading::to_sql_integer(n)],
        effect_row,
    )
}

/// Reads the `n`th step of a run.
pub fn step(connection: &Connection, run: &RunId, n: u64) -> Result<Option<StepRow>> {
    let sql = "select n, node, outcome, at, took_ms, changes from steps where run_id = ? and n = ?";
    row_reading::query_one(
        connection,
        sql,
        params![run.as_str(), row_reading::to_sql_integer(n)],
        read::step_row,
    )
}

fn effect_row(row: &Row<'_>) -> rusqlite::Result<EffectRow> {
    Ok(EffectRow {
        run: run_id(row, 0)?,
        n: row.get(1)?,
        action_id: row.get(2)?,
        action: json(&row.get::<_, String>(3)?),
        intent_at: Moment::from_millis(row.get(4)?),
        receipt_at: row.get::<_, Option<i64>>(5)?.map(Moment::from_millis),
        receipt: row.get::<_, Option<String>>(6)?.map(|text| json(&text)),
    })
}
