//! The shapes that go into the store and come out of it.

mod traced;
mod heard;
mod inbox;
mod tried;
mod usage;
mod wish;

use crate::clock::Moment;
use crate::ids::{GrantId, QuestionId, RunId, SessionId};
pub use heard::{CallRow, CallText, Heard, NewCall};
pub use inbox::{InboxItem, Message};
use serde_json::{Map, Value};
pub use traced::{Asked, EffectRow, StepHead, Told, TraceBounds, Traced};
pub use tried::Try;
pub use usage::{AgentUsage, Overspent, Raised, Usage};
pub use wish::{Wish, WishRow, Wished};

/// A run to be added.
#[derive(Clone, Debug)]
pub struct NewRun {
    pub id: RunId,
    pub root: RunId,
    pub parent: Option<RunId>,
    pub depth: u32,
    pub agent: String,
    pub program: String,
    /// What lists show.
    pub title: String,
    pub input: Map<String, Value>,
    pub node: String,
    pub state: Value,
    pub idempotency_key: Option<String>,
    pub tried: Option<Try>,
    /// What whoever started it keeps with it.
    pub metadata: Option<Value>,
    /// The version of the agent's file that it keeps.
    pub version: Option<String>,
    /// The model that whoever started it wants; absent, its caller's.
    pub model: Option<String>,
    /// What its callers leave it.
    pub bounds: Value,
    /// So many runs there may be below it; none is no limit.
    pub most: Option<u64>,
    /// It is ended when this has passed.
    pub deadline: Option<Moment>,
}

/// What one step leaves behind.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    pub run: Option<RunId>,
    pub root: Option<RunId>,
    pub step: Option<StepRow>,
    pub snapshot: Option<Value>,
    /// New status, with the question that it waits for.
    pub status: Option<(String, Option<QuestionId>)>,
    pub node: Option<String>,
    pub ended: Option<Ended>,
    /// The run was opened again after its end.
    pub reopened: bool,
    pub facts: Vec<String>,
    pub question: Option<QuestionRow>,
    /// Messages up to this number have been read.
    pub read_inbox: Option<u64>,
    pub intent: Option<Intent>,
    /// What became of the intent that is open.
    pub receipt: Option<Value>,
    pub usage: Option<Usage>,
    pub tool_steps: Option<u32>,
    pub url: Option<String>,
    pub audit: Vec<Value>,
    pub grant: Option<GrantRow>,
    pub browser: Option<Value>,
    /// Children that begin with this step, each with its facts.
    pub children: Vec<(NewRun, Vec<String>)>,
    /// Children that are to be stopped, also by a service that is started anew before they are.
    pub cancel: Vec<RunId>,
    /// ASYNC actions as they stand now.
    pub tasks: Vec<TaskRow>,
    /// The plan as it stands now; null: there is none any more.
    pub plan: Option<Value>,
    /// How far it has come by its own account, from 0 to 1.
    pub progress: Option<f64>,
    /// Title found while it ran, for lists; a person's own title stays.
    pub title: Option<String>,
    /// Why it fails, for programs.
    pub cause: Option<Value>,
    /// Who has the page of the run tree now; within, none if nobody has or had it.
    pub lease: Option<Option<LeaseRow>>,
    pub raised: Option<Raised>,
    /// What the step heard.
    pub heard: Option<Heard>,
    /// It carries out what a person wants of the run, up to this number.
    pub wish_done: Option<u64>,
    /// Wish that its living children carry out as well.
    pub wish_below: Option<WishRow>,
}

/// An ASYNC action of a run, by an id that no other run has taken.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRow {
    pub id: String,
    pub action_id: String,
    /// The run that began it.
    pub run: RunId,
    pub root: RunId,
    /// The run that does the work, or did so last.
    pub child: Option<RunId>,
    pub agent: String,
    pub status: String,
    /// 0 to 1.
    pub progress: Option<f64>,
    /// How it is shown.
    pub display: Option<Value>,
    pub result: Option<Value>,
    pub error: Option<String>,
    pub created_at: Moment,
    pub started_at: Option<Moment>,
    pub ended_at: Option<Moment>,
}

/// The page of a run tree in somebody's hands, or waiting for some.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaseRow {
    pub root: RunId,
    /// The run that stands still for it.
    pub run: RunId,
    pub holder: Option<SessionId>,
    /// Whether that run was paused for it.
    pub paused: bool,
}

#[derive(Clone, Debug)]
pub struct Ended {
    pub response: Option<String>,
    pub vars: Map<String, Value>,
}

/// An effect that is about to happen.
#[derive(Clone, Debug)]
pub struct Intent {
    pub action_id: String,
    pub action: Value,
}

#[derive(Clone, Debug)]
pub struct StepRow {
    pub n: u64,
    pub node: String,
    pub outcome: String,
    pub at: Moment,
    pub took_ms: u64,
    pub changes: Value,
}

