//! Deletion of whole run trees. One transaction deletes the rows and records the leftover files; the files
//! are removed after it, so a crash in between leaves no unknown files.

use crate::ids::RunId;
use crate::store::RunRows;
use crate::store::error::StoreFuture;
use crate::store::picture_files::Pictures;
use crate::store::rows::{ListSettingsChange, RunRow};
use crate::store::sqlite::connection::error::store_error;
use crate::store::sqlite::connection::store::SqliteStore;
use crate::store::sqlite::row_reading::run_id;
use crate::store::sqlite::search_index;
use crate::store::sqlite::{disk_space, row_reading};
use crate::store::task_list::TaskList;
use rusqlite::{Connection, OptionalExtension, Result, params};
use std::sync::Arc;

/// Picture files removed per transaction.
const AT_ONCE: usize = 200;

/// Tables whose rows belong to a run, and tables whose rows belong to the root of a tree.
const RUN_TABLES: [&str; 9] = [
    "steps",
    "state_snapshots",
    "inbox",
    "effects",
    "pictures",
    "step_inputs",
    "initial_states",
    "idempotency_records",
    "user_commands",
];
const ROOT_TABLES: [&str; 5] = ["questions", "events", "tasks", "page_snapshots", "leases"];

impl TaskList for SqliteStore {
    fn change_run(&self, run: RunId, change: ListSettingsChange) -> StoreFuture<Option<RunRow>> {
        let changed = self.writer.write_timed("change", {
            let run = run.clone();
            move |connection, _| change_run(connection, &run, &change)
        });
        let row = self.run(run);
        Box::pin(async move {
            changed.await?;
            row.await
        })
    }

    fn delete_tree(&self, root: RunId) -> StoreFuture<Vec<RunId>> {
        self.writer.write_timed("delete", move |connection, _| delete_tree(connection, &root))
    }

    fn tree_ids(&self, root: RunId) -> StoreFuture<Vec<RunId>> {
        self.read(move |connection| tree_ids(connection, &root).map_err(store_error))
    }

    fn leftover_folders(&self) -> StoreFuture<Vec<RunId>> {
        self.read(|connection| {
            let sql = "select name from leftover_files where kind = 'run'";
            row_reading::query_all(connection, sql, (), |row| run_id(row, 0))
        })
    }

    fn forget_folders(&self, runs: Vec<RunId>) -> StoreFuture<()> {
        self.writer.write(move |connection, _| {
            let sql = "delete from leftover_files where kind = 'run' and name = ?";
            runs.iter().try_for_each(|run| connection.prepare_cached(sql)?.execute([run.as_str()]).map(drop))
        })
    }

    fn remove_leftover_pictures(&self) -> StoreFuture<()> {
        let (writer, pictures) = (self.writer.clone(), Arc::clone(&self.pictures));
        Box::pin(async move {
            let mut last = String::new();
            loop {
                let (pictures, after) = (Arc::clone(&pictures), last);
                let shared = Arc::clone(&pictures);
                let removed =
                    writer.write(move |connection, _| remove_pictures(connection, &pictures, &after));
                let (done, newest) = removed.await?;
                shared.remove_published(&done).await;
                match newest {
                    Some(hash) => last = hash,
                    None => return Ok(()),
                }
            }
        })
    }

    fn release_space(&self) -> StoreFuture<bool> {
        let writer = self.writer.clone();
        Box::pin(async move {
            while writer.write(|connection, _| disk_space::release_pages(connection)).await? {}
            writer.run_outside_transaction(disk_space::shorten_file).await
        })
    }
}

fn change_run(connection: &Connection, run: &RunId, change: &ListSettingsChange) -> Result<()> {
    let ListSettingsChange { title, pinned, archived, visibility } = change;
    connection
        .prepare_cached(
            "update runs set pinned = coalesce(?, pinned), archived = coalesce(?, archived),
                    visibility = coalesce(?, visibility) where id = ?",
        )?
        .execute(params![pinned, archived, visibility, run.as_str()])?;
    if let Some(title) = title {
        let changed = connection
            .prepare_cached("update runs set own_title = ? where id = ?")?
            .execute(params![title, run.as_str()])?;
        if changed > 0 {
            search_index::index_title(connection, run)?;
        }
    }
    Ok(())
}

fn tree_ids(connection: &Connection, root: &RunId) -> Result<Vec<RunId>> {
    let mut sql = connection.prepare_cached("select id from runs where root_id = ? order by id")?;
    let ids = sql.query_map([root.as_str()], |row| run_id(row, 0))?;
    ids.collect()
}

