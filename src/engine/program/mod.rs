//! The interface between the engine and its programs. A program holds a state and takes one step at a time;
//! between two steps the run actor handles stop, pause, messages and answers, and stores the result of the
//! step. A step reads the state and returns changes; the engine applies and stores them, so a restored run
//! goes through the same changes as one that never stopped.

pub(crate) mod after_commit;
pub mod ended_child;
pub mod factory;
pub mod model_usage;
pub mod refused_run;
pub mod retries;
pub mod run_bounds;
pub mod run_start;
pub mod task_state;
pub mod result_text;
pub mod journal;

use crate::clock::Moment;
use crate::engine::program::after_commit::AfterCommit;
use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::journal::Journal;
use crate::engine::program::task_state::TaskState;
use crate::gate::host_scope::HostScope;
use crate::ids::{QuestionId, RunId};
use crate::protocol::client::Answer;
use crate::protocol::server::{Fact, ResolvedBy};
use crate::protocol::{QuestionKind, Remember, Status};
use crate::store::error::StoreError;
use crate::store::rows::inbox::InboxRow;
use crate::store::rows::usage::RaisedRunLimits;
use crate::store::rows::{GrantRow, Intent, RunReport};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::time::Duration;

/// A state machine that a run steps.
pub trait Program: ChildRuns + RunEnding + Replayable + Send {
    /// Returns the name of the current node, for lists, traces and `status`.
    fn node(&self) -> &'static str;

    /// Starts one step. The future owns what it needs and may be dropped at any await.
    fn step(&self, input: StepInput) -> BoxFuture<'static, Result<StepResult, ProgramError>>;

    /// Applies the changes of a step: just made, or read back from the store.
    fn apply(&mut self, changes: &Value) -> Result<(), ProgramError>;

    /// Returns the whole state, for checkpoints and for people.
    fn state(&self) -> Value;

    /// Reports whether the program has nothing to do until a message arrives or `handle_background` changes its state
    /// (`Continuation::Rest`).
    fn is_resting(&self) -> bool {
        false
    }

    /// Reports whether a pause may drop the step under way and take it again later.
    fn is_repeatable(&self) -> bool;

    /// Returns how much longer the run may take by the wall clock; `None` without such a limit.
    fn time_left(&self) -> Option<Duration> {
        None
    }

    /// Returns the changes to make after the process died. `effect` is the intent of an effect without a
    /// receipt.
    fn recover(&self, effect: Option<&Intent>) -> Value;

    /// Returns the changes to make before an ended run receives another message; `None` if it takes no more.
    fn reopen(&self) -> Option<Value>;

    /// Returns a new title for lists if it says more than `current`; `None` keeps the title.
    fn title(&self, current: &str) -> Option<String> {
        let _ = current;
        None
    }
}

/// The child runs of a program. A program that calls nobody needs no method of it.
pub trait ChildRuns {
    /// Returns the child runs that the next step waits for. If there are none, the next step follows at once.
    fn awaited_children(&self) -> Vec<RunId> {
        Vec::new()
    }

    /// Returns the child runs that may not have ended. Those that are left when the run ends are stopped.
    fn unfinished_children(&self) -> Vec<RunId> {
        self.awaited_children()
    }

    /// Returns the child runs in the background. Their ends are handled by `handle_background` at any time, not only
    /// where the program waits.
    fn background_children(&self) -> Vec<RunId> {
        Vec::new()
    }

    /// Returns the hosts that child runs inherit; `None` if these are the ones that the run itself inherits.
    fn host_scope(&self) -> Option<HostScope> {
        None
    }

    /// Handles ended background children and unread messages between two steps, also while a question is
    /// open. Returns `None` if nothing follows from them.
    fn handle_background(&self, ended: &[EndedChild], inbox: &[InboxRow]) -> Option<BackgroundResult> {
        let _ = (ended, inbox);
        None
    }
}

/// The report of a run that ends, mostly for an end from outside its graph: by a stop, a timeout or an error.
pub trait RunEnding {
    /// Returns the response of a run that is ended from outside its graph.
    fn interrupted_response(&self, outcome: Status) -> String;

    /// Returns the outputs of a run that is ended from outside its graph.
    fn partial_outputs(&self) -> Map<String, Value> {
        Map::new()
    }

    /// Returns what to store about the child runs when the run is ended from outside its graph.
    fn closing_record(&self) -> StepRecord {
        StepRecord::default()
    }

    /// Returns the plan as a checklist, for the report on any end; `None` without a plan.
    fn plan(&self) -> Option<String> {
        None
    }
}

/// Replay of recorded steps (`record`).
pub trait Replayable {
    /// Reports whether the current step can be replayed from its recorded inputs without effects on the outside.
    fn is_replayable(&self) -> bool {
        false
    }

    /// Returns a hash of the code that the current step runs; `None` if it runs none.
    fn code_hash(&self) -> Option<String> {
        None
    }
}

