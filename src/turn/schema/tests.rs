//! Checks the strict-mode rules, and that the turns of `docs/turns.md` fit the schema and parse.

use super::*;
use crate::turn::Turn;
use crate::turn::action::{Action, NAMES};
use crate::turn::internal_action::INTERNAL;

/// Asserts every rule of strict mode at every place in a schema.
fn walk(schema: &Value, depth: usize, count: &mut usize) {
    assert!(depth <= 10, "nested too deeply");
    let map = schema.as_object().expect("a schema is an object");
    const KNOWN: [&str; 8] =
        ["type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "description"];
    for word in map.keys() {
        assert!(KNOWN.contains(&word.as_str()), "strict mode does not know `{word}`");
    }
    if let Some(variants) = map.get("anyOf") {
        assert!(depth > 0, "the root must not be anyOf");
        variants.as_array().expect("a list").iter().for_each(|variant| walk(variant, depth, count));
        return;
    }
    let kind = map.get("type").expect("a type");
    let is =
        |name: &str| kind == name || kind.as_array().is_some_and(|kinds| kinds.iter().any(|k| k == name));
    if is("object") {
        assert_eq!(map["additionalProperties"], json!(false));
        let properties = map["properties"].as_object().expect("properties");
        let mut required: Vec<&str> =
            map["required"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        required.sort_unstable();
        let mut named: Vec<&str> = properties.keys().map(String::as_str).collect();
        named.sort_unstable();
        assert_eq!(required, named);
        *count += properties.len();
        properties.values().for_each(|property| walk(property, depth + 1, count));
    }
    if is("array") {
        walk(&map["items"], depth + 1, count);
    }
}

// The schema of the turn obeys the rules of strict structured outputs (S1.11, S4.1 to S4.15).
#[test]
fn every_schema_is_strict() {
    for actions in [&NAMES[..], &["stop"], &["navigate", "need_user"], &["an_agent"]] {
        let mut count = 0;
        let schema = turn_schema(actions, &[]);
        walk(&schema, 0, &mut count);
        assert!(count <= 100, "{count} properties; some endpoints allow 100");
        assert_eq!(size(&schema).0, count);
        assert_eq!(schema["properties"]["actions"]["items"]["properties"]["action"]["enum"], json!(actions));
    }
}

// Equal variants would only cost tokens.
#[test]
fn every_variant_of_the_params_is_there_once() {
    let schema = turn_schema(&NAMES, &[]);
    let call = &schema["properties"]["actions"]["items"]["properties"];
    let sub = &call["sub_actions"]["items"]["properties"];
    for call in [call, sub] {
        let variants: Vec<Value> =
            call["params"]["anyOf"].as_array().expect("a list").iter().map(without_descriptions).collect();
        for (at, variant) in variants.iter().enumerate() {
            assert!(!variants[at + 1..].contains(variant), "twice: {variant}");
        }
    }
}

#[test]
fn every_property_has_its_place_in_the_order() {
    fn names(schema: &Value, found: &mut Vec<String>) {
        match schema {
            Value::Object(map) => {
                if let Some(Value::Object(properties)) = map.get("properties") {
                    found.extend(properties.keys().cloned());
                }
                map.values().for_each(|value| names(value, found));
            }
            Value::Array(list) => list.iter().for_each(|value| names(value, found)),
            _ => {}
        }
    }
    let mut turn = Vec::new();
    names(&generate_schema::<AskedTurn>(), &mut turn);
    names(&generate_schema::<AskedCall>(), &mut turn);
    for name in turn.iter().filter(|name| !["label", "estimated_duration_seconds"].contains(&name.as_str())) {
        assert!(ORDER.contains(&name.as_str()), "{name} has no place in ORDER");
    }
}

/// Validates a value against the keywords that these schemas use.
fn valid(value: &Value, schema: &Value) -> bool {
    if let Some(variants) = schema.get("anyOf").and_then(Value::as_array) {
        return variants.iter().any(|variant| valid(value, variant));
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array)
        && !words.contains(value)
    {
        return false;
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return false,
    };
    kinds.iter().any(|kind| match (*kind, value) {
        ("null", Value::Null) | ("string", Value::String(_)) | ("boolean", Value::Bool(_)) => true,
        ("integer", Value::Number(n)) => n.is_i64() || n.is_u64(),
        ("number", Value::Number(_)) => true,
        ("array", Value::Array(items)) => items.iter().all(|item| valid(item, &schema["items"])),
        ("object", Value::Object(map)) => {
            let properties = schema["properties"].as_object().expect("properties");
            map.len() == properties.len()
                && map
                    .iter()
                    .all(|(name, item)| properties.get(name).is_some_and(|schema| valid(item, schema)))
        }
        _ => false,
    })
}

fn turn_with(action: &str, params: Value) -> Value {
    json!({
        "status": "EXECUTING",
        "context": {"knowledge_relics": [], "variables": [{"name": "last_build_id", "value": "build-1"}]},
        "thoughts": [{"type": "PLAN", "content": "..."}],
        "step_ref": 1,
        "expected_outcome": "the cart shows one lamp",
        "confidence": 0.9,
        "actions": [
            {"action_id": "a1", "action": action, "type": "tool", "params": params,
             "execution": "SYNC", "depends_on": null, "display": null, "sub_actions": []}
        ],
        "stop": false,
        "response": null
    })
}

// The enumerations list exactly these values (S4.8, S4.10, S4.12).
#[test]
fn actions_have_these_types_executions_and_displays() {
    let schema = turn_schema(&NAMES, &[]);
    let call = &schema["properties"]["actions"]["items"]["properties"];
    let mut turn = turn_with("click", json!({"eid": 12}));
    for (name, words) in
        [("type", &["tool", "internal", "relic", "monument"][..]), ("execution", &["SYNC", "ASYNC"])]
    {
        assert_eq!(call[name]["enum"], json!(words), "{name}");
        for word in words {
            turn["actions"][0][name] = json!(word);
            assert!(valid(&turn, &schema), "{word}");
            let read: Turn = serde_json::from_value(turn.clone()).expect("a turn");
            assert_eq!(json!(read.actions[0])[name], json!(word));
        }
    }
    let display = call["display"].to_string();
    assert!(display.contains(r#"["progress_bar","status_message"]"#), "{display}");
}

// The example and each action of the tables in `docs/turns.md` fit the schema and parse (S4.1 to
// S4.15).
#[test]
fn documented_turns_fit_the_schema_and_parse() {
    let cases = [
        ("click", json!({"eid": 12})),
        ("click", json!({"eid": 12, "button": "right", "count": 2, "modifiers": null, "hold_ms": null})),
        (
            "click",
            json!({"eid": 12, "button": null, "count": null, "modifiers": ["Control"], "hold_ms": 1500}),
        ),
        ("click", json!({"x": 10, "y": 20.5})),
        ("hover", json!({"x": 10, "y": 20})),
        ("type", json!({"x": 10, "y": 20, "text": "olena"})),
        ("drag", json!({"from": {"x": 10, "y": 20}, "to": {"x": 30, "y": 20}})),
        (
            "fill",
            json!({"fields": [{"eid": 1, "text": "Olena", "option": null, "checked": null}], "submit": true}),
        ),
        ("find", json!({"text": "Invoice"})),
        ("find", json!({"text": "Delete", "role": "button"})),
        ("extract", json!({"eid": null, "schema": "{\"type\": \"object\"}", "as": "csv"})),
        ("navigate", json!({"url": "https://example.com"})),
        ("back", json!({})),
        ("forward", json!({})),
        ("reload", json!({})),
        ("type", json!({"eid": 3, "text": "olena"})),
        ("type", json!({"eid": 3, "text": "olena", "clear": null, "submit": true})),
        ("select", json!({"eid": 4, "option": "Poland"})),
        ("select", json!({"eid": 4, "option": ["Red", "Blue"]})),
        ("press", json!({"key": "Control+A"})),
        ("hover", json!({"eid": 3})),
        ("drag", json!({"from_eid": 3, "to_eid": 4})),
        ("upload", json!({"eid": 3, "file": "report.pdf"})),
        ("upload", json!({"eid": 3, "file": ["a.png", "b.png"]})),
        ("dialog", json!({"accept": true})),
        ("dialog", json!({"accept": true, "text": "Olena"})),
        ("tab", json!({"operation": "new", "tab": null, "url": "https://a.test"})),
        ("tab", json!({"operation": "switch", "tab": 2, "url": null})),
        ("tab", json!({"operation": "close", "tab": null, "url": null})),
        ("scroll", json!({"direction": "down"})),
        ("scroll", json!({"direction": "down", "amount": 2.5, "eid": null})),
        ("wait", json!({"seconds": null, "text": "Thank you", "gone": null})),
        ("wait", json!({"seconds": 3.0, "text": null, "gone": "Loading"})),
        ("extract", json!({})),
        ("extract", json!({"eid": 7, "schema": null, "as": null})),
        ("extract", json!({"file": "report.pdf", "pages": "1-3", "as": "picture"})),
        ("extract", json!({"file": "report.pdf", "pages": null, "as": null})),
        ("page_tool", json!({"name": "search", "arguments": "{\"city\": \"Kyiv\"}"})),
        ("need_user", json!({"text": "Log in, please"})),
        ("ask_user", json!({"question": "Which size?", "answer_key": "size", "options": ["S", "M"]})),
        ("ask_user", json!({"question": "Which size?", "answer_key": "size"})),
        ("stop", json!({"response": "Done"})),
    ];
    let schema = turn_schema(&NAMES, &[]);
    for (name, params) in cases {
        let turn_json = turn_with(name, params);
        assert!(valid(&turn_json, &schema), "{name} does not fit: {turn_json}");
        let turn: Turn = serde_json::from_value(turn_json).expect("a turn");
        assert_eq!(turn.context.variables["last_build_id"], "build-1");
        let action = Action::parse(&turn.actions[0]).expect("an action");
        assert_eq!(action.name(), name);
    }
}

// Agents are actions with typed inputs; an open type is JSON in a string (S2.20, S4.7, S4.9).
#[test]
fn agents_are_actions_with_their_inputs() {
    let input = |name: &str, type_name: &str, required| Input {
        name: name.to_owned(),
        type_name: type_name.to_owned(),
        required,
        ..Input::default()
    };
    let inputs =
        vec![input("target", "string", true), input("jobs", "integer", false), input("flags", "list", false)];
    let tools = [Tool { name: String::from("build_tool"), inputs, ..Tool::default() }];
    let schema = turn_schema(&["stop", "task_manager", "recall", "premove", "replan"], &tools);
    let mut count = 0;
    walk(&schema, 0, &mut count);
    assert_eq!(size(&schema).0, count);
    for (name, params) in [
        ("build_tool", json!({"target": "x", "jobs": null, "flags": "[1]"})),
        ("task_manager", json!({"operation": "get_status", "task_id": "build-1"})),
        ("recall", json!({"query": "q", "relics": ["docs"]})),
        ("premove", json!({"operation": "set", "name": "now", "agent": "clock", "params": "{}"})),
        ("replan", json!({"reason": "it is another shop"})),
    ] {
        assert!(valid(&turn_with(name, params.clone()), &schema), "{name} {params}");
    }
    assert!(!valid(&turn_with("build_tool", json!({"target": "x", "jobs": "two", "flags": null})), &schema));
    assert!(!valid(&turn_with("click", json!({"eid": 1})), &schema));
}

/// Returns `agents` tools with `inputs` inputs each.
fn tools(agents: usize, inputs: usize) -> Vec<Tool> {
    let input = |agent: usize, n: usize| Input {
        name: format!("input_{agent}_{n}"),
        type_name: String::from("string"),
        ..Input::default()
    };
    let tool = |agent| Tool {
        name: format!("agent_{agent}"),
        inputs: (0..inputs).map(|n| input(agent, n)).collect(),
        ..Tool::default()
    };
    (0..agents).map(tool).collect()
}

// The schema of a browser agent with its internal actions and tools exceeds the 100 properties of some
// endpoints, and is within the limits of OpenAI's strict mode or known to exceed them.
#[test]
fn a_schema_with_agents_is_within_what_strict_mode_takes_or_known_to_be_beyond() {
    let all: Vec<&str> = NAMES.into_iter().chain(INTERNAL).collect();
    for (agents, inputs, most) in [(0, 0, 125), (3, 5, 155), (100, 20, PROPERTIES)] {
        let schema = turn_schema(&all, &tools(agents, inputs));
        let mut count = 0;
        walk(&schema, 0, &mut count);
        assert!(count <= most && may_be_strict(&schema), "{agents} agents: {count} properties");
        assert_eq!(size(&schema).0, count);
    }
    assert!(!may_be_strict(&turn_schema(&all, &tools(100, 30))));
    let deep = (0..=LEVELS).fold(
        json!({"type": "string"}),
        |inner, _| json!({"type": "object", "properties": {"a": {"type": "array", "items": inner}}}),
    );
    assert!(!may_be_strict(&deep));
}

// An agent without background tasks can only choose `SYNC` (S4.10, S4.33).
#[test]
fn agents_without_tasks_can_only_call_sync() {
    for (actions, words) in [(&["stop", "task_manager"][..], &["SYNC", "ASYNC"][..]), (&["stop"], &["SYNC"])]
    {
        let schema = turn_schema(actions, &tools(1, 1));
        let call = &schema["properties"]["actions"]["items"]["properties"];
        assert_eq!(call["execution"]["enum"], json!(words));
        assert_eq!(call["sub_actions"]["items"]["properties"]["execution"]["enum"], json!(words));
    }
}

#[test]
fn actions_that_are_not_allowed_do_not_fit_the_schema() {
    let schema = turn_schema(&["navigate", "stop"], &[]);
    assert!(!valid(&turn_with("click", json!({"eid": 12})), &schema));
    assert!(!valid(&turn_with("navigate", json!({"eid": 12})), &schema));
    assert!(!valid(&turn_with("navigate", json!({"url": "https://a.test", "more": 1})), &schema));
    assert!(valid(&turn_with("navigate", json!({"url": "https://a.test"})), &schema));
}
