//! The program of `agent_orchestrate` (document 003): carries out a plan of other agents, in sequence and in
//! parallel. `graph` is the state machine and `step` makes the decisions, both pure; this file connects them
//! to the engine.

mod check;
pub mod graph;
mod child_results;
mod inputs;
mod merge;
pub mod observers;
pub mod order;
mod outputs;
mod plan;
mod planning;
mod read;
mod spending;
pub mod state;
mod step;
#[cfg(test)]
mod tests;
mod words;

pub use check::AgentLookupResult;
pub use plan::AgentProperties;

use crate::clock::Moment;
use crate::ids::RunId;
use crate::model::Planner;
use crate::model::orchestration::OfferedAgent;
use crate::program::words::{given as told, outcome_text};
use crate::program::{
    AfterCommit, Continuation, Program, ProgramError, RunEnd, StepInput, StepRecord, StepResult,
};
use crate::protocol::Status;
use crate::protocol::server::{Event, Fact};
use crate::store::Store;
use crate::store::rows::Intent;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use graph::OrchestrationNode;
use observers::Observer;
use serde_json::{Map, Value, json};
use state::{OrchestrationEnd, OrchestrationState, Slot, StateChange, StateChanges};
use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use step::OrchestrationStepOutput;

/// The agents that a plan may name. Every method without a future may block on the disk.
pub trait AgentOffers: Send + Sync {
    fn look_up_agent(&self, name: &str) -> AgentLookupResult;
    /// Waits for the offers of other servers before these agents are looked up, without blocking.
    fn await_offers(&self, names: &BTreeSet<String>) -> BoxFuture<'static, ()>;
    /// Returns the agents offered to a planner: all but the orchestrator.
    fn offered(&self) -> Vec<OfferedAgent>;
    /// Checks that an agent may be the planner: it must be a model alone. Returns the reason if it may not.
    fn may_plan(&self, name: &str) -> Result<(), String>;
}

/// Shared services of orchestrations.
pub struct Deps {
    pub offers: Arc<dyn AgentOffers>,
    pub planner: Planner,
    pub planner_agent: Option<String>,
    pub planner_model: Option<String>,
    pub store: Arc<dyn Store>,
    /// Most agent steps of one plan.
    pub steps: u32,
    /// Most agents at work at a time.
    pub width: usize,
    pub observers: Vec<Arc<dyn Observer>>,
}

pub struct Orchestration {
    state: OrchestrationState,
    deps: Arc<Deps>,
}

impl Orchestration {
    /// Name of this program in stored runs.
    pub const NAME: &'static str = "orchestration";

    pub fn load(state: Value, deps: Arc<Deps>) -> Result<Self, ProgramError> {
        let state =
            serde_json::from_value(state).map_err(|fault| ProgramError::Changes(fault.to_string()))?;
        Ok(Self { state, deps })
    }
}

impl Program for Orchestration {
    fn node(&self) -> &'static str {
        self.state.node.name()
    }

    fn step(&self, given: StepInput) -> BoxFuture<'static, Result<StepResult, ProgramError>> {
        let (state, deps) = (self.state.clone(), Arc::clone(&self.deps));
        Box::pin(async move {
            let taken = AssertUnwindSafe(take_step(&state, &deps, &given)).catch_unwind().await;
            // A panic ends the orchestration with its results so far, not the process (S3.23).
            let taken = taken.unwrap_or_else(|_| Ok(panicked(&state)))?;
            apply_transition(state, &deps, &given.run, taken)
        })
    }

    fn apply(&mut self, changes: &Value) -> Result<(), ProgramError> {
        let changes: StateChanges = serde::Deserialize::deserialize(changes)
            .map_err(|fault| ProgramError::Changes(format!("{fault}")))?;
        self.state.apply(changes);
        Ok(())
    }

    fn state(&self) -> Value {
        json!(self.state)
    }

    fn awaited_children(&self) -> Vec<RunId> {
        match self.state.node {
            OrchestrationNode::PlannerActive | OrchestrationNode::AwaitingResults => {
                self.state.running().cloned().collect()
            }
            OrchestrationNode::PlanInit
            | OrchestrationNode::PlanValidated
            | OrchestrationNode::DispatchingStep
            | OrchestrationNode::MergingResults
            | OrchestrationNode::Completed
            | OrchestrationNode::Failed => Vec::new(),
        }
    }

    fn unfinished_children(&self) -> Vec<RunId> {
        self.state.running().cloned().collect()
    }

    fn is_replayable(&self) -> bool {
        true
    }

    fn is_repeatable(&self) -> bool {
        // The plan of a model costs money.
        self.state.node != OrchestrationNode::PlannerActive
    }

    fn recover(&self, _: Option<&Intent>) -> Value {
        json!(StateChanges { to: self.state.node, changes: Vec::new() })
    }

    fn reopen(&self) -> Option<Value> {
        None
    }

    fn partial_outputs(&self) -> Map<String, Value> {
        outputs::outputs(&self.state)
    }

    fn interrupted_response(&self, outcome: Status) -> String {
        outcome_text(outcome, self.state.locale).to_owned()
    }
}

