//! State of an orchestration, and the changes that steps make to it.

use crate::ids::RunId;
use crate::programs::orchestration::graph::{OrchestrationEvent, OrchestrationNode};
use crate::programs::orchestration::plan::OrchestrationPlan;
use crate::programs::orchestration::plan::parse::PlanFault;
use crate::protocol::{Locale, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrchestrationState {
    pub locale: Locale,
    pub node: OrchestrationNode,
    #[serde(rename = "order")]
    pub request: OrchestrateInput,
    /// Deadline of the orchestration itself (Unix milliseconds).
    #[serde(rename = "until")]
    pub deadline_ms: Option<i64>,
    /// The agent that makes the plan, while the orchestration waits for it.
    pub planner: Option<RunId>,
    pub plan: Option<OrchestrationPlan>,
    pub faults: Vec<PlanFault>,
    #[serde(rename = "at")]
    pub step_index: usize,
    /// The steps begun so far, with the states of their agents.
    pub steps: Vec<BegunStep>,
    pub end: Option<OrchestrationEnd>,
}

/// Request of the caller.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrchestrateInput {
    pub prompt: Option<String>,
    pub plan: Option<Value>,
    #[serde(default)]
    pub bindings: Map<String, Value>,
    pub timeout_ms: Option<u64>,
    pub max_parallel: Option<usize>,
}

/// A step that has begun.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BegunStep {
    pub slots: Vec<AgentState>,
    /// Decision of a block, after which its other agents are no longer needed.
    pub decided: Option<BlockDecision>,
    /// Status of the finished step.
    pub status: Option<StepStatus>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockDecision {
    pub by: Option<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentState {
    #[serde(rename = "standing")]
    pub status: AgentStatus,
    /// Number of attempts.
    pub tries: u32,
    /// Start of the first attempt (Unix milliseconds).
    pub started_at: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum AgentStatus {
    #[default]
    Waiting,
    Running {
        run: RunId,
    },
    /// The agent is no longer needed and is being stopped.
    Cancelling {
        run: RunId,
    },
    Over(Box<AgentResult>),
}

/// Result of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentResult {
    pub status: StepStatus,
    pub run: Option<RunId>,
    pub outputs: Map<String, Value>,
    pub error: Option<StepFault>,
}

/// Status of a step in the outputs, with its name on the wire (S3.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    Success,
    Failed,
    Partial,
    Skipped,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepFault {
    pub code: String,
    pub message: String,
    /// The message for people, if the child's response has one.
    #[serde(default, rename = "said", skip_serializing_if = "Option::is_none")]
    pub message_for_people: Option<String>,
}

/// Reason for an end before all steps succeeded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrchestrationEnd {
    pub event: OrchestrationEvent,
    pub outcome: Status,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum StateChange {
    Began { until: Option<i64> },
    Planning { run: RunId },
    Planned { plan: OrchestrationPlan },
    Faulty { faults: Vec<PlanFault> },
    Begin { agents: usize },
    Start { agent: usize, run: RunId, at: i64 },
    Over { agent: usize, over: Box<AgentResult> },
    Cancel { agent: usize },
    Decide { by: Option<usize> },
    Leave { status: StepStatus },
    End { end: OrchestrationEnd },
}

/// Changes made by one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateChanges {
    pub to: OrchestrationNode,
    pub changes: Vec<StateChange>,
}

impl StepStatus {
    pub fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Partial => "partial",
            Self::Skipped => "skipped",
        }
    }

    /// True if there are outputs that later steps can use.
    pub fn has_outputs(self) -> bool {
        matches!(self, Self::Success | Self::Partial)
    }
}

impl AgentState {
    pub fn run(&self) -> Option<&RunId> {
        match &self.status {
            AgentStatus::Running { run } | AgentStatus::Cancelling { run } => Some(run),
            AgentStatus::Waiting | AgentStatus::Over(_) => None,
        }
    }

    pub fn result(&self) -> Option<&AgentResult> {
        match &self.status {
            AgentStatus::Over(over) => Some(over),
            AgentStatus::Waiting | AgentStatus::Running { .. } | AgentStatus::Cancelling { .. } => None,
        }
    }

    pub fn has_outputs(&self) -> bool {
        self.result().is_some_and(|over| over.status.has_outputs())
    }
}

impl OrchestrationState {
    pub fn begin(locale: Locale, request: OrchestrateInput) -> Self {
        Self {
            locale,
            node: OrchestrationNode::PlanInit,
            request,
            deadline_ms: None,
            planner: None,
            plan: None,
            faults: Vec::new(),
            step_index: 0,
            steps: Vec::new(),
            end: None,
        }
    }

    pub fn apply(&mut self, StateChanges { to, changes }: StateChanges) {
        for change in changes {
            self.change(change);
        }
        self.node = to;
    }

    pub fn change(&mut self, change: StateChange) {
        match change {
            StateChange::Began { until } => self.deadline_ms = until,
            StateChange::Planning { run } => self.planner = Some(run),
            StateChange::Planned { plan } => {
                // The caller's JSON is no longer needed.
                (self.plan, self.planner, self.request.plan) = (Some(plan), None, None);
            }
            StateChange::Faulty { faults } => (self.faults, self.planner) = (faults, None),
            StateChange::Begin { agents } => {
                self.steps
                    .push(BegunStep { slots: vec![AgentState::default(); agents], ..BegunStep::default() });
            }
            StateChange::Start { agent, run, at } => {
                if let Some(slot) = self.slot(agent) {
                    slot.tries += 1;
                    slot.started_at.get_or_insert(at);
                    slot.status = AgentStatus::Running { run };
                }
            }
            StateChange::Over { agent, over } => self.set_status(agent, |_| Some(AgentStatus::Over(over))),
            StateChange::Cancel { agent } => self.set_status(agent, |slot| {
                let run = slot.run().cloned()?;
                Some(AgentStatus::Cancelling { run })
            }),
            StateChange::Decide { by } => {
                if let Some(begun) = self.steps.get_mut(self.step_index) {
                    begun.decided = Some(BlockDecision { by });
                }
            }
            StateChange::Leave { status } => {
                if let Some(begun) = self.steps.get_mut(self.step_index) {
                    begun.status = Some(status);
                }
                self.step_index += 1;
            }
            StateChange::End { end } => self.end = Some(end),
        }
    }

    /// Sets the status of an agent of the current step; `None` leaves it unchanged.
    fn set_status(&mut self, agent: usize, next_status: impl FnOnce(&AgentState) -> Option<AgentStatus>) {
        if let Some(slot) = self.slot(agent)
            && let Some(next_status) = next_status(slot)
        {
            slot.status = next_status;
        }
    }

    fn slot(&mut self, agent: usize) -> Option<&mut AgentState> {
        self.steps.get_mut(self.step_index)?.slots.get_mut(agent)
    }

    /// Returns the agents of the current step; empty before the step begins.
    pub fn slots(&self) -> &[AgentState] {
        self.steps.get(self.step_index).map_or(&[], |begun| begun.slots.as_slice())
    }

    /// Returns the children that are not known to have ended.
    pub fn running_children(&self) -> impl Iterator<Item = &RunId> {
        self.planner
            .iter()
            .chain(self.steps.iter().flat_map(|begun| &begun.slots).filter_map(AgentState::run))
    }

    /// Returns the milliseconds left at `now`; `None` without a deadline.
    pub fn millis_left(&self, now: i64) -> Option<u64> {
        let left = self.deadline_ms?.saturating_sub(now).max(0);
        Some(left.unsigned_abs())
    }
}
