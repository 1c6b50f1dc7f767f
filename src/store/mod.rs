//! What is kept: runs, steps, facts, messages, questions, effects, grants, the audit log, pictures.
//! JSON in, JSON out: no type of a run or of a program is known here. `Store` is the trait that
//! another database would implement; `sqlite` is the one that comes with the service.

mod inbox;
mod records;
pub mod rows;
mod sign_ins;
pub mod sqlite;
mod task_list;
mod tries;
mod waiting;
mod wishes;

pub use inbox::{Holds, Inbox};
pub use records::Records;
pub use sign_ins::{SignInRow, SignInRows};
pub use task_list::TaskList;
pub use tries::Tries;
pub use waiting::{AskedAfter, WaitingFilter, WaitingQuestions, WaitingRow};
pub use wishes::Wishes;

use crate::clock::Moment;
use crate::ids::{GrantId, QuestionId, RunId};
use futures_util::future::BoxFuture;
use rows::{
    AgentUsage, Answered, AuditRow, Commit, EffectRow, FactRow, GrantRow, LeaseRow, NewRun, Overspent,
    QuestionRow, Resolution, RunFilter, RunRow, StepRow, Stored, TaskRow, TraceBounds, Traced, Usage,
    Written,
};
use serde_json::Value;

/// A store call's future: it may be dropped; what was sent to the store happens all the same.
pub type Reply<T> = BoxFuture<'static, Result<T, StoreError>>;

/// Why the store did not do it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the store cannot be opened at {path}: {reason}; is the folder there and writable?")]
    Open { path: String, reason: String },
    #[error(
        "{path} is not a store of askfirst, or it is damaged ({reason}); put a backup in its place, or move it \
         away with the files beside it that begin with its name, and a new one is made"
    )]
    Damaged { path: String, reason: String },
    #[error(
        "the store {path} is missing or empty, but {runs} beside it is not; put the store back from a backup, \
         or move {runs} away to begin anew"
    )]
    Missing { path: String, runs: String },
    #[error(
        "the store {path} was created by a newer version of askfirst ({found} > {known}); use that version"
    )]
    Newer { path: String, found: usize, known: usize },
    #[error("the disk of the data folder is full: nothing can be stored until there is space")]
    Full,
    #[error("the store refused: {0}")]
    Refused(String),
    #[error("the stored data of {what} cannot be read: {reason}")]
    Corrupt { what: String, reason: String },
    #[error("the run is not there any more: it was deleted")]
    NoRun,
    #[error("the store has stopped")]
    Stopped,
}

/// Hears of facts in the order in which they were stored, and of ends, from the store's own thread.
pub type Observer = Box<dyn Fn(Written) + Send>;

