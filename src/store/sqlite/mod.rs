//! The store in one SQLite file in WAL mode.
//!
//! A single thread writes, so that steps of many runs share a commit and events are numbered without a race.
//! Readers have connections of their own. A commit survives the death of the process at any moment. A power
//! cut may lose the last commits, but never tears one (`synchronous = NORMAL`).

pub(crate) mod disk_space;
pub mod row_reading;
pub mod connection;
pub(crate) mod listing;
pub(crate) mod search_index;
pub(crate) mod idempotency;
pub mod runs;
pub(crate) mod trace;
pub(crate) mod recordings;
pub(crate) mod pictures;
pub(crate) mod sign_ins;
pub(crate) mod tasks;

use crate::clock::Moment;
use crate::ids::{GrantId, QuestionId, RunId};
use crate::store::error::{StoreError, StoreFuture};
use crate::store::picture_files;
use crate::store::rows::trace::{EffectRow, TimelineData, TraceBounds};
use crate::store::rows::usage::{AgentUsage, Usage, UsedUpLimit};
use crate::store::rows::{
    AuditRow, EventRow, GrantRow, LeaseRow, QuestionRow, RunFilter, RunRow, StepRow, TaskRow,
};
use crate::store::sqlite::connection::error::store_error;
use crate::store::sqlite::connection::store::SqliteStore;
use crate::store::sqlite::runs::{leases, read, run_trees, usage, write};
use crate::store::tree_leases::TreeLeases;
use crate::store::{PageRows, PermissionRows, QuestionRows, RunRows, Store, TaskRows, TraceRows, UsageRows};
use serde_json::Value;
use std::sync::Arc;

impl RunRows for SqliteStore {
    fn run(&self, run: RunId) -> StoreFuture<Option<RunRow>> {
        self.read(move |connection| read::run(connection, &run))
    }

    fn runs(&self, filter: RunFilter) -> StoreFuture<Vec<RunRow>> {
        self.read(move |connection| listing::runs(connection, &filter))
    }

    fn runs_with_status(&self, statuses: Vec<&'static str>) -> StoreFuture<Vec<RunId>> {
        self.read(move |connection| read::runs_with_status(connection, &statuses))
    }

    fn living_descendants(&self, run: RunId) -> StoreFuture<Vec<RunId>> {
        self.read(move |connection| run_trees::living_below(connection, &run))
    }

    fn orphaned_runs(&self) -> StoreFuture<Vec<RunId>> {
        self.read(run_trees::orphaned_runs)
    }

    fn runs_with_missed_signals(&self) -> StoreFuture<Vec<RunId>> {
        self.read(run_trees::with_missed_signals)
    }

    fn ephemeral_runs(&self) -> StoreFuture<Vec<RunId>> {
        self.read(run_trees::ephemeral_runs)
    }

    fn overdue_runs(&self, now: Moment) -> StoreFuture<Vec<RunId>> {
        self.read(move |connection| run_trees::overdue_runs(connection, now))
    }

    fn ended_runs(&self, runs: Vec<RunId>) -> StoreFuture<Vec<RunRow>> {
        self.read(move |connection| run_trees::ended_runs(connection, &runs))
    }

    fn latest_ended_runs(&self, skip: usize, limit: usize) -> StoreFuture<Vec<(RunId, Moment)>> {
        self.read(move |connection| run_trees::latest_ended_runs(connection, skip, limit))
    }
}

impl UsageRows for SqliteStore {
    fn used_up_limit(&self, run: RunId) -> StoreFuture<Option<UsedUpLimit>> {
        self.read(move |connection| run_trees::used_up_limit(connection, &run))
    }

    fn tree_usage(&self, run: RunId) -> StoreFuture<Usage> {
        self.read(move |connection| usage::sum_tree_usage(connection, &run))
    }

    fn usage_by_agent(&self, since: Option<Moment>) -> StoreFuture<Vec<AgentUsage>> {
        self.read(move |connection| usage::sum_agent_usage(connection, since))
    }
}

impl TaskRows for SqliteStore {
    fn task(&self, id: String) -> StoreFuture<Option<TaskRow>> {
        self.read(move |connection| tasks::task(connection, &id))
    }

    fn tasks(&self, root: RunId) -> StoreFuture<Vec<TaskRow>> {
        self.read(move |connection| tasks::tasks(connection, &root))
    }

    fn living_tasks(&self) -> StoreFuture<Vec<TaskRow>> {
        self.read(tasks::living)
    }

    fn reserve_task_ids(&self, run: RunId, wanted: Vec<String>) -> StoreFuture<Vec<String>> {
        self.writer.write(move |connection, _| tasks::reserve(connection, &run, &wanted))
    }

    fn add_progress(&self, task: TaskRow, event: String) -> StoreFuture<bool> {
        self.writer.write(move |connection, log| tasks::progress(connection, log, &task, event))
    }
}

impl TraceRows for SqliteStore {
    fn steps(&self, run: RunId) -> StoreFuture<Vec<StepRow>> {
        self.read(move |connection| read::steps(connection, &run, 0))
    }

    fn step(&self, run: RunId, n: u64) -> StoreFuture<Option<StepRow>> {
        self.read(move |connection| trace::step(connection, &run, n))
    }

    fn effect(&self, run: RunId, n: u64) -> StoreFuture<Option<EffectRow>> {
        self.read(move |connection| trace::effect(connection, &run, n))
    }

