//! Calls in the shapes that models write: parameters beside the action, other names for the name and the
//! parameters, the name as the only key. What could mean several actions is refused.

use crate::turn::action::{NAMES, PAGE_TOOL};
use crate::turn::internal_action::INTERNAL;
use crate::turn::lenient_parse::element_number::read_element_number;
use serde_json::{Map, Value, json};

/// Fields of a call besides its parameters.
const CALL_FIELDS: [&str; 9] = [
    "action_id",
    "action",
    "type",
    "description",
    "params",
    "execution",
    "depends_on",
    "display",
    "sub_actions",
];

/// Comments that models write beside an action. No action has a parameter of such a name.
const COMMENTS: [&str; 8] =
    ["thought", "thoughts", "thinking", "reasoning", "rationale", "explanation", "comment", "why"];

/// Other names of a call's name, and of its parameters.
const NAME_KEYS: [&str; 5] = ["name", "tool", "tool_name", "action_type", "action_name"];
const PARAM_KEYS: [&str; 6] = ["parameters", "arguments", "args", "input", "tool_input", "action_input"];

/// Parameters that hold an element id, and other names of `eid`.
const ELEMENT_PARAMS: [&str; 3] = ["eid", "from_eid", "to_eid"];
const ELEMENT_KEYS: [&str; 4] = ["element", "element_id", "ref", "id"];

/// Other names of parameters, by action.
const PARAM_ALIASES: [(&str, &str, &str); 8] = [
    ("type", "value", "text"),
    ("type", "content", "text"),
    ("select", "options", "option"),
    ("select", "value", "option"),
    ("press", "keys", "key"),
    ("navigate", "link", "url"),
    ("navigate", "address", "url"),
    ("need_user", "message", "text"),
];

/// The parameter of an action that is written as `{"action": value}`.
const MAIN_PARAMS: [(&str, &str); 9] = [
    ("click", "eid"),
    ("hover", "eid"),
    ("navigate", "url"),
    ("press", "key"),
    ("wait", "seconds"),
    ("find", "text"),
    ("need_user", "text"),
    ("ask_user", "question"),
    ("stop", "response"),
];

/// Actions that need no parameters, and may be written as their name alone.
const BARE: [&str; 5] = ["back", "forward", "reload", "stop", "replan"];

/// True for the name of an action that every agent may be given.
pub(crate) fn is_action_name(name: &str) -> bool {
    NAMES.contains(&name) || INTERNAL.contains(&name) || name == "complete"
}

/// Brings a call into the shape of the schema. `at` names its place in errors, such as `actions[0]`.
pub(crate) fn shape_call(value: &Value, at: &str) -> Result<Value, String> {
    let map = match value {
        Value::Object(map) => map,
        Value::String(text) if BARE.contains(&text.trim()) => {
            return Ok(json!({ "action": text.trim() }));
        }
        other => {
            let form = "write {\"action\": NAME, \"params\": {…}}";
            return Err(format!("`{at}` is not an object but {}; {form}", describe(other)));
        }
    };
    match map.get("action") {
        Some(Value::String(name)) if !name.trim().is_empty() => shape_named(name, map, "action", at),
        Some(inner @ Value::Object(_)) => shape_call(&with_outer_fields(inner, map), at),
        _ => shape_unnamed(map, at),
    }
}

/// Shapes a call without `action`: its name stands under another key, or is itself the key.
fn shape_unnamed(map: &Map<String, Value>, at: &str) -> Result<Value, String> {
    if let Some(function) = map.get("function").filter(|function| function.is_object()) {
        return shape_call(&with_outer_fields(function, map), at);
    }
    let has_params = PARAM_KEYS.iter().chain(&["params"]).any(|key| map.contains_key(*key));
    let is_name = |name: &str| has_params || is_action_name(&name.trim().to_lowercase());
    let named =
        NAME_KEYS.iter().find_map(|key| Some((*key, map.get(*key)?.as_str().filter(|n| is_name(n))?)));
    if let Some((key, name)) = named {
        return shape_named(name, map, key, at);
    }
    if let Some(name) = map.get("type").and_then(Value::as_str).filter(|name| is_action_name(name)) {
        return shape_named(name, map, "type", at);
    }
    let is_used = |key: &str, value: &Value| {
        !value.is_null()
            && *value != Value::Bool(false)
            && (is_action_name(key) || !(CALL_FIELDS.contains(&key) || COMMENTS.contains(&key)))
    };
    let mut used = map.iter().filter(|(key, value)| is_used(key, value));
    match (used.next(), used.next()) {
        (Some((name, params)), None) => shape_keyed(name, params, map, at),
        (Some((first, _)), Some((second, _))) if is_action_name(first) && is_action_name(second) => {
            Err(format!(
                "`{at}` holds several actions, `{first}` and `{second}`; give each its own object in `actions`"
            ))
        }
        // Empty calls are dropped or refused with their turn.
        _ => Ok(Value::Object(map.clone())),
    }
}

