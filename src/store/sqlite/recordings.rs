//! Recordings of steps. Equal texts are stored once, and requests share the messages that they begin with.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::error::StoreFuture;
use crate::store::rows::json_columns::json;
use crate::store::rows::recordings::{CallRow, CallText, NewCall, StepRecording};
use crate::store::run_records::RunRecords;
use crate::store::sqlite::connection::error::store_error;
use crate::store::sqlite::connection::store::SqliteStore;
use crate::store::sqlite::row_reading::{Result, query_all, query_one, to_sql_integer};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The thirteen columns of `model_calls` that [`call_row`] reads.
pub(crate) const CALL: &str =
    "n, step, role, model, at, took_ms, input_tokens, cached_tokens, output_tokens, cost,
    currency, error, dropped";

impl RunRecords for SqliteStore {
    fn calls(&self, run: RunId) -> StoreFuture<Vec<CallRow>> {
        self.read(move |connection| read_calls(connection, &run))
    }

    fn call(&self, run: RunId, n: u64) -> StoreFuture<Option<(CallRow, CallText)>> {
        self.read(move |connection| read_call(connection, &run, n))
    }

    fn step_inputs(&self, run: RunId) -> StoreFuture<Vec<(u64, Value)>> {
        self.read(move |connection| read_step_inputs(connection, &run))
    }

    fn last_exported_step(&self, run: RunId) -> StoreFuture<u64> {
        self.read(move |connection| last_exported_step(connection, &run))
    }

    fn set_last_exported_step(&self, run: RunId, step: u64) -> StoreFuture<()> {
        self.writer.write(move |connection, _| set_last_exported_step(connection, &run, step))
    }

    fn initial_state(&self, run: RunId) -> StoreFuture<Option<Value>> {
        self.read(move |connection| read_initial_state(connection, &run))
    }
}

fn last_exported_step(connection: &Connection, run: &RunId) -> Result<u64> {
    let sql = "select last_exported_step from runs where id = ?";
    Ok(query_one(connection, sql, [run.as_str()], |row| row.get(0))?.unwrap_or_default())
}

fn set_last_exported_step(connection: &Connection, run: &RunId, step: u64) -> rusqlite::Result<()> {
    let sql = "update runs set last_exported_step = max(last_exported_step, ?) where id = ?";
    connection.prepare_cached(sql)?.execute(params![step, run.as_str()]).map(drop)
}

/// Stores the recording of a step.
pub fn put(connection: &Connection, run: &RunId, recording: &StepRecording) -> rusqlite::Result<()> {
    recording.calls.iter().try_for_each(|call| add(connection, run, call))?;
    let Some(body) = &recording.body else { return Ok(()) };
    connection
        .prepare_cached("insert or replace into step_inputs (run_id, step, body) values (?, ?, ?)")?
        .execute(params![run.as_str(), recording.step, body.to_string()])?;
    Ok(())
}

fn add(connection: &Connection, run: &RunId, NewCall { row, text }: &NewCall) -> rusqlite::Result<()> {
    let has_request = !text.request.is_null();
    let request = if has_request { Some(text_id(connection, &text.request)?) } else { None };
    let mut last = None;
    for message in &text.messages {
        last = Some(message_id(connection, last.unwrap_or(0), text_id(connection, message)?)?);
    }
    connection
        .prepare_cached(
            "insert into model_calls (run_id, n, step, role, model, at, took_ms, input_tokens, cached_tokens,
                                      output_tokens, cost, currency, error, dropped, last_message_id,
                                      request_text_id, answer, fault)
             values (?1, (select coalesce(max(n), 0) + 1 from model_calls where run_id = ?1), ?2, ?3, ?4, ?5, ?6, ?7,
                     ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?
        .execute(params![
            run.as_str(),
            row.step,
            row.role,
            row.model,
            row.at.millis(),
            row.took_ms,
            row.input,
            row.cached,
            row.output,
            row.cost,
            row.currency,
            row.error,
            row.dropped,
            last,
            request,
            text.answer.as_ref().map(Value::to_string),
            text.fault.as_ref().map(Value::to_string),
        ])?;
    Ok(())
}

/// Returns the id of a text, adding the text if it is new.
fn text_id(connection: &Connection, text: &Value) -> rusqlite::Result<i64> {
    let body = text.to_string();
    let hash: [u8; 32] = Sha256::digest(&body).into();
    let known = connection
        .prepare_cached("select id from request_texts where hash = ?")?
        .query_row([&hash[..]], |row| row.get(0))
        .optional()?;
    match known {
        Some(id) => Ok(id),
        None => connection
            .prepare_cached("insert into request_texts (hash, body) values (?, ?) returning id")?
            .query_row(params![&hash[..], body], |row| row.get(0)),
    }
}

fn message_id(connection: &Connection, previous: i64, text: i64) -> rusqlite::Result<i64> {
    let known = connection
        .prepare_cached("select id from request_messages where previous_id = ? and text_id = ?")?
        .query_row([previous, text], |row| row.get(0))
        .optional()?;
    match known {
        Some(id) => Ok(id),
        None => connection
            .prepare_cached("insert into request_messages (previous_id, text_id) values (?, ?) returning id")?
            .query_row([previous, text], |row| row.get(0)),
    }
}

/// Copies the initial state before the first snapshot replaces it.
pub fn keep_initial_state(connection: &Connection, run: &RunId) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "insert or ignore into initial_states (run_id, state)
             select run_id, state from state_snapshots where run_id = ? and n = 0",
        )?
        .execute([run.as_str()])?;
    Ok(())
}

