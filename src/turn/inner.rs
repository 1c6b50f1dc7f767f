//! Actions that need neither a page nor the person: calls of agents, and what the agent does with its own
//! tasks, knowledge and plan.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The names of what the agent does with itself; its file can switch each off (`tasks`, `knowledge`, `premoves`, `plan`).
pub const INTERNAL: [&str; 4] = ["task_manager", "recall", "premove", "replan"];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "inner", rename_all = "snake_case")]
pub enum Inner {
    /// Calls another agent; the input is as the planner wrote it, see `tools::Tool::complete`.
    Agent { name: String, input: Map<String, Value> },
    /// Nothing by itself: it waits for its sub-actions (S4.20).
    Group { name: String },
    /// Asks for tasks in the background (S4.17); only `list` needs no task.
    TaskManager { operation: TaskOperation, task_id: Option<String> },
    /// Looks something up in what the agent was given to know; in all of it, if no relics are named.
    Recall { query: String, relics: Vec<String> },
    /// Sets what is called before every plan (S4.31); `clear` without a name clears all.
    Premove {
        operation: PremoveOperation,
        name: Option<String>,
        agent: Option<String>,
        params: Map<String, Value>,
    },
    /// Asks for a new plan.
    Replan { reason: String },
}

impl Inner {
    pub fn name(&self) -> &str {
        match self {
            Self::Agent { name, .. } | Self::Group { name } => name,
            Self::TaskManager { .. } => "task_manager",
            Self::Recall { .. } => "recall",
            Self::Premove { .. } => "premove",
            Self::Replan { .. } => "replan",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskOperation {
    GetStatus,
    List,
    Wait,
    Cancel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PremoveOperation {
    Set,
    Clear,
    List,
}
