//! Arguments of a page's tool as single values.

use serde_json::{Map, Value};

/// Most values that are listed.
const MOST_VALUES: usize = 500;

/// Returns the single values of arguments with their places, as `items[0].name`.
pub fn list_values(arguments: &Map<String, Value>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, value) in arguments {
        push_values(name.clone(), value, &mut found);
    }
    found
}

fn push_values(path: String, value: &Value, found: &mut Vec<(String, String)>) {
    if found.len() >= MOST_VALUES {
        return;
    }
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(name, inner)| push_values(format!("{path}.{name}"), inner, found));
        }
        Value::Array(list) => {
            list.iter()
                .enumerate()
                .for_each(|(at, inner)| push_values(format!("{path}[{at}]"), inner, found));
        }
        Value::String(text) => found.push((path, text.clone())),
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) => found.push((path, value.to_string())),
    }
}