/// Shapes `{"click": {"eid": 3}}` and `{"click": 3}`.
fn shape_keyed(name: &str, params: &Value, map: &Map<String, Value>, at: &str) -> Result<Value, String> {
    let main = MAIN_PARAMS.iter().find(|(action, _)| *action == name).map(|(_, param)| *param);
    let params = match params {
        Value::Object(params) => params.clone(),
        Value::Bool(true) => Map::new(),
        value => match main {
            Some(main) => Map::from_iter([(main.to_owned(), value.clone())]),
            None => {
                return Err(format!("`{at}.{name}` is not an object with the parameters of `{name}`"));
            }
        },
    };
    let mut call = keep_fields(map, name);
    call.insert(String::from("action"), json!(name));
    call.insert(String::from("params"), Value::Object(params));
    finish(call, at)
}

/// Shapes a call whose name stands under `key`.
fn shape_named(name: &str, map: &Map<String, Value>, key: &str, at: &str) -> Result<Value, String> {
    let lower = name.trim().to_lowercase();
    let name = if is_action_name(&lower) { lower } else { name.trim().to_owned() };
    let mut call = keep_fields(map, key);
    let mut params = params_of(map, "params", at)?;
    let mut beside = Map::new();
    for (field, value) in map {
        let is_own = CALL_FIELDS.contains(&field.as_str()) || COMMENTS.contains(&field.as_str());
        if field == key || is_own || value.is_null() {
            continue;
        }
        // A tool of the page has a parameter of this name.
        let holds_params = PARAM_KEYS.contains(&field.as_str()) && (key != "action" || name != PAGE_TOOL);
        if holds_params && (value.is_object() || value.is_string()) {
            beside.extend(params_of(map, field, at)?);
        } else {
            beside.insert(field.clone(), value.clone());
        }
    }
    // The parameters of a premove's agent stand in a parameter that is itself called `params`.
    if name == "premove" && beside.contains_key("operation") && !params.contains_key("operation") {
        beside.insert(String::from("params"), Value::Object(std::mem::take(&mut params)));
    }
    for (field, value) in beside {
        match params.get(&field) {
            Some(known) if !known.is_null() && *known != value => {
                return Err(format!(
                    "`{at}` has `{field}` twice, with different values; give it once, in `params`"
                ));
            }
            _ => drop(params.insert(field, value)),
        }
    }
    call.insert(String::from("action"), Value::String(name));
    call.insert(String::from("params"), Value::Object(params));
    finish(call, at)
}

/// Returns the parameters under `key`: an object, or its JSON in a string.
fn params_of(map: &Map<String, Value>, key: &str, at: &str) -> Result<Map<String, Value>, String> {
    let fault =
        |value: &Value| format!("`{at}.{key}` is not an object of parameters but {}", describe(value));
    match map.get(key) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(params)) => Ok(params.clone()),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Map::new()),
        Some(value @ Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Object(params)) => Ok(params),
            Ok(_) | Err(_) => Err(fault(value)),
        },
        Some(Value::Array(items)) if items.is_empty() => Ok(Map::new()),
        Some(Value::Array(items)) => match items.as_slice() {
            [Value::Object(params)] => Ok(params.clone()),
            _ => Err(fault(&Value::Array(items.clone()))),
        },
        Some(other) => Err(fault(other)),
    }
}

