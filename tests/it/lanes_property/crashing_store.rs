//! The store of a process that dies: from one certain commit on, nothing is stored and nobody is answered.

use askfirst::clock::Moment;
use askfirst::ids::{GrantId, QuestionId, RunId};
use askfirst::store::error::StoreFuture;
use askfirst::store::idempotency::IdempotencyRecords;
use askfirst::store::inbox::{DeliveryCondition, Inbox};
use askfirst::store::rows::idempotency::IdempotencyRecord;
use askfirst::store::rows::inbox::{InboxItem, InboxRow};
use askfirst::store::rows::recordings::{CallRow, CallText};
use askfirst::store::rows::trace::{EffectRow, TimelineData, TraceBounds};
use askfirst::store::rows::usage::{AgentUsage, Usage, UsedUpLimit};
use askfirst::store::rows::user_command::{StoredUserCommand, UserCommand, UserCommandRow};
use askfirst::store::rows::{
    AuditRow, EventRow, GrantRow, LeaseRow, ListSettingsChange, NewRun, QuestionRow, Resolution,
    ResolutionRow, RunCommit, RunFilter, RunRow, StepRow, StoredRun, TaskRow,
};
use askfirst::store::run_records::RunRecords;
use askfirst::store::sign_ins::{SignInRow, SignInRows};
use askfirst::store::sqlite::connection::store::SqliteStore;
use askfirst::store::task_list::TaskList;
use askfirst::store::tree_leases::TreeLeases;
use askfirst::store::user_commands::UserCommands;
use askfirst::store::waiting_questions::{WaitingFilter, WaitingQuestions, WaitingRow};
use askfirst::store::{
    PageRows, PermissionRows, QuestionRows, RunRows, RunTransactions, Store, TaskRows, TraceRows, UsageRows,
};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::watch;

use super::cases::Death;

pub struct CrashingStore {
    /// Store on the disk, which outlives the process.
    pub outlives: Arc<SqliteStore>,
    commits: AtomicU64,
    death: Option<Death>,
    /// True once nothing more is accepted, which may be before the last commit is stored.
    is_closed: AtomicBool,
    /// True once the process has died.
    pub dead: watch::Sender<bool>,
}

impl CrashingStore {
    pub fn new(outlives: Arc<SqliteStore>, death: Option<Death>) -> Self {
        Self {
            outlives,
            commits: AtomicU64::new(0),
            death,
            is_closed: AtomicBool::new(false),
            dead: watch::Sender::new(false),
        }
    }

    pub fn is_dead(&self) -> bool {
        *self.dead.borrow()
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }

    /// Waits until writes that were accepted before the death are stored: a later process never finds
    /// its predecessor still writing.
    pub async fn finish_writing(&self) {
        self.outlives.forget_folders(Vec::new()).await.unwrap();
    }
}

fn never<T: Send + 'static>() -> StoreFuture<T> {
    Box::pin(std::future::pending())
}

macro_rules! while_it_lives {
    ($($name:ident($($given:ident: $type:ty),*) -> $reply:ty;)*) => {
        $(fn $name(&self, $($given: $type),*) -> StoreFuture<$reply> {
            if self.is_closed() { never() } else { self.outlives.$name($($given),*) }
        })*
    };
}

impl Inbox for CrashingStore {
    while_it_lives! {
        deliver(run: RunId, item: InboxItem, idempotency_record: Option<IdempotencyRecord>) -> Option<InboxRow>;
        deliver_if(run: RunId, item: InboxItem, holds: DeliveryCondition) -> Option<InboxRow>;
        inbox(run: RunId) -> Vec<InboxRow>;
    }
}

impl UserCommands for CrashingStore {
    while_it_lives! {
        add_user_command(run: RunId, command: UserCommand, below: bool) -> Option<StoredUserCommand>;
        withdraw_user_command(n: u64) -> ();
        pending_user_commands() -> Vec<(RunId, UserCommandRow)>;
    }
}

impl RunRecords for CrashingStore {
    while_it_lives! {
        calls(run: RunId) -> Vec<CallRow>;
        call(run: RunId, n: u64) -> Option<(CallRow, CallText)>;
        step_inputs(run: RunId) -> Vec<(u64, Value)>;
        last_exported_step(run: RunId) -> u64;
        set_last_exported_step(run: RunId, step: u64) -> ();
        initial_state(run: RunId) -> Option<Value>;
    }
}

impl TaskList for CrashingStore {
    while_it_lives! {
        change_run(run: RunId, change: ListSettingsChange) -> Option<RunRow>;
        delete_tree(root: RunId) -> Vec<RunId>;
        tree_ids(root: RunId) -> Vec<RunId>;
        leftover_folders() -> Vec<RunId>;
        forget_folders(runs: Vec<RunId>) -> ();
        remove_leftover_pictures() -> ();
        release_space() -> bool;
    }
}

impl SignInRows for CrashingStore {
    while_it_lives! {
        sign_ins(now: Moment) -> Vec<SignInRow>;
        add_sign_in(row: SignInRow) -> ();
        end_sign_in(id: String) -> ();
    }
}

