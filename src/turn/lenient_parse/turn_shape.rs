//! Turns in the shapes that models write: a bare action, a list of actions, a turn within another object, thoughts
//! as one text. What could mean another action than was written is refused.

use crate::turn::lenient_parse::call_shape::{describe, is_action_name, shape_call};
use serde_json::{Map, Value, json};

/// Fields of a turn. Beside a bare action, they belong to the turn; the others are parameters.
const TURN_FIELDS: [&str; 15] = [
    "status",
    "context",
    "thoughts",
    "thought",
    "thinking",
    "reasoning",
    "memory",
    "step_ref",
    "expected_outcome",
    "confidence",
    "actions",
    "stop",
    "response",
    "rationale",
    "action",
];

/// Keys of an object around the turn, or around its list of actions.
const WRAPPERS: [&str; 6] = ["turn", "answer", "output", "result", "json", "action_sequence"];

/// Types of the one action in the older format.
const OLDER_TYPES: [&str; 4] = ["tool_call", "ask_user", "replan", "complete"];

/// Brings an answer into the shape of a turn. Fails with what is wrong and what is wanted.
pub(crate) fn shape_turn(value: Value) -> Result<Value, String> {
    match value {
        Value::Array(items) => shape_list(items),
        Value::Object(map) => shape_object(map),
        other => Err(format!("{} is no turn; answer with one JSON object", describe(&other))),
    }
}

fn shape_list(mut items: Vec<Value>) -> Result<Value, String> {
    if items.len() == 1 && is_turn(&items[0]) {
        return shape_turn(items.remove(0));
    }
    if items.is_empty() || items.iter().any(|item| !item.is_object() || is_turn(item)) {
        return Err(String::from("the answer is a list but not of actions; answer with one JSON object"));
    }
    shape_object(Map::from_iter([(String::from("actions"), Value::Array(items))]))
}

/// True for an object with a field that only turns have.
fn is_turn(value: &Value) -> bool {
    ["actions", "stop", "status", "thoughts"].iter().any(|field| value.get(field).is_some())
        && value.get("action").is_none_or(|action| !action.is_string())
}

fn shape_object(mut map: Map<String, Value>) -> Result<Value, String> {
    if let Some(inner) = take_wrapped(&mut map) {
        return shape_turn(inner);
    }
    if map.get("properties").is_some_and(Value::is_object) && !map.contains_key("actions") {
        return Err(String::from(
            "the answer repeats the schema; fill it in: `actions`, or `stop` with `response`",
        ));
    }
    lift_action(&mut map)?;
    let actions = match map.remove("actions") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items,
        Some(one @ Value::Object(_)) => vec![one],
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Array(items)) => items,
            Ok(one @ Value::Object(_)) => vec![one],
            Ok(_) | Err(_) => return Err(not_a_list(&Value::String(text))),
        },
        Some(other) => return Err(not_a_list(&other)),
    };
    map.insert(String::from("actions"), shape_calls(actions, "actions")?);
    shape_thoughts(&mut map)?;
    shape_plain_fields(&mut map);
    Ok(Value::Object(map))
}

fn not_a_list(value: &Value) -> String {
    format!(
        "`actions` is not a list but {}; write [{{\"action\": NAME, \"params\": {{…}}}}]",
        describe(value)
    )
}

/// Returns the turn or the list within an object that only names it.
fn take_wrapped(map: &mut Map<String, Value>) -> Option<Value> {
    let is_turns_call = map.get("name").is_some_and(|name| name == "turn");
    let arguments = ["arguments", "parameters"].into_iter().find(|key| map.contains_key(*key));
    if let Some(key) = arguments.filter(|_| is_turns_call) {
        return match map.remove(key)? {
            Value::String(text) => serde_json::from_str(&text).ok(),
            inner => Some(inner),
        };
    }
    let key = map.keys().next().filter(|_| map.len() == 1)?.clone();
    let is_whole = |inner: &Value| is_turn(inner) || inner.is_array() || inner.get("action").is_some();
    (WRAPPERS.contains(&key.as_str()) && is_whole(&map[&key])).then(|| map.remove(&key)).flatten()
}

/// Moves an action that stands in place of the list into the list.
fn lift_action(map: &mut Map<String, Value>) -> Result<(), String> {
    let has_list = map.get("actions").is_some_and(|list| !list.is_null() && *list != json!([]));
    let both = || String::from("the answer has both `action` and `actions`; give `actions` alone");
    let lifted = match map.get("action") {
        Some(Value::String(name)) if !name.trim().is_empty() => {
            let response = map.get("response").cloned();
            let is_stop = matches!(name.trim(), "stop" | "complete");
            let mut call = take_call(map);
            if let Some(response) = response.filter(|response| is_stop && response.is_string()) {
                call.insert(String::from("response"), response);
            }
            json!([call])
        }
        Some(Value::Array(_)) => map.remove("action").unwrap_or_default(),
        Some(Value::Object(action)) if !is_older(action) => json!([map.remove("action")]),
        Some(Value::Object(_)) => return Ok(()),
        Some(Value::String(_) | Value::Null) | None => {
            map.remove("action");
            match bare_call(map) {
                Some(call) => json!([call]),
                None => return Ok(()),
            }
        }
        Some(other) => return Err(format!("`action` is not a name but {}", describe(other))),
    };
    if has_list {
        return Err(both());
    }
    map.insert(String::from("actions"), lifted);
    Ok(())
}

