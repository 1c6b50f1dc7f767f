//! Row types that go into the store and come out of it.

pub mod user_command;
pub mod trace;
pub mod recordings;
pub mod inbox;
pub(crate) mod json_columns;
pub mod idempotency;
pub mod usage;

use crate::clock::Moment;
use crate::ids::{GrantId, QuestionId, RunId, SessionId};
use crate::store::rows::idempotency::IdempotencyRecord;
use crate::store::rows::inbox::InboxRow;
use crate::store::rows::recordings::StepRecording;
pub(crate) use crate::store::rows::usage::{RaisedRunLimits, Usage};
use crate::store::rows::user_command::UserCommandRow;
use serde_json::{Map, Value};

/// A run to add.
#[derive(Clone, Debug)]
pub struct NewRun {
    pub id: RunId,
    pub root: RunId,
    pub parent: Option<RunId>,
    /// Level in the run tree; the root has 0.
    pub depth: u32,
    pub agent: String,
    pub program: String,
    /// Title shown in lists.
    pub title: String,
    /// Input with secrets concealed.
    pub input: Map<String, Value>,
    /// First node.
    pub node: String,
    /// Whole state of the program at its beginning.
    pub state: Value,
    /// Key of a start that may be repeated, unique for each agent.
    pub idempotency_key: Option<String>,
    pub idempotency_record: Option<IdempotencyRecord>,
    /// Metadata of the person or client that started the run.
    pub metadata: Option<Value>,
    /// Version of the agent's file that the run uses.
    pub version: Option<String>,
    /// Model requested at the start; absent for the parent's.
    pub model: Option<String>,
    /// Limits passed on by the ancestors.
    pub bounds: Value,
    /// Most descendants; `None` for no limit.
    pub descendant_limit: Option<u64>,
    /// Moment at which the run is ended.
    pub deadline: Option<Moment>,
}

/// Changes of a run, stored in one transaction.
#[derive(Clone, Debug)]
pub struct RunCommit {
    pub run: RunId,
    pub root: RunId,
    /// Step that must be stored already; 0 for none. A commit that follows one whose own commit failed is refused.
    pub after_step: u64,
    /// Events for viewers, in order.
    pub events: Vec<String>,
    pub checkpoint: Option<CheckpointRow>,
    pub recording: Option<StepRecording>,
    pub status: StatusChange,
    pub effect: EffectChange,
    pub consumed: ConsumedInput,
    pub report: RunReport,
    pub children: ChildChanges,
    pub permissions: PermissionChanges,
    pub page: PageChange,
}

impl RunCommit {
    /// Creates a commit that changes nothing but the time of the run's last change.
    pub fn new(run: RunId, root: RunId) -> Self {
        Self {
            run,
            root,
            after_step: 0,
            events: Vec::new(),
            checkpoint: None,
            recording: None,
            status: StatusChange::default(),
            effect: EffectChange::default(),
            consumed: ConsumedInput::default(),
            report: RunReport::default(),
            children: ChildChanges::default(),
            permissions: PermissionChanges::default(),
            page: PageChange::default(),
        }
    }

    /// Reports whether the commit stores nothing that a next step reads from the store, but for sums of usage, and nothing that
    /// anybody else acts upon: only events, the run's own state, receipts, reports and recordings.
    pub fn changes_only_own_state(&self) -> bool {
        // Each field is listed, so that a new one is decided upon.
        matches!(self, Self {
            run: _,
            root: _,
            after_step: _,
            events: _,
            checkpoint: _,
            recording: _,
            report: _,
            status: StatusChange { to: None, question: None, ended: None, reopened: false },
            effect: EffectChange { intent: None, receipt: _ },
            consumed: ConsumedInput { inbox: None, command: None, command_below: None },
            children: ChildChanges { begin, stop, tasks },
            permissions: PermissionChanges { audit: _, grant: None, raised: None },
            page: PageChange { snapshot: _, lease: None },
        } if begin.is_empty() && stop.is_empty() && tasks.is_empty())
    }
}

