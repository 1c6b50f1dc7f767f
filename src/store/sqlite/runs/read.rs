//! Read statements.

use crate::clock::Moment;
use crate::ids::{GrantId, QuestionId, RunId};
use crate::store::rows::json_columns::{json, object};
use crate::store::rows::{EventRow, GrantRow, ListSettings, QuestionRow, RunRow, StepRow};
use crate::store::sqlite::row_reading::{Result, query_all, query_one, run_id, to_sql_integer};
use crate::store::sqlite::runs::usage::usage;
use rusqlite::{Connection, Row, params};
use serde_json::{Map, Value};

pub(crate) const RUN: &str = "id, root_id, parent_id, depth, agent, program, coalesce(own_title, title), input, status, node,
    question_reference, created_at, updated_at, ended_at, response, vars, tool_steps, last_step, model_calls,
    unpriced_calls, input_tokens, cached_tokens, output_tokens, cost, url, version, ordinal, bounds, deadline,
    exceeded_limit, plan, progress, failure_cause, metadata, pinned, archived, own_title is not null, visibility, model";

const QUESTION: &str =
    "reference, run_id, root_id, kind, frame, asked_at, expires_at, resolved_by, answer from questions";

/// Reads a run.
pub fn run(connection: &Connection, run: &RunId) -> Result<Option<RunRow>> {
    query_one(connection, &format!("select {RUN} from runs where id = ?"), [run.as_str()], run_row)
}

/// Returns the living runs with these statuses, oldest first for each status.
pub fn runs_with_status(connection: &Connection, statuses: &[&str]) -> Result<Vec<RunId>> {
    let mut found = Vec::new();
    for status in statuses {
        let sql = "select id from runs where status = ? and ended_at is null order by id";
        found.extend(query_all(connection, sql, [status], |row| run_id(row, 0))?);
    }
    Ok(found)
}

/// Returns the steps of a run after number `after`, in order.
pub fn steps(connection: &Connection, run: &RunId, after: u64) -> Result<Vec<StepRow>> {
    let sql =
        "select n, node, outcome, at, took_ms, changes from steps where run_id = ? and n > ? order by n";
    query_all(connection, sql, params![run.as_str(), to_sql_integer(after)], step_row)
}

pub(crate) fn step_row(row: &Row<'_>) -> rusqlite::Result<StepRow> {
    Ok(StepRow {
        n: row.get(0)?,
        node: row.get(1)?,
        outcome: row.get(2)?,
        at: Moment::from_millis(row.get(3)?),
        took_ms: row.get(4)?,
        changes: json(&row.get::<_, String>(5)?),
    })
}

/// Returns at most `limit` events of a run tree after number `after`, in order.
pub fn events(connection: &Connection, root: &RunId, after: u64, limit: usize) -> Result<Vec<EventRow>> {
    let sql = "select seq, run_id, at, body from events where root_id = ? and seq > ? order by seq limit ?";
    query_all(connection, sql, params![root.as_str(), to_sql_integer(after), limit], |row| {
        Ok(EventRow {
            root: root.clone(),
            seq: row.get(0)?,
            run: run_id(row, 1)?,
            at: Moment::from_millis(row.get(2)?),
            body: row.get(3)?,
        })
    })
}

/// Returns the number of the newest event of a run tree; 0 if there is none.
pub fn last_seq(connection: &Connection, root: &RunId) -> rusqlite::Result<u64> {
    connection
        .prepare_cached("select coalesce(max(seq), 0) from events where root_id = ?")?
        .query_row([root.as_str()], |row| row.get(0))
}

/// Reads a question.
pub fn question(connection: &Connection, reference: &QuestionId) -> Result<Option<QuestionRow>> {
    let sql = format!("select {QUESTION} where reference = ?");
    query_one(connection, &sql, [reference.as_str()], question_row)
}

/// Returns the open questions of one run tree or of all, oldest first.
pub fn open_questions(connection: &Connection, root: Option<&RunId>) -> Result<Vec<QuestionRow>> {
    let open = format!("select {QUESTION} where resolved_at is null");
    match root {
        Some(root) => query_all(
            connection,
            &format!("{open} and root_id = ? order by asked_at"),
            [root.as_str()],
            question_row,
        ),
        None => query_all(connection, &format!("{open} order by asked_at"), (), question_row),
    }
}

/// Returns the open questions that have expired at `now`, oldest first.
pub fn overdue_questions(connection: &Connection, now: Moment) -> Result<Vec<QuestionRow>> {
    let sql = format!("select {QUESTION} where resolved_at is null and expires_at <= ? order by asked_at");
    query_all(connection, &sql, [now.millis()], question_row)
}