/// True for the one action of the older format, which has its own reader.
fn is_older(action: &Map<String, Value>) -> bool {
    let kind = action.get("type").and_then(Value::as_str).unwrap_or_default();
    OLDER_TYPES.contains(&kind) && action.get("action").is_none_or(Value::is_null)
}

/// Takes the fields of a bare action out of the answer.
fn take_call(map: &mut Map<String, Value>) -> Map<String, Value> {
    let (turn, mut call): (Map<_, _>, Map<_, _>) =
        std::mem::take(map).into_iter().partition(|(field, _)| TURN_FIELDS.contains(&field.as_str()));
    *map = turn;
    if let Some(name) = map.remove("action") {
        call.insert(String::from("action"), name);
    }
    call
}

/// Returns an answer that is a call without a field `action`: by its name's key, or by the name as the key.
fn bare_call(map: &mut Map<String, Value>) -> Option<Map<String, Value>> {
    let names = ["name", "tool", "tool_name", "action_type", "action_name", "type"];
    let named = |key: &&str| map.get(*key).and_then(Value::as_str).is_some_and(is_action_name);
    let is_key = |field: &String| is_action_name(field) && !TURN_FIELDS.contains(&field.as_str());
    let is_call = names.iter().any(named) || map.contains_key("function") || map.keys().any(is_key);
    is_call.then(|| take_call(map))
}

fn shape_calls(items: Vec<Value>, at: &str) -> Result<Value, String> {
    let shaped = items.iter().enumerate().filter(|(_, item)| !item.is_null());
    shaped
        .map(|(index, item)| shape_call(item, &format!("{at}[{index}]")))
        .collect::<Result<_, _>>()
        .map(Value::Array)
}

/// Brings thoughts into a list, also one text; actions within them are shaped like the others.
fn shape_thoughts(map: &mut Map<String, Value>) -> Result<(), String> {
    for other in ["thought", "thinking", "reasoning"] {
        if let Some(text @ Value::String(_)) = map.remove(other)
            && map.get("thoughts").is_none_or(Value::is_null)
        {
            map.insert(String::from("thoughts"), text);
        }
    }
    let thoughts = match map.remove("thoughts") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Array(items)) => items,
        Some(one) => vec![one],
    };
    let mut shaped = Vec::new();
    for (index, thought) in thoughts.into_iter().enumerate() {
        shaped.push(match thought {
            Value::Object(thought) => shape_thought(thought, index)?,
            Value::String(_) => thought,
            Value::Null => continue,
            other => Value::String(other.to_string()),
        });
    }
    map.insert(String::from("thoughts"), Value::Array(shaped));
    Ok(())
}

fn shape_thought(mut thought: Map<String, Value>, index: usize) -> Result<Value, String> {
    for field in ["type", "content"] {
        if let Some(value) = thought.get(field).filter(|value| !value.is_string() && !value.is_null()) {
            let text = Value::String(value.to_string());
            thought.insert(field.to_owned(), text);
        }
    }
    let text =
        ["text", "thought"].iter().find_map(|key| thought.get(*key).filter(|text| text.is_string()).cloned());
    if let Some(text) = text.filter(|_| !thought.contains_key("content")) {
        thought.insert(String::from("content"), text);
    }
    if let Some(Value::Array(items)) = thought.remove("actions") {
        thought.insert(String::from("actions"), shape_calls(items, &format!("thoughts[{index}].actions"))?);
    }
    if let Some(action) = thought.get("action").and_then(Value::as_object).filter(|action| !is_older(action))
    {
        let shaped = shape_call(&Value::Object(action.clone()), &format!("thoughts[{index}].action"))?;
        thought.insert(String::from("action"), shaped);
    }
    Ok(Value::Object(thought))
}

/// Drops or converts fields of the wrong type that decide nothing.
fn shape_plain_fields(map: &mut Map<String, Value>) {
    if map.get("context").is_some_and(|context| !context.is_object()) {
        map.remove("context");
    }
    for field in ["expected_outcome", "rationale"] {
        match map.get(field) {
            Some(Value::String(_) | Value::Null) | None => {}
            Some(other) => {
                let text = Value::String(other.to_string());
                map.insert(field.to_owned(), text);
            }
        }
    }
}
