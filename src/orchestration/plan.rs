//! A plan as it is carried out (S3.10): steps in order, each one agent or several side by side. What a caller
//! or a model wrote becomes one in `read` and `check`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Whether all side by side may fail, and when the rest is not needed any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Merge {
    /// All run to their end.
    #[default]
    Collect,
    /// The first that succeeds is enough.
    FirstSuccess,
    /// The first that ends decides, however it ends.
    Race,
    /// So many have to succeed.
    Quorum(usize),
    /// All run to their end, and failures are let be.
    BestEffort,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub steps: Vec<Step>,
    /// The agents that it names, as they were when it was checked.
    pub agents: BTreeMap<String, Facts>,
}

/// What a plan needs to know of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Declared inputs with their types.
    pub inputs: BTreeMap<String, String>,
    /// It works in the run tree's one browser, which is one agent's at a time.
    pub browses: bool,
    /// A second call does what one does (C11).
    pub repeatable: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Step {
    Agent(AgentStep),
    Parallel(ParallelStep),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentStep {
    pub id: String,
    pub agent_id: String,
    pub action_id: Option<String>,
    /// Words for the agent, a template.
    pub prompt: Option<String>,
    /// Inputs by name; texts are templates.
    pub with: Map<String, Value>,
    pub result_key: String,
    pub timeout_ms: Option<u64>,
    /// Further tries.
    pub retry: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParallelStep {
    pub id: String,
    pub children: Vec<AgentStep>,
    pub max_concurrency: Option<usize>,
    pub merge: Merge,
    pub result_key: String,
}

impl Merge {
    pub const WORDS: [&str; 5] = ["collect", "first_success", "race", "quorum", "best_effort"];

    pub fn word(self) -> &'static str {
        match self {
            Self::Collect => "collect",
            Self::FirstSuccess => "first_success",
            Self::Race => "race",
            Self::Quorum(_) => "quorum",
            Self::BestEffort => "best_effort",
        }
    }
}

impl Step {
    pub fn id(&self) -> &str {
        match self {
            Self::Agent(step) => &step.id,
            Self::Parallel(block) => &block.id,
        }
    }

    pub fn result_key(&self) -> &str {
        match self {
            Self::Agent(step) => &step.result_key,
            Self::Parallel(block) => &block.result_key,
        }
    }

    /// The agents of it: itself, or those side by side.
    pub fn agents(&self) -> &[AgentStep] {
        match self {
            Self::Agent(step) => std::slice::from_ref(step),
            Self::Parallel(block) => &block.children,
        }
    }

    pub fn block(&self) -> Option<&ParallelStep> {
        match self {
            Self::Agent(_) => None,
            Self::Parallel(block) => Some(block),
        }
    }
}
