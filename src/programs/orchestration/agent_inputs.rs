//! Inputs of a plan's agents (S3.11, S3.21): templates filled in with the bindings and the results of earlier
//! steps.

use crate::programs::orchestration::merge;
use crate::programs::orchestration::plan::{AgentProperties, AgentStep, OrchestrationPlan, PlanStep};
use crate::programs::orchestration::plan::{RESULT, is_verbatim};
use crate::programs::orchestration::state::OrchestrationState;
use crate::script::rendering;
use crate::turn::agent_tools::{Input, Tool};
use serde_json::{Map, Value, json};

/// Returns the values that templates may name: the bindings, and the results of steps under `result`.
pub fn template_values(plan: &OrchestrationPlan, state: &OrchestrationState) -> Map<String, Value> {
    let mut shared = state.request.bindings.clone();
    shared.insert(RESULT.to_owned(), Value::Object(results(plan, state)));
    shared
}

fn results(plan: &OrchestrationPlan, state: &OrchestrationState) -> Map<String, Value> {
    let mut results = Map::new();
    for (step, begun) in plan.steps.iter().zip(&state.steps) {
        for (agent, slot) in step.agents().iter().zip(&begun.slots) {
            if let Some(result) = slot.result().filter(|result| result.status.has_outputs()) {
                results.insert(agent.result_key.clone(), Value::Object(result.outputs.clone()));
            }
        }
        if let (PlanStep::Parallel(block), Some(_)) = (step, begun.status) {
            results.insert(block.result_key.clone(), Value::Object(merge::block_outputs(block, begun)));
        }
    }
    results
}

/// Returns the input of an agent, or the reason why it cannot be made.
pub fn agent_input(
    step: &AgentStep,
    facts: &AgentProperties,
    shared: &Map<String, Value>,
    locale: &str,
) -> Result<Map<String, Value>, String> {
    // Templates in a nested plan belong to that plan.
    let (mut literals, templates): (Map<_, _>, Map<_, _>) =
        step.with.clone().into_iter().partition(|(name, _)| is_verbatim(step, name));
    literals.extend(rendering::render_params(&templates, shared)?);
    let mut input = convert_to_declared(step, facts, &literals);
    if let Some(prompt) = &step.prompt {
        let text = rendering::render_text(prompt, shared)?;
        input.entry("text").or_insert_with(|| json!(text));
    }
    let declared = ["action_id", "action"].into_iter().find(|name| facts.inputs.contains_key(*name));
    if let (Some(name), Some(action)) = (declared, &step.action_id) {
        input.entry(name).or_insert_with(|| json!(action));
    }
    // The answer has the language of the question at every level.
    input.entry("locale").or_insert_with(|| json!(locale));
    Ok(input)
}

/// Converts numbers and lists that a model wrote as text where the agent declares a number or a list.
fn convert_to_declared(
    step: &AgentStep,
    facts: &AgentProperties,
    input: &Map<String, Value>,
) -> Map<String, Value> {
    let declared = facts.inputs.iter().map(|(name, type_name)| Input {
        name: name.clone(),
        type_name: type_name.clone(),
        // An explicit null counts as given.
        required: true,
        verbatim: is_verbatim(step, name),
        ..Input::default()
    });
    Tool { inputs: declared.collect(), ..Tool::default() }.read(input)
}