async fn take_step(
    state: &OrchestrationState,
    deps: &Deps,
    given: &StepInput,
) -> Result<OrchestrationStepOutput, ProgramError> {
    let plan = match (state.node, &state.plan) {
        (OrchestrationNode::PlanInit, _) => return Ok(planning::begin(state)),
        (OrchestrationNode::PlannerActive, _) => {
            let taken = planning::plan(state, deps, given).await?;
            return spending::mark_exhausted(state, deps, given, taken).await;
        }
        (_, Some(plan)) => plan,
        (_, None) => return Err(ProgramError::Changes(String::from("an orchestration without a plan"))),
    };
    let width = state.order.max_parallel.unwrap_or(deps.width).min(deps.width);
    let now = Moment::now().millis();
    let taken = step::step(
        state,
        step::OrchestrationStepInput { plan, width, ended: &given.ended, now },
        RunId::fresh,
    );
    spending::mark_exhausted(state, deps, given, taken).await
}

fn panicked(state: &OrchestrationState) -> OrchestrationStepOutput {
    let event = graph::OrchestrationEvent::Panic;
    let end = OrchestrationEnd { event, outcome: Status::Failed, why: words::broke_down(state.locale) };
    OrchestrationStepOutput::new(event, vec![StateChange::End { end }])
}

/// Applies a transition. Observers are notified once it is stored.
fn apply_transition(
    state: OrchestrationState,
    deps: &Deps,
    run: &RunId,
    taken: OrchestrationStepOutput,
) -> Result<StepResult, ProgramError> {
    let (node, event) = (state.node, taken.event);
    let Some(to) = graph::transition(node, event) else {
        let words = format!("{} cannot happen at {}", event.word(), node.name());
        return Err(ProgramError::Failed(words));
    };
    let changes = json!(StateChanges { to, changes: taken.changes.clone() });
    let mut after = state;
    after.apply(StateChanges { to, changes: taken.changes });
    let (observers, run, finished) = (deps.observers.clone(), run.clone(), taken.finished);
    let afterwards = AfterCommit::new(move || {
        observers.iter().for_each(|one| one.before_event(&run, node, event));
        observers.iter().for_each(|one| one.enter_state(&run, to));
        observers.iter().for_each(|one| finished.iter().for_each(|step| one.finished(&run, step)));
        observers.iter().for_each(|one| one.after_event(&run, event, to));
    });
    let next = match after.running().next() {
        _ if to.is_end() => Continuation::End(end(&after)),
        // Only a run that awaits is woken by its children.
        Some(_) => Continuation::Await,
        None => Continuation::Go,
    };
    let own = Event::Node { node: node.name().to_owned() };
    let facts = [own].into_iter().chain(taken.told).map(Fact::Event).collect();
    let (calls, cancel) = (taken.calls, taken.cancel);
    let plan = after.plan.as_ref().filter(|_| event == graph::OrchestrationEvent::PlannerFinished);
    let plan = plan.map(|plan| json!({"steps": outputs::plan_steps_json(plan)}));
    let progress = progress(&after);
    let record = StepRecord { facts, calls, cancel, plan, progress, afterwards, ..StepRecord::default() };
    Ok(StepResult { node: node.name(), outcome: event.word(), changes, next, record })
}

fn end(state: &OrchestrationState) -> RunEnd {
    let vars = outputs::outputs(state);
    let last = state.steps.last().and_then(|begun| begun.slots.last()).and_then(Slot::over);
    let (outcome, response) = match &state.end {
        Some(end) => (end.outcome, end.why.clone()),
        None if outputs::is_success(state) => {
            let said = last.map(|over| told(&over.outputs, state.locale));
            (
                Status::Succeeded,
                said.unwrap_or_else(|| outcome_text(Status::Succeeded, state.locale).to_owned()),
            )
        }
        None => (Status::Partial, words::partial(state.locale).to_owned()),
    };
    RunEnd { outcome, response: Some(response), vars }
}

/// Returns the share of all agents that has ended, from 0 to 1.
#[allow(clippy::cast_precision_loss, reason = "plans have few steps")]
fn progress(state: &OrchestrationState) -> Option<f64> {
    let all: usize = state.plan.as_ref()?.steps.iter().map(|step| step.agents().len()).sum();
    let over = state.steps.iter().flat_map(|begun| &begun.slots).filter(|slot| slot.over().is_some()).count();
    (all > 0).then(|| over as f64 / all as f64)
}