/// Returns the grants that hold at `now`, oldest first.
pub fn grants(connection: &Connection, now: Moment) -> Result<Vec<GrantRow>> {
    let sql = "select id, scope, run_id, origin, rule, created_at, expires_at, covers from grants
               where revoked_at is null and expires_at > ? order by created_at";
    query_all(connection, sql, [now.millis()], |row| {
        Ok(GrantRow {
            id: GrantId::from(row.get::<_, String>(0)?),
            scope: row.get(1)?,
            run: row.get::<_, Option<String>>(2)?.map(RunId::from),
            origin: row.get(3)?,
            rule: row.get(4)?,
            created_at: Moment::from_millis(row.get(5)?),
            expires_at: Moment::from_millis(row.get(6)?),
            covers: row.get::<_, Option<String>>(7)?.and_then(|text| serde_json::from_str(&text).ok()),
        })
    })
}

/// Returns at most `limit` rows of the audit log before row `before`, newest first.
pub fn audit(
    connection: &Connection,
    run: Option<&RunId>,
    before: Option<i64>,
    limit: usize,
) -> Result<Vec<Value>> {
    let sql = "select at, run_id, entry, id, title from audit_log
               where (?1 is null or run_id = ?1) and (?2 is null or id < ?2) order by id desc limit ?3";
    query_all(connection, sql, params![run.map(RunId::as_str), before, limit], |row| {
        let mut entry: Map<String, Value> = Map::new();
        entry.insert("id".into(), row.get::<_, i64>(3)?.into());
        entry.insert("title".into(), row.get::<_, Option<String>>(4)?.into());
        entry.insert("at".into(), Moment::from_millis(row.get(0)?).rfc3339().into());
        entry.insert("run_id".into(), row.get::<_, String>(1)?.into());
        if let Value::Object(rest) = json(&row.get::<_, String>(2)?) {
            entry.extend(rest);
        }
        Ok(Value::Object(entry))
    })
}

/// Returns the hash of the `n`th picture of a run; `None` for a number that was reserved and never filled too.
pub fn picture_hash(connection: &Connection, run: &RunId, n: u64) -> Result<Option<String>> {
    let sql = "select hash from pictures where run_id = ? and n = ? and hash <> ''";
    query_one(connection, sql, params![run.as_str(), to_sql_integer(n)], |row| row.get(0))
}

/// Returns the snapshot of a run tree's page.
pub fn browser(connection: &Connection, root: &RunId) -> Result<Option<Value>> {
    let sql = "select snapshot from page_snapshots where root_id = ?";
    query_one(connection, sql, [root.as_str()], |row| Ok(json(&row.get::<_, String>(0)?)))
}

pub(crate) fn run_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        id: run_id(row, 0)?,
        root: run_id(row, 1)?,
        parent: row.get::<_, Option<String>>(2)?.map(RunId::from),
        depth: row.get(3)?,
        agent: row.get(4)?,
        program: row.get(5)?,
        title: row.get(6)?,
        input: object(row.get(7)?),
        status: row.get(8)?,
        node: row.get(9)?,
        question: row.get::<_, Option<String>>(10)?.map(QuestionId::from),
        created_at: Moment::from_millis(row.get(11)?),
        updated_at: Moment::from_millis(row.get(12)?),
        ended_at: row.get::<_, Option<i64>>(13)?.map(Moment::from_millis),
        response: row.get(14)?,
        vars: object(row.get(15)?),
        tool_steps: row.get(16)?,
        last_step: row.get(17)?,
        usage: usage(row, 18)?,
        url: row.get(24)?,
        version: row.get(25)?,
        model: row.get(38)?,
        ordinal: row.get(26)?,
        bounds: row.get::<_, Option<String>>(27)?.map(|text| json(&text)).unwrap_or_default(),
        deadline: row.get::<_, Option<i64>>(28)?.map(Moment::from_millis),
        exceeded_limit: row.get(29)?,
        plan: row.get::<_, Option<String>>(30)?.map(|text| json(&text)),
        progress: row.get(31)?,
        cause: row.get::<_, Option<String>>(32)?.map(|text| json(&text)),
        metadata: row.get::<_, Option<String>>(33)?.map(|text| json(&text)),
        list_settings: ListSettings {
            pinned: row.get(34)?,
            archived: row.get(35)?,
            own_title: row.get(36)?,
            visibility: row.get(37)?,
        },
    })
}

pub(crate) fn question_row(row: &Row<'_>) -> rusqlite::Result<QuestionRow> {
    Ok(QuestionRow {
        reference: QuestionId::from(row.get::<_, String>(0)?),
        run: run_id(row, 1)?,
        root: run_id(row, 2)?,
        kind: row.get(3)?,
        frame: json(&row.get::<_, String>(4)?),
        asked_at: Moment::from_millis(row.get(5)?),
        expires_at: row.get::<_, Option<i64>>(6)?.map(Moment::from_millis),
        resolved_by: row.get(7)?,
        answer: row.get::<_, Option<String>>(8)?.map(|text| json(&text)),
    })
}
