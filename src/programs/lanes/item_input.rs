//! The input of an item, built from its bindings (S0.13, S0.19).

use crate::agent_spec::types::graph::{Binding, CONTEXT};
use crate::programs::lanes::lane_plan::PlannedItem;
use crate::programs::lanes::state::{ItemProgress, LanesState};
use serde_json::{Map, Value};

/// Builds the input of an item. A variable that its source did not set is left out: the agent's default
/// applies, or the call is refused.
pub fn build_input(planned: &PlannedItem, lane: &[PlannedItem], state: &LanesState) -> Map<String, Value> {
    let value_of = |binding: &Binding| Some((binding.to_var.clone(), binding_value(binding, lane, state)?));
    let mut input: Map<String, Value> = planned.item.bindings.iter().filter_map(value_of).collect();
    // All agents below answer in the language of the question.
    if let Some(locale) = state.context.get("locale") {
        input.entry("locale").or_insert_with(|| locale.clone());
    }
    input
}

fn binding_value(binding: &Binding, lane: &[PlannedItem], state: &LanesState) -> Option<Value> {
    let (from, name) = (&binding.from_agent_item_id, &binding.from_var);
    if from == CONTEXT {
        return state.context.get(name).cloned();
    }
    let index = lane.iter().position(|planned| planned.item.id == *from);
    match index.and_then(|index| state.slots.get(index)).map(|slot| &slot.status) {
        Some(ItemProgress::Done { vars }) => vars.get(name).cloned(),
        Some(
            ItemProgress::Waiting
            | ItemProgress::Running { .. }
            | ItemProgress::Skipped
            | ItemProgress::LetBe
            | ItemProgress::Failed,
        ) => None,
        None => state.context.get(&format!("{from}.{name}")).cloned(),
    }
}
