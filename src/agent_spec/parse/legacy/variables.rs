//! Converts inputs, outputs and locals given as plain names or as a map.

use crate::agent_spec::parse::legacy::file::LegacyFile;
use crate::agent_spec::types::type_names;
use serde_json::{Map, Value, json};

pub fn convert(file: &mut LegacyFile) {
    for group in ["inputs", "outputs"] {
        match file.members.get(group).cloned() {
            Some(Value::Array(values)) if values.iter().any(Value::is_string) => names(file, group, values),
            Some(Value::Object(members)) => convert_variables(file, group, members),
            _ => {}
        }
    }
    if let Some(Value::Object(members)) = file.members.get("locals").cloned() {
        let locals = members.into_iter().map(|(name, value)| json!({"name": name, "value": value}));
        file.put("locals", locals.collect());
    }
}

/// Converts `inputs: [task, tone]`.
fn names(file: &mut LegacyFile, group: &str, values: Vec<Value>) {
    let named = |value| match value {
        Value::String(name) => json!({"name": name}),
        value => value,
    };
    file.put(group, values.into_iter().map(named).collect());
}

/// Converts `inputs: {task: string, n: {type: int, default: 1}, note: }`.
fn convert_variables(file: &mut LegacyFile, group: &str, members: Map<String, Value>) {
    let mut variables = Vec::new();
    for (name, value) in members {
        let path = format!("{group}.{name}");
        let mut variable = Map::from_iter([(String::from("name"), Value::String(name.clone()))]);
        match value {
            Value::Null => {}
            Value::String(word) => variable.extend([(String::from("type"), Value::String(word))]),
            Value::Object(more) => variable.extend(more),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                file.add_unsupported(&path, format!("write {group}: [{{name: {name}, default: …}}]"));
                continue;
            }
        }
        if let Some(Value::String(word)) = variable.get_mut("type") {
            match type_names::resolve_type_name(word) {
                Some(kind) => *word = kind.to_owned(),
                None => {
                    file.add_unsupported(&path, format!("write {group}: [{{name: {name}, type: string}}]"))
                }
            }
        }
        variables.push(Value::Object(variable));
    }
    file.put(group, Value::Array(variables));
}
