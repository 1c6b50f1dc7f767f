//! Checks the keys and value types of a file against the JSON Schema of the types. Serde would stop at the
//! first fault; this reports all of them, with lines and suggested keys.

use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::parse::yaml;
use crate::agent_spec::parse::yaml::{NodeKind, Tree, YamlNode};
use crate::agent_spec::types::spec::AgentSpec;
use granit_parser::ScalarStyle;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Largest number of reported faults.
const MOST: usize = 100;

/// JSON Schema of the types, without the additions of `schema::editor_schema`.
pub static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let mut schema = schemars::schema_for!(AgentSpec).to_value();
    schema["title"] = Value::from("Askfirst agent");
    schema
});

/// Returns the faults in keys and value types.
pub fn faults(tree: &Tree) -> Vec<SpecFault> {
    let mut found = Vec::new();
    check(&tree.root, &SCHEMA, "", &mut found);
    found
}

fn check(node: &YamlNode, schema: &Value, path: &str, found: &mut Vec<SpecFault>) {
    let schema = resolve_reference(schema);
    if matches!(node.kind, NodeKind::Alias) || found.len() >= MOST {
        return;
    }
    if let Some(choices) = schema.get("oneOf").or(schema.get("anyOf")).and_then(Value::as_array) {
        return choose(node, choices, path, found);
    }
    let fault_at = |message: String| SpecFault::new(path, message).on_line(Some(node.line));
    if !fits(node, schema) {
        let fault = fault_at(format!("must be {}", describe_schema(schema)));
        return found.push(if is_switch(node) && takes(schema, "boolean") {
            fault.hint("write true or false")
        } else {
            fault
        });
    }
    if let Some(known) = schema.get("enum").or(schema.get("const")).map(words)
        && let NodeKind::Scalar { text, .. } = &node.kind
        && !known.contains(&text.as_str())
    {
        return found.push(fault_at(format!("must be {}", known.join(" or "))).hint_name(text, known));
    }
    match &node.kind {
        NodeKind::Scalar { text, .. } => {
            let least = schema.get("minimum").and_then(Value::as_f64);
            if text.parse::<f64>().is_ok_and(|number| least.is_some_and(|least| number < least)) {
                found.push(fault_at(format!("must be at least {}", least.unwrap_or_default())));
            }
        }
        NodeKind::List(nodes) => {
            let Some(items) = schema.get("items") else { return };
            for (index, node) in nodes.iter().enumerate() {
                check(node, items, &format!("{path}[{index}]"), found);
            }
        }
        NodeKind::Map { .. } => members(node, schema, path, found),
        NodeKind::Alias => {}
    }
}

fn members(node: &YamlNode, schema: &Value, path: &str, found: &mut Vec<SpecFault>) {
    let NodeKind::Map { entries, .. } = &node.kind else { return };
    let Some(known) = schema.get("properties").and_then(Value::as_object) else { return };
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let mut seen = BTreeSet::new();
    for (key, value) in entries {
        if found.len() >= MOST {
            return;
        }
        let path = join(path, &key.name);
        if !seen.insert(key.name.as_str()) {
            found.push(SpecFault::new(path, "appears twice; keep one").on_line(Some(key.line)));
            continue;
        }
        match known.get(&key.name) {
            Some(schema) => check(value, schema, &path, found),
            None if closed && key.name != "<<" => {
                let fault = SpecFault::new(path, "unknown key").on_line(Some(key.line));
                found.push(fault.hint_name(&key.name, known.keys().map(String::as_str)));
            }
            None => {}
        }
    }
    let merged = seen.contains("<<");
    for name in
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        if !seen.contains(name) && !merged {
            found.push(SpecFault::new(join(path, name), "is missing").on_line(Some(node.line)));
        }
    }
}

