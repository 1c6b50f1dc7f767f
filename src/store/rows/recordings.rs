//! Rows of a step's recording.

use crate::clock::Moment;
use serde_json::Value;

/// Recording of one step.
#[derive(Clone, Debug, Default)]
pub struct StepRecording {
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
    pub step: u64,
    pub role: String,
    pub model: String,
    pub at: Moment,
    pub took_ms: u64,
    pub input: u64,
    pub cached: u64,
    pub output: u64,
    pub cost: Option<f64>,
    pub currency: Option<String>,
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
    pub answer: Option<Value>,
    pub fault: Option<Value>,
}
