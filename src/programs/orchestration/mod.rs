//! The program of `agent_orchestrate` (docs/orchestration.md): carries out a plan of other agents, in sequence and in
//! parallel. `graph` is the state machine and `step` makes the decisions, both pure; this file connects them
//! to the engine.

pub(crate) mod merge;
pub mod planning;
pub mod step_run;
pub(crate) mod agent_inputs;
pub mod dependencies;
pub(crate) mod shared_budget;
pub mod graph;
pub mod observers;
pub(crate) mod outputs;
pub(crate) mod plan;
pub(crate) mod responses;
pub mod state;
pub(crate) mod step;
#[cfg(test)]
mod tests;

use crate::clock::Moment;
use crate::engine::program::after_commit::AfterCommit;
use crate::engine::program::result_text::{format_vars, outcome_text};
use crate::engine::program::{
    ChildRuns, Continuation, Program, ProgramError, Replayable, RunEnd, RunEnding, StepInput, StepRecord,
    StepResult,
};
use crate::ids::RunId;
use crate::programs::orchestration::dependencies::Deps;
use crate::programs::orchestration::graph::OrchestrationNode;
use crate::programs::orchestration::observers::Observer;
use crate::programs::orchestration::planning::plan_source;
use crate::programs::orchestration::state::{
    AgentState, OrchestrationEnd, OrchestrationState, StateChange, StateChanges,
};
use crate::programs::orchestration::step_run::OrchestrationStepOutput;
use crate::protocol::Status;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::store::rows::{Intent, RunReport};
use crate::texts::endings;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

pub struct Orchestration {
    state: OrchestrationState,
    deps: Arc<Deps>,
}

impl Orchestration {
    /// Name of this program in stored runs.
    pub const NAME: &'static str = "orchestration";

    pub fn load(state: Value, deps: Arc<Deps>) -> Result<Self, ProgramError> {
        let state = serde_json::from_value(state)?;
        Ok(Self { state, deps })
    }
}

impl Program for Orchestration {
    fn node(&self) -> &'static str {
        self.state.node.word()
    }

    fn step(&self, input: StepInput) -> BoxFuture<'static, Result<StepResult, ProgramError>> {
        let (state, deps) = (self.state.clone(), Arc::clone(&self.deps));
        Box::pin(async move {
            let output = AssertUnwindSafe(take_step(&state, &deps, &input)).catch_unwind().await;
            // A panic ends the orchestration with its results so far, not the process (S3.23).
            let output = output.unwrap_or_else(|_| Ok(panic_output(&state)))?;
            apply_transition(state, &deps.observers, &input.run, output)
        })
    }

    fn apply(&mut self, changes: &Value) -> Result<(), ProgramError> {
        let changes: StateChanges = serde::Deserialize::deserialize(changes)?;
        self.state.apply(changes);
        Ok(())
    }

    fn state(&self) -> Value {
        json!(self.state)
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
}

