//! What a step heard, as it is kept.

use crate::clock::Moment;
use serde_json::Value;

/// All of one step.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    pub step: u64,
    pub calls: Vec<NewCall>,
    /// What else it was told; none where nothing of that is kept.
    pub body: Option<Value>,
}

/// A question to a model and what came of it.
#[derive(Clone, Debug)]
pub struct NewCall {
    /// Its number is given when it is stored.
    pub row: CallRow,
    pub text: CallText,
}

/// A call without its words.
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
    /// The step that asked was dropped before it came to anything.
    pub dropped: bool,
}

/// Its words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallText {
    pub messages: Vec<Value>,
    /// What is asked besides the messages; null where only answers are kept.
    pub request: Value,
    pub answer: Option<Value>,
    pub fault: Option<Value>,
}
