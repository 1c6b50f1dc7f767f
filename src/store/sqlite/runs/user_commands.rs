//! Statements on user commands. A command is kept until a commit of its run carries it out.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::rows::user_command::{StoredUserCommand, UserCommand, UserCommandRow};
use crate::store::rows::{ConsumedInput, NewRun};
use crate::store::sqlite::connection::store::SqliteStore;
use crate::store::sqlite::row_reading;
use crate::store::sqlite::row_reading::{query_all, query_one, run_id};
use crate::store::user_commands::UserCommands;
use rusqlite::{Connection, Result, params};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

impl UserCommands for SqliteStore {
    fn add_user_command(
        &self,
        run: RunId,
        command: UserCommand,
        below: bool,
    ) -> StoreFuture<Option<StoredUserCommand>> {
        let last = Arc::clone(&self.last_command);
        self.writer.write_timed("user_command", move |connection, _| {
            let row = UserCommandRow { n: next_number(connection, &last)?, command };
            store(connection, &run, row, below)
        })
    }

    fn withdraw_user_command(&self, n: u64) -> StoreFuture<()> {
        self.writer.write(move |connection, _| {
            connection.prepare_cached("delete from user_commands where n = ?")?.execute([n]).map(drop)
        })
    }

    fn pending_user_commands(&self) -> StoreFuture<Vec<(RunId, UserCommandRow)>> {
        self.read(|connection| {
            let sql = "select run_id, n, command from user_commands order by n, run_id";
            let rows = query_all(connection, sql, (), |row| {
                Ok((run_id(row, 0)?, row.get(1)?, row.get::<_, String>(2)?))
            })?;
            rows.into_iter().map(|(run, n, name)| Ok((run.clone(), row(&run, n, &name)?))).collect()
        })
    }
}

/// Returns a number larger than every earlier one, including those of deleted commands and of earlier
/// processes. `last` is the largest number of this process; only the writer thread changes it.
fn next_number(connection: &Connection, last: &AtomicU64) -> Result<u64> {
    let now = Moment::now().millis().max(0).unsigned_abs();
    let waiting: u64 = connection
        .prepare_cached("select coalesce(max(n), 0) from user_commands")?
        .query_row([], |row| row.get(0))?;
    let number = now.max(waiting + 1).max(last.load(Ordering::SeqCst) + 1);
    last.store(number, Ordering::SeqCst);
    Ok(number)
}

fn store(
    connection: &Connection,
    run: &RunId,
    row: UserCommandRow,
    below: bool,
) -> Result<Option<StoredUserCommand>> {
    let tree: Vec<(String, bool)> = connection
        .prepare_cached(
            "with recursive tree (id, depth) as (
                 select id, 0 from runs where id = ?1
                 union all select runs.id, tree.depth + 1 from runs join tree on runs.parent_id = tree.id where ?2)
             select id, ended_at is null from runs join tree using (id) order by tree.depth, id",
        )?
        .query_map(params![run.as_str(), below], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_>>()?;
    if tree.first().is_none_or(|(_, lives)| !lives) {
        return Ok(None);
    }
    let mut runs = Vec::new();
    for (id, _) in tree.into_iter().filter(|(_, lives)| *lives) {
        let run = RunId::from(id);
        if put(connection, &run, row)? {
            runs.push(run);
        }
    }
    Ok(Some(StoredUserCommand { row, runs }))
}

/// Stores a command for a run and returns true, unless the run has a newer command. A stored stop is replaced
/// only by another stop.
fn put(connection: &Connection, run: &RunId, UserCommandRow { n, command }: UserCommandRow) -> Result<bool> {
    connection
        .prepare_cached(
            "insert into user_commands (run_id, n, command) values (?, ?, ?)
             on conflict (run_id) do update set n = excluded.n, command = excluded.command
             where excluded.n > n and (command <> 'stop' or excluded.command = 'stop')",
        )?
        .execute(params![run.as_str(), n, command.name()])
        .map(|kept| kept > 0)
}

/// Deletes the command that a commit carries out, and every command for a run that has ended.
pub fn delete_carried_out(
    connection: &Connection,
    run: &RunId,
    consumed: &ConsumedInput,
    ended: bool,
) -> Result<()> {
    if let Some(row) = consumed.command_below {
        command_children(connection, run, row)?;
    }
    let upto = if ended { Some(i64::MAX) } else { consumed.command.map(row_reading::to_sql_integer) };
    let Some(n) = upto else { return Ok(()) };
    connection
        .prepare_cached("delete from user_commands where run_id = ? and n <= ?")?
        .execute(params![run.as_str(), n])
        .map(drop)
}

/// Stores the command for the children whose status does not match it yet.
fn command_children(connection: &Connection, run: &RunId, row: UserCommandRow) -> Result<()> {
    let children: Vec<String> = connection
        .prepare_cached(
            "select id from runs where parent_id = ? and ended_at is null and (status = 'paused') <> ?",
        )?
        .query_map(params![run.as_str(), row.command == UserCommand::Pause], |row| row.get(0))?
        .collect::<Result<_>>()?;
    children.into_iter().try_for_each(|child| put(connection, &RunId::from(child), row).map(drop))
}

/// Copies a pending pause or stop of the parent to a new child.
pub fn inherit_command(connection: &Connection, child: &NewRun) -> Result<()> {
    let Some(parent) = &child.parent else { return Ok(()) };
    connection
        .prepare_cached(
            "insert into user_commands (run_id, n, command)
             select ?, n, command from user_commands where run_id = ? and command <> 'resume'",
        )?
        .execute(params![child.id.as_str(), parent.as_str()])
        .map(drop)
}

/// Returns the pending command for a run.
pub fn read_pending_command(
    connection: &Connection,
    run: &RunId,
) -> std::result::Result<Option<UserCommandRow>, StoreError> {
    let sql = "select n, command from user_commands where run_id = ?";
    let found =
        query_one(connection, sql, [run.as_str()], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    found.map(|(n, name)| row(run, n, &name)).transpose()
}

fn row(run: &RunId, n: u64, name: &str) -> std::result::Result<UserCommandRow, StoreError> {
    let unknown =
        || StoreError::Corrupt { what: format!("run {run}"), reason: format!("`{name}` is no user command") };
    Ok(UserCommandRow { n, command: UserCommand::from_name(name).ok_or_else(unknown)? })
}
