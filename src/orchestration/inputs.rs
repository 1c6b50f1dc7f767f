//! What an agent of a plan is given (S3.11, S3.21): its templates, filled in with the bindings and with what
//! earlier steps gave.

use super::check::RESULT;
use super::merge;
use super::plan::{AgentStep, Facts, Plan, Step};
use super::state::State;
use crate::script::rendered;
use crate::spec::native;
use crate::turn::tools::{Input, Tool};
use serde_json::{Map, Value, json};

/// The values that templates may name: the bindings, and under `result` what steps gave.
pub fn shared(plan: &Plan, state: &State) -> Map<String, Value> {
    let mut shared = state.order.bindings.clone();
    shared.insert(RESULT.to_owned(), Value::Object(results(plan, state)));
    shared
}

fn results(plan: &Plan, state: &State) -> Map<String, Value> {
    let mut results = Map::new();
    for (step, begun) in plan.steps.iter().zip(&state.steps) {
        for (agent, slot) in step.agents().iter().zip(&begun.slots) {
            if let Some(over) = slot.over().filter(|over| over.status.gave()) {
                results.insert(agent.result_key.clone(), Value::Object(over.outputs.clone()));
            }
        }
        if let (Step::Parallel(block), Some(_)) = (step, begun.status) {
            results.insert(block.result_key.clone(), Value::Object(merge::merged(block, begun)));
        }
    }
    results
}

/// The input of an agent, or why there is none.
pub fn of(
    step: &AgentStep,
    facts: &Facts,
    shared: &Map<String, Value>,
    locale: &str,
) -> Result<Map<String, Value>, String> {
    // The templates of a plan within a plan are its own.
    let (mut given, templates): (Map<_, _>, Map<_, _>) =
        step.with.clone().into_iter().partition(|(name, _)| is_verbatim(step, name));
    given.extend(rendered::params(&templates, shared)?);
    let mut input = meant(step, facts, &given);
    if let Some(prompt) = &step.prompt {
        let words = rendered::words(prompt, shared)?;
        input.entry("text").or_insert_with(|| json!(words));
    }
    let declared = ["action_id", "action"].into_iter().find(|name| facts.inputs.contains_key(*name));
    if let (Some(name), Some(action)) = (declared, &step.action_id) {
        input.entry(name).or_insert_with(|| json!(action));
    }
    // The language of the answer is that of the question, all the way down.
    input.entry("locale").or_insert_with(|| json!(locale));
    Ok(input)
}

/// Whether what is given for it is given as it is.
pub fn is_verbatim(step: &AgentStep, name: &str) -> bool {
    native::is_own(&step.agent_id) && name == "plan"
}

/// A number or a list in a text, where a number or a list is declared: models write them so.
fn meant(step: &AgentStep, facts: &Facts, input: &Map<String, Value>) -> Map<String, Value> {
    let declared = facts.inputs.iter().map(|(name, of)| Input {
        name: name.clone(),
        of: of.clone(),
        // What is given as null is given.
        required: true,
        verbatim: is_verbatim(step, name),
        ..Input::default()
    });
    Tool { inputs: declared.collect(), ..Tool::default() }.read(input)
}
