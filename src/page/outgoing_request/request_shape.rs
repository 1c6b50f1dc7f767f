//! Shape of what a request or a message carries: the operation that it names, and the names of its values at every
//! depth. Requests of one shape to one address are of one kind. Pure.

use crate::page::request_body::{
    self, GraphqlOperation, RequestBody, names_stamp, tells_calls_apart, tells_json_calls_apart,
};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use url::Url;

/// Longest shape, in bytes; a longer one is told apart by its hash.
const LONGEST: usize = 2000;
/// Longest value that names an operation, in characters.
const LONGEST_CALL: usize = 80;
/// Numbers from here on are no numbers of operations, but times or counters.
const MOST_CALLS: i64 = 1000;
/// Deepest level of values that is looked at.
const DEEPEST: usize = 8;

/// Returns the shape of a body.
pub fn body_shape(content_type: &str, body: &[u8]) -> String {
    let json =
        serde_json::from_slice::<Value>(body).ok().filter(|value| value.is_object() || value.is_array());
    let shape = match json {
        Some(value) => Some(shape_of(&value, 0)),
        None if content_type.is_empty() || content_type.starts_with("text/plain") => {
            std::str::from_utf8(body).ok().map(|text| without_numbers(text.trim()))
        }
        None => shape_of_fields(content_type, body),
    };
    match shape {
        Some(shape) if shape.len() <= LONGEST => shape,
        Some(shape) => hash(shape.as_bytes()),
        // Nothing is known of bytes: only the very same ones are of the same kind.
        None => hash(body),
    }
}

/// Returns the shape of the query of an address.
pub fn query_shape(url: &Url) -> String {
    let values = request_body::read_query(url);
    join_names(values.iter().map(|value| (value.name.as_str(), value.value.as_str())))
}

/// Returns the shape of forms, parts and markup; `None` if nothing reads it.
fn shape_of_fields(content_type: &str, body: &[u8]) -> Option<String> {
    let RequestBody::Values(read) = request_body::read_body(content_type, Some(body), None) else {
        return None;
    };
    let mut operations: Vec<String> = read.graphql.iter().map(GraphqlOperation::signature).collect();
    operations.push(join_names(read.values.iter().map(|value| (value.name.as_str(), value.value.as_str()))));
    Some(operations.join(";"))
}

/// Joins names of values, with the value where it tells calls apart.
fn join_names<'v>(values: impl Iterator<Item = (&'v str, &'v str)>) -> String {
    let telling = values.filter(|(name, _)| !names_stamp(name));
    let named: BTreeSet<String> = telling
        .map(|(name, value)| {
            let last = name.rsplit(['.', '[', ']']).find(|part| !part.is_empty()).unwrap_or(name);
            let call = if tells_calls_apart(last) { named_call(value) } else { String::new() };
            format!("{}{call}", without_numbers(name))
        })
        .collect();
    named.into_iter().collect::<Vec<_>>().join(",")
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
        .filter(|(name, _)| !names_stamp(name))
        .map(|(name, value)| {
            let is_call = tells_json_calls_apart(name);
            let is_small =
                |number: &serde_json::Number| number.as_i64().is_some_and(|number| number < MOST_CALLS);
            match value {
                Value::String(text) if is_call => format!("{name}{}", named_call(text)),
                Value::Number(number) if is_call && is_small(number) => format!("{name}={number}"),
                Value::Bool(_) if is_call => format!("{name}={value}"),
                // GraphQL: another document is another operation.
                Value::String(text) if name == "query" && text.contains('{') => {
                    format!("{name}={}", hash(text.as_bytes()))
                }
                _ => format!("{}{}", without_numbers(name), shape_of(value, depth + 1)),
            }
        })
        .collect();
    named.sort();
    named.dedup();
    format!("{{{}}}", named.join(","))
}

fn named_call(text: &str) -> String {
    format!("={}", text.chars().take(LONGEST_CALL).collect::<String>())
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

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = "application/json";
    const FORM: &str = "application/x-www-form-urlencoded";
    const PARTS: &str = "multipart/form-data; boundary=b";

    fn part(name: &str, value: &str) -> String {
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n--b--\r\n")
    }

    #[test]
    fn bodies_of_one_operation_and_other_values_have_one_shape() {
        for (content_type, one, other) in [
            (JSON, r#"{"at":1,"room":{"id":4}}"#, r#"{"at":9,"room":{"id":5}}"#),
            (JSON, r#"{"type":"ping","modified":"x"}"#, r#"{"type":"ping"}"#),
            (JSON, r#"{"rows":[{"a":1},{"a":2}]}"#, r#"{"rows":[{"a":3}]}"#),
            (FORM, "room=4&text=hi", "text=ho&room=5"),
            (PARTS, part("ping", "1").as_str(), part("ping", "2").as_str()),
            ("text/plain", "beat 12", "beat 13"),
            ("application/octet-stream", "\u{1}\u{2}", "\u{1}\u{2}"),
        ] {
            let (one, other) =
                (body_shape(content_type, one.as_bytes()), body_shape(content_type, other.as_bytes()));
            assert_eq!(one, other, "{content_type}");
        }
    }

    #[test]
    fn bodies_of_other_operations_or_with_other_names_have_other_shapes() {
        for (content_type, one, other) in [
            (JSON, r#"{"op":1,"id":"x"}"#, r#"{"op":2,"id":"x"}"#),
            (JSON, r#"{"call":{"method":"list"}}"#, r#"{"call":{"method":"pay"}}"#),
            (JSON, r#"[{"method":"list"}]"#, r#"[{"method":"list"},{"method":"pay"}]"#),
            (JSON, r#"{"query":"{a}"}"#, r#"{"query":"{b}"}"#),
            (JSON, r#"{"x":{"sha256Hash":"ab"}}"#, r#"{"x":{"sha256Hash":"cd"}}"#),
            (FORM, "action=list", "action=pay"),
            (FORM, "query={a}", "query=mutation{pay}"),
            (FORM, "ping=1", "pay=900"),
            (PARTS, part("ping", "1").as_str(), part("pay", "900").as_str()),
            (PARTS, part("action", "list").as_str(), part("action", "pay").as_str()),
            ("text/plain", "beat", "pay"),
            ("text/xml", "<ping><a>1</a></ping>", "<pay><to>1</to></pay>"),
            ("application/octet-stream", "\u{0}\u{2}", "\u{0}\u{3}"),
        ] {
            let (one, other) =
                (body_shape(content_type, one.as_bytes()), body_shape(content_type, other.as_bytes()));
            assert_ne!(one, other, "{content_type}");
        }
    }
}
