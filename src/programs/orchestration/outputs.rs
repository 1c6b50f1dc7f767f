//! Outputs of an orchestration (S3.8, S3.9): each step in the plan's order, the values that templates could
//! name, and a summary of errors.

use crate::programs::orchestration::agent_inputs::template_values;
use crate::programs::orchestration::graph::{OrchestrationEvent, OrchestrationNode};
use crate::programs::orchestration::merge;
use crate::programs::orchestration::plan::{AgentStep, MergeStrategy, OrchestrationPlan, PlanStep};
use crate::programs::orchestration::state::{
    AgentState, AgentStatus, BegunStep, OrchestrationEnd, OrchestrationState, StepFault, StepStatus,
};
use serde_json::{Map, Value, json};

/// Returns `success`, `steps`, `bindings` and, without success, `errors`.
pub fn outputs(state: &OrchestrationState) -> Map<String, Value> {
    let none = OrchestrationPlan { steps: Vec::new(), agents: Default::default() };
    let plan = state.plan.as_ref().unwrap_or(&none);
    let each = plan.steps.iter().enumerate();
    let steps: Vec<Value> = each.map(|(n, one)| step_output(one, state.steps.get(n), state)).collect();
    let success = is_success(state);
    // The summary of a failure (S3.9). Agents that failed in a successful block say so in `children`.
    let errors = if success { Vec::new() } else { errors(state, &steps) };
    let mut outputs = Map::new();
    outputs.insert("success".into(), json!(success));
    outputs.insert("steps".into(), json!(steps));
    outputs.insert("bindings".into(), Value::Object(template_values(plan, state)));
    if !errors.is_empty() {
        outputs.insert("errors".into(), json!(errors));
    }
    outputs
}

/// Returns the steps of an accepted plan in the format of plans, without their inputs.
pub fn plan_steps_json(plan: &OrchestrationPlan) -> Value {
    let agent = |agent: &AgentStep| json!({"id": agent.id, "type": "agent", "agent_id": agent.agent_id});
    let step = |step: &PlanStep| match step {
        PlanStep::Agent(one) => agent(one),
        PlanStep::Parallel(block) => {
            let quorum = if let MergeStrategy::Quorum(wanted) = block.merge { Some(wanted) } else { None };
            json!({
                "id": block.id, "type": "parallel", "merge_strategy": block.merge.word(), "quorum": quorum,
                "children": block.children.iter().map(agent).collect::<Vec<_>>(),
            })
        }
    };
    plan.steps.iter().map(step).collect()
}

/// True if all steps of the plan succeeded.
pub fn is_success(state: &OrchestrationState) -> bool {
    let all = state.plan.as_ref().map_or(0, |plan| plan.steps.len());
    let succeeded = |begun: &BegunStep| begun.status == Some(StepStatus::Success);
    state.node == OrchestrationNode::Completed
        && state.steps.len() == all
        && state.steps.iter().all(succeeded)
}

fn step_output(step: &PlanStep, begun: Option<&BegunStep>, state: &OrchestrationState) -> Value {
    let block = match step {
        PlanStep::Agent(agent) => {
            let slot = begun.and_then(|begun| begun.slots.first());
            return agent_output(agent, slot, state);
        }
        PlanStep::Parallel(block) => block,
    };
    let slots = begun.map_or(&[][..], |begun| begun.slots.as_slice());
    let each = block.children.iter().enumerate();
    let children: Vec<Value> = each.map(|(n, child)| agent_output(child, slots.get(n), state)).collect();
    let status = begun.map_or(StepStatus::Skipped, |begun| begun.status.unwrap_or(StepStatus::Failed));
    let outputs = begun.map(|begun| merge::block_outputs(block, begun)).unwrap_or_default();
    let mut output = json!({
        "id": block.id, "type": "parallel", "status": status, "merge_strategy": block.merge.word(),
        "result_key": block.result_key, "outputs": outputs, "children": children,
    });
    if let Some(fault) = fault_of_block(&children, status, state).filter(|_| status != StepStatus::Success) {
        output["error"] = fault_json(&fault);
    }
    output
}

