//! Columns of rows, in the order in which statements name them, and the reading of such rows.

use crate::clock::Moment;
use crate::ids::{GrantId, QuestionId, RunId, SessionId};
use crate::store::error::StoreError;
use crate::store::postgres::connection::sql::{run_id, unsigned};
use crate::store::rows::inbox::{InboxItem, InboxRow};
use crate::store::rows::json_columns::{corrupt, json, object};
use crate::store::rows::recordings::CallRow;
use crate::store::rows::trace::EffectRow;
use crate::store::rows::usage::Usage;
use crate::store::rows::{GrantRow, LeaseRow, ListSettings, QuestionRow, RunRow, StepRow, TaskRow};
use serde_json::Value;
use tokio_postgres::Row;

type Decoded<T> = Result<T, StoreError>;

pub const RUN: &str = "id, root_id, parent_id, depth, agent, program, coalesce(own_title, title), input, status, node,
    question_reference, created_at, updated_at, ended_at, response, vars, tool_steps, last_step, model_calls,
    unpriced_calls, input_tokens, cached_tokens, output_tokens, cost, url, version, ordinal, bounds, deadline,
    exceeded_limit, plan, progress, failure_cause, metadata, pinned, archived, own_title is not null, visibility, model";
pub const QUESTION: &str =
    "reference, run_id, root_id, kind, frame, asked_at, expires_at, resolved_by, answer";
pub const STEP: &str = "n, node, outcome, at, took_ms, changes";
pub const TASK: &str =
    "id, action_id, run_id, root_id, child_id, agent, status, progress, display, result, error,
    created_at, started_at, ended_at";
pub const EFFECT: &str = "run_id, n, action_id, action, intent_at, receipt_at, receipt";
pub const CALL: &str =
    "n, step, role, model, at, took_ms, input_tokens, cached_tokens, output_tokens, cost, currency,
    error, dropped";
pub const GRANT: &str = "id, scope, run_id, origin, rule, created_at, expires_at, covers";
pub const LEASE: &str = "root_id, run_id, holder, paused";
pub const SUMS: &str = "coalesce(sum(model_calls), 0)::bigint, coalesce(sum(unpriced_calls), 0)::bigint,
    coalesce(sum(input_tokens), 0)::bigint, coalesce(sum(cached_tokens), 0)::bigint,
    coalesce(sum(output_tokens), 0)::bigint, coalesce(sum(cost), 0)::float8";

fn moment(row: &Row, column: usize) -> Decoded<Moment> {
    Ok(Moment::from_millis(row.try_get(column)?))
}

pub fn optional_moment(row: &Row, column: usize) -> Decoded<Option<Moment>> {
    Ok(row.try_get::<_, Option<i64>>(column)?.map(Moment::from_millis))
}

/// Reads JSON that is there.
pub fn value(row: &Row, column: usize) -> Decoded<Value> {
    Ok(json(row.try_get(column)?))
}

pub fn optional_value(row: &Row, column: usize) -> Decoded<Option<Value>> {
    Ok(row.try_get::<_, Option<&str>>(column)?.map(json))
}

fn optional_run(row: &Row, column: usize) -> Decoded<Option<RunId>> {
    Ok(row.try_get::<_, Option<String>>(column)?.map(RunId::from))
}

/// Reads the six columns of [`SUMS`], or those of a run, from index `at`.
pub fn usage(row: &Row, at: usize) -> Decoded<Usage> {
    Ok(Usage {
        calls: unsigned(row, at)?,
        unpriced: unsigned(row, at + 1)?,
        input: unsigned(row, at + 2)?,
        cached: unsigned(row, at + 3)?,
        output: unsigned(row, at + 4)?,
        cost: row.try_get(at + 5)?,
    })
}

pub fn run_row(row: &Row) -> Decoded<RunRow> {
    let small = |column| Ok::<_, StoreError>(u32::try_from(unsigned(row, column)?).unwrap_or(u32::MAX));
    Ok(RunRow {
        id: run_id(row, 0)?,
        root: run_id(row, 1)?,
        parent: optional_run(row, 2)?,
        depth: small(3)?,
        agent: row.try_get(4)?,
        program: row.try_get(5)?,
        title: row.try_get(6)?,
        input: object(row.try_get(7)?),
        status: row.try_get(8)?,
        node: row.try_get(9)?,
        question: row.try_get::<_, Option<String>>(10)?.map(QuestionId::from),
        created_at: moment(row, 11)?,
        updated_at: moment(row, 12)?,
        ended_at: optional_moment(row, 13)?,
        response: row.try_get(14)?,
        vars: object(row.try_get(15)?),
        tool_steps: small(16)?,
        last_step: unsigned(row, 17)?,
        usage: usage(row, 18)?,
        url: row.try_get(24)?,
        version: row.try_get(25)?,
        ordinal: unsigned(row, 26)?,
        bounds: optional_value(row, 27)?.unwrap_or_default(),
        deadline: optional_moment(row, 28)?,
        exceeded_limit: row.try_get::<_, Option<i64>>(29)?.map(|most| most.max(0).unsigned_abs()),
        plan: optional_value(row, 30)?,
        progress: row.try_get(31)?,
        cause: optional_value(row, 32)?,
        metadata: optional_value(row, 33)?,
        list_settings: list_settings(row)?,
        model: row.try_get(38)?,
    })
}

