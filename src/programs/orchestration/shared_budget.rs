//! Shared budgets of a plan's agents (C5): an agent that fails because a budget is used up ends the
//! orchestration as `exhausted`, like any run that reaches the budget.

use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::model_usage::find_used_up_limit;
use crate::engine::program::{ProgramError, StepInput};
use crate::programs::orchestration::state::{AgentState, OrchestrationState, StateChange};
use crate::programs::orchestration::step_run::OrchestrationStepOutput;
use crate::protocol::Status;
use crate::store::Store;
use std::sync::Arc;

/// Changes the end of the step to `exhausted` if a budget of the orchestration is used up.
pub async fn mark_exhausted(
    state: &OrchestrationState,
    store: &Arc<dyn Store>,
    input: &StepInput,
    mut output: OrchestrationStepOutput,
) -> Result<OrchestrationStepOutput, ProgramError> {
    if may_be_exhausted(state, &input.ended, &output)
        && find_used_up_limit(store, &input.run).await?.is_some()
    {
        for change in &mut output.changes {
            if let StateChange::End { end } = change {
                end.outcome = Status::Exhausted;
            }
        }
    }
    Ok(output)
}

/// True if the step ends as failed and a child reached a limit other than time.
fn may_be_exhausted(
    state: &OrchestrationState,
    ended: &[EndedChild],
    output: &OrchestrationStepOutput,
) -> bool {
    let fails = output
        .changes
        .iter()
        .any(|change| matches!(change, StateChange::End { end } if end.outcome == Status::Failed));
    let out = Status::Exhausted;
    let planner = |child: &EndedChild| state.planner.as_ref() == Some(&child.run) && child.outcome == out;
    fails && (ended.iter().any(planner) || has_exhausted_agent(state, output))
}

/// True if an agent of the latest step ended as exhausted.
fn has_exhausted_agent(state: &OrchestrationState, output: &OrchestrationStepOutput) -> bool {
    let mut after = state.clone();
    output.changes.iter().for_each(|change| after.change(change.clone()));
    let slots = after.steps.last().map_or(&[][..], |begun| begun.slots.as_slice());
    let mut faults = slots.iter().filter_map(AgentState::result).filter_map(|over| over.error.as_ref());
    faults.any(|fault| fault.code == Status::Exhausted.word())
}
