//! The end of a child run, passed to `Program::step` and `Program::handle_background`, and the cause of its failure.

use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::rows::RunRow;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The end of a child run, for the run that called it.
#[derive(Clone, Debug, PartialEq)]
pub struct EndedChild {
    pub run: RunId,
    pub outcome: Status,
    /// True if the deadline had passed when the run ended.
    pub late: bool,
    /// Output variables.
    pub vars: Map<String, Value>,
    pub response: Option<String>,
    /// Error of a failed run.
    pub cause: Option<FailureCause>,
}

impl EndedChild {
    /// Reads the end of a run from its row.
    pub fn from_row(row: RunRow) -> Self {
        Self {
            late: row.deadline.is_some_and(|deadline| row.ended_at.is_some_and(|ended| ended >= deadline)),
            run: row.id,
            outcome: Status::from_word(&row.status).unwrap_or(Status::Failed),
            vars: row.vars,
            response: row.response,
            cause: row.cause.and_then(|cause| serde_json::from_value(cause).ok()),
        }
    }
}

/// The error of a failed run. The text for people is in the run's response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailureCause {
    /// Message for models and logs.
    pub error: String,
    /// The name of the exception, or a short error code.
    pub error_type: String,
    /// The lines of the agent's code that led to the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
}
