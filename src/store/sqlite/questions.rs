//! What waits for a person, as it is written down.

use crate::clock::Moment;
use crate::store::rows::{FactRow, QuestionRow};
use rusqlite::{Connection, Result, params};
use serde_json::json;

/// Kept with the place in the log that it was told at.
pub fn put(connection: &Connection, row: &QuestionRow, told: &[FactRow]) -> Result<()> {
    let mut frame = row.frame.clone();
    let body = frame.to_string();
    if let Some(fact) = told.iter().find(|fact| fact.body == body) {
        (frame["seq"], frame["at"]) = (json!(fact.seq), json!(fact.at.rfc3339()));
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