/// Position of a run after a step.
#[derive(Clone, Debug)]
pub struct CheckpointRow {
    pub step: StepRow,
    /// The node at which the run continues.
    pub node: String,
    /// The whole state after the step, stored from time to time.
    pub snapshot: Option<Value>,
}

/// Change of a run's status.
#[derive(Clone, Debug, Default)]
pub struct StatusChange {
    /// New status, with the question that the run waits for.
    pub to: Option<(String, Option<QuestionId>)>,
    /// A question that is asked now.
    pub question: Option<QuestionRow>,
    pub ended: Option<EndRow>,
    /// True if the run was reopened after its end.
    pub reopened: bool,
}

/// Records of a change outside the service: stored before it and after it.
#[derive(Clone, Debug, Default)]
pub struct EffectChange {
    pub intent: Option<Intent>,
    /// Receipt of the open intent.
    pub receipt: Option<Value>,
}

/// Input that the run has acted upon, so that it is not given again.
#[derive(Clone, Debug, Default)]
pub struct ConsumedInput {
    /// Number up to which messages have been read.
    pub inbox: Option<u64>,
    /// Number up to which user commands are carried out.
    pub command: Option<u64>,
    /// User command to store for the living children as well.
    pub command_below: Option<UserCommandRow>,
}

/// Data of a run for lists, clients and its budget; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct RunReport {
    /// Usage to add.
    pub usage: Option<Usage>,
    /// Number of executed actions so far.
    pub tool_steps: Option<u32>,
    /// Address of the page at the last observation.
    pub url: Option<String>,
    /// Title that the program found, for lists. A title set by a person takes precedence.
    pub title: Option<String>,
    /// Current plan; null removes it.
    pub plan: Option<Value>,
    /// Progress reported by the run itself, from 0 to 1.
    pub progress: Option<f64>,
    /// Machine-readable reason of a failure.
    pub cause: Option<Value>,
}

/// Children that begin and stop with a commit.
#[derive(Clone, Debug, Default)]
pub struct ChildChanges {
    /// Each new child with its events.
    pub begin: Vec<(NewRun, Vec<String>)>,
    /// Children to stop. This is stored, so a restarted service stops them too.
    pub stop: Vec<RunId>,
    /// ASYNC actions in their current state.
    pub tasks: Vec<TaskRow>,
}

/// Decisions of the rules and of people.
#[derive(Clone, Debug, Default)]
pub struct PermissionChanges {
    /// Rows for the audit log.
    pub audit: Vec<Value>,
    pub grant: Option<GrantRow>,
    /// Limits that a person has raised.
    pub raised: Option<RaisedRunLimits>,
}

/// Change of the run tree's page.
#[derive(Clone, Debug, Default)]
pub struct PageChange {
    /// Snapshot of the page, to restore it later.
    pub snapshot: Option<Value>,
    /// The inner `None` removes the lease.
    pub lease: Option<Option<LeaseRow>>,
}

/// An ASYNC action of a run. Its id is unique among all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRow {
    pub id: String,
    pub action_id: String,
    /// The run that began the task.
    pub run: RunId,
    pub root: RunId,
    /// The run that does the work, or did it last.
    pub child: Option<RunId>,
    pub agent: String,
    /// Word of a `protocol::Status`.
    pub status: String,
    /// Progress from 0 to 1.
    pub progress: Option<f64>,
    /// Display data for clients.
    pub display: Option<Value>,
    pub result: Option<Value>,
    /// Reason of a failure, for the model and the person.
    pub error: Option<String>,
    pub created_at: Moment,
    pub started_at: Option<Moment>,
    pub ended_at: Option<Moment>,
}

/// Lease of a run tree's page: taken over, or parked.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaseRow {
    pub root: RunId,
    /// The run that is paused for it.
    pub run: RunId,
    pub holder: Option<SessionId>,
    /// True if that run was paused for the lease.
    pub paused: bool,
}

