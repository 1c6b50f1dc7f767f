//! Types of variables.

use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::types::spec::Variable;
use crate::agent_spec::types::type_names::resolve_type_name;
use crate::turn::agent_tools::TYPES;
use serde_json::Value;

/// Returns the type of a variable; `any` if it is absent or unknown.
pub fn type_of_variable(variable: &Variable) -> &str {
    variable.of.as_deref().filter(|word| TYPES.contains(word)).unwrap_or("any")
}

/// Returns the type of a value.
pub fn type_of_value(value: &Value) -> &'static str {
    match value {
        Value::Null => "any",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// True if a value of type `actual` is acceptable for type `expected`.
pub fn fits(actual: &str, expected: &str) -> bool {
    actual == expected
        || actual == "any"
        || expected == "any"
        || (actual == "integer" && expected == "number")
}

/// Checks the types and defaults of inputs or outputs.
pub fn check(path: &str, variables: &[Variable], found: &mut Vec<SpecFault>) {
    for (index, variable) in variables.iter().enumerate() {
        let Some(word) = &variable.of else { continue };
        let path = format!("{path}[{index}]");
        if !TYPES.contains(&word.as_str()) {
            let fault = SpecFault::new(format!("{path}.type"), format!("\"{word}\" is not a type"));
            found.push(match resolve_type_name(word) {
                Some(kind) => fault.hint(format!("write {kind}")),
                None => fault.hint_name(word, TYPES),
            });
            continue;
        }
        if let Some(default) = &variable.default
            && !fits(type_of_value(default), word)
        {
            let message = format!(
                "must be {}, as its type says, not {}",
                article(word),
                article(type_of_value(default))
            );
            found.push(SpecFault::new(format!("{path}.default"), message));
        }
    }
}

/// Adds the indefinite article: "a string".
pub fn article(kind: &str) -> String {
    let an = kind.starts_with(['a', 'i', 'o']);
    if kind == "any" { String::from("anything") } else { format!("{} {kind}", if an { "an" } else { "a" }) }
}
