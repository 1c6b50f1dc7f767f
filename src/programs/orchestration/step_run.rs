//! A step of an orchestration while it is computed: its input, its output, and the events that it makes.

use crate::engine::program::ChildCall;
use crate::engine::program::ended_child::EndedChild;
use crate::ids::RunId;
use crate::programs::orchestration::graph::OrchestrationEvent;
use crate::programs::orchestration::plan::OrchestrationPlan;
use crate::programs::orchestration::state::{OrchestrationState, StateChange};
use crate::protocol::event::Event;

/// An agent of the plan that has ended (S3.31).
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedAgent {
    pub step_id: String,
    pub agent_id: String,
    pub action_id: Option<String>,
    pub exec_id: Option<RunId>,
    pub latency_ms: i64,
    pub status: &'static str,
}

pub(crate) struct StepRun<'a, F> {
    pub input: OrchestrationStepInput<'a>,
    /// The state, with the changes so far.
    pub state: OrchestrationState,
    pub output: OrchestrationStepOutput,
    pub(crate) new_run_id: F,
}

/// Inputs of a step.
#[derive(Clone, Copy)]
pub struct OrchestrationStepInput<'a> {
    pub plan: &'a OrchestrationPlan,
    /// Most agents at work at a time.
    pub width: usize,
    /// Ended children, oldest end first.
    pub ended: &'a [EndedChild],
    /// Current time in Unix milliseconds.
    pub now: i64,
}

/// Result of a step.
#[derive(Debug)]
pub struct OrchestrationStepOutput {
    pub event: OrchestrationEvent,
    pub changes: Vec<StateChange>,
    pub calls: Vec<ChildCall>,
    pub cancel: Vec<RunId>,
    /// Events for viewers.
    pub events: Vec<Event>,
    /// Agents that have ended, for the log.
    pub finished: Vec<FinishedAgent>,
}

impl OrchestrationStepOutput {
    pub fn new(event: OrchestrationEvent, changes: Vec<StateChange>) -> Self {
        let (calls, cancel, events, finished) = Default::default();
        Self { event, changes, calls, cancel, events, finished }
    }
}
