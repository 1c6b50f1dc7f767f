//! Results of agents as a planner reads them: each output once, with JSON texts parsed. Events, templates and
//! tasks keep the original results.

use crate::agent_name::{ORCHESTRATE, canonical};
use crate::model::json_in_text::unescape_json;
use serde_json::{Map, Value, json};

/// Returns the result of an agent for the planner that called it.
pub fn simplify_agent_result(agent: &str, result: &Value) -> Value {
    if canonical(agent) == ORCHESTRATE { simplify_orchestration(result) } else { result.clone() }
}

/// Removes repeated outputs: an orchestration returns each output in its step, in its block and in the
/// bindings, and the one in the step is enough.
fn simplify_orchestration(result: &Value) -> Value {
    let mut trimmed = unescape_json(result);
    let Some(members) = trimmed.as_object_mut() else { return trimmed };
    let mut failed = Vec::new();
    if let Some(Value::Array(steps)) = members.get_mut("steps") {
        steps.iter_mut().for_each(|step| simplify_step(step, &mut failed));
    }
    if let Some(Value::Object(bindings)) = members.get_mut("bindings") {
        bindings.shift_remove("result");
    }
    // The failed step has the reason already.
    if let Some(Value::Array(errors)) = members.get_mut("errors") {
        errors.retain(|error| !failed.contains(&error["step_id"]));
    }
    for name in ["bindings", "errors"] {
        let empty = |value: &Value| [json!([]), json!({})].contains(value);
        if members.get(name).is_some_and(empty) {
            members.shift_remove(name);
        }
    }
    trimmed
}

/// Removes from a step the outputs that its children have, and empty members. Adds the ids of steps that
/// report an error to `failed`.
fn simplify_step(step: &mut Value, failed: &mut Vec<Value>) {
    let Some(members) = step.as_object_mut() else { return };
    if members.get("error").is_some_and(|error| !error.is_null()) {
        failed.extend(members.get("id").cloned());
    }
    let orchestrates = members.get("agent_id").and_then(Value::as_str).map(canonical) == Some(ORCHESTRATE);
    match (members.get_mut("children"), orchestrates) {
        (Some(Value::Array(children)), _) => {
            children.iter_mut().for_each(|child| simplify_step(child, failed));
            // The keys still show which children succeeded.
            let keys = members.get("outputs").and_then(Value::as_object).map(keys).unwrap_or_default();
            members.insert(String::from("outputs"), json!(keys));
        }
        (_, true) => {
            let inner = members.get("outputs").map(simplify_orchestration).unwrap_or_default();
            members.insert(String::from("outputs"), inner);
        }
        (_, false) => {}
    }
}

fn keys(map: &Map<String, Value>) -> Vec<&String> {
    map.keys().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(id: &str, outputs: &Value) -> Value {
        json!({"id": id, "type": "agent", "agent_id": "say", "status": "success", "result_key": id, "outputs": outputs})
    }

    #[test]
    fn each_output_is_returned_once_and_json_as_json() {
        let [a, b, c] = ["red", "green", "blue"].map(|word| json!({"said": word}));
        let inner = json!({"list": [1, 2]}).to_string();
        let c = json!({"said": c["said"], "data": json!({"inner": inner}).to_string()});
        let failed = json!({"id": "d", "type": "agent", "agent_id": "say", "status": "failed",
                            "error": {"code": "failed", "message": "it broke"}, "outputs": {}});
        let result = json!({
            "success": false, "tool": ORCHESTRATE, "attempt": 1,
            "steps": [
                agent("a", &a),
                {"id": "both", "type": "parallel", "status": "partial", "result_key": "both",
                 "outputs": {"b": b, "c": c}, "children": [agent("b", &b), agent("c", &c), failed]},
            ],
            "bindings": {"name": "olena", "result": {"a": a, "b": b, "c": c, "both": {"b": b, "c": c}}},
            "errors": [{"step_id": "d", "code": "failed", "message": "it broke"}, {"code": "timeout", "message": "late"}],
        });
        for name in [ORCHESTRATE, "cp__agent_orchestrate"] {
            let trimmed = simplify_agent_result(name, &result);
            let text = trimmed.to_string();
            for once in ["red", "green", "blue", "it broke", "[1,2]"] {
                assert_eq!(text.matches(once).count(), 1, "{once} in {text}");
            }
            assert!(!text.contains('\\'), "nothing is escaped: {text}");
            let keys = ["success", "tool", "attempt", "steps", "bindings", "errors"];
            assert_eq!(trimmed.as_object().expect("a map").keys().collect::<Vec<_>>(), keys);
            assert_eq!(trimmed["bindings"], json!({"name": "olena"}));
            assert_eq!(trimmed["errors"], json!([{"code": "timeout", "message": "late"}]));
            assert_eq!(trimmed["steps"][1]["outputs"], json!(["b", "c"]));
        }
        assert_eq!(simplify_agent_result("say", &result), result, "of other agents it is what they gave");
    }
}
