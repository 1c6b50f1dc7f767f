//! ASYNC actions, their progress, and the reservation of their ids.

use crate::ids::RunId;
use crate::store::TaskRows;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::postgres::connection::sql::{Sql, unsigned};
use crate::store::postgres::connection::store::PostgresStore;
use crate::store::postgres::connection::transaction::WriteTransaction;
use crate::store::postgres::connection::writes::{AsWrite, ReadThenWrite, Work, store_once};
use crate::store::postgres::statements::columns::{TASK, task_row};
use crate::store::postgres::statements::lock;
use crate::store::postgres::statements::log::LogBatch;
use crate::store::rows::{EventRow, LogAdditions, TaskRow};
use crate::store::tree_leases::held_trees::LeasedTree;

impl TaskRows for PostgresStore {
    fn task(&self, id: String) -> StoreFuture<Option<TaskRow>> {
        self.read_row(Sql::new(format!("select {TASK} from tasks where id = $1")).with(id), task_row)
    }

    fn tasks(&self, root: RunId) -> StoreFuture<Vec<TaskRow>> {
        let sql = format!("select {TASK} from tasks where root_id = $1 order by created_at, id");
        self.read_rows(Sql::new(sql).with(&root), task_row)
    }

    fn living_tasks(&self) -> StoreFuture<Vec<TaskRow>> {
        let sql = format!("select {TASK} from tasks where ended_at is null order by created_at, id");
        self.read_rows(Sql::new(sql), task_row)
    }

    fn reserve_task_ids(&self, run: RunId, wanted: Vec<String>) -> StoreFuture<Vec<String>> {
        self.call("reserve", async move |shared| {
            store_once(&shared.connections, &AsWrite(Reservation { run, wanted })).await
        })
    }

    fn add_progress(&self, task: TaskRow, event: String) -> StoreFuture<bool> {
        self.call("progress", async move |shared| {
            let _turn = shared.queues.enter(&task.root).await;
            let progress = AsWrite(TaskProgress { task, event });
            let stored = store_once(&shared.connections, &progress).await?;
            let TaskProgress { task, event } = progress.0;
            let rows = stored.map(|(seq, at)| EventRow {
                root: task.root,
                seq,
                run: task.run,
                at: crate::clock::Moment::from_millis(at),
                body: event,
            });
            let is_stored = rows.is_some();
            shared.observe(LogAdditions { events: rows.into_iter().collect(), ..LogAdditions::default() });
            Ok(is_stored)
        })
    }
}

/// Progress of a task, with its event.
struct TaskProgress {
    task: TaskRow,
    event: String,
}

impl ReadThenWrite for TaskProgress {
    /// Number and time of the event; `None` if the task has ended.
    type Outcome = Option<(u64, i64)>;

    fn leased_tree(&self) -> Option<LeasedTree<'_>> {
        Some(LeasedTree::Root(&self.task.root))
    }

    fn work<'a>(&'a self, transaction: &'a WriteTransaction<'a>) -> Work<'a, Self::Outcome> {
        Box::pin(async {
            let TaskProgress { task, event } = self;
            let update = "update tasks set progress = $1 where id = $2 and ended_at is null
                          returning (select seq from trees where root_id = $3)";
            let update = Sql::new(update).with(task.progress).with(&task.id).with(&task.root);
            let rows = transaction.send(&[lock::tree_of_run(&task.run), update]).await?;
            let Some(row) = rows.get(1).and_then(|rows| rows.first()) else { return Ok((Vec::new(), None)) };
            let seq = unsigned(row, 0)? + 1;
            let mut batch = LogBatch::new(&task.root);
            batch.append(&task.run, std::slice::from_ref(event));
            Ok((batch.statements, Some((seq, batch.at.millis()))))
        })
    }
}

/// Ids that a run wants for tasks.
struct Reservation {
    run: RunId,
    wanted: Vec<String>,
}

impl ReadThenWrite for Reservation {
    type Outcome = Vec<String>;

    fn leased_tree(&self) -> Option<LeasedTree<'_>> {
        Some(LeasedTree::OfRun(&self.run))
    }

    fn work<'a>(&'a self, transaction: &'a WriteTransaction<'a>) -> Work<'a, Vec<String>> {
        Box::pin(async {
            // Reservations of the run, those that were used, and those of runs that have ended.
            let release = "delete from reserved_task_ids r
                 where run_id = $1 or exists (select 1 from tasks where id = r.id)
                     or exists (select 1 from runs where id = r.run_id and ended_at is not null)";
            transaction.send(&[lock::task_ids(), Sql::new(release).with(&self.run)]).await?;
            let mut ids = Vec::new();
            for wanted in &self.wanted {
                let rows = transaction.send(&[reserve(&self.run, wanted)]).await?;
                let row = rows.iter().flatten().next();
                let unread = || StoreError::Refused(String::from("no id was reserved"));
                ids.push(row.ok_or_else(unread)?.try_get(0)?);
            }
            Ok((Vec::new(), ids))
        })
    }
}

/// Reserves an id, or the id with the first free number.
fn reserve(run: &RunId, wanted: &str) -> Sql {
    // The byte after `-` is `.`, so that the ids that begin with the wanted one and a `-` are a range of the index.
    Sql::new(
        r#"with taken (id) as (
             select id from tasks where id = $1 or id > $1 || '-' and id < $1 || '.'
             union all select id from reserved_task_ids where id = $1 or id > $1 || '-' and id < $1 || '.'
         ), numbers (n) as (
             select substr(id, length($1) + 2)::bigint from taken where substr(id, length($1) + 2) ~ '^[1-9][0-9]{0,17}$'
         ) insert into reserved_task_ids (run_id, id)
         select $2, case when exists (select 1 from taken where id = $1)
             then $1 || '-' || (
                 select min(n) + 1 from (select 1 as n union all select n from numbers) before
                 where not exists (select 1 from numbers next where next.n = before.n + 1))
             else $1 end
         returning id"#,
    )
    .with(wanted)
    .with(run)
}
