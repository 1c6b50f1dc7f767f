//! Limits how deeply a turn may be nested. Records wrap the turn in further levels and must stay parsable.

use crate::turn::{Call, Turn};
use serde_json::{Map, Value};

/// Levels of actions, including those of the turn itself.
const ACTIONS: usize = 8;
/// Levels of lists and objects in parameters, variables and other values.
const VALUES: usize = 32;

/// Describes for the model which part of the turn is nested too deeply.
pub fn check_nesting(turn: &Turn) -> Option<String> {
    if !turn.actions.iter().all(|call| are_within(call, ACTIONS)) {
        return Some(format!(
            "its `sub_actions` are nested deeper than {ACTIONS} levels of actions; use fewer levels"
        ));
    }
    let context = &turn.context;
    let fit = is_flat(&context.variables)
        && context.security_level.iter().all(|value| fits(value, VALUES))
        && turn.actions.iter().all(holds_flat);
    let words =
        || format!("its `params` or `variables` are nested deeper than {VALUES} levels; use fewer levels");
    (!fit).then(words)
}

fn are_within(call: &Call, levels: usize) -> bool {
    levels > 0 && call.sub_actions.iter().all(|sub| are_within(sub, levels - 1))
}

/// True if the values of a call and its sub-actions are within the limit. The nesting of the sub-actions must
/// already be checked.
fn holds_flat(call: &Call) -> bool {
    is_flat(&call.params)
        && call.display.iter().all(|value| fits(value, VALUES))
        && call.sub_actions.iter().all(holds_flat)
}

fn is_flat(values: &Map<String, Value>) -> bool {
    values.values().all(|value| fits(value, VALUES - 1))
}

fn fits(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels > 0 && items.iter().all(|item| fits(item, levels - 1)),
        Value::Object(members) => levels > 0 && members.values().all(|member| fits(member, levels - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(turn: Value) -> Option<String> {
        check_nesting(&serde_json::from_value(turn).expect("a turn"))
    }

    fn nested(levels: usize) -> Value {
        (0..levels)
            .fold(json!(1), |inner, level| if level % 2 == 0 { json!([inner]) } else { json!({"a": inner}) })
    }

    fn subs(levels: usize) -> Value {
        (1..levels).fold(json!({"action": "echo"}), |inner, _| json!({"action": "g", "sub_actions": [inner]}))
    }

    #[test]
    fn actions_and_values_have_a_bound_of_their_levels() {
        assert_eq!(read(json!({"actions": [subs(ACTIONS)]})), None);
        let deep = read(json!({"actions": [subs(1), subs(ACTIONS + 1)]})).expect("a fault");
        assert!(deep.contains("`sub_actions` are nested deeper than 8"), "{deep}");
        for (levels, fits) in [(VALUES - 1, true), (VALUES, false), (100, false)] {
            for turn in [
                json!({"actions": [{"action": "echo", "params": {"x": nested(levels)}}]}),
                json!({"actions": [{"action": "echo", "params": json!({"x": nested(levels)}).to_string()}]}),
                json!({"actions": [{"action": "g", "sub_actions": [{"action": "echo", "params": {"x": nested(levels)}}]}]}),
                json!({"context": {"variables": {"x": nested(levels)}}}),
                json!({"context": {"security_level": nested(levels + 1)}}),
                json!({"actions": [{"action": "echo", "display": nested(levels + 1)}]}),
            ] {
                assert_eq!(read(turn.clone()).is_none(), fits, "{levels}: {turn}");
            }
        }
    }
}