/// End of a run: its response, and its output variables by name.
#[derive(Clone, Debug)]
pub struct EndRow {
    pub response: Option<String>,
    pub vars: Map<String, Value>,
}

/// An effect about to happen.
#[derive(Clone, Debug)]
pub struct Intent {
    pub action_id: String,
    /// Action with its parameters; placeholders stand for secrets.
    pub action: Value,
}

/// Visit of a node.
#[derive(Clone, Debug)]
pub struct StepRow {
    /// 1, 2, 3 … within the run.
    pub n: u64,
    pub node: String,
    /// Outcome of the visit, as the graph of the program names it.
    pub outcome: String,
    /// End of the step.
    pub at: Moment,
    pub took_ms: u64,
    /// Changes of the state, in the program's own format.
    pub changes: Value,
}

/// Additions of a transaction to the log. The observer receives them after the commit.
#[derive(Debug, Default, PartialEq)]
pub struct LogAdditions {
    /// Events of any runs, in the order in which they were stored.
    pub events: Vec<EventRow>,
    /// Runs that have ended.
    pub ended: Vec<RunId>,
    /// True if a question was asked or resolved.
    pub questions: bool,
}

/// An event with its position in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRow {
    pub root: RunId,
    /// 1, 2, 3 … within the run tree, without gaps.
    pub seq: u64,
    pub run: RunId,
    pub at: Moment,
    /// JSON object without the envelope.
    pub body: String,
}

impl EventRow {
    /// Returns the message as it is sent: body and envelope in one flat object.
    pub fn frame(&self) -> String {
        let inner = self.body.trim_end().strip_suffix('}').unwrap_or("{");
        let comma = if inner.len() > 1 { "," } else { "" };
        format!(
            r#"{inner}{comma}"run_id":"{}","root_run_id":"{}","seq":{},"at":"{}"}}"#,
            self.run,
            self.root,
            self.seq,
            self.at.rfc3339()
        )
    }
}

/// A question to a person, open or resolved.
#[derive(Clone, Debug)]
pub struct QuestionRow {
    pub reference: QuestionId,
    pub run: RunId,
    pub root: RunId,
    /// Word of a `protocol::QuestionKind`.
    pub kind: String,
    /// The question as sent.
    pub frame: Value,
    pub asked_at: Moment,
    /// `None` if the question never expires.
    pub expires_at: Option<Moment>,
    /// Word of a `protocol::server::ResolvedBy`; `None` while the question is open.
    pub resolved_by: Option<String>,
    pub answer: Option<Value>,
}

/// Resolution of a question, with everything to write if it is the first.
#[derive(Clone, Debug)]
pub struct ResolutionRow {
    /// Word of a `protocol::server::ResolvedBy`.
    pub by: String,
    pub answer: Value,
    pub at: Moment,
    /// Event `question_resolved`, as a JSON object without the envelope.
    pub event: String,
    /// Row for the audit log.
    pub audit: Option<Value>,
    pub idempotency_record: Option<IdempotencyRecord>,
}

/// Result of an attempt to resolve a question. Only `Resolved` has changed something.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution {
    Resolved { run: RunId, root: RunId },
    AlreadyResolved,
    Expired,
    Unknown,
}

