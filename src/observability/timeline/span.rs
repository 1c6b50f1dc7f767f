//! Spans of a timeline.

use crate::clock::Moment;
use crate::ids::{QuestionId, RunId};
use serde::Serialize;
use serde_json::Value;

/// The timeline of a run and all runs below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    pub run: RunId,
    pub root: RunId,
    /// Time of the query. Spans without an end last until then.
    pub at: Moment,
    /// Sorted by their beginnings.
    pub spans: Vec<Span>,
    /// Number of runs and steps omitted because of the bounds.
    pub left_out: u64,
}

/// An activity with a duration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// Stable id: the id of the run or question, or that of the run followed by `/s`, `/c` or `/a` and the
    /// number of the step, call or action.
    pub id: String,
    /// Id of the containing span; `None` for the requested run.
    pub parent: Option<String>,
    #[serde(rename = "run_id")]
    pub run: RunId,
    /// Identifier for programs: the agent of a run, the node of a step, the role of a call.
    pub name: String,
    /// Status of a run or task, outcome of a step, `ok`, `failed`, `running` or `unknown` for a call or an
    /// action, and for a question `open` or who resolved it.
    pub status: String,
    #[serde(serialize_with = "crate::observability::timeline::moment")]
    pub begin: Moment,
    #[serde(serialize_with = "crate::observability::timeline::maybe_moment")]
    pub end: Option<Moment>,
    #[serde(flatten)]
    pub what: SpanKind,
}

impl Span {
    /// Reports whether the span began, ended or continued after `since`. Runs are always included, because
    /// their usage grows.
    pub fn changed_since(&self, since: Moment) -> bool {
        let goes_on = self.end.is_none_or(|end| end >= since);
        goes_on || self.begin >= since || matches!(self.what, SpanKind::Run { .. })
    }
}

/// Kind of a span, with its specific data.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SpanKind {
    Run {
        title: String,
        program: String,
        node: String,
        depth: u32,
        version: Option<String>,
        /// Item of the caller that the run works on.
        item: Option<TimelineItem>,
        steps: u64,
        model_calls: u64,
        unpriced_calls: u64,
        input_tokens: u64,
        cached_tokens: u64,
        output_tokens: u64,
        cost: Option<f64>,
    },
    Step {
        n: u64,
        took_ms: Option<u64>,
    },
    Call {
        /// Number within the run, as in `/api/runs/{id}/calls/{n}`; `None` if the call was not recorded.
        n: Option<u64>,
        model: String,
        input_tokens: u64,
        cached_tokens: u64,
        output_tokens: u64,
        cost: Option<f64>,
        error: Option<String>,
        /// True if the beginning is estimated: the beginning of the step, or the end of the previous call.
        estimated: bool,
    },
    Question {
        reference: QuestionId,
        question: String,
        reason: String,
        /// `text` and `reason` by language, for questions of the service itself.
        texts: Value,
        /// Answer with secrets removed.
        answer: Option<Value>,
        /// Client that answered.
        client: Option<Value>,
    },
    Action {
        action_id: String,
        /// Number of the effect within the run; `None` if the action has none.
        effect: Option<u64>,
        /// Target and parameters: `role`, `name`, `url`, `key`, `direction`.
        about: Value,
        code: Option<String>,
    },
    Task {
        task_id: String,
        action_id: String,
        label: Option<String>,
        child_run_id: Option<RunId>,
        progress: Option<f64>,
    },
    /// An item without a run: it was skipped or refused.
    Item {
        #[serde(flatten)]
        item: TimelineItem,
        error: Option<String>,
    },
}

/// Item of a composite agent or an orchestration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimelineItem {
    pub item_id: String,
    pub lane: u64,
    pub attempt: u64,
}