fn list_settings(row: &Row) -> Decoded<ListSettings> {
    Ok(ListSettings {
        pinned: row.try_get(34)?,
        archived: row.try_get(35)?,
        own_title: row.try_get(36)?,
        visibility: row.try_get(37)?,
    })
}

pub fn question_row(row: &Row) -> Decoded<QuestionRow> {
    Ok(QuestionRow {
        reference: QuestionId::from(row.try_get::<_, String>(0)?),
        run: run_id(row, 1)?,
        root: run_id(row, 2)?,
        kind: row.try_get(3)?,
        frame: value(row, 4)?,
        asked_at: moment(row, 5)?,
        expires_at: optional_moment(row, 6)?,
        resolved_by: row.try_get(7)?,
        answer: optional_value(row, 8)?,
    })
}

pub fn step_row(row: &Row) -> Decoded<StepRow> {
    Ok(StepRow {
        n: unsigned(row, 0)?,
        node: row.try_get(1)?,
        outcome: row.try_get(2)?,
        at: moment(row, 3)?,
        took_ms: unsigned(row, 4)?,
        changes: value(row, 5)?,
    })
}

pub fn task_row(row: &Row) -> Decoded<TaskRow> {
    Ok(TaskRow {
        id: row.try_get(0)?,
        action_id: row.try_get(1)?,
        run: run_id(row, 2)?,
        root: run_id(row, 3)?,
        child: optional_run(row, 4)?,
        agent: row.try_get(5)?,
        status: row.try_get(6)?,
        progress: row.try_get(7)?,
        display: optional_value(row, 8)?,
        result: optional_value(row, 9)?,
        error: row.try_get(10)?,
        created_at: moment(row, 11)?,
        started_at: optional_moment(row, 12)?,
        ended_at: optional_moment(row, 13)?,
    })
}

pub fn effect_row(row: &Row) -> Decoded<EffectRow> {
    Ok(EffectRow {
        run: run_id(row, 0)?,
        n: unsigned(row, 1)?,
        action_id: row.try_get(2)?,
        action: value(row, 3)?,
        intent_at: moment(row, 4)?,
        receipt_at: optional_moment(row, 5)?,
        receipt: optional_value(row, 6)?,
    })
}

pub fn call_row(row: &Row) -> Decoded<CallRow> {
    Ok(CallRow {
        n: unsigned(row, 0)?,
        step: unsigned(row, 1)?,
        role: row.try_get(2)?,
        model: row.try_get(3)?,
        at: moment(row, 4)?,
        took_ms: unsigned(row, 5)?,
        input: unsigned(row, 6)?,
        cached: unsigned(row, 7)?,
        output: unsigned(row, 8)?,
        cost: row.try_get(9)?,
        currency: row.try_get(10)?,
        error: row.try_get(11)?,
        dropped: row.try_get(12)?,
    })
}

pub fn grant_row(row: &Row) -> Decoded<GrantRow> {
    let covers: Option<&str> = row.try_get(7)?;
    Ok(GrantRow {
        id: GrantId::from(row.try_get::<_, String>(0)?),
        scope: row.try_get(1)?,
        run: optional_run(row, 2)?,
        origin: row.try_get(3)?,
        rule: row.try_get(4)?,
        created_at: moment(row, 5)?,
        expires_at: moment(row, 6)?,
        covers: covers.and_then(|text| serde_json::from_str(text).ok()),
    })
}

pub fn lease_row(row: &Row) -> Decoded<LeaseRow> {
    Ok(LeaseRow {
        root: run_id(row, 0)?,
        run: run_id(row, 1)?,
        holder: row.try_get::<_, Option<String>>(2)?.map(SessionId::from),
        paused: row.try_get(3)?,
    })
}

/// Reads a row of `n, kind, text` of the inbox of a run.
pub fn inbox_row(run: &RunId, row: &Row) -> Decoded<InboxRow> {
    let (n, kind) = (unsigned(row, 0)?, row.try_get::<_, String>(1)?);
    let unreadable = || corrupt(run, &format!("row {n} of its inbox is not a valid `{kind}`"));
    Ok(InboxRow { n, item: InboxItem::read(&kind, row.try_get(2)?).ok_or_else(unreadable)? })
}
