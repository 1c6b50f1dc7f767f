//! What the engine steps. A program holds a state and takes one step at a time; between two steps
//! the run actor hears stop, pause, messages and answers, and keeps what the step left behind.
//! A step reads the state and gives back changes; the engine applies and stores them, so
//! a run that is restored goes through the very same changes as one that never stopped.

mod afterwards;
mod beginning;
pub mod bounds;
pub mod cause;
mod child;
pub mod journal;
mod programs;
pub mod refused;
pub mod spending;
pub mod trying;
pub mod words;

pub use afterwards::Afterwards;
pub use beginning::Beginning;
pub use child::Child;
pub use programs::Programs;

use crate::clock::Moment;
use crate::ids::RunId;
use crate::protocol::client::Answer;
use crate::protocol::server::{Fact, ResolvedBy};
use crate::protocol::{QuestionKind, Remember, Status};
use crate::store::rows::{GrantRow, Intent, Message, Raised, TaskRow, Usage};
use cause::Cause;
use futures_util::future::BoxFuture;
use journal::Journal;
use serde_json::{Map, Value};
use std::time::Duration;

pub trait Program: Send {
    /// Where it stands; for lists, traces and `status`.
    fn node(&self) -> &'static str;

    /// Starts one step. The future owns what it needs and may be dropped at any await.
    fn visit(&self, given: Given) -> BoxFuture<'static, Result<Visit, ProgramError>>;

    /// Takes the changes of a step: just made, or read back from the store.
    fn apply(&mut self, changes: &Value) -> Result<(), ProgramError>;

    /// The whole state, for a snapshot and for people.
    fn state(&self) -> Value;

    /// The children whose end it waits for; with none it takes its next step at once.
    fn awaits(&self) -> Vec<RunId> {
        Vec::new()
    }

    /// Children that may not have ended; those that are left when it ends are stopped.
    fn living(&self) -> Vec<RunId> {
        self.awaits()
    }

    /// Children that work beside it: it hears of their ends at any time (`attend`), not only where it waits.
    fn background(&self) -> Vec<RunId> {
        Vec::new()
    }

    /// What follows at once, between two steps, from children of the background that have ended and from
    /// messages that nobody has read, however it stands: also while a question is open. None if nothing does.
    fn attend(&self, ended: &[Child], inbox: &[Message]) -> Option<Attended> {
        let _ = (ended, inbox);
        None
    }

    /// Whether it has nothing to do until somebody speaks or `attend` says otherwise (`Next::Rest`).
    fn rests(&self) -> bool {
        false
    }

    /// What is stored and told of its children when it ends from outside of its graph.
    fn closing(&self) -> Record {
        Record::default()
    }

    /// Whether the step where it stands can be taken again from what it was given and heard (`record`), touching
    /// nothing of the world.
    fn replays(&self) -> bool {
        false
    }

    /// A hash of the code that the step where it stands runs; none of a step that runs none.
    fn code_hash(&self) -> Option<String> {
        None
    }

    /// Whether a pause may drop a step that is under way and take it again later.
    fn repeatable(&self) -> bool;

    /// How much longer it may run by the wall clock; none without such a limit.
    fn time_left(&self) -> Option<Duration> {
        None
    }

    /// Changes to make before going on after the process died; `effect` has an intent and no receipt.
    fn recover(&self, effect: Option<&Intent>) -> Value;

    /// Changes to make before an ended run hears a further message; none if it takes no more.
    fn reopen(&self) -> Option<Value>;

    /// New title for lists, where it says more than the `current` one; `None` leaves it as it is.
    fn title(&self, current: &str) -> Option<String> {
        let _ = current;
        None
    }

    /// Its plan as a checklist, for whoever reads how it ended; none without one.
    fn plan(&self) -> Option<String> {
        None
    }

    /// What it has given when it ends from outside of its graph.
    fn leaves(&self) -> Map<String, Value> {
        Map::new()
    }

    /// What is said when the run ends from outside of its graph.
    fn farewell(&self, outcome: Status) -> String;
}

/// What a step is given.
pub struct Given {
    pub run: RunId,
    pub root: RunId,
    /// Messages not yet read, oldest first. A step that reads them says so in `Record::read_inbox`.
    pub inbox: Vec<Message>,
    /// The answer that the step was waiting for, given once.
    pub answer: Option<Resolved>,
    /// Those of the children it waits for that have ended.
    pub ended: Vec<Child>,
    /// Writes what must be stored while the step is still under way.
    pub journal: Journal,
}

/// How a question ended.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub by: ResolvedBy,
    pub answer: Answer,
    /// The page was handed back: the message is the service's report of what changed on it.
    pub handed_back: bool,
}

/// What a step gives back.
#[derive(Debug)]
pub struct Visit {
    pub node: &'static str,
    pub outcome: &'static str,
    pub changes: Value,
    pub next: Next,
    pub record: Record,
}

/// What comes after a step.
#[derive(Debug)]
pub enum Next {
    Go,
    Ask(Ask),
    /// Nothing until one of the children in `Program::awaits` has ended.
    Await,
    /// Nothing until somebody speaks or `Program::attend` says so; it waits without a question.
    Rest,
    End(End),
}

/// A child run to be started.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Made by the program, so that its changes can name it.
    pub run: RunId,
    pub agent: String,
    pub input: Map<String, Value>,
    /// It ends as exhausted when it takes longer.
    pub timeout: Option<Duration>,
    /// It begins when so much time has passed.
    pub after: Option<Duration>,
}

/// What a run makes of what happened beside it.
#[derive(Debug)]
pub struct Attended {
    pub changes: Value,
    pub record: Record,
}

/// A question for a person; the engine gives it its reference.
#[derive(Clone, Debug)]
pub struct Ask {
    pub kind: QuestionKind,
    pub reason: String,
    pub text: String,
    pub payload: Value,
    pub remember: Vec<Remember>,
    pub expires_at: Option<Moment>,
    pub on_expire: Status,
}

#[derive(Clone, Debug)]
pub struct End {
    pub outcome: Status,
    pub response: Option<String>,
    pub vars: Map<String, Value>,
}

/// What a step leaves behind besides its changes, stored in the same commit.
#[derive(Debug, Default)]
pub struct Record {
    pub facts: Vec<Fact>,
    pub audit: Vec<Value>,
    pub grant: Option<GrantRow>,
    pub usage: Option<Usage>,
    pub receipt: Option<Value>,
    pub browser: Option<Value>,
    pub url: Option<String>,
    pub tool_steps: Option<u32>,
    pub read_inbox: Option<u64>,
    /// Children that begin with it.
    pub calls: Vec<Call>,
    /// Children that are stopped.
    pub cancel: Vec<RunId>,
    /// ASYNC actions as they stand now.
    pub tasks: Vec<TaskRow>,
    /// The plan as it stands now; null: there is none any more.
    pub plan: Option<Value>,
    /// How far the run has come by its own account, from 0 to 1.
    pub progress: Option<f64>,
    /// Why it fails.
    pub cause: Option<Cause>,
    /// What a person lets the run and its tree use from now on.
    pub raised: Option<Raised>,
    /// Whoever watches hears of the step when it is stored.
    pub afterwards: Afterwards,
}

/// What a program cannot answer itself: the run ends as failed, with these words.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error("{0}")]
    Failed(String),
    /// What it takes is switched off, or not there.
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
    Store(#[from] crate::store::StoreError),
}
