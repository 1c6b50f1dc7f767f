//! A store in memory with only what a run needs to continue, so that the cost of a step on it is the cost of
//! the engine.

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
    AuditRow, CheckpointRow, EventRow, GrantRow, LeaseRow, ListSettings, ListSettingsChange, NewRun,
    QuestionRow, Resolution, ResolutionRow, RunCommit, RunFilter, RunRow, StepRow, StoredRun, TaskRow,
};
use askfirst::store::run_records::RunRecords;
use askfirst::store::sign_ins::{SignInRow, SignInRows};
use askfirst::store::task_list::TaskList;
use askfirst::store::tree_leases::TreeLeases;
use askfirst::store::user_commands::UserCommands;
use askfirst::store::waiting_questions::{WaitingFilter, WaitingQuestions, WaitingRow};
use askfirst::store::{
    PageRows, PermissionRows, QuestionRows, RunRows, RunTransactions, Store, TaskRows, TraceRows, UsageRows,
};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Mutex;

#[derive(Default)]
pub struct MemoryStore(Mutex<HashMap<RunId, MemoryRun>>);

struct MemoryRun {
    stored: StoredRun,
    events: Vec<String>,
    steps: Vec<StepRow>,
}

fn done<T: Send + 'static>(value: T) -> StoreFuture<T> {
    Box::pin(std::future::ready(Ok(value)))
}

fn row(run: NewRun) -> RunRow {
    RunRow {
        id: run.id,
        root: run.root,
        parent: run.parent,
        depth: run.depth,
        agent: run.agent,
        program: run.program,
        title: run.title,
        input: run.input,
        status: String::from("queued"),
        node: run.node,
        question: None,
        created_at: Moment::now(),
        updated_at: Moment::now(),
        ended_at: None,
        response: None,
        vars: Default::default(),
        tool_steps: 0,
        last_step: 0,
        usage: Usage::default(),
        url: None,
        version: run.version,
        ordinal: 0,
        exceeded_limit: None,
        bounds: run.bounds,
        deadline: run.deadline,
        plan: None,
        progress: None,
        cause: None,
        metadata: run.metadata,
        model: run.model,
        list_settings: ListSettings::default(),
    }
}

impl Inbox for MemoryStore {
    fn deliver(&self, _: RunId, _: InboxItem, _: Option<IdempotencyRecord>) -> StoreFuture<Option<InboxRow>> {
        done(None)
    }

    fn deliver_if(&self, _: RunId, _: InboxItem, _: DeliveryCondition) -> StoreFuture<Option<InboxRow>> {
        done(None)
    }

    fn inbox(&self, _: RunId) -> StoreFuture<Vec<InboxRow>> {
        done(Vec::new())
    }
}

impl RunRecords for MemoryStore {
    fn calls(&self, _: RunId) -> StoreFuture<Vec<CallRow>> {
        done(Vec::new())
    }

    fn call(&self, _: RunId, _: u64) -> StoreFuture<Option<(CallRow, CallText)>> {
        done(None)
    }

    fn step_inputs(&self, _: RunId) -> StoreFuture<Vec<(u64, Value)>> {
        done(Vec::new())
    }

    fn last_exported_step(&self, _: RunId) -> StoreFuture<u64> {
        done(0)
    }

    fn set_last_exported_step(&self, _: RunId, _: u64) -> StoreFuture<()> {
        done(())
    }

    fn initial_state(&self, _: RunId) -> StoreFuture<Option<Value>> {
        done(None)
    }
}

impl TreeLeases for MemoryStore {}

impl TaskList for MemoryStore {
    fn change_run(&self, _: RunId, _: ListSettingsChange) -> StoreFuture<Option<RunRow>> {
        done(None)
    }

    fn delete_tree(&self, _: RunId) -> StoreFuture<Vec<RunId>> {
        done(Vec::new())
    }

    fn tree_ids(&self, _: RunId) -> StoreFuture<Vec<RunId>> {
        done(Vec::new())
    }

    fn leftover_folders(&self) -> StoreFuture<Vec<RunId>> {
        done(Vec::new())
    }

    fn forget_folders(&self, _: Vec<RunId>) -> StoreFuture<()> {
        done(())
    }

