//! An accepted plan (S3.10): steps in order, each with one agent or several parallel ones. `parse` and `check`
//! make it from a caller's or a model's JSON.

pub(crate) mod parse;
pub(crate) mod check;

use crate::agent_name;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Merge strategy of a block: which failures are allowed, and when to stop waiting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeStrategy {
    /// All agents run to their ends, and all must succeed.
    #[default]
    Collect,
    /// The first success decides.
    FirstSuccess,
    /// The first end decides, whatever its outcome.
    Race,
    /// This number of agents must succeed.
    Quorum(usize),
    /// All agents run to their ends, and failures are ignored.
    BestEffort,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrchestrationPlan {
    pub steps: Vec<PlanStep>,
    /// The named agents, as they were when the plan was checked.
    pub agents: BTreeMap<String, AgentProperties>,
}

/// Properties of an agent that a plan depends on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentProperties {
    /// Declared inputs with their types.
    pub inputs: BTreeMap<String, String>,
    /// True if the agent works in the run tree's browser, which serves one agent at a time.
    pub browses: bool,
    /// True if a second call has the same effect as one (C11).
    pub repeatable: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PlanStep {
    Agent(AgentStep),
    Parallel(ParallelStep),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentStep {
    pub id: String,
    pub agent_id: String,
    pub action_id: Option<String>,
    /// Template of the message to the agent.
    pub prompt: Option<String>,
    /// Inputs by name; texts are templates.
    pub with: Map<String, Value>,
    pub result_key: String,
    pub timeout_ms: Option<u64>,
    /// Most further attempts.
    pub retry: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParallelStep {
    pub id: String,
    pub children: Vec<AgentStep>,
    pub max_concurrency: Option<usize>,
    pub merge: MergeStrategy,
    pub result_key: String,
}

impl MergeStrategy {
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

impl PlanStep {
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

    /// Returns the agents of the step: one, or those of the block.
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

/// Name under which templates find the results of earlier steps.
pub const RESULT: &str = "result";

/// True if the input's value is passed on unchanged.
pub fn is_verbatim(step: &AgentStep, name: &str) -> bool {
    agent_name::is_service_agent(&step.agent_id) && name == "plan"
}