/// Returns the first failure in a block, or that the block was not reached.
fn fault_of_block(children: &[Value], status: StepStatus, state: &OrchestrationState) -> Option<StepFault> {
    if status == StepStatus::Skipped {
        return Some(not_reached_fault(state));
    }
    let failed = children.iter().find(|child| child["status"] == "failed")?;
    let text = |member: &str| failed["error"][member].as_str().unwrap_or_default().to_owned();
    let message = format!("`{}`: {}", failed["id"].as_str().unwrap_or_default(), text("message"));
    Some(StepFault { code: text("code"), message, message_for_people: None })
}

fn agent_output(step: &AgentStep, slot: Option<&AgentState>, state: &OrchestrationState) -> Value {
    let (status, run, outputs, error) = match slot.map(|slot| &slot.status) {
        Some(AgentStatus::Over(result)) => {
            (result.status, result.run.clone(), Some(result.outputs.clone()), result.error.clone())
        }
        Some(AgentStatus::Running { run }) => {
            (StepStatus::Failed, Some(run.clone()), None, Some(cut_off_fault(state)))
        }
        Some(AgentStatus::Cancelling { run }) => {
            (StepStatus::Skipped, Some(run.clone()), None, Some(cancelled()))
        }
        Some(AgentStatus::Waiting) | None => {
            (StepStatus::Skipped, None, None, Some(not_reached_fault(state)))
        }
    };
    let mut output = json!({
        "id": step.id, "type": "agent", "agent_id": step.agent_id, "status": status,
        "result_key": step.result_key, "outputs": outputs.unwrap_or_default(),
    });
    // An agent that never began has no run.
    if let Some(run) = run {
        output["exec_id"] = json!(run);
    }
    if let Some(action) = &step.action_id {
        output["action_id"] = json!(action);
    }
    if let Some(error) = error {
        output["error"] = fault_json(&error);
    }
    if let Some(tries) = slot.map(|slot| slot.tries).filter(|tries| *tries > 0) {
        output["attempt"] = json!(tries);
    }
    output
}

pub fn cancelled() -> StepFault {
    new_fault("cancelled", "it was not needed any more")
}

fn not_reached_fault(state: &OrchestrationState) -> StepFault {
    match state.end.as_ref().map(|end| end.event) {
        Some(OrchestrationEvent::Timeout) => new_fault("timeout", "the time was up before it began"),
        Some(_) => new_fault("not_reached", "a step before it did not succeed"),
        // The run was ended from outside, not by its graph.
        None => new_fault("stopped", "it was stopped before it began"),
    }
}

fn cut_off_fault(state: &OrchestrationState) -> StepFault {
    match state.end.as_ref().map(|end| end.event) {
        Some(OrchestrationEvent::Timeout) => new_fault("timeout", "the time of the orchestration was up"),
        Some(_) | None => new_fault("stopped", "it was stopped"),
    }
}

fn new_fault(code: &str, message: &str) -> StepFault {
    StepFault { code: code.to_owned(), message: message.to_owned(), message_for_people: None }
}

/// Returns a fault in the format for programs.
fn fault_json(fault: &StepFault) -> Value {
    json!({"code": fault.code, "message": fault.message})
}

/// Returns the faults of the plan, the failed agents, and the reason of the end if no agent explains it.
fn errors(state: &OrchestrationState, steps: &[Value]) -> Vec<Value> {
    let mut errors: Vec<Value> = state.faults.iter().map(|fault| json!(fault)).collect();
    let below = |step: &Value| step["children"].as_array().cloned().unwrap_or_default();
    let all =
        steps.iter().flat_map(|step| if step["type"] == "agent" { vec![step.clone()] } else { below(step) });
    errors.extend(all.filter(|step| step["status"] == "failed").map(|step| {
        let (code, message) = (&step["error"]["code"], &step["error"]["message"]);
        let mut error = json!({"step_id": step["id"], "code": code, "message": message});
        if let Some(run) = step.get("exec_id") {
            error["exec_id"] = run.clone();
        }
        error
    }));
    let own = |end: &&OrchestrationEnd| errors.is_empty() || end.event != OrchestrationEvent::StepFailed;
    if let Some(end) = state.end.as_ref().filter(own).filter(|_| state.faults.is_empty()) {
        errors.insert(0, json!({"code": end.event.word(), "message": end.why}));
    }
    // Ended from outside between two steps.
    if errors.is_empty() && state.end.is_none() && !state.node.is_end() {
        errors.push(json!(cut_off_fault(state)));
    }
    errors
}
