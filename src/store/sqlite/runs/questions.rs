//! Statements on waiting questions: insert, list and count.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::error::StoreFuture;
use crate::store::rows::{EventRow, QuestionRow};
use crate::store::sqlite::connection::error::store_error;
use crate::store::sqlite::connection::store::SqliteStore;
use crate::store::sqlite::row_reading;
use crate::store::sqlite::runs::read::question_row;
use crate::store::waiting_questions::{WaitingFilter, WaitingQuestions, WaitingRow};
use rusqlite::{Connection, Result, params};
use serde_json::json;

impl WaitingQuestions for SqliteStore {
    fn waiting_questions(&self, filter: WaitingFilter) -> StoreFuture<Vec<WaitingRow>> {
        self.read(move |connection| list(connection, &filter))
    }

    fn count_waiting(&self, root: Option<RunId>) -> StoreFuture<u64> {
        self.read(move |connection| count(connection, root.as_ref()))
    }
}

fn list(connection: &Connection, filter: &WaitingFilter) -> row_reading::Result<Vec<WaitingRow>> {
    let sql = "select q.reference, q.run_id, q.root_id, q.kind, q.frame, q.asked_at, q.expires_at,
                      q.resolved_by, q.answer, coalesce(r.own_title, r.title), r.agent
               from questions q join runs r on r.id = q.root_id
               where q.resolved_at is null and (?1 is null or q.root_id = ?1)
                 and (?2 is null or (q.asked_at, q.reference) > (?2, ?3))
               order by q.asked_at, q.reference limit ?4";
    let after = filter.after.as_ref();
    let parameters = params![
        filter.root.as_ref().map(RunId::as_str),
        after.map(|after| after.asked_at.millis()),
        after.map(|after| after.reference.as_str()),
        filter.limit,
    ];
    row_reading::query_all(connection, sql, parameters, |row| {
        Ok(WaitingRow { question: question_row(row)?, title: row.get(9)?, agent: row.get(10)? })
    })
}

fn count(connection: &Connection, root: Option<&RunId>) -> row_reading::Result<u64> {
    let sql = "select count(*) from questions where resolved_at is null and (?1 is null or root_id = ?1)";
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row([root.map(RunId::as_str)], |row| row.get(0)))
        .map_err(store_error)
}

/// Inserts a question with the log position of its event.
pub fn put(connection: &Connection, row: &QuestionRow, events: &[EventRow]) -> Result<()> {
    let mut frame = row.frame.clone();
    let body = frame.to_string();
    if let Some(event) = events.iter().find(|event| event.body == body) {
        (frame["seq"], frame["at"]) = (json!(event.seq), json!(event.at.rfc3339()));
    }
    connection
        .prepare_cached(
            "insert into questions (reference, run_id, root_id, kind, frame, asked_at, expires_at)
             values (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            row.reference.as_str(),
            row.run.as_str(),
            row.root.as_str(),
            row.kind,
            frame.to_string(),
            row.asked_at.millis(),
            row.expires_at.map(Moment::millis),
        ])?;
    Ok(())
}
