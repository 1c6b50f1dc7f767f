//! Why a run fails, for those who called it.

use serde::{Deserialize, Serialize};

/// What people read of it stands in the run's response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    pub error: String,
    /// The exception's name, or a short word.
    pub error_type: String,
    /// Lines of the agent's code that led there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
}