/// Returns the fields of a call besides its name and parameters.
fn keep_fields(map: &Map<String, Value>, name_key: &str) -> Map<String, Value> {
    let kept = |(field, value): (&String, &Value)| {
        let is_kept = CALL_FIELDS.contains(&field.as_str()) && field != name_key && field != "params";
        is_kept.then(|| (field.clone(), value.clone()))
    };
    map.iter().filter_map(kept).collect()
}

/// Adds the fields of the outer object to a call within it, such as its id.
fn with_outer_fields(inner: &Value, outer: &Map<String, Value>) -> Value {
    let mut call = inner.as_object().cloned().unwrap_or_default();
    for field in ["action_id", "depends_on", "execution", "description", "params"] {
        if let Some(value) = outer.get(field).filter(|_| !call.contains_key(field)) {
            call.insert(field.to_owned(), value.clone());
        }
    }
    Value::Object(call)
}

/// Brings the remaining fields and the parameters of the agent's own actions into their types.
fn finish(mut call: Map<String, Value>, at: &str) -> Result<Value, String> {
    for field in ["action_id", "description", "execution", "type"] {
        match call.get(field) {
            Some(Value::Number(number)) => drop(call.insert(field.to_owned(), json!(number.to_string()))),
            Some(Value::String(_) | Value::Null) | None => {}
            Some(_) => drop(call.remove(field)),
        }
    }
    let depends = match call.get("depends_on") {
        Some(Value::Array(ids)) if ids.is_empty() => Some(Value::Null),
        Some(Value::Array(ids)) => match ids.as_slice() {
            [id] => Some(id.clone()),
            _ => return Err(format!("`{at}.depends_on` names several ids; name one")),
        },
        Some(Value::Number(number)) => Some(json!(number.to_string())),
        _ => None,
    };
    if let Some(depends) = depends {
        call.insert(String::from("depends_on"), depends);
    }
    if let Some(Value::Array(parts)) = call.get("sub_actions") {
        let shaped =
            parts.iter().enumerate().map(|(n, part)| shape_call(part, &format!("{at}.sub_actions[{n}]")));
        let shaped: Result<Vec<Value>, String> = shaped.collect();
        call.insert(String::from("sub_actions"), Value::Array(shaped?));
    }
    let name = call.get("action").and_then(Value::as_str).unwrap_or_default().to_owned();
    if let Some(Value::Object(params)) = call.get_mut("params").filter(|_| NAMES.contains(&name.as_str())) {
        shape_params(&name, params);
    }
    Ok(Value::Object(call))
}

/// Renames parameters to the names of the schema, and turns element ids into numbers.
fn shape_params(name: &str, params: &mut Map<String, Value>) {
    let aliases =
        PARAM_ALIASES.iter().filter(|(action, ..)| *action == name).map(|(_, from, to)| (*from, *to));
    let takes_eid = ["click", "hover", "type", "select", "upload", "scroll", "extract"].contains(&name);
    let elements = ELEMENT_KEYS.iter().map(|key| (*key, "eid")).filter(|_| takes_eid);
    for (from, to) in aliases.chain(elements) {
        let is_open = params.get(to).is_none_or(Value::is_null);
        let is_meant = |value: &&Value| to != "eid" || read_element_number(value).is_some();
        if is_open && let Some(value) = params.get(from).filter(is_meant).cloned() {
            params.remove(from);
            params.insert(to.to_owned(), value);
        }
    }
    if name == "fill" {
        shape_fields(params);
    }
    for param in ELEMENT_PARAMS {
        if let Some(eid) = params.get(param).and_then(read_element_number) {
            params.insert(param.to_owned(), json!(eid));
        }
    }
}

/// Brings the fields of `fill` into a list, also a single field in place of the list.
fn shape_fields(params: &mut Map<String, Value>) {
    let is_field = params.contains_key("eid") && !params.contains_key("fields");
    if is_field {
        let mut field = std::mem::take(params);
        if let Some(submit) = field.remove("submit") {
            params.insert(String::from("submit"), submit);
        }
        params.insert(String::from("fields"), json!([field]));
    }
    for field in params.get_mut("fields").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(eid) = read_element_number(&field["eid"]) {
            field["eid"] = json!(eid);
        }
    }
}

/// Describes a value that has the wrong type, for an error.
pub(crate) fn describe(value: &Value) -> String {
    let text = value.to_string();
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}