    fn timeline_data(&self, run: RunId, bounds: TraceBounds) -> StoreFuture<TimelineData> {
        self.read(move |connection| trace::timeline_data(connection, &run, bounds))
    }

    fn events(&self, root: RunId, after: u64, limit: usize) -> StoreFuture<Vec<EventRow>> {
        self.read(move |connection| read::events(connection, &root, after, limit))
    }

    fn last_seq(&self, root: RunId) -> StoreFuture<u64> {
        self.read(move |connection| read::last_seq(connection, &root).map_err(store_error))
    }
}

impl QuestionRows for SqliteStore {
    fn question(&self, reference: QuestionId) -> StoreFuture<Option<QuestionRow>> {
        self.read(move |connection| read::question(connection, &reference))
    }

    fn open_questions(&self, root: Option<RunId>) -> StoreFuture<Vec<QuestionRow>> {
        self.read(move |connection| read::open_questions(connection, root.as_ref()))
    }

    fn overdue_questions(&self, now: Moment) -> StoreFuture<Vec<QuestionRow>> {
        self.read(move |connection| read::overdue_questions(connection, now))
    }
}

impl PermissionRows for SqliteStore {
    fn grants(&self, now: Moment) -> StoreFuture<Vec<GrantRow>> {
        self.read(move |connection| read::grants(connection, now))
    }

    fn revoke(&self, grant: GrantId) -> StoreFuture<bool> {
        self.writer.write(move |connection, _| write::revoke(connection, &grant))
    }

    fn audit(&self, run: Option<RunId>, before: Option<i64>, limit: usize) -> StoreFuture<Vec<Value>> {
        self.read(move |connection| read::audit(connection, run.as_ref(), before, limit))
    }

    fn add_audit(&self, row: AuditRow) -> StoreFuture<()> {
        self.writer
            .write(move |connection, _| write::insert_audit(connection, &row.run, &row.root, &row.entry))
    }
}

impl PageRows for SqliteStore {
    fn browser(&self, root: RunId) -> StoreFuture<Option<Value>> {
        self.read(move |connection| read::browser(connection, &root))
    }

    fn lease(&self, root: RunId) -> StoreFuture<Option<LeaseRow>> {
        self.read(move |connection| Ok(leases::leases(connection, Some(&root))?.pop()))
    }

    fn leases(&self) -> StoreFuture<Vec<LeaseRow>> {
        self.read(|connection| leases::leases(connection, None))
    }

    fn add_picture(&self, run: RunId, jpeg: Vec<u8>) -> StoreFuture<u64> {
        let (pictures, writer, jpeg) = (Arc::clone(&self.pictures), self.writer.clone(), Arc::new(jpeg));
        Box::pin(async move {
            let hash = picture_files::ensure_file(&pictures, &jpeg, None).await?;
            let of_run = hash.clone();
            let n =
                writer.write(move |connection, _| pictures::add_to_run(connection, &run, &of_run)).await?;
            // A deletion of the last run with this picture may have removed the file. From here on the row
            // protects it.
            picture_files::ensure_file(&pictures, &jpeg, Some(hash)).await?;
            n.ok_or(StoreError::NoRun)
        })
    }

    fn reserve_picture(&self, run: RunId) -> StoreFuture<u64> {
        let (pending, writer) = (Arc::clone(&self.pending_pictures), self.writer.clone());
        Box::pin(async move {
            let of_run = run.clone();
            let reserved = writer.write(move |connection, _| {
                pictures::add_to_run(connection, &of_run, picture_files::NO_HASH)
            });
            let n = reserved.await?.ok_or(StoreError::NoRun)?;
            pending.add(&run, n);
            Ok(n)
        })
    }

    fn fill_picture(&self, run: RunId, n: u64, jpeg: Option<Vec<u8>>) -> StoreFuture<()> {
        let (pictures, writer) = (Arc::clone(&self.pictures), self.writer.clone());
        let pending = Arc::clone(&self.pending_pictures);
        Box::pin(async move {
            let _filled = pending.remove_on_drop(run.clone(), n);
            let Some(jpeg) = jpeg.map(Arc::new) else { return Ok(()) };
            let hash = picture_files::ensure_file(&pictures, &jpeg, None).await?;
            let of_run = hash.clone();
            writer.write(move |connection, _| pictures::fill(connection, &run, n, &of_run)).await?;
            // The row protects the file from here on, as in `add_picture`.
            picture_files::ensure_file(&pictures, &jpeg, Some(hash)).await.map(|_| ())
        })
    }

    fn picture(&self, run: RunId, n: u64) -> StoreFuture<Option<Vec<u8>>> {
        let pending = Arc::clone(&self.pending_pictures);
        let of_run = run.clone();
        let pictures = Arc::clone(&self.pictures);
        let reading = self.read(move |connection| read::picture_hash(connection, &run, n));
        Box::pin(async move {
            pending.wait_until_filled(&of_run, n).await;
            match reading.await? {
                Some(hash) => picture_files::read_file(&pictures, hash).await,
                None => Ok(None),
            }
        })
    }
}

impl TreeLeases for SqliteStore {}

impl Store for SqliteStore {
    fn check_writable(&self) -> StoreFuture<()> {
        let wrote = self.writer.write(|connection, _| disk_space::write_check(connection));
        let writer = self.writer.clone();
        Box::pin(async move {
            wrote.await?;
            // In a transaction of its own; otherwise the deletion would undo the write before it reaches the
            // disk.
            writer.write(|connection, _| disk_space::clear_check(connection)).await
        })
    }
}
