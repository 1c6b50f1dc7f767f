//! Actions that need neither the page nor the person: calls of agents, and the agent's actions on its own
//! tasks, knowledge and plan.

use crate::turn::page_range::PageRange;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Names of the internal actions. An agent file can switch each off (`tasks`, `knowledge`, `premoves`,
/// `plan`).
pub const INTERNAL: [&str; 4] = ["task_manager", "recall", "premove", "replan"];

/// An action within the service, which needs neither page nor person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "inner", rename_all = "snake_case")]
pub enum InternalAction {
    /// Calls another agent, with the input as the planner wrote it (see `agent_tools::Tool::complete`).
    Agent { name: String, input: Map<String, Value> },
    /// Groups its sub-actions and does nothing else (S4.20).
    Group { name: String },
    /// Queries or cancels background tasks (S4.17); only `list` needs no task id.
    TaskManager { operation: TaskOperation, task_id: Option<String> },
    /// Searches the agent's knowledge; all of it if no relics are named.
    Recall { query: String, relics: Vec<String> },
    /// Sets or clears the agents that are called before every plan (S4.31); `clear` without a name clears
    /// all.
    Premove {
        operation: PremoveOperation,
        name: Option<String>,
        agent: Option<String>,
        params: Map<String, Value>,
    },
    /// Requests a new plan.
    Replan { reason: String },
    /// Reads a file of the run: its text, or with `pictures` its pages as pictures. Planners write it as `extract`.
    /// An empty name with `pictures` asks for the picture of the page itself.
    ReadFile { file: String, pages: Option<PageRange>, pictures: bool },
}

impl InternalAction {
    /// Returns the name of the action as planners write it; for a call the name of the agent.
    pub fn name(&self) -> &str {
        match self {
            Self::Agent { name, .. } | Self::Group { name } => name,
            Self::TaskManager { .. } => "task_manager",
            Self::Recall { .. } => "recall",
            Self::Premove { .. } => "premove",
            Self::Replan { .. } => "replan",
            Self::ReadFile { .. } => "extract",
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
