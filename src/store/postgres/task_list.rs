//! The list of tasks: settings of people, and the deletion of whole run trees.

use crate::ids::RunId;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::postgres::connection::sql::{Sql, run_id};
use crate::store::postgres::connection::store::{PostgresStore, Shared};
use crate::store::postgres::connection::transaction::WriteTransaction;
use crate::store::postgres::connection::writes::{
    AsWrite, ReadThenWrite, Work, WriteOnly, read_all, store_once,
};
use crate::store::postgres::statements::columns::{RUN, run_row};
use crate::store::postgres::statements::{deletion, lock, search};
use crate::store::rows::{ListSettingsChange, RunRow};
use crate::store::task_list::TaskList;
use std::collections::HashSet;
use std::sync::Arc;

/// Picture files removed at once.
const AT_ONCE: usize = 200;

impl TaskList for PostgresStore {
    fn change_run(&self, run: RunId, change: ListSettingsChange) -> StoreFuture<Option<RunRow>> {
        self.call("change", async move |shared| {
            store_once(&shared.connections, &AsWrite(SettingsChange { run: &run, change })).await?;
            let row = Sql::new(format!("select {RUN} from runs where id = $1")).with(&run);
            let rows = read_all(&shared.connections, &[row]).await?;
            rows.iter().flatten().next().map(run_row).transpose()
        })
    }

    fn delete_tree(&self, root: RunId) -> StoreFuture<Vec<RunId>> {
        self.call("delete", async move |shared| {
            let _turn = shared.queues.enter(&root).await;
            store_once(&shared.connections, &AsWrite(TreeDeletion(root.clone()))).await
        })
    }

    fn tree_ids(&self, root: RunId) -> StoreFuture<Vec<RunId>> {
        self.read_rows(Sql::new("select id from runs where root_id = $1 order by id").with(&root), |row| {
            run_id(row, 0)
        })
    }

    fn leftover_folders(&self) -> StoreFuture<Vec<RunId>> {
        self.read_rows(Sql::new("select name from leftover_files where kind = 'run'"), |row| run_id(row, 0))
    }

    fn forget_folders(&self, runs: Vec<RunId>) -> StoreFuture<()> {
        let names: Vec<String> = runs.iter().map(RunId::to_string).collect();
        let sql = "delete from leftover_files where kind = 'run' and name = any ($1)";
        self.store("forget", vec![Sql::new(sql).with(names)])
    }

    fn remove_leftover_pictures(&self) -> StoreFuture<()> {
        self.call("remove_pictures", async move |shared| {
            let mut last = String::new();
            while let Some(hash) = remove_pictures(&shared, &last).await? {
                last = hash;
            }
            Ok(())
        })
    }

    /// Does nothing: the server gives space back by itself.
    fn release_space(&self) -> StoreFuture<bool> {
        Box::pin(async { Ok(true) })
    }
}

/// Change of the settings of a run.
struct SettingsChange<'c> {
    run: &'c RunId,
    change: ListSettingsChange,
}

impl ReadThenWrite for SettingsChange<'_> {
    type Outcome = ();

    fn work<'a>(&'a self, transaction: &'a WriteTransaction<'a>) -> Work<'a, ()> {
        Box::pin(async {
            let ListSettingsChange { title, pinned, archived, visibility } = &self.change;
            let update = "update runs set pinned = coalesce($1, pinned), archived = coalesce($2, archived),
                              visibility = coalesce($3, visibility), own_title = case when $4 then $5 else own_title end
                          where id = $6 returning coalesce(own_title, title), own_title is not null";
            let update = Sql::new(update)
                .with(*pinned)
                .with(*archived)
                .with(visibility.as_ref())
                .with(title.is_some())
                .with(title.as_ref().and_then(Option::as_ref))
                .with(self.run);
            let rows = transaction.send(&[lock::tree_of_run(self.run), update]).await?;
            let row = rows.get(1).and_then(|rows| rows.first()).filter(|_| title.is_some());
            let Some(row) = row else { return Ok((Vec::new(), ())) };
            let shown: String = row.try_get(0)?;
            Ok((search::index_title(self.run, &shown, row.try_get(1)?).into(), ()))
        })
    }
}

/// A tree to delete.
struct TreeDeletion(RunId);

impl ReadThenWrite for TreeDeletion {
    /// Ids of the deleted runs.
    type Outcome = Vec<RunId>;

    fn work<'a>(&'a self, transaction: &'a WriteTransaction<'a>) -> Work<'a, Vec<RunId>> {
        Box::pin(async {
            let ids = Sql::new("select id from runs where root_id = $1 order by id").with(&self.0);
            let locks = [lock::tree_of_run(&self.0), lock::request_texts_alone()];
            transaction.send(&locks).await?;
            let rows = transaction.send(&[ids, deletion::recorded_parts(&self.0)]).await?;
            let [runs, parts] = rows.as_slice() else { return Ok((Vec::new(), Vec::new())) };
            let runs = runs.iter().map(|row| run_id(row, 0)).collect::<Result<Vec<_>, _>>()?;
            if runs.is_empty() {
                return Ok((Vec::new(), runs));
            }
            let (mut messages, mut texts) = (Vec::new(), Vec::new());
            for row in parts {
                messages.extend(row.try_get::<_, Option<Vec<u8>>>(0)?);
                texts.extend(row.try_get::<_, Option<Vec<u8>>>(1)?);
            }
            Ok((deletion::delete_tree(&self.0, messages, texts), runs))
        })
    }
}

/// Removes some of the picture files noted as leftovers whose hashes come after `after`, and returns the last hash; `None` at
/// the end. A file goes before its note, and stays if a run has the picture again; a file that cannot be removed keeps its
/// note for the next start.
async fn remove_pictures(shared: &Shared, after: &str) -> Result<Option<String>, StoreError> {
    let sql = "select name, exists (select 1 from pictures where hash = name) from leftover_files
               where kind = 'picture' and name > $1 order by name limit $2";
    let rows = read_all(&shared.connections, &[Sql::new(sql).with(after).with(AT_ONCE)]).await?;
    let mut found: Vec<(String, bool)> = Vec::new();
    for row in rows.iter().flatten() {
        found.push((row.try_get(0)?, row.try_get(1)?));
    }
    let last = found.last().map(|(hash, _)| hash.clone());
    let kept: HashSet<String> =
        found.iter().filter(|(_, kept)| *kept).map(|(hash, _)| hash.clone()).collect();
    let pictures = Arc::clone(&shared.pictures);
    let removing = tokio::task::spawn_blocking(move || {
        let is_done = |(hash, kept): &(String, bool)| match if *kept { Ok(()) } else { pictures.remove(hash) }
        {
            Ok(()) => true,
            Err(fault) => {
                tracing::warn!(%hash, %fault, "picture of a deleted run not removed");
                false
            }
        };
        found.into_iter().filter(is_done).map(|(hash, _)| hash).collect::<Vec<_>>()
    });
    let done = removing.await.map_err(|_| StoreError::Stopped)?;
    let removed: Vec<String> = done.iter().filter(|hash| !kept.contains(*hash)).cloned().collect();
    shared.pictures.remove_published(&removed).await;
    let forget = "delete from leftover_files where kind = 'picture' and name = any ($1)";
    store_once(&shared.connections, &WriteOnly(vec![Sql::new(forget).with(done)])).await?;
    Ok(last)
}
