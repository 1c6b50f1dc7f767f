//! The cause of a failed run, for its caller.

use serde::{Deserialize, Serialize};

/// The error of a failed run. The text for people is in the run's response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailureCause {
    pub error: String,
    /// The name of the exception, or a short error code.
    pub error_type: String,
    /// The lines of the agent's code that led to the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
}