    fn remove_leftover_pictures(&self) -> StoreFuture<()> {
        done(())
    }

    fn release_space(&self) -> StoreFuture<bool> {
        done(true)
    }
}

impl SignInRows for MemoryStore {
    fn sign_ins(&self, _: Moment) -> StoreFuture<Vec<SignInRow>> {
        done(Vec::new())
    }

    fn add_sign_in(&self, _: SignInRow) -> StoreFuture<()> {
        done(())
    }

    fn end_sign_in(&self, _: String) -> StoreFuture<()> {
        done(())
    }
}

impl IdempotencyRecords for MemoryStore {
    fn idempotency_record(&self, _: String) -> StoreFuture<Option<(RunId, IdempotencyRecord)>> {
        done(None)
    }

    fn add_idempotency_record(&self, _: RunId, _: IdempotencyRecord) -> StoreFuture<()> {
        done(())
    }
}

impl WaitingQuestions for MemoryStore {
    fn waiting_questions(&self, _: WaitingFilter) -> StoreFuture<Vec<WaitingRow>> {
        done(Vec::new())
    }

    fn count_waiting(&self, _: Option<RunId>) -> StoreFuture<u64> {
        done(0)
    }
}

impl UserCommands for MemoryStore {
    fn add_user_command(&self, _: RunId, _: UserCommand, _: bool) -> StoreFuture<Option<StoredUserCommand>> {
        done(None)
    }

    fn withdraw_user_command(&self, _: u64) -> StoreFuture<()> {
        done(())
    }

    fn pending_user_commands(&self) -> StoreFuture<Vec<(RunId, UserCommandRow)>> {
        done(Vec::new())
    }
}

impl RunTransactions for MemoryStore {
    fn create(&self, run: NewRun, events: Vec<String>) -> StoreFuture<RunId> {
        let id = run.id.clone();
        let stored = StoredRun {
            state: run.state.clone(),
            row: row(run),
            changes: Vec::new(),
            state_at: 0,
            inbox: Vec::new(),
            user_command: None,
            question: None,
            open_effect: None,
        };
        self.0.lock().unwrap().insert(id.clone(), MemoryRun { stored, events, steps: Vec::new() });
        done(id)
    }

    fn commit(&self, commit: RunCommit) -> StoreFuture<()> {
        let mut runs = self.0.lock().unwrap();
        if let Some(stored_run) = runs.get_mut(&commit.run) {
            let row = &mut stored_run.stored.row;
            if let Some((status, question)) = commit.status.to {
                (row.status, row.question) = (status, question);
            }
            if let Some(CheckpointRow { step, node, .. }) = commit.checkpoint {
                (row.node, row.last_step) = (node, step.n);
                stored_run.steps.push(step);
            }
            stored_run.events.extend(commit.events);
        }
        done(())
    }

    fn restore(&self, run: RunId) -> StoreFuture<Option<StoredRun>> {
        done(self.0.lock().unwrap().get(&run).map(|stored_run| stored_run.stored.clone()))
    }

    fn resolve(&self, _: QuestionId, _: ResolutionRow) -> StoreFuture<Resolution> {
        done(Resolution::Unknown)
    }
}

impl RunRows for MemoryStore {
    fn run(&self, run: RunId) -> StoreFuture<Option<RunRow>> {
        done(self.0.lock().unwrap().get(&run).map(|stored_run| stored_run.stored.row.clone()))
    }

    fn runs(&self, _: RunFilter) -> StoreFuture<Vec<RunRow>> {
        done(Vec::new())
    }

    fn runs_with_status(&self, _: Vec<&'static str>) -> StoreFuture<Vec<RunId>> {
        done(Vec::new())
    }

    fn living_descendants(&self, _: RunId) -> StoreFuture<Vec<RunId>> {
        done(Vec::new())
    }

    fn orphaned_runs(&self) -> StoreFuture<Vec<RunId>> {
        done(Vec::new())
    }

    fn runs_with_missed_signals(&self) -> StoreFuture<Vec<RunId>> {
        done(Vec::new())
    }

    fn ephemeral_runs(&self) -> StoreFuture<Vec<RunId>> {
        done(Vec::new())
    }

    fn overdue_runs(&self, _: Moment) -> StoreFuture<Vec<RunId>> {
        done(Vec::new())
    }

