//! Timeline data of a run tree: events with their times, without large contents.

use crate::clock::Moment;
use crate::ids::{QuestionId, RunId};
use crate::store::rows::recordings::CallRow;
use crate::store::rows::{RunRow, TaskRow};
use serde_json::Value;

/// Timeline data of a run and its descendants, within the limits of [`TraceBounds`].
#[derive(Clone, Debug, Default)]
pub struct TimelineData {
    /// Parents before their children.
    pub runs: Vec<RunRow>,
    /// Ordered by their ends.
    pub steps: Vec<StepHead>,
    pub questions: Vec<TimelineQuestion>,
    pub effects: Vec<EffectRow>,
    /// Recorded model calls with their runs, in order.
    pub calls: Vec<(RunId, CallRow)>,
    pub tasks: Vec<TaskRow>,
    /// Events of model calls, actions and items, in order.
    pub events: Vec<TimelineEvent>,
    /// Number of runs and steps beyond the limits.
    pub left_out: u64,
}

/// Limits of [`TimelineData`]: the first runs, and the newest of their steps.
#[derive(Clone, Copy, Debug)]
pub struct TraceBounds {
    /// Most runs.
    pub runs: usize,
    /// Most steps of all these runs.
    pub steps: usize,
}

/// A step without its changes.
#[derive(Clone, Debug)]
pub struct StepHead {
    pub run: RunId,
    /// 1, 2, 3 … within the run.
    pub n: u64,
    pub node: String,
    pub outcome: String,
    /// End of the step.
    pub at: Moment,
    pub took_ms: u64,
}

/// A question, open or resolved.
#[derive(Clone, Debug)]
pub struct TimelineQuestion {
    pub reference: QuestionId,
    pub run: RunId,
    pub kind: String,
    /// The question as sent.
    pub frame: Value,
    pub asked_at: Moment,
    pub resolved_at: Option<Moment>,
    /// Word of a `protocol::server::ResolvedBy`; `None` while the question is open.
    pub resolved_by: Option<String>,
    pub answer: Option<Value>,
    /// The client that answered.
    pub client: Option<Value>,
}

/// An effect, numbered within its run.
#[derive(Clone, Debug)]
pub struct EffectRow {
    pub run: RunId,
    pub n: u64,
    pub action_id: String,
    /// Action with its parameters; placeholders stand for secrets.
    pub action: Value,
    pub intent_at: Moment,
    /// `None` if the effect has no receipt: its outcome is unknown, or it is under way.
    pub receipt_at: Option<Moment>,
    /// Result of the action.
    pub receipt: Option<Value>,
}

/// An event of a run, and the part of its `data` that a timeline shows.
#[derive(Clone, Debug)]
pub struct TimelineEvent {
    /// Number within the run tree.
    pub seq: u64,
    pub run: RunId,
    pub at: Moment,
    pub name: String,
    pub data: Value,
}
