//! Rows of a step's recording.

use crate::clock::Moment;
use serde_json::Value;

/// Recording of one step.
#[derive(Clone, Debug, Default)]
pub struct StepRecording {
    /// Number of the step within its run.
    pub step: u64,
    pub calls: Vec<NewCall>,
    /// Other inputs of the step; `None` if they are not recorded.
    pub body: Option<Value>,
}

/// A model call with its result, to add.
#[derive(Clone, Debug)]
pub struct NewCall {
    /// `n` is assigned when the call is stored.
    pub row: CallRow,
    pub text: CallText,
}

/// A model call without its texts.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRow {
    /// 1, 2, 3 … within its run.
    pub n: u64,
    /// Number of the step that made the call.
    pub step: u64,
    /// Use of the model, such as `planner` or `judge`.
    pub role: String,
    pub model: String,
    /// Start of the call.
    pub at: Moment,
    pub took_ms: u64,
    /// Tokens of the request, those in the endpoint's cache included.
    pub input: u64,
    /// Tokens of the request that the endpoint had in its cache.
    pub cached: u64,
    /// Tokens of the reply.
    pub output: u64,
    /// In `currency`; `None` if no price is known.
    pub cost: Option<f64>,
    pub currency: Option<String>,
    /// Error message; `None` if there is an answer.
    pub error: Option<String>,
    /// True if the step was dropped before it was stored.
    pub dropped: bool,
}

/// Texts of a model call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallText {
    pub messages: Vec<Value>,
    /// Request without its messages; null if only answers are recorded.
    pub request: Value,
    /// Reply of the endpoint; `None` after a failure.
    pub answer: Option<Value>,
    /// Error for a replay; `None` if the call succeeded.
    pub fault: Option<Value>,
}
