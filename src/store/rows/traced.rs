//! What of a run tree happened when, without what it holds.

use super::{CallRow, RunRow, TaskRow};
use crate::clock::Moment;
use crate::ids::{QuestionId, RunId};
use serde_json::Value;

/// A run and all below it, as far as `TraceBounds` let it be read.
#[derive(Clone, Debug, Default)]
pub struct Traced {
    /// Callers before those that they call.
    pub runs: Vec<RunRow>,
    /// In order of their ends.
    pub steps: Vec<StepHead>,
    pub questions: Vec<Asked>,
    pub effects: Vec<EffectRow>,
    /// Model calls that were recorded, in order, each with its run.
    pub calls: Vec<(RunId, CallRow)>,
    pub tasks: Vec<TaskRow>,
    /// Facts that tell of model calls, actions and items, in order.
    pub facts: Vec<Told>,
    /// Runs and steps that there are besides.
    pub left_out: u64,
}

/// So much is read at most: the first runs, and of their steps the newest.
#[derive(Clone, Copy, Debug)]
pub struct TraceBounds {
    pub runs: usize,
    pub steps: usize,
}

/// A step without its changes.
#[derive(Clone, Debug)]
pub struct StepHead {
    pub run: RunId,
    pub n: u64,
    pub node: String,
    pub outcome: String,
    /// When it ended.
    pub at: Moment,
    pub took_ms: u64,
}

/// A question, open or not.
#[derive(Clone, Debug)]
pub struct Asked {
    pub reference: QuestionId,
    pub run: RunId,
    pub kind: String,
    pub frame: Value,
    pub asked_at: Moment,
    pub resolved_at: Option<Moment>,
    pub resolved_by: Option<String>,
    pub answer: Option<Value>,
    /// The client that it came from.
    pub client: Option<Value>,
}

/// An effect on the world, numbered within its run.
#[derive(Clone, Debug)]
pub struct EffectRow {
    pub run: RunId,
    pub n: u64,
    pub action_id: String,
    pub action: Value,
    pub intent_at: Moment,
    pub receipt_at: Option<Moment>,
    pub receipt: Option<Value>,
}

/// A fact of a run: `event`, and of its `data` what a timeline shows.
#[derive(Clone, Debug)]
pub struct Told {
    pub seq: u64,
    pub run: RunId,
    pub at: Moment,
    pub event: String,
    pub data: Value,
}
