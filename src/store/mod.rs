//! The store: runs, steps, events, messages, questions, effects, grants, the audit log and pictures.
//!
//! The store reads and writes JSON and knows no type of a run or a program. [`Store`] is the trait that
//! another database would implement; `sqlite` is the implementation that comes with the service.

pub mod run_records;
pub mod user_commands;
pub mod waiting_questions;
pub mod copying;
pub mod error;
pub mod idempotency;
pub mod inbox;
pub(crate) mod picture_files;
pub mod postgres;
pub mod rows;
pub(crate) mod search_texts;
pub mod sign_ins;
pub mod sqlite;
pub mod task_list;
pub mod tree_leases;

use crate::clock::Moment;
use crate::ids::{GrantId, QuestionId, RunId};
use crate::store::error::StoreFuture;
use crate::store::idempotency::IdempotencyRecords;
use crate::store::inbox::Inbox;
use crate::store::rows::trace::{EffectRow, TimelineData, TraceBounds};
use crate::store::rows::usage::{AgentUsage, Usage, UsedUpLimit};
use crate::store::rows::{
    AuditRow, EventRow, GrantRow, LeaseRow, LogAdditions, NewRun, QuestionRow, Resolution, ResolutionRow,
    RunCommit, RunFilter, RunRow, StepRow, StoredRun, TaskRow,
};
use crate::store::run_records::RunRecords;
use crate::store::sign_ins::SignInRows;
use crate::store::task_list::TaskList;
use crate::store::tree_leases::TreeLeases;
use crate::store::user_commands::UserCommands;
use crate::store::waiting_questions::WaitingQuestions;
use serde_json::Value;

/// Callback that receives stored events, in the order in which they were stored, and ends. It runs on the
/// store's writer thread.
pub type StoreObserver = Box<dyn Fn(LogAdditions) + Send>;

/// The transactions on which the durability of runs rests, and the read that continues a run.
pub trait RunTransactions {
    /// Adds a run. If its idempotency key is taken, adds nothing and returns the id of the earlier run.
    fn create(&self, run: NewRun, events: Vec<String>) -> StoreFuture<RunId>;
    /// Stores one step atomically.
    fn commit(&self, commit: RunCommit) -> StoreFuture<()>;
    /// Resolves a question. Only the first resolution writes its event and its audit record.
    fn resolve(&self, reference: QuestionId, answer: ResolutionRow) -> StoreFuture<Resolution>;
    /// Returns everything that a run needs to go on.
    fn restore(&self, run: RunId) -> StoreFuture<Option<StoredRun>>;
}

