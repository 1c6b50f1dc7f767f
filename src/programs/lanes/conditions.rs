//! Evaluates the condition of an item (S0.11, S0.12).

use crate::agent_spec::template;
use crate::agent_spec::template::error::TemplateError;
use crate::agent_spec::types::graph::When;
use serde_json::{Map, Value};

/// Evaluates a condition in a context. An unknown variable is null.
pub fn evaluate(when: &When, context: &Map<String, Value>) -> Result<bool, TemplateError> {
    if let Some(expression) = &when.expr {
        return template::evaluate_condition(expression, context);
    }
    let value = when.var.as_ref().and_then(|name| context.get(name)).unwrap_or(&Value::Null);
    let compared = [
        when.equals.as_ref().map(|other| values_equal(value, other)),
        when.not_equals.as_ref().map(|other| !values_equal(value, other)),
        when.one_of.as_ref().map(|others| others.iter().any(|other| values_equal(value, other))),
        when.exists.map(|exists| exists != value.is_null()),
    ];
    Ok(compared.into_iter().flatten().all(|holds| holds))
}

/// Compares numbers by value (1 equals 1.0), everything else by type and value.
fn values_equal(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(left), Some(right)) if one.is_f64() || other.is_f64() => left == right,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn held(when: Value) -> Result<bool, TemplateError> {
        let when: When = serde_json::from_value(when).unwrap();
        let context = json!({"yes": true, "n": 1, "word": "so", "nothing": null, "id.x": 2});
        evaluate(&when, context.as_object().unwrap())
    }

    // Comparisons convert no types, except between integers and floats (S0.12).
    #[test]
    fn every_comparison_by_type_and_value() {
        for (when, expected) in [
            (json!({"var": "yes", "equals": true}), true),
            (json!({"var": "yes", "equals": "true"}), false),
            (json!({"var": "yes", "equals": false}), false),
            (json!({"var": "n", "equals": 1}), true),
            (json!({"var": "n", "equals": 1.0}), true),
            (json!({"var": "n", "equals": "1"}), false),
            (json!({"var": "n", "not_equals": 2}), true),
            (json!({"var": "nothing", "equals": null}), true),
            (json!({"var": "absent", "equals": null}), true),
            (json!({"var": "absent", "not_equals": null}), false),
            (json!({"var": "word", "in": ["no", "so"]}), true),
            (json!({"var": "word", "in": []}), false),
            (json!({"var": "word", "exists": true}), true),
            (json!({"var": "nothing", "exists": true}), false),
            (json!({"var": "absent", "exists": false}), true),
            (json!({"var": "id.x", "equals": 2}), true),
            (json!({"expr": "n > 0 and word == 'so'"}), true),
        ] {
            assert_eq!(held(when.clone()), Ok(expected), "{when}");
        }
        assert!(held(json!({"expr": "absent > 0"})).is_err());
    }
}
