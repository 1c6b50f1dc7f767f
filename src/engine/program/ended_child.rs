//! A child run that has ended.

use crate::engine::program::failure_cause::FailureCause;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::rows::RunRow;
use serde_json::{Map, Value};

/// The end of a child run, for the run that called it.
#[derive(Clone, Debug, PartialEq)]
pub struct EndedChild {
    pub run: RunId,
    pub outcome: Status,
    /// True if the deadline had passed when the run ended.
    pub late: bool,
    pub vars: Map<String, Value>,
    pub response: Option<String>,
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
