//! Reads everything that a run needs to resume.

use crate::ids::RunId;
use crate::store::rows::json_columns::{corrupt, json};
use crate::store::rows::{Intent, StoredRun};
use crate::store::sqlite::row_reading::{Result, query_one};
use crate::store::sqlite::runs::read::{question, run, steps};
use crate::store::sqlite::runs::{inbox, user_commands};
use rusqlite::Connection;

/// Reads all that a run needs to continue. Fails if the run has no state.
pub fn load(connection: &Connection, id: &RunId) -> Result<Option<StoredRun>> {
    let Some(row) = run(connection, id)? else { return Ok(None) };
    let sql = "select n, state from state_snapshots where run_id = ?";
    let newest = query_one(connection, sql, [id.as_str()], |row| {
        Ok((row.get::<_, u64>(0)?, row.get::<_, String>(1)?))
    })?;
    let Some((n, state)) = newest else {
        return Err(corrupt(id, "it has no state"));
    };
    let changes = steps(connection, id, n)?;
    let question = match &row.question {
        Some(reference) => question(connection, reference)?,
        None => None,
    };
    let inbox = inbox::unread(connection, id)?;
    let user_command = user_commands::read_pending_command(connection, id)?;
    let sql = "select action_id, action from effects where run_id = ? and receipt_at is null";
    let open_effect = query_one(connection, sql, [id.as_str()], |row| {
        Ok(Intent { action_id: row.get(0)?, action: json(&row.get::<_, String>(1)?) })
    })?;
    Ok(Some(StoredRun {
        row,
        state: serde_json::from_str(&state).map_err(|fault| corrupt(id, &fault.to_string()))?,
        changes: changes.into_iter().map(|step| step.changes).collect(),
        state_at: n,
        inbox,
        user_command,
        question,
        open_effect,
    }))
}