/// A stored run without its state.
#[derive(Clone, Debug)]
pub struct RunRow {
    pub id: RunId,
    pub root: RunId,
    pub parent: Option<RunId>,
    /// Level in the run tree; the root has 0.
    pub depth: u32,
    pub agent: String,
    /// Name of the program that the run steps.
    pub program: String,
    pub title: String,
    /// Input as given, with secrets concealed.
    pub input: Map<String, Value>,
    /// Word of a `protocol::Status`.
    pub status: String,
    /// Node at which the run continues.
    pub node: String,
    /// Question that the run waits for.
    pub question: Option<QuestionId>,
    pub created_at: Moment,
    pub updated_at: Moment,
    pub ended_at: Option<Moment>,
    pub response: Option<String>,
    /// Output variables of the last end.
    pub vars: Map<String, Value>,
    /// Number of executed actions.
    pub tool_steps: u32,
    /// Number of the newest step.
    pub last_step: u64,
    pub usage: Usage,
    /// Address of the page at the last observation.
    pub url: Option<String>,
    /// Version of the agent's file that the run uses.
    pub version: Option<String>,
    /// Model chosen for the run's tree; `None` if no model was chosen.
    pub model: Option<String>,
    /// Position among the descendants of the root, counted from 1; the root has 0.
    pub ordinal: u64,
    /// Smallest limit of an ancestor (`NewRun::descendant_limit`) that the run exceeds, if there is one.
    pub exceeded_limit: Option<u64>,
    /// Limits passed on by the ancestors, as a serialized `RunBounds`.
    pub bounds: Value,
    /// Moment at which the run is ended.
    pub deadline: Option<Moment>,
    /// Current plan, as clients receive it.
    pub plan: Option<Value>,
    /// Progress reported by the run itself, from 0 to 1.
    pub progress: Option<f64>,
    /// Machine-readable reason of a failure.
    pub cause: Option<Value>,
    /// Metadata of the person or client that started the run.
    pub metadata: Option<Value>,
    pub list_settings: ListSettings,
}

/// A person's settings of a run in the list of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListSettings {
    pub pinned: bool,
    pub archived: bool,
    /// True if a person set the title.
    pub own_title: bool,
    /// `private` or `team`.
    pub visibility: String,
}

/// Change of a run's settings in the list of tasks; `None` leaves a setting unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListSettingsChange {
    /// The inner `None` removes the person's own title.
    pub title: Option<Option<String>>,
    pub pinned: Option<bool>,
    pub archived: Option<bool>,
    pub visibility: Option<String>,
}

/// Data that a run needs to go on.
#[derive(Clone, Debug)]
pub struct StoredRun {
    pub row: RunRow,
    /// Newest full state, followed by the later changes in order.
    pub state: Value,
    pub changes: Vec<Value>,
    /// Number of the step after which that state was taken.
    pub state_at: u64,
    pub inbox: Vec<InboxRow>,
    /// Pending command of the user.
    pub user_command: Option<UserCommandRow>,
    /// Question that the run waits for, answered or not.
    pub question: Option<QuestionRow>,
    /// Intent without a receipt.
    pub open_effect: Option<Intent>,
}

/// Selection of runs for a list, newest first. An absent condition holds.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    /// Any of these statuses; empty for all.
    pub statuses: Vec<String>,
    pub agent: Option<String>,
    /// Prefixes of words of titles, messages, answers and sites. A root is matched by the words of its whole
    /// tree.
    pub query: Option<String>,
    /// Only runs after this one in the list: its pinned flag and its id.
    pub before: Option<(bool, RunId)>,
    /// Only runs without a parent.
    pub roots: bool,
    /// Only runs of this tree.
    pub root: Option<RunId>,
    /// Only children of this run.
    pub parent: Option<RunId>,
    /// Only runs whose root is archived, or is not.
    pub archived: Option<bool>,
    /// Most rows to return.
    pub limit: usize,
}

/// A remembered approval.
#[derive(Clone, Debug, PartialEq)]
pub struct GrantRow {
    pub id: GrantId,
    /// `run` or `site`.
    pub scope: String,
    /// Run in which the approval was given.
    pub run: Option<RunId>,
    /// Origin for which the approval holds.
    pub origin: Option<String>,
    /// Id of the rule that asked.
    pub rule: String,
    /// Scope; `None` in rows of earlier versions.
    pub covers: Option<Value>,
    pub created_at: Moment,
    pub expires_at: Moment,
}

/// Entry of the audit log, with its run.
#[derive(Clone, Debug)]
pub struct AuditRow {
    pub run: RunId,
    pub root: RunId,
    /// JSON object, see `gate::audit`.
    pub entry: Value,
}
