//! Types of variables.

use crate::spec::Variable;
use crate::spec::fault::SpecFault;
use crate::spec::inputs::TYPES;
use serde_json::Value;

/// Type names of other languages.
const MEANT: [(&str, &str); 17] = [
    ("str", "string"),
    ("text", "string"),
    ("bool", "boolean"),
    ("int", "integer"),
    ("long", "integer"),
    ("float", "number"),
    ("double", "number"),
    ("decimal", "number"),
    ("dict", "object"),
    ("map", "object"),
    ("json", "object"),
    ("mapping", "object"),
    ("array", "list"),
    ("tuple", "list"),
    ("sequence", "list"),
    ("none", "any"),
    ("null", "any"),
];

/// Returns the type for its name in this or another language.
pub fn resolve_type_name(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let same = |kind: &&&str| **kind == word;
    let known = || MEANT.iter().find(|(other, _)| *other == word).map(|(_, kind)| *kind);
    TYPES.iter().find(same).copied().or_else(known)
}

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

/// True if a value of type `given` is acceptable for type `asked`.
pub fn fits(given: &str, asked: &str) -> bool {
    given == asked || given == "any" || asked == "any" || (given == "integer" && asked == "number")
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
