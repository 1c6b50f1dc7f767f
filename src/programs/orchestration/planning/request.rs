//! Requests to an orchestration (S3.7): exactly one of a prompt and a plan, with limits.

use crate::programs::orchestration::state::OrchestrateInput;
use serde_json::{Map, Value};

/// Reads the request from an input of the declared types, or returns what is wrong with it.
pub fn read_request(input: &Map<String, Value>) -> Result<OrchestrateInput, String> {
    let value_of = |name: &str| input.get(name).filter(|value| !value.is_null());
    let prompt = value_of("prompt").and_then(Value::as_str);
    let request = OrchestrateInput {
        prompt: prompt.map(|text| text.trim().to_owned()),
        plan: value_of("plan").cloned(),
        bindings: value_of("bindings").and_then(Value::as_object).cloned().unwrap_or_default(),
        timeout_ms: at_least_one(value_of("timeout_ms"), "timeout_ms")?,
        max_parallel: at_least_one(value_of("max_parallel"), "max_parallel")?
            .map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
    };
    match (&request.prompt, &request.plan) {
        (Some(_), Some(_)) => Err(String::from("give `prompt` or `plan`, not both")),
        (None, None) => Err(String::from("give `prompt` (what is wanted, in words) or `plan`")),
        (Some(prompt), None) if prompt.is_empty() => Err(String::from("`prompt` is empty")),
        (Some(_), None) | (None, Some(_)) => Ok(request),
    }
}

fn at_least_one(value: Option<&Value>, name: &str) -> Result<Option<u64>, String> {
    match value {
        None => Ok(None),
        Some(value) => match value.as_u64().filter(|number| *number >= 1) {
            Some(number) => Ok(Some(number)),
            None => Err(format!("`{name}` must be a whole number of at least 1, not {value}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(input: Value) -> Result<OrchestrateInput, String> {
        read_request(input.as_object().expect("a map"))
    }

    #[test]
    fn exactly_one_of_prompt_and_plan_is_taken() {
        for (input, fault) in [
            (json!({}), "give `prompt` (what is wanted, in words) or `plan`"),
            (json!({"prompt": null, "plan": null}), "give `prompt` (what is wanted, in words) or `plan`"),
            (json!({"prompt": "x", "plan": {}}), "give `prompt` or `plan`, not both"),
            (json!({"prompt": " "}), "`prompt` is empty"),
            (
                json!({"prompt": "x", "timeout_ms": 0}),
                "`timeout_ms` must be a whole number of at least 1, not 0",
            ),
            (
                json!({"prompt": "x", "max_parallel": 0}),
                "`max_parallel` must be a whole number of at least 1, not 0",
            ),
            (
                json!({"prompt": "x", "max_parallel": -1}),
                "`max_parallel` must be a whole number of at least 1, not -1",
            ),
        ] {
            assert_eq!(read(input), Err(fault.to_owned()));
        }
        let request =
            read(json!({"prompt": " do it ", "bindings": {"a": 1}, "timeout_ms": 1, "max_parallel": 2}));
        let request = request.expect("an order");
        assert_eq!(
            (request.prompt.as_deref(), request.timeout_ms, request.max_parallel),
            (Some("do it"), Some(1), Some(2))
        );
        assert_eq!(request.bindings["a"], 1);
        assert!(read(json!({"plan": {}, "prompt": null, "bindings": null})).is_ok());
    }
}