impl ChildRuns for Orchestration {
    fn awaited_children(&self) -> Vec<RunId> {
        match self.state.node {
            OrchestrationNode::PlannerActive | OrchestrationNode::AwaitingResults => {
                self.state.running_children().cloned().collect()
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
        self.state.running_children().cloned().collect()
    }
}

impl RunEnding for Orchestration {
    fn partial_outputs(&self) -> Map<String, Value> {
        outputs::outputs(&self.state)
    }

    fn interrupted_response(&self, outcome: Status) -> String {
        outcome_text(outcome, self.state.locale).to_owned()
    }
}

impl Replayable for Orchestration {
    fn is_replayable(&self) -> bool {
        true
    }
}

async fn take_step(
    state: &OrchestrationState,
    deps: &Deps,
    input: &StepInput,
) -> Result<OrchestrationStepOutput, ProgramError> {
    let plan = match (state.node, &state.plan) {
        (OrchestrationNode::PlanInit, _) => {
            return Ok(plan_source::begin(state));
        }
        (OrchestrationNode::PlannerActive, _) => {
            let output = plan_source::plan(state, deps, input).await?;
            return crate::programs::orchestration::shared_budget::mark_exhausted(
                state,
                &deps.store,
                input,
                output,
            )
            .await;
        }
        (_, Some(plan)) => plan,
        (_, None) => return Err(ProgramError::Changes(String::from("an orchestration without a plan"))),
    };
    let width = state.request.max_parallel.unwrap_or(deps.width).min(deps.width);
    let now = Moment::now().millis();
    let output = step::step(
        state,
        crate::programs::orchestration::step_run::OrchestrationStepInput {
            plan,
            width,
            ended: &input.ended,
            now,
        },
        RunId::fresh,
    );
    crate::programs::orchestration::shared_budget::mark_exhausted(state, &deps.store, input, output).await
}

fn panic_output(state: &OrchestrationState) -> OrchestrationStepOutput {
    let event = graph::OrchestrationEvent::Panic;
    let end = OrchestrationEnd {
        event,
        outcome: Status::Failed,
        why: endings::orchestration_step_crashed(state.locale).to_owned(),
    };
    OrchestrationStepOutput::new(event, vec![StateChange::End { end }])
}

/// Applies a transition. Observers are notified once it is stored.
fn apply_transition(
    state: OrchestrationState,
    observers: &[Arc<dyn Observer>],
    run: &RunId,
    output: OrchestrationStepOutput,
) -> Result<StepResult, ProgramError> {
    let (node, event) = (state.node, output.event);
    let Some(to) = graph::transition(node, event) else {
        let message = format!("{} cannot happen at {}", event.word(), node.word());
        return Err(ProgramError::Failed(message));
    };
    let changes = json!(StateChanges { to, changes: output.changes.clone() });
    let mut after = state;
    after.apply(StateChanges { to, changes: output.changes });
    let (observers, run, finished) = (observers.to_vec(), run.clone(), output.finished);
    let after_commit = AfterCommit::new(move || {
        observers.iter().for_each(|one| one.before_event(&run, node, event));
        observers.iter().for_each(|one| one.enter_state(&run, to));
        observers.iter().for_each(|one| finished.iter().for_each(|step| one.record_finished(&run, step)));
        observers.iter().for_each(|one| one.after_event(&run, event, to));
    });
    let next = match after.running_children().next() {
        _ if to.is_end() => Continuation::End(end(&after)),
        // Only a run that awaits is woken by its children.
        Some(_) => Continuation::Await,
        None => Continuation::Go,
    };
    let own = Event::Node { node: node.word().to_owned() };
    let facts = [own].into_iter().chain(output.events).map(Fact::Event).collect();
    let (calls, cancel) = (output.calls, output.cancel);
    let plan = after.plan.as_ref().filter(|_| event == graph::OrchestrationEvent::PlannerFinished);
    let plan = plan.map(|plan| json!({"steps": outputs::plan_steps_json(plan)}));
    let report = RunReport { plan, progress: progress(&after), ..RunReport::default() };
    let record = StepRecord { facts, calls, cancel, report, after_commit, ..StepRecord::default() };
    Ok(StepResult { node: node.word(), outcome: event.word(), changes, next, record })
}

fn end(state: &OrchestrationState) -> RunEnd {
    let vars = outputs::outputs(state);
    let last = state.steps.last().and_then(|begun| begun.slots.last()).and_then(AgentState::result);
    let (outcome, response) = match &state.end {
        Some(end) => (end.outcome, end.why.clone()),
        None if outputs::is_success(state) => {
            let response = last.map(|over| format_vars(&over.outputs, state.locale));
            (
                Status::Succeeded,
                response.unwrap_or_else(|| outcome_text(Status::Succeeded, state.locale).to_owned()),
            )
        }
        None => (Status::Partial, endings::partly_done(state.locale).to_owned()),
    };
    RunEnd { outcome, response: Some(response), vars }
}

/// Returns the share of all agents that has ended, from 0 to 1.
#[allow(clippy::cast_precision_loss, reason = "plans have few steps")]
fn progress(state: &OrchestrationState) -> Option<f64> {
    let all: usize = state.plan.as_ref()?.steps.iter().map(|step| step.agents().len()).sum();
    let finished =
        state.steps.iter().flat_map(|begun| &begun.slots).filter(|slot| slot.result().is_some()).count();
    (all > 0).then(|| finished as f64 / all as f64)
}
