//! Statements on user commands.

use crate::ids::RunId;
use crate::store::error::StoreError;
use crate::store::postgres::connection::sql::{Sql, run_id, to_integer, unsigned};
use crate::store::postgres::statements::log::LogBatch;
use crate::store::rows::ConsumedInput;
use crate::store::rows::json_columns::corrupt;
use crate::store::rows::user_command::{UserCommand, UserCommandRow};
use tokio_postgres::Row;

/// Part of a statement that stores commands, unless a run has a newer command. A stored stop is replaced only by another
/// stop.
pub const UNLESS_NEWER: &str = "on conflict (run_id) do update set n = excluded.n, command = excluded.command
     where excluded.n > old.n and (old.command <> 'stop' or excluded.command = 'stop')";

/// Deletes the command that a commit carries out, and every command for a run that has ended.
pub fn push_carried_out(batch: &mut LogBatch, run: &RunId, consumed: &ConsumedInput, ended: bool) {
    if let Some(row) = consumed.command_below {
        batch.push(command_children(run, row));
    }
    let upto = if ended { Some(i64::MAX) } else { consumed.command.map(to_integer) };
    if let Some(n) = upto {
        batch.push(Sql::new("delete from user_commands where run_id = $1 and n <= $2").with(run).with(n));
    }
}

/// Stores the command for the children whose status does not match it yet.
fn command_children(run: &RunId, row: UserCommandRow) -> Sql {
    Sql::new(format!(
        "insert into user_commands as old (run_id, n, command)
         select id, $2, $3 from runs where parent_id = $1 and ended_at is null and (status = 'paused') <> $4
         {UNLESS_NEWER}"
    ))
    .with(run)
    .with(row.n)
    .with(row.command.name())
    .with(row.command == UserCommand::Pause)
}

/// Reads a row of `run_id, n, command`.
pub fn command_row(row: &Row) -> Result<(RunId, UserCommandRow), StoreError> {
    let (run, name) = (run_id(row, 0)?, row.try_get::<_, String>(2)?);
    let unknown = || corrupt(&run, &format!("`{name}` is no user command"));
    let command = UserCommand::from_name(&name).ok_or_else(unknown)?;
    Ok((run, UserCommandRow { n: unsigned(row, 1)?, command }))
}