fn delete_tree(connection: &Connection, root: &RunId) -> Result<Vec<RunId>> {
    let runs = tree_ids(connection, root)?;
    note_leftovers(connection, root)?;
    search_index::forget_tree(connection, root)?;
    forget_calls(connection, root)?;
    for table in RUN_TABLES {
        let sql = format!("delete from {table} where run_id in (select id from runs where root_id = ?)");
        connection.prepare_cached(&sql)?.execute([root.as_str()])?;
    }
    for table in ROOT_TABLES {
        connection
            .prepare_cached(&format!("delete from {table} where root_id = ?"))?
            .execute([root.as_str()])?;
    }
    // Grants for a site belong to the person and stay; grants for this run go.
    let sql = "delete from grants where scope = 'run' and run_id in (select id from runs where root_id = ?)";
    connection.prepare_cached(sql)?.execute([root.as_str()])?;
    connection.prepare_cached("delete from runs where root_id = ?")?.execute([root.as_str()])?;
    Ok(runs)
}

/// Records the folders of the runs, and the pictures that no other run has, as leftovers.
fn note_leftovers(connection: &Connection, root: &RunId) -> Result<()> {
    let sql =
        "insert or ignore into leftover_files (kind, name) select 'run', id from runs where root_id = ?";
    connection.prepare_cached(sql)?.execute([root.as_str()])?;
    let sql = "insert or ignore into leftover_files (kind, name)
               select 'picture', hash from pictures
               where run_id in (select id from runs where root_id = ?1) and hash <> ''
                   and not exists (select 1 from pictures other where other.hash = pictures.hash
                                       and other.run_id not in (select id from runs where root_id = ?1))";
    connection.prepare_cached(sql)?.execute([root.as_str()])?;
    Ok(())
}

/// Deletes the recorded calls, with the messages and texts that no other call uses.
fn forget_calls(connection: &Connection, root: &RunId) -> Result<()> {
    let column = |name: &str| -> Result<Vec<i64>> {
        let sql = format!(
            "select distinct {name} from model_calls
             where {name} is not null and run_id in (select id from runs where root_id = ?)"
        );
        let mut select = connection.prepare_cached(&sql)?;
        select.query_map([root.as_str()], |row| row.get(0))?.collect()
    };
    let (last_messages, mut texts) = (column("last_message_id")?, column("request_text_id")?);
    let sql = "delete from model_calls where run_id in (select id from runs where root_id = ?)";
    connection.prepare_cached(sql)?.execute([root.as_str()])?;
    for last in last_messages {
        forget_messages(connection, last, &mut texts)?;
    }
    for text in texts {
        let sql = "delete from request_texts where id = ?1
                       and not exists (select 1 from request_messages where text_id = ?1)
                       and not exists (select 1 from model_calls where request_text_id = ?1)";
        connection.prepare_cached(sql)?.execute([text])?;
    }
    Ok(())
}

/// Deletes messages from the last one of a call back to the first that is still in use.
fn forget_messages(connection: &Connection, last: i64, texts: &mut Vec<i64>) -> Result<()> {
    let mut message = last;
    while message != 0 {
        let sql = "delete from request_messages where id = ?1
                       and not exists (select 1 from request_messages next where next.previous_id = ?1)
                       and not exists (select 1 from model_calls where last_message_id = ?1)
                   returning previous_id, text_id";
        let gone = connection
            .prepare_cached(sql)?
            .query_row([message], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
            .optional()?;
        let Some((previous, text)) = gone else { return Ok(()) };
        texts.push(text);
        message = previous;
    }
    Ok(())
}

/// Removes the picture files noted as leftovers whose hashes come after `after`, `AT_ONCE` of them. Returns those that are
/// removed, and the last hash; `None` at the end. A file goes before its note, and stays if a run has the picture again; a
/// file that cannot be removed keeps its note for the next start.
fn remove_pictures(
    connection: &Connection,
    pictures: &Pictures,
    after: &str,
) -> Result<(Vec<String>, Option<String>)> {
    let mut done = Vec::new();
    let mut select = connection.prepare_cached(
        "select name from leftover_files where kind = 'picture' and name > ? order by name limit ?",
    )?;
    let hashes: Vec<String> =
        select.query_map(params![after, AT_ONCE], |row| row.get(0))?.collect::<Result<_>>()?;
    for hash in &hashes {
        let kept: bool = connection
            .prepare_cached("select exists (select 1 from pictures where hash = ?)")?
            .query_row([hash], |row| row.get(0))?;
        if !kept && let Err(fault) = pictures.remove(hash) {
            tracing::warn!(%hash, %fault, "picture of a deleted run not removed");
            continue;
        }
        done.extend((!kept).then(|| hash.clone()));
        connection
            .prepare_cached("delete from leftover_files where kind = 'picture' and name = ?")?
            .execute([hash])?;
    }
    Ok((done, hashes.last().cloned()))
}