pub trait Store:
    Inbox + Records + SignInRows + TaskList + Tries + WaitingQuestions + Wishes + Send + Sync + 'static
{
    /// Adds a run. If its idempotency key is taken, nothing is added and the older run's id is given.
    fn create(&self, run: NewRun, facts: Vec<String>) -> Reply<RunId>;
    /// One step, whole or not at all.
    fn commit(&self, commit: Commit) -> Reply<()>;
    /// Answers a question once; the facts and the audit row are only written with the first answer.
    fn resolve(&self, reference: QuestionId, answer: Answered) -> Reply<Resolution>;
    /// Everything that a run needs to go on.
    fn restore(&self, run: RunId) -> Reply<Option<Stored>>;
    fn run(&self, run: RunId) -> Reply<Option<RunRow>>;
    /// Pinned ones first, then the newest.
    fn runs(&self, filter: RunFilter) -> Reply<Vec<RunRow>>;
    /// Ids of runs that stand in one of these statuses.
    fn standing(&self, statuses: Vec<&'static str>) -> Reply<Vec<RunId>>;
    /// Those below a run, at any depth, that have not ended.
    fn living_below(&self, run: RunId) -> Reply<Vec<RunId>>;
    /// Those that live on though the run that called them has ended, or has them stopped.
    fn orphans(&self) -> Reply<Vec<RunId>>;
    /// Those that stand still and may not have heard what was said to them or what became of a child.
    fn unheard(&self) -> Reply<Vec<RunId>>;
    /// Those that have not ended and do not outlive the service.
    fn ephemeral(&self) -> Reply<Vec<RunId>>;
    /// Those whose deadline has passed and that have not ended.
    fn overdue(&self, now: Moment) -> Reply<Vec<RunId>>;
    /// Those of the given runs that have ended.
    fn ended(&self, runs: Vec<RunId>) -> Reply<Vec<RunRow>>;
    /// Those that ended last, with when they did, the last first; without the first `skip`.
    fn last_ended(&self, skip: usize, limit: usize) -> Reply<Vec<(RunId, Moment)>>;
    /// The tokens or the money of this run, or of one that stands above it, if they are used up; each counts
    /// what its whole tree has taken (C5).
    fn overspent(&self, run: RunId) -> Reply<Option<Overspent>>;
    fn task(&self, id: String) -> Reply<Option<TaskRow>>;
    /// The ASYNC actions of a run tree, the oldest first.
    fn tasks(&self, root: RunId) -> Reply<Vec<TaskRow>>;
    /// Those of all runs that have not ended.
    fn living_tasks(&self) -> Reply<Vec<TaskRow>>;
    /// These ids for tasks that the run is about to begin, or the first of each with a number that nobody has taken
    /// or is about to: `build`, `build-2`. Those that it had reserved before and has not begun are free again.
    fn reserve_task_ids(&self, run: RunId, wanted: Vec<String>) -> Reply<Vec<String>>;
    /// How far a task has come, told by this fact; nothing of it if the task has ended.
    fn add_progress(&self, task: TaskRow, fact: String) -> Reply<bool>;
    /// What the model calls of a run and of all below it have taken.
    fn spent(&self, run: RunId) -> Reply<Usage>;
    /// What those of each agent's own runs have taken, of runs begun since then.
    fn spent_by_agents(&self, since: Option<Moment>) -> Reply<Vec<AgentUsage>>;
    fn steps(&self, run: RunId) -> Reply<Vec<StepRow>>;
    fn step(&self, run: RunId, n: u64) -> Reply<Option<StepRow>>;
    /// An effect on the world by its number within its run.
    fn effect(&self, run: RunId, n: u64) -> Reply<Option<EffectRow>>;
    /// What happened when, of a run and all below it.
    fn traced(&self, run: RunId, bounds: TraceBounds) -> Reply<Traced>;
    /// Facts of a run tree with `seq` above `after`, in order, at most `limit`.
    fn facts(&self, root: RunId, after: u64, limit: usize) -> Reply<Vec<FactRow>>;
    fn last_seq(&self, root: RunId) -> Reply<u64>;
    fn question(&self, reference: QuestionId) -> Reply<Option<QuestionRow>>;
    /// Open questions, oldest first; of one run tree, or of all.
    fn open_questions(&self, root: Option<RunId>) -> Reply<Vec<QuestionRow>>;
    /// Open questions whose time was up by then.
    fn overdue_questions(&self, now: Moment) -> Reply<Vec<QuestionRow>>;
    /// Who has the page of a run tree, if anybody has or had it.
    fn lease(&self, root: RunId) -> Reply<Option<LeaseRow>>;
    fn leases(&self) -> Reply<Vec<LeaseRow>>;
    fn grants(&self, now: Moment) -> Reply<Vec<GrantRow>>;
    /// Whether there was such a grant.
    fn revoke(&self, grant: GrantId) -> Reply<bool>;
    /// Newest first, each with its number as `id`; only those before the number `before`.
    fn audit(&self, run: Option<RunId>, before: Option<i64>, limit: usize) -> Reply<Vec<Value>>;
    fn add_audit(&self, row: AuditRow) -> Reply<()>;
    /// Keeps a JPEG and gives its number within the run (from 1).
    fn add_picture(&self, run: RunId, jpeg: Vec<u8>) -> Reply<u64>;
    fn picture(&self, run: RunId, n: u64) -> Reply<Option<Vec<u8>>>;
    fn browser(&self, root: RunId) -> Reply<Option<Value>>;
    /// Whether it takes what is written: it writes something and takes it away again.
    fn takes(&self) -> Reply<()>;
}