    fn ended_runs(&self, _: Vec<RunId>) -> StoreFuture<Vec<RunRow>> {
        done(Vec::new())
    }

    fn latest_ended_runs(&self, _: usize, _: usize) -> StoreFuture<Vec<(RunId, Moment)>> {
        done(Vec::new())
    }
}

impl UsageRows for MemoryStore {
    fn used_up_limit(&self, _: RunId) -> StoreFuture<Option<UsedUpLimit>> {
        done(None)
    }

    fn tree_usage(&self, _: RunId) -> StoreFuture<Usage> {
        done(Usage::default())
    }

    fn usage_by_agent(&self, _: Option<Moment>) -> StoreFuture<Vec<AgentUsage>> {
        done(Vec::new())
    }
}

impl TaskRows for MemoryStore {
    fn task(&self, _: String) -> StoreFuture<Option<TaskRow>> {
        done(None)
    }

    fn tasks(&self, _: RunId) -> StoreFuture<Vec<TaskRow>> {
        done(Vec::new())
    }

    fn living_tasks(&self) -> StoreFuture<Vec<TaskRow>> {
        done(Vec::new())
    }

    fn reserve_task_ids(&self, _: RunId, wanted: Vec<String>) -> StoreFuture<Vec<String>> {
        done(wanted)
    }

    fn add_progress(&self, _: TaskRow, _: String) -> StoreFuture<bool> {
        done(false)
    }
}

impl TraceRows for MemoryStore {
    fn steps(&self, _: RunId) -> StoreFuture<Vec<StepRow>> {
        done(Vec::new())
    }

    fn step(&self, _: RunId, _: u64) -> StoreFuture<Option<StepRow>> {
        done(None)
    }

    fn effect(&self, _: RunId, _: u64) -> StoreFuture<Option<EffectRow>> {
        done(None)
    }

    fn timeline_data(&self, _: RunId, _: TraceBounds) -> StoreFuture<TimelineData> {
        done(TimelineData::default())
    }

    fn events(&self, _: RunId, _: u64, _: usize) -> StoreFuture<Vec<EventRow>> {
        done(Vec::new())
    }

    fn last_seq(&self, _: RunId) -> StoreFuture<u64> {
        done(0)
    }
}

impl QuestionRows for MemoryStore {
    fn question(&self, _: QuestionId) -> StoreFuture<Option<QuestionRow>> {
        done(None)
    }

    fn open_questions(&self, _: Option<RunId>) -> StoreFuture<Vec<QuestionRow>> {
        done(Vec::new())
    }

    fn overdue_questions(&self, _: Moment) -> StoreFuture<Vec<QuestionRow>> {
        done(Vec::new())
    }
}

impl PermissionRows for MemoryStore {
    fn grants(&self, _: Moment) -> StoreFuture<Vec<GrantRow>> {
        done(Vec::new())
    }

    fn revoke(&self, _: GrantId) -> StoreFuture<bool> {
        done(false)
    }

    fn audit(&self, _: Option<RunId>, _: Option<i64>, _: usize) -> StoreFuture<Vec<Value>> {
        done(Vec::new())
    }

    fn add_audit(&self, _: AuditRow) -> StoreFuture<()> {
        done(())
    }
}

impl PageRows for MemoryStore {
    fn browser(&self, _: RunId) -> StoreFuture<Option<Value>> {
        done(None)
    }

    fn lease(&self, _: RunId) -> StoreFuture<Option<LeaseRow>> {
        done(None)
    }

    fn leases(&self) -> StoreFuture<Vec<LeaseRow>> {
        done(Vec::new())
    }

    fn add_picture(&self, _: RunId, _: Vec<u8>) -> StoreFuture<u64> {
        done(1)
    }

    fn reserve_picture(&self, _: RunId) -> StoreFuture<u64> {
        done(1)
    }

    fn fill_picture(&self, _: RunId, _: u64, _: Option<Vec<u8>>) -> StoreFuture<()> {
        done(())
    }

    fn picture(&self, _: RunId, _: u64) -> StoreFuture<Option<Vec<u8>>> {
        done(None)
    }
}

impl Store for MemoryStore {
    fn check_writable(&self) -> StoreFuture<()> {
        done(())
    }
}