/// Additions of a transaction to the log, told to the observer once it is committed.
#[derive(Debug, Default)]
pub struct Written {
    /// Facts of any runs, in the order in which they were stored.
    pub facts: Vec<FactRow>,
    /// Runs that have ended.
    pub ended: Vec<RunId>,
    /// A question was asked or resolved.
    pub questions: bool,
}

/// A fact with its place in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct FactRow {
    pub root: RunId,
    pub seq: u64,
    pub run: RunId,
    pub at: Moment,
    /// A JSON object without the envelope.
    pub body: String,
}

impl FactRow {
    /// The frame as it is sent: body and envelope in one flat object.
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

#[derive(Clone, Debug)]
pub struct QuestionRow {
    pub reference: QuestionId,
    pub run: RunId,
    pub root: RunId,
    pub kind: String,
    /// The question as sent.
    pub frame: Value,
    pub asked_at: Moment,
    pub expires_at: Option<Moment>,
    pub resolved_by: Option<String>,
    pub answer: Option<Value>,
}

/// An answer, with all that is written if it is the first.
#[derive(Clone, Debug)]
pub struct Answered {
    pub by: String,
    pub answer: Value,
    pub at: Moment,
    pub fact: String,
    pub audit: Option<Value>,
    pub tried: Option<Try>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Resolution {
    Resolved { run: RunId, root: RunId },
    AlreadyResolved,
    Expired,
    Unknown,
}

#[derive(Clone, Debug)]
pub struct RunRow {
    pub id: RunId,
    pub root: RunId,
    pub parent: Option<RunId>,
    pub depth: u32,
    pub agent: String,
    pub program: String,
    pub title: String,
    pub input: Map<String, Value>,
    pub status: String,
    pub node: String,
    pub question: Option<QuestionId>,
    pub created_at: Moment,
    pub updated_at: Moment,
    pub ended_at: Option<Moment>,
    pub response: Option<String>,
    pub vars: Map<String, Value>,
    pub tool_steps: u32,
    /// Number of the newest step.
    pub last_step: u64,
    pub usage: Usage,
    pub url: Option<String>,
    pub version: Option<String>,
    /// The model that was chosen for its tree; none where nobody chose.
    pub model: Option<String>,
    /// Its place among the runs below the root of its tree, from 1; 0 is the root.
    pub ordinal: u64,
    /// The limit of one of its callers (`NewRun::most`) that it is beyond, the least if of several.
    pub beyond: Option<u64>,
    pub bounds: Value,
    pub deadline: Option<Moment>,
    pub plan: Option<Value>,
    /// How far it has come by its own account, from 0 to 1.
    pub progress: Option<f64>,
    pub cause: Option<Value>,
    /// What whoever started it keeps with it.
    pub metadata: Option<Value>,
    pub kept: RunKept,
}

/// A person's marks on a run in the list of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunKept {
    pub pinned: bool,
    pub archived: bool,
    /// True if a person gave the title.
    pub own_title: bool,
    /// `private` or `team`.
    pub visibility: String,
}

/// A change of how a run is kept; `None` leaves it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunChange {
    /// Within, `None` takes the person's own title away.
    pub title: Option<Option<String>>,
    pub pinned: Option<bool>,
    pub archived: Option<bool>,
    pub visibility: Option<String>,
}

/// What a run needs to go on.
#[derive(Clone, Debug)]
pub struct Stored {
    pub row: RunRow,
    /// The newest whole state, and the changes after it in order.
    pub state: Value,
    pub changes: Vec<Value>,
    /// The step after which that state was taken.
    pub state_at: u64,
    pub inbox: Vec<Message>,
    /// The person's wish that it has not come to.
    pub wish: Option<WishRow>,
    /// The question that it waits for, answered or not.
    pub question: Option<QuestionRow>,
    /// An intent without a receipt.
    pub open_effect: Option<Intent>,
}

#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    /// Any of these; all if there are none.
    pub statuses: Vec<String>,
    pub agent: Option<String>,
    /// Words of titles, messages, answers and sites, each by its beginning; of a root those of its whole tree.
    pub query: Option<String>,
    /// Only runs after this one in the list: whether it is pinned, and its id.
    pub before: Option<(bool, RunId)>,
    /// Only those that no run has called.
    pub roots: bool,
    /// Only those of this tree.
    pub root: Option<RunId>,
    /// Only those that this run has called.
    pub parent: Option<RunId>,
    /// Only those whose root is archived, or is not.
    pub archived: Option<bool>,
    pub limit: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct GrantRow {
    pub id: GrantId,
    /// `run` or `site`.
    pub scope: String,
    pub run: Option<RunId>,
    pub origin: Option<String>,
    pub rule: String,
    pub created_at: Moment,
    pub expires_at: Moment,
}

#[derive(Clone, Debug)]
pub struct AuditRow {
    pub run: RunId,
    pub root: RunId,
    pub row: Value,
}
