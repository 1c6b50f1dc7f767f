//! The timeline of a run tree.

use crate::clock::Moment;
use crate::ids::{QuestionId, RunId};
use crate::store::error::StoreError;
use crate::store::postgres::connection::sql::{Sql, run_id, unsigned};
use crate::store::postgres::statements::columns::{
    self, CALL, EFFECT, RUN, TASK, call_row, effect_row, optional_moment, optional_value, run_row, task_row,
};
use crate::store::postgres::statements::walks::WITH_TREE;
use crate::store::rows::trace::{StepHead, TimelineData, TimelineEvent, TimelineQuestion, TraceBounds};
use tokio_postgres::Row;

/// Events of model calls, actions and items. Of action events only the shown fields are read, since page contents may be
/// long.
const EVENTS: &str = "
    select seq, run_id, at, body::json ->> 'event',
        case body::json ->> 'event'
            when 'action_started' then json_build_object(
                'action_id', body::json #> '{data,action_id}', 'action', body::json #> '{data,action}',
                'role', body::json #> '{data,target,role}', 'name', body::json #> '{data,target,name}',
                'url', body::json #> '{data,params,url}', 'key', body::json #> '{data,params,key}',
                'direction', body::json #> '{data,params,direction}')
            when 'action_finished' then json_build_object(
                'action_id', body::json #> '{data,action_id}', 'action', body::json #> '{data,action}',
                'ok', coalesce(body::json #>> '{data,ok}', '') = 'true',
                'took_ms', body::json #> '{data,took_ms}', 'code', body::json #> '{data,error,code}')
            else body::json -> 'data' end::text
    from events
    where root_id = (select root_id from runs where id = $1) and run_id in (select id from tree)
        and (starts_with(body, '{\"type\":\"event\",\"event\":\"usage\"')
            or starts_with(body, '{\"type\":\"event\",\"event\":\"item\"')
            or starts_with(body, '{\"type\":\"event\",\"event\":\"action_'))
    order by seq";

/// Statements that read the parts of a timeline, in the order in which [`decode`] takes them.
pub fn statements(run: &RunId, bounds: TraceBounds) -> Vec<Sql> {
    let own = |sql: String| Sql::new(format!("{WITH_TREE} {sql}")).with(run);
    let in_tree = "in (select id from tree)";
    vec![
        own(format!("select {RUN} from runs where id {in_tree} order by depth, id limit $2")).with(bounds.runs),
        own(format!(
            "select (select count(*) from runs where id {in_tree}), (select count(*) from steps where run_id {in_tree})"
        )),
        own(format!(
            "select run_id, n, node, outcome, at, took_ms from steps where run_id {in_tree}
             order by at desc, n desc limit $2"
        ))
        .with(bounds.steps),
        own(format!(
            "select reference, run_id, kind, frame, asked_at, resolved_at, resolved_by, answer, client
             from questions where run_id {in_tree} order by asked_at, reference"
        )),
        own(format!("select {EFFECT} from effects where run_id {in_tree} order by intent_at, run_id, n")),
        own(format!("select {CALL}, run_id from model_calls where run_id {in_tree} order by at, run_id, n")),
        own(format!(
            "select {TASK} from tasks where root_id = (select root_id from runs where id = $1) and run_id {in_tree}
             order by created_at, id"
        )),
        own(EVENTS.to_owned()),
    ]
}

/// Reads the parts of a timeline; it is empty if the run does not exist.
pub fn decode(rows: &[Vec<Row>]) -> Result<TimelineData, StoreError> {
    let [runs, counts, steps, questions, effects, calls, tasks, events] = rows else {
        return Ok(TimelineData::default());
    };
    let runs = decode_all(runs, run_row)?;
    if runs.is_empty() {
        return Ok(TimelineData::default());
    }
    let mut steps = decode_all(steps, step_head)?;
    steps.reverse();
    let missing = |all: u64, read: usize| all.saturating_sub(u64::try_from(read).unwrap_or(u64::MAX));
    let left_out = match counts.first() {
        Some(row) => missing(unsigned(row, 0)?, runs.len()) + missing(unsigned(row, 1)?, steps.len()),
        None => 0,
    };
    let mut tasks = decode_all(tasks, task_row)?;
    tasks.retain(|task| runs.iter().any(|row| row.id == task.run));
    Ok(TimelineData {
        steps,
        questions: decode_all(questions, timeline_question)?,
        effects: decode_all(effects, effect_row)?,
        calls: decode_all(calls, |row| Ok((run_id(row, 13)?, call_row(row)?)))?,
        tasks,
        events: decode_all(events, timeline_event)?,
        left_out,
        runs,
    })
}

fn decode_all<T>(rows: &[Row], decode: impl Fn(&Row) -> Result<T, StoreError>) -> Result<Vec<T>, StoreError> {
    rows.iter().map(decode).collect()
}

fn step_head(row: &Row) -> Result<StepHead, StoreError> {
    Ok(StepHead {
        run: run_id(row, 0)?,
        n: unsigned(row, 1)?,
        node: row.try_get(2)?,
        outcome: row.try_get(3)?,
        at: Moment::from_millis(row.try_get(4)?),
        took_ms: unsigned(row, 5)?,
    })
}

fn timeline_question(row: &Row) -> Result<TimelineQuestion, StoreError> {
    Ok(TimelineQuestion {
        reference: QuestionId::from(row.try_get::<_, String>(0)?),
        run: run_id(row, 1)?,
        kind: row.try_get(2)?,
        frame: columns::value(row, 3)?,
        asked_at: Moment::from_millis(row.try_get(4)?),
        resolved_at: optional_moment(row, 5)?,
        resolved_by: row.try_get(6)?,
        answer: optional_value(row, 7)?,
        client: optional_value(row, 8)?,
    })
}

fn timeline_event(row: &Row) -> Result<TimelineEvent, StoreError> {
    Ok(TimelineEvent {
        seq: unsigned(row, 0)?,
        run: run_id(row, 1)?,
        at: Moment::from_millis(row.try_get(2)?),
        name: row.try_get::<_, Option<String>>(3)?.unwrap_or_default(),
        data: optional_value(row, 4)?.unwrap_or_default(),
    })
}