/// The input of a step.
pub struct StepInput {
    pub run: RunId,
    /// Root of the run's tree.
    pub root: RunId,
    /// Unread messages, oldest first. A step that reads them says so in `StepRecord::read_inbox`.
    pub inbox: Vec<InboxRow>,
    /// The answer that the step was waiting for, given once.
    pub answer: Option<QuestionResult>,
    /// The awaited child runs that have ended.
    pub ended: Vec<EndedChild>,
    /// Writes what must be stored while the step is still under way.
    pub journal: Journal,
}

/// The answer to a question, and who gave it.
#[derive(Clone, Debug)]
pub struct QuestionResult {
    /// Reference of the question.
    pub reference: QuestionId,
    pub by: ResolvedBy,
    pub answer: Answer,
    /// True if a person handed the page back. The answer's message is then the service's report of what
    /// changed on it.
    pub handed_back: bool,
}

/// The result of a step.
#[derive(Debug)]
pub struct StepResult {
    /// Node that was visited.
    pub node: &'static str,
    /// Result of the visit, as the graph names it.
    pub outcome: &'static str,
    /// Changes of the state, in the program's own format (`Program::apply`).
    pub changes: Value,
    pub next: Continuation,
    pub record: StepRecord,
}

/// The continuation after a step.
#[derive(Debug)]
pub enum Continuation {
    Go,
    Ask(QuestionDraft),
    /// Wait until one of the children in `Program::awaited_children` has ended.
    Await,
    /// Wait without a question until a message arrives or `Program::handle_background` continues the run.
    Rest,
    End(RunEnd),
}

/// A request to start a child run.
#[derive(Clone, Debug, PartialEq)]
pub struct ChildCall {
    /// Id of the new run. The program chooses it, so that its changes can name the run.
    pub run: RunId,
    pub agent: String,
    /// Input of the agent, not yet checked.
    pub input: Map<String, Value>,
    /// The run ends as exhausted after this time.
    pub timeout: Option<Duration>,
    /// The run starts after this delay.
    pub after: Option<Duration>,
}

/// The result of handling messages and ended children between two steps.
#[derive(Debug)]
pub struct BackgroundResult {
    /// Changes of the state, in the program's own format (`Program::apply`).
    pub changes: Value,
    pub record: StepRecord,
}

/// A question for a person. The engine gives it its reference.
#[derive(Clone, Debug)]
pub struct QuestionDraft {
    pub kind: QuestionKind,
    /// Reason of the question, in the language of the run.
    pub reason: String,
    /// The question, in the language of the run.
    pub text: String,
    /// Data of the question's kind, see docs/protocol.md.
    pub payload: Value,
    /// Scopes in which an approval may be remembered.
    pub remember: Vec<Remember>,
    /// `None` if the question never expires.
    pub expires_at: Option<Moment>,
    /// Status of the run if the question expires.
    pub on_expire: Status,
}

/// The end of a run: status, response and output variables.
#[derive(Clone, Debug)]
pub struct RunEnd {
    pub outcome: Status,
    /// Last message to the person.
    pub response: Option<String>,
    pub vars: Map<String, Value>,
}

/// The records that a step leaves besides its changes, stored in the same commit.
#[derive(Debug, Default)]
pub struct StepRecord {
    /// Events for viewers, in order.
    pub facts: Vec<Fact>,
    /// Rows for the audit log.
    pub audit: Vec<Value>,
    /// Approval to remember.
    pub grant: Option<GrantRow>,
    /// Limits that a person has raised.
    pub raised: Option<RaisedRunLimits>,
    /// Receipt of the effect whose intent is stored.
    pub receipt: Option<Value>,
    /// Snapshot of the page.
    pub browser: Option<Value>,
    /// Number up to which messages have been read.
    pub read_inbox: Option<u64>,
    pub report: RunReport,
    /// Child runs to start.
    pub calls: Vec<ChildCall>,
    /// Child runs to stop.
    pub cancel: Vec<RunId>,
    /// The current state of ASYNC actions.
    pub tasks: Vec<TaskState>,
    /// A callback that runs after the step is stored.
    pub after_commit: AfterCommit,
}

/// An error that ends the run as failed, with its message as the reason.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error("{0}")]
    Failed(String),
    /// Something that the program needs is switched off or missing.
    #[error("unsupported environment: {0}")]
    Unsupported(String),
    #[error("there is no agent {0}; `GET /api/agents` lists them")]
    UnknownAgent(String),
    #[error("the file of agent {agent} has errors; `faults` says what to fix")]
    FaultyAgent { agent: String, faults: Value },
    #[error("the input does not fit the agent: {0}")]
    BadInput(String),
    #[error("the stored changes do not fit this version of the program: {0}")]
    Changes(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ProgramError {
    /// Returns the error for a part of the service that does not reply any more.
    pub fn service_stopping() -> Self {
        Self::Failed(String::from("the service is stopping"))
    }
}

/// Stored states and changes are the only JSON that programs read.
impl From<serde_json::Error> for ProgramError {
    fn from(fault: serde_json::Error) -> Self {
        Self::Changes(fault.to_string())
    }
}