/// Checks alternatives: adds the faults of the most likely one, unless one fits.
fn choose(node: &YamlNode, choices: &[Value], path: &str, found: &mut Vec<SpecFault>) {
    let mut best: Option<Vec<SpecFault>> = None;
    for choice in choices {
        let mut faults = Vec::new();
        check(node, choice, path, &mut faults);
        if faults.is_empty() {
            return;
        }
        let choice = resolve_reference(choice);
        let is_word = choice.get("const").is_some_and(Value::is_string) || choice.get("enum").is_some();
        let meant = fits(node, choice) && !is_word;
        if meant && best.as_ref().is_none_or(|best| best.len() > faults.len()) {
            best = Some(faults);
        }
    }
    match best {
        Some(faults) => found.extend(faults),
        None => {
            let words: Vec<String> =
                choices.iter().map(|choice| describe_schema(resolve_reference(choice))).collect();
            found.push(
                SpecFault::new(path, format!("must be {}", words.join(" or "))).on_line(Some(node.line)),
            );
        }
    }
}

fn resolve_reference(schema: &Value) -> &Value {
    let named = |name: &str| SCHEMA.pointer(name.strip_prefix('#')?);
    schema.get("$ref").and_then(Value::as_str).and_then(named).map_or(schema, resolve_reference)
}

/// True if the schema accepts values of that JSON type.
fn takes(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(word)) => word == kind,
        Some(Value::Array(words)) => words.iter().any(|word| word == kind),
        _ => true,
    }
}

fn fits(node: &YamlNode, schema: &Value) -> bool {
    match &node.kind {
        NodeKind::List(_) => takes(schema, "array"),
        NodeKind::Map { .. } => takes(schema, "object"),
        NodeKind::Alias => true,
        NodeKind::Scalar { text, style } => match plain(text, *style) {
            Value::Null => takes(schema, "null"),
            // Any scalar is accepted as text.
            _ if takes(schema, "string") => true,
            Value::Bool(_) => takes(schema, "boolean"),
            Value::Number(number) => {
                takes(schema, "number") || (takes(schema, "integer") && !number.is_f64())
            }
            _ => false,
        },
    }
}

/// Returns the value of a scalar by YAML's rules, without a schema.
fn plain(text: &str, style: ScalarStyle) -> Value {
    if style == ScalarStyle::Plain {
        yaml::value(text).unwrap_or_else(|_| Value::from(text))
    } else {
        Value::from(text)
    }
}

/// True for the booleans of older YAML.
fn is_switch(node: &YamlNode) -> bool {
    let NodeKind::Scalar { text, .. } = &node.kind else { return false };
    ["yes", "no", "on", "off", "y", "n", "true", "false"].contains(&text.to_lowercase().as_str())
}

fn words(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect(),
    }
}

/// Describes the values that a schema accepts, for people.
fn describe_schema(schema: &Value) -> String {
    if let Some(known) = schema.get("enum").or(schema.get("const")).map(words) {
        return known.join(" or ");
    }
    let named = |kind: &str| match kind {
        "string" => Some(String::from("text")),
        "boolean" => Some(String::from("true or false")),
        "integer" => Some(String::from("a whole number")),
        "number" => Some(String::from("a number")),
        "array" => Some(String::from("a list")),
        "object" => {
            let keys = schema.get("properties").and_then(Value::as_object);
            let keys = keys.map(|keys| keys.keys().map(String::as_str).collect::<Vec<_>>().join(", "));
            Some(keys.map_or_else(|| String::from("a map"), |keys| format!("a map with the keys {keys}")))
        }
        _ => None,
    };
    match schema.get("type") {
        Some(Value::String(word)) => named(word).unwrap_or_else(|| String::from("empty")),
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(|kind| named(kind.as_str()?)).collect::<Vec<_>>().join(" or ")
        }
        _ => schema
            .get("oneOf")
            .or(schema.get("anyOf"))
            .and_then(Value::as_array)
            .map(|choices| {
                choices
                    .iter()
                    .map(|one| describe_schema(resolve_reference(one)))
                    .collect::<Vec<_>>()
                    .join(" or ")
            })
            .unwrap_or_default(),
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