/// Rows of runs.
pub trait RunRows {
    fn run(&self, run: RunId) -> StoreFuture<Option<RunRow>>;
    /// Returns the runs that match the filter: pinned runs first, then newest first.
    fn runs(&self, filter: RunFilter) -> StoreFuture<Vec<RunRow>>;
    /// Returns the ids of unended runs with one of these statuses.
    fn runs_with_status(&self, statuses: Vec<&'static str>) -> StoreFuture<Vec<RunId>>;
    /// Returns the descendants of a run that have not ended.
    fn living_descendants(&self, run: RunId) -> StoreFuture<Vec<RunId>>;
    /// Returns living runs whose parent has ended or is stopping them.
    fn orphaned_runs(&self) -> StoreFuture<Vec<RunId>>;
    /// Returns waiting and paused runs that may have missed a message or the end of a child.
    fn runs_with_missed_signals(&self) -> StoreFuture<Vec<RunId>>;
    /// Returns living runs that must not outlive a restart of the service.
    fn ephemeral_runs(&self) -> StoreFuture<Vec<RunId>>;
    /// Returns living runs whose deadline has passed, without those that other nodes own.
    fn overdue_runs(&self, now: Moment) -> StoreFuture<Vec<RunId>>;
    /// Returns those of the given runs that have ended.
    fn ended_runs(&self, runs: Vec<RunId>) -> StoreFuture<Vec<RunRow>>;
    /// Returns the latest ends, newest first, without the first `skip`.
    fn latest_ended_runs(&self, skip: usize, limit: usize) -> StoreFuture<Vec<(RunId, Moment)>>;
}

/// Usage of models, and the limits on it.
pub trait UsageRows {
    /// Returns the token or money limit of a run or of an ancestor that is used up, if there is one. Each
    /// limit applies to the usage of the whole tree below its run (C5).
    fn used_up_limit(&self, run: RunId) -> StoreFuture<Option<UsedUpLimit>>;
    /// Returns the model usage of a run and its descendants.
    fn tree_usage(&self, run: RunId) -> StoreFuture<Usage>;
    /// Returns the model usage of each agent's own runs begun since the given moment.
    fn usage_by_agent(&self, since: Option<Moment>) -> StoreFuture<Vec<AgentUsage>>;
}

/// ASYNC actions.
pub trait TaskRows {
    fn task(&self, id: String) -> StoreFuture<Option<TaskRow>>;
    /// Returns the ASYNC actions of a run tree, oldest first.
    fn tasks(&self, root: RunId) -> StoreFuture<Vec<TaskRow>>;
    /// Returns the tasks of all runs that have not ended.
    fn living_tasks(&self) -> StoreFuture<Vec<TaskRow>>;
    /// Reserves ids for tasks that the run is about to begin: each wanted id, or with the first free number
    /// appended, as in `build`, `build-2`. Releases the run's earlier reservations that it has not used.
    fn reserve_task_ids(&self, run: RunId, wanted: Vec<String>) -> StoreFuture<Vec<String>>;
    /// Stores the progress of a task with its event. Returns false, and stores nothing, if the task has
    /// ended.
    fn add_progress(&self, task: TaskRow, event: String) -> StoreFuture<bool>;
}

/// Steps, effects and events of runs.
pub trait TraceRows {
    fn steps(&self, run: RunId) -> StoreFuture<Vec<StepRow>>;
    fn step(&self, run: RunId, n: u64) -> StoreFuture<Option<StepRow>>;
    /// Returns an effect by its number within its run.
    fn effect(&self, run: RunId, n: u64) -> StoreFuture<Option<EffectRow>>;
    /// Returns the timeline data of a run and its descendants.
    fn timeline_data(&self, run: RunId, bounds: TraceBounds) -> StoreFuture<TimelineData>;
    /// Returns the events of a run tree with `seq` above `after`, in order, at most `limit`.
    fn events(&self, root: RunId, after: u64, limit: usize) -> StoreFuture<Vec<EventRow>>;
    fn last_seq(&self, root: RunId) -> StoreFuture<u64>;
}

/// Questions of runs.
pub trait QuestionRows {
    fn question(&self, reference: QuestionId) -> StoreFuture<Option<QuestionRow>>;
    /// Returns the open questions of a run tree or of all, oldest first.
    fn open_questions(&self, root: Option<RunId>) -> StoreFuture<Vec<QuestionRow>>;
    /// Returns the open questions that have expired by `now`.
    fn overdue_questions(&self, now: Moment) -> StoreFuture<Vec<QuestionRow>>;
}

/// Grants, and the audit log.
pub trait PermissionRows {
    fn grants(&self, now: Moment) -> StoreFuture<Vec<GrantRow>>;
    /// Revokes a grant. Returns false if it did not exist or was revoked already.
    fn revoke(&self, grant: GrantId) -> StoreFuture<bool>;
    /// Returns audit records, newest first, each with its number as `id`; with `before`, only those with
    /// smaller numbers.
    fn audit(&self, run: Option<RunId>, before: Option<i64>, limit: usize) -> StoreFuture<Vec<Value>>;
    fn add_audit(&self, row: AuditRow) -> StoreFuture<()>;
}

/// Pages of run trees: snapshots, leases, pictures.
pub trait PageRows {
    fn browser(&self, root: RunId) -> StoreFuture<Option<Value>>;
    /// Returns the lease of a run tree's page, if the page is or was taken over.
    fn lease(&self, root: RunId) -> StoreFuture<Option<LeaseRow>>;
    fn leases(&self) -> StoreFuture<Vec<LeaseRow>>;
    /// Stores a JPEG and returns its number within the run, counted from 1.
    fn add_picture(&self, run: RunId, jpeg: Vec<u8>) -> StoreFuture<u64>;
    /// Returns the number of a picture that is still being taken, for [`fill_picture`](Self::fill_picture).
    fn reserve_picture(&self, run: RunId) -> StoreFuture<u64>;
    /// Stores the JPEG of a reserved number; `None` if none could be taken, so that nobody waits for it.
    fn fill_picture(&self, run: RunId, n: u64, jpeg: Option<Vec<u8>>) -> StoreFuture<()>;
    /// Returns a picture. Waits for one that is being taken, up to ten seconds.
    fn picture(&self, run: RunId, n: u64) -> StoreFuture<Option<Vec<u8>>>;
}

/// A store of runs: what another database would implement.
pub trait Store:
    RunTransactions
    + RunRows
    + UsageRows
    + TaskRows
    + TraceRows
    + QuestionRows
    + PermissionRows
    + PageRows
    + Inbox
    + RunRecords
    + SignInRows
    + TaskList
    + IdempotencyRecords
    + WaitingQuestions
    + UserCommands
    + TreeLeases
    + Send
    + Sync
    + 'static
{
    /// Checks that the store accepts writes, by writing something and deleting it again.
    fn check_writable(&self) -> StoreFuture<()>;
}
