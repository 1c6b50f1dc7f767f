//! Shape of a message: the operation that it names, and the names of its values at every depth. Messages of one shape
//! at one address are of one kind.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Longest shape, in bytes; a longer one is told apart by its hash.
const LONGEST: usize = 2000;
/// Longest value that names an operation, in characters.
const LONGEST_CALL: usize = 80;
/// Deepest level of values that is looked at.
const DEEPEST: usize = 8;

/// Names of values that say what a message does.
pub const CALL_NAMES: [&str; 22] = [
    "type",
    "t",
    "kind",
    "event",
    "action",
    "_action",
    "op",
    "operation",
    "operationname",
    "method",
    "cmd",
    "command",
    "msg",
    "packet",
    "do",
    "task",
    "func",
    "function",
    "call",
    "verb",
    "intent",
    "mutation",
];

/// Returns the shape of a message.
pub fn message_shape(content_type: &str, body: &[u8]) -> String {
    let shape = if content_type == "application/json" {
        serde_json::from_slice(body).map(|value| shape_of(&value, 0)).ok()
    } else if content_type == "text/plain" {
        std::str::from_utf8(body).ok().map(|text| without_numbers(text.trim()))
    } else {
        None
    };
    match shape {
        Some(shape) if shape.len() <= LONGEST => shape,
        Some(shape) => hash(shape.as_bytes()),
        // Nothing is known of bytes: only the very same ones are of the same kind.
        None => hash(body),
    }
}

fn hash(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

fn shape_of(value: &Value, depth: usize) -> String {
    match value {
        _ if depth == DEEPEST => String::from("…"),
        Value::Object(object) => shape_of_object(object, depth),
        Value::Array(parts) => {
            // The first text of a bare list says what it is about.
            let call = parts.first().and_then(Value::as_str).filter(|_| depth == 0);
            let shapes: BTreeSet<String> = parts.iter().map(|part| shape_of(part, depth + 1)).collect();
            let shapes = shapes.into_iter().collect::<Vec<_>>().join("|");
            format!("[{}{shapes}]", call.map(named_call).unwrap_or_default())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => String::new(),
    }
}

fn shape_of_object(object: &Map<String, Value>, depth: usize) -> String {
    let mut named: Vec<String> = object
        .iter()
        .map(|(name, value)| {
            let is_call = is_call_name(name);
            match value {
                Value::String(text) if is_call => format!("{name}{}", named_call(text)),
                Value::Number(number) if is_call => format!("{name}={number}"),
                // GraphQL: another document is another operation.
                Value::String(text) if name == "query" => format!("{name}={}", hash(text.as_bytes())),
                _ => format!("{name}{}", shape_of(value, depth + 1)),
            }
        })
        .collect();
    named.sort();
    format!("{{{}}}", named.join(","))
}

fn named_call(text: &str) -> String {
    format!("={}", text.chars().take(LONGEST_CALL).collect::<String>())
}

/// True if a value of this name says what the message does.
pub fn is_call_name(name: &str) -> bool {
    CALL_NAMES.contains(&name.to_ascii_lowercase().as_str())
}

/// Replaces each run of digits by `#`.
fn without_numbers(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut is_in_number = false;
    for letter in text.chars() {
        if !letter.is_ascii_digit() {
            written.push(letter);
        } else if !is_in_number {
            written.push('#');
        }
        is_in_number = letter.is_ascii_digit();
    }
    written
}
