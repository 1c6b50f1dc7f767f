//! What a run is given, against what its agent declares: defaults filled in, types held.

use super::{AgentSpec, Variable};
use serde_json::{Map, Value};

/// The words for types that a variable may name.
pub const TYPES: [&str; 7] = ["string", "boolean", "integer", "number", "object", "list", "any"];

impl Variable {
    /// Whether a run cannot be without it.
    pub fn is_required(&self) -> bool {
        self.required.unwrap_or(self.default.is_none())
    }
}

/// The input with defaults filled in, or what is wrong with it; names that nobody declared stay.
pub fn complete(spec: &AgentSpec, input: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut whole = input.clone();
    let mut missing = Vec::new();
    for variable in &spec.inputs {
        match whole.get(&variable.name) {
            Some(value) => check(variable, value)?,
            None if variable.is_required() => missing.push(format!("`{}`", variable.name)),
            None => {
                let default = variable.default.clone().unwrap_or_default();
                whole.insert(variable.name.clone(), default);
            }
        }
    }
    match missing.as_slice() {
        [] => Ok(whole),
        [one] => Err(format!("{one} is missing")),
        many => Err(format!("{} are missing", many.join(", "))),
    }
}

/// Inputs and locals of an agent as its context; inputs win.
pub fn context(spec: &AgentSpec, input: Map<String, Value>) -> Map<String, Value> {
    let locals = spec.locals.iter().map(|local| (local.name.clone(), local.value.clone()));
    let mut context: Map<String, Value> = locals.collect();
    context.extend(input);
    context
}

fn check(variable: &Variable, value: &Value) -> Result<(), String> {
    let Some(of) = variable.of.as_deref() else { return Ok(()) };
    let absent = value.is_null() && !variable.is_required();
    if absent || fits(of, value) {
        return Ok(());
    }
    Err(format!("`{}` must be of type {of}, not {}", variable.name, type_of(value)))
}

/// Whether a value is of a type; an integer is a number too.
pub fn fits(of: &str, value: &Value) -> bool {
    match (of, value) {
        ("any", _) => true,
        ("number", Value::Number(_)) => true,
        // 3.0 is a whole number, whoever wrote it with a point.
        ("integer", Value::Number(number)) => {
            number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        (of, value) => of == type_of(value),
    }
}

/// The word for a value's type.
pub fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;
    use serde_json::json;

    fn spec() -> AgentSpec {
        let text = "
name: a
kind: atomic
inputs: [{name: task}, {name: n, type: integer, default: 3}, {name: note, type: string, required: false}]
outputs: [{name: text}]
python: {code: 'text = task'}
";
        check::read(text, "a").unwrap()
    }

    fn completed(input: Value) -> Result<Value, String> {
        let input = input.as_object().cloned().unwrap_or_default();
        complete(&spec(), &input).map(Value::Object)
    }

    // S0.3, S0.7, C8: what is missing blocks.
    #[test]
    fn defaults_are_filled_in_and_types_held() {
        assert_eq!(completed(json!({"task": "x"})), Ok(json!({"task": "x", "n": 3, "note": null})));
        let given = json!({"task": [1], "n": 5, "note": null, "more": true});
        assert_eq!(completed(given.clone()), Ok(given));
        for (input, words) in [
            (json!({}), "`task` is missing"),
            (json!({"task": "x", "n": "5"}), "`n` must be of type integer, not string"),
            (json!({"task": "x", "n": 1.5}), "`n` must be of type integer, not number"),
            (json!({"task": "x", "note": {}}), "`note` must be of type string, not object"),
        ] {
            assert_eq!(completed(input), Err(words.to_owned()));
        }
    }
}