impl IdempotencyRecords for CrashingStore {
    while_it_lives! {
        idempotency_record(key: String) -> Option<(RunId, IdempotencyRecord)>;
        add_idempotency_record(run: RunId, idempotency_record: IdempotencyRecord) -> ();
    }
}

impl WaitingQuestions for CrashingStore {
    while_it_lives! {
        waiting_questions(filter: WaitingFilter) -> Vec<WaitingRow>;
        count_waiting(root: Option<RunId>) -> u64;
    }
}

impl RunTransactions for CrashingStore {
    fn commit(&self, mut commit: RunCommit) -> StoreFuture<()> {
        // Retries wait for time alone, which the test does not spend.
        for (child, _) in &mut commit.children.begin {
            child.bounds.as_object_mut().expect("bounds").remove("not_before");
        }
        if self.is_closed() {
            return never();
        }
        let n = self.commits.fetch_add(1, Ordering::SeqCst) + 1;
        match self.death.filter(|death| u64::from(death.at) == n) {
            None => self.outlives.commit(commit),
            Some(Death { stored: false, .. }) => {
                self.is_closed.store(true, Ordering::SeqCst);
                self.dead.send_replace(true);
                never()
            }
            Some(Death { stored: true, .. }) => {
                // The store dies with this commit: it is stored, and later ones are not.
                self.is_closed.store(true, Ordering::SeqCst);
                let (stored, dead) = (self.outlives.commit(commit), self.dead.clone());
                Box::pin(async move {
                    let _ = stored.await;
                    dead.send_replace(true);
                    std::future::pending().await
                })
            }
        }
    }

    while_it_lives! {
        create(run: NewRun, events: Vec<String>) -> RunId;
        resolve(reference: QuestionId, answer: ResolutionRow) -> Resolution;
        restore(run: RunId) -> Option<StoredRun>;
    }
}

impl RunRows for CrashingStore {
    while_it_lives! {
        run(run: RunId) -> Option<RunRow>;
        runs(filter: RunFilter) -> Vec<RunRow>;
        runs_with_status(statuses: Vec<&'static str>) -> Vec<RunId>;
        living_descendants(run: RunId) -> Vec<RunId>;
        orphaned_runs() -> Vec<RunId>;
        runs_with_missed_signals() -> Vec<RunId>;
        ephemeral_runs() -> Vec<RunId>;
        overdue_runs(now: Moment) -> Vec<RunId>;
        ended_runs(runs: Vec<RunId>) -> Vec<RunRow>;
        latest_ended_runs(skip: usize, limit: usize) -> Vec<(RunId, Moment)>;
    }
}

impl UsageRows for CrashingStore {
    while_it_lives! {
        used_up_limit(run: RunId) -> Option<UsedUpLimit>;
        tree_usage(run: RunId) -> Usage;
        usage_by_agent(since: Option<Moment>) -> Vec<AgentUsage>;
    }
}

impl TaskRows for CrashingStore {
    while_it_lives! {
        task(id: String) -> Option<TaskRow>;
        tasks(root: RunId) -> Vec<TaskRow>;
        living_tasks() -> Vec<TaskRow>;
        reserve_task_ids(run: RunId, wanted: Vec<String>) -> Vec<String>;
        add_progress(task: TaskRow, event: String) -> bool;
    }
}

impl TraceRows for CrashingStore {
    while_it_lives! {
        steps(run: RunId) -> Vec<StepRow>;
        step(run: RunId, n: u64) -> Option<StepRow>;
        effect(run: RunId, n: u64) -> Option<EffectRow>;
        timeline_data(run: RunId, bounds: TraceBounds) -> TimelineData;
        events(root: RunId, after: u64, limit: usize) -> Vec<EventRow>;
        last_seq(root: RunId) -> u64;
    }
}

impl QuestionRows for CrashingStore {
    while_it_lives! {
        question(reference: QuestionId) -> Option<QuestionRow>;
        open_questions(root: Option<RunId>) -> Vec<QuestionRow>;
        overdue_questions(now: Moment) -> Vec<QuestionRow>;
    }
}

impl PermissionRows for CrashingStore {
    while_it_lives! {
        grants(now: Moment) -> Vec<GrantRow>;
        revoke(grant: GrantId) -> bool;
        audit(run: Option<RunId>, before: Option<i64>, limit: usize) -> Vec<Value>;
        add_audit(row: AuditRow) -> ();
    }
}

impl PageRows for CrashingStore {
    while_it_lives! {
        browser(root: RunId) -> Option<Value>;
        lease(root: RunId) -> Option<LeaseRow>;
        leases() -> Vec<LeaseRow>;
        add_picture(run: RunId, jpeg: Vec<u8>) -> u64;
        reserve_picture(run: RunId) -> u64;
        fill_picture(run: RunId, n: u64, jpeg: Option<Vec<u8>>) -> ();
        picture(run: RunId, n: u64) -> Option<Vec<u8>>;
    }
}

impl TreeLeases for CrashingStore {}

impl Store for CrashingStore {
    while_it_lives! {
        check_writable() -> ();
    }
}