/// Returns the initial state of a run.
fn read_initial_state(connection: &Connection, run: &RunId) -> Result<Option<Value>> {
    let sql = "select state from initial_states where run_id = ?1
               union all select state from state_snapshots where run_id = ?1 and n = 0";
    query_one(connection, sql, [run.as_str()], |row| Ok(json(&row.get::<_, String>(0)?)))
}

fn read_calls(connection: &Connection, run: &RunId) -> Result<Vec<CallRow>> {
    query_all(
        connection,
        &format!("select {CALL} from model_calls where run_id = ? order by n"),
        [run.as_str()],
        call_row,
    )
}

fn read_call(connection: &Connection, run: &RunId, n: u64) -> Result<Option<(CallRow, CallText)>> {
    let sql = format!("select {CALL} from model_calls where run_id = ? and n = ?");
    let found = query_one(connection, &sql, params![run.as_str(), to_sql_integer(n)], call_row)?;
    let Some(row) = found else { return Ok(None) };
    Ok(Some((row, text(connection, run, n).map_err(store_error)?)))
}

fn text(connection: &Connection, run: &RunId, n: u64) -> rusqlite::Result<CallText> {
    let (last, request, answer, fault) = connection
        .prepare_cached(
            "select last_message_id, (select body from request_texts where id = request_text_id), answer, fault
             from model_calls where run_id = ? and n = ?",
        )?
        .query_row(params![run.as_str(), to_sql_integer(n)], |row| {
            let [request, answer, fault] = [row.get(1)?, row.get(2)?, row.get(3)?]
                .map(|text: Option<String>| text.map(|text| json(&text)));
            Ok((row.get::<_, Option<i64>>(0)?, request, answer, fault))
        })?;
    let messages = connection
        .prepare_cached(
            "with recursive messages (previous_id, text_id, depth) as (
                 select previous_id, text_id, 0 from request_messages where id = ?
                 union all
                 select m.previous_id, m.text_id, depth + 1
                 from request_messages m join messages on m.id = messages.previous_id
             ) select body from messages join request_texts on request_texts.id = text_id order by depth desc",
        )?
        .query_map([last], |row| Ok(json(&row.get::<_, String>(0)?)))?
        .collect::<rusqlite::Result<Vec<Value>>>()?;
    Ok(CallText { messages, request: request.unwrap_or_default(), answer, fault })
}

/// Returns the other inputs of a run's steps, each with its step number.
fn read_step_inputs(connection: &Connection, run: &RunId) -> Result<Vec<(u64, Value)>> {
    let sql = "select step, body from step_inputs where run_id = ? order by step";
    query_all(connection, sql, [run.as_str()], |row| Ok((row.get(0)?, json(&row.get::<_, String>(1)?))))
}

pub(crate) fn call_row(row: &Row<'_>) -> rusqlite::Result<CallRow> {
    Ok(CallRow {
        n: row.get(0)?,
        step: row.get(1)?,
        role: row.get(2)?,
        model: row.get(3)?,
        at: Moment::from_millis(row.get(4)?),
        took_ms: row.get(5)?,
        input: row.get(6)?,
        cached: row.get(7)?,
        output: row.get(8)?,
        cost: row.get(9)?,
        currency: row.get(10)?,
        error: row.get(11)?,
        dropped: row.get(12)?,
    })
}
