//! Checks the strict-mode rules, and that the turns of `docs/turns.md` fit the schema and parse.

use super::*;
use crate::turn::Turn;
use crate::turn::action::{Action, NAMES};
use crate::turn::internal_action::INTERNAL;
use std::collections::BTreeSet;

/// Asserts every rule of strict mode at every place in a schema.
fn walk(schema: &Value, depth: usize, count: &mut usize) {
    assert!(depth <= 10, "nested too deeply");
    let map = schema.as_object().expect("a schema is an object");
    const KNOWN: [&str; 9] = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "maxItems",
        "enum",
        "anyOf",
        "description",
    ];
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

fn full<'a>(actions: &'a [&'a str], tools: &'a [Tool]) -> Value {
    turn_schema(&TurnForm::full(actions, tools))
}

/// Returns the schema of a browser agent without files, dialogs and pictures.
fn lean() -> Value {
    let actions: Vec<&str> =
        NAMES.into_iter().filter(|name| *name != "page_tool").chain(["replan"]).collect();
    turn_schema(&TurnForm { actions: &actions, ..TurnForm::default() })
}

/// Returns the variants of a schema, or the schema itself.
fn variants(schema: &Value) -> Vec<&Value> {
    schema["anyOf"].as_array().map_or_else(|| vec![schema], |variants| variants.iter().collect())
}

/// Returns the names of all actions that the schema of a turn allows.
fn named_actions(schema: &Value) -> BTreeSet<String> {
    let items = &schema["properties"]["actions"]["items"];
    let names = variants(items)
        .into_iter()
        .flat_map(|variant| variant["properties"]["action"]["enum"].as_array().expect("names").iter());
    names.map(|name| name.as_str().expect("a name").to_owned()).collect()
}

// The schema of the turn obeys the rules of strict structured outputs (S1.11, S4.1 to S4.15).
#[test]
fn every_schema_is_strict() {
    for actions in [&NAMES[..], &["stop"], &["navigate", "need_user"], &["extract", "ask_user"]] {
        let mut count = 0;
        let schema = full(actions, &[]);
        walk(&schema, 0, &mut count);
        assert!(count <= 115, "{count} properties");
        assert_eq!(size(&schema).0, count);
        let mut expected: BTreeSet<String> = actions.iter().map(|name| String::from(*name)).collect();
        if expected.len() > 1 {
            expected.remove("stop");
        }
        assert_eq!(named_actions(&schema), expected);
    }
}

// Some endpoints allow 100 properties in all, and every one of them costs tokens in each request.
#[test]
fn a_browser_agent_is_asked_for_what_it_can_use() {
    let schema = lean();
    let mut count = 0;
    walk(&schema, 0, &mut count);
    assert!(count <= 100, "{count} properties");
    let tokens = schema.to_string().len().div_ceil(4);
    assert!(tokens <= 1_500, "{tokens} tokens");
    let text = schema.to_string();
    for unused in [
        "action_id",
        "execution",
        "depends_on",
        "display",
        "sub_actions",
        "step_ref",
        "knowledge_relics",
        "variables",
        "dialog",
        "upload",
        "\"x\"",
        "confidence",
        "TASK_STARTED",
    ] {
        assert!(!text.contains(unused), "{unused}");
    }
    let click = json!({
        "thoughts": "The cart is behind this link.", "memory": null,
        "actions": [{"action": "click", "params": {"eid": 12}}],
        "status": "EXECUTING", "stop": false, "response": null
    });
    assert!(valid(&click, &schema));
    let tokens = click.to_string().len().div_ceil(4);
    assert!(tokens <= 40, "{tokens} tokens");
}

// Equal variants would only cost tokens, and parameters belong to their action.
#[test]
fn every_row_of_parameters_is_there_once() {
    let schema = full(&NAMES, &[]);
    let all = variants(&schema["properties"]["actions"]["items"]);
    for (at, variant) in all.iter().enumerate() {
        let params = &variant["properties"]["params"];
        let again = all[at + 1..].iter().any(|other| &other["properties"]["params"] == params);
        assert!(!again || params.is_null(), "twice: {variant}");
    }
    for (action, params) in [
        ("press", json!({"eid": 12})),
        ("click", json!({"key": "Enter"})),
        ("navigate", json!({"text": "a"})),
        ("need_user", json!({"url": "a"})),
    ] {
        assert!(!valid(&turn_with(action, params.clone()), &schema), "{action} {params}");
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
                map.iter().filter(|(name, _)| *name != "params").for_each(|(_, value)| names(value, found));
            }
            Value::Array(list) => list.iter().for_each(|value| names(value, found)),
            _ => {}
        }
    }
    let mut turn = Vec::new();
    names(&full(&[&NAMES[..], &INTERNAL[..]].concat(), &tools(2, 1)), &mut turn);
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

/// Returns a turn of an agent with every part.
fn turn_with(action: &str, params: Value) -> Value {
    let mut call = json!({"action": action, "params": params});
    if call["params"] == json!({}) && ["back", "forward", "reload"].contains(&action) {
        call.as_object_mut().expect("an object").remove("params");
    }
    json!({
        "thoughts": "...", "memory": "the cart holds one lamp",
        "context": {"variables": [{"name": "last_build_id", "value": "build-1"}]},
        "step_ref": 1, "expected_outcome": "the cart shows one lamp",
        "actions": [call], "status": "EXECUTING", "stop": false, "response": null
    })
}

/// Returns a turn with every field that a turn can have.
fn whole_turn_with(action: &str, params: Value) -> Value {
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

/// Returns a call of an agent as it is asked for.
fn call_with(action: &str, params: Value) -> Value {
    json!({"action_id": "b", "action": action, "params": params, "depends_on": null, "execution": "ASYNC",
           "display": {"type": "progress_bar", "label": "Building", "estimated_duration_seconds": null}})
}

// The enumerations list exactly these values, for agents that have others to call (S4.8, S4.10, S4.12).
#[test]
fn calls_of_agents_have_executions_displays_and_groups() {
    let all = [&NAMES[..], &INTERNAL[..]].concat();
    let tools = tools(2, 1);
    let schema = full(&all, &tools);
    for words in [r#"["SYNC","ASYNC"]"#, r#"["progress_bar","status_message"]"#, r#""TASK_STARTED""#] {
        assert!(schema.to_string().contains(words), "{words}");
    }
    let mut turn = turn_with("agent_0", json!({}));
    turn["context"]["knowledge_relics"] = json!([]);
    let mut call = call_with("agent_0", json!({"input_0_0": "x"}));
    turn["actions"] = json!([call]);
    assert!(valid(&turn, &schema), "{turn}");
    let part = call.as_object_mut().expect("an object");
    part.remove("display");
    turn["actions"] = json!([{"action_id": "g", "action": "group", "sub_actions": [call]}]);
    assert!(valid(&turn, &schema), "{turn}");
    let read: Turn = serde_json::from_value(turn).expect("a turn");
    let group = Action::parse_with(&read.actions[0], &all, &tools).expect("a group");
    assert!(group.is_call() && group.name() == "group");
    // Without tasks there is nothing but waiting for a call.
    let waits = full(&NAMES, &tools).to_string();
    assert!(!waits.contains("execution") && !waits.contains("display") && waits.contains("depends_on"));
}

// The example and each action of the tables in `docs/turns.md` fit the schema and parse (S4.1 to
// S4.15).
#[test]
fn documented_turns_fit_the_schema_and_parse() {
    let cases = [
        ("click", json!({"eid": 12})),
        ("click", json!({"eid": 12, "button": "right", "count": 2, "modifiers": [], "hold_ms": 0})),
        (
            "click",
            json!({"eid": 12, "button": "left", "count": 1, "modifiers": ["Control"], "hold_ms": 1500}),
        ),
        ("click", json!({"x": 10, "y": 20.5})),
        ("hover", json!({"x": 10, "y": 20})),
        ("type", json!({"x": 10, "y": 20, "text": "olena"})),
        ("drag", json!({"from": {"x": 10, "y": 20}, "to": {"x": 30, "y": 20}})),
        (
            "fill",
            json!({"fields": [{"eid": 1, "text": "Olena"}, {"eid": 2, "checked": true}], "submit": true}),
        ),
        ("find", json!({"text": "Invoice"})),
        ("extract", json!({"eid": null, "schema": "{\"type\": \"object\"}", "as": "csv"})),
        ("navigate", json!({"url": "https://example.com"})),
        ("back", json!({})),
        ("forward", json!({})),
        ("reload", json!({})),
        ("type", json!({"eid": 3, "text": "olena", "clear": true, "submit": true})),
        ("select", json!({"eid": 4, "option": "Poland"})),
        ("select", json!({"eid": 4, "option": ["Red", "Blue"]})),
        ("press", json!({"key": "Control+A"})),
        ("hover", json!({"eid": 3})),
        ("drag", json!({"from_eid": 3, "to_eid": 4})),
        ("upload", json!({"eid": 3, "file": "report.pdf"})),
        ("upload", json!({"eid": 3, "file": ["a.png", "b.png"]})),
        ("dialog", json!({"accept": true, "text": null})),
        ("dialog", json!({"accept": true, "text": "Olena"})),
        ("tab", json!({"operation": "new", "tab": null, "url": "https://a.test"})),
        ("tab", json!({"operation": "switch", "tab": 2, "url": null})),
        ("tab", json!({"operation": "close", "tab": null, "url": null})),
        ("scroll", json!({"direction": "down", "amount": 1, "eid": null})),
        ("scroll", json!({"direction": "down", "amount": 2.5, "eid": null})),
        ("wait", json!({"seconds": null, "text": "Thank you", "gone": null})),
        ("wait", json!({"seconds": 3.0, "text": null, "gone": "Loading"})),
        ("extract", json!({"eid": null, "schema": null, "as": null})),
        ("extract", json!({"eid": 7, "schema": null, "as": null})),
        ("extract", json!({"file": "report.pdf", "pages": "1-3", "as": "picture"})),
        ("extract", json!({"file": "report.pdf", "pages": null, "as": null})),
        ("page_tool", json!({"name": "search", "arguments": "{\"city\": \"Kyiv\"}"})),
        ("need_user", json!({"text": "Log in, please"})),
        ("ask_user", json!({"question": "Which size?", "answer_key": "size", "options": ["S", "M"]})),
        ("ask_user", json!({"question": "Which size?", "answer_key": "size", "options": []})),
    ];
    let schema = full(&NAMES, &[]);
    for (name, params) in cases {
        let asked = turn_with(name, params.clone());
        assert!(valid(&asked, &schema), "{name} does not fit: {asked}");
        for written in [asked, whole_turn_with(name, params)] {
            let turn: Turn = serde_json::from_value(written).expect("a turn");
            assert_eq!(turn.context.variables["last_build_id"], "build-1");
            assert_eq!(turn.thoughts[0].content, "...");
            let action = Action::parse(&turn.actions[0]).expect("an action");
            assert_eq!(action.name(), name);
        }
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
    let schema = full(&["stop", "task_manager", "recall", "premove", "replan"], &tools);
    let mut count = 0;
    walk(&schema, 0, &mut count);
    assert_eq!(size(&schema).0, count);
    let fits = |call: Value| {
        let mut turn = turn_with("none", json!({}));
        turn["context"]["knowledge_relics"] = json!(["docs"]);
        turn["actions"] = json!([call]);
        valid(&turn, &schema)
    };
    for (name, params) in [
        ("task_manager", json!({"operation": "get_status", "task_id": "build-1"})),
        ("recall", json!({"query": "q", "relics": ["docs"]})),
        ("premove", json!({"operation": "set", "name": "now", "agent": "clock", "params": "{}"})),
        ("replan", json!({"reason": "it is another shop"})),
    ] {
        assert!(fits(json!({"action": name, "params": params})), "{name}");
    }
    assert!(fits(call_with("build_tool", json!({"target": "x", "jobs": null, "flags": "[1]"}))));
    assert!(!fits(call_with("build_tool", json!({"target": "x", "jobs": "two", "flags": null}))));
    assert!(!fits(json!({"action": "click", "params": {"eid": 1}})));
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
    for (agents, inputs, most) in [(0, 0, 135), (3, 5, 210), (100, 20, PROPERTIES)] {
        let schema = full(&all, &tools(agents, inputs));
        let mut count = 0;
        walk(&schema, 0, &mut count);
        assert!(count <= most && may_be_strict(&schema), "{agents} agents: {count} properties");
        assert_eq!(size(&schema).0, count);
    }
    assert!(!may_be_strict(&full(&all, &tools(100, 50))));
    let deep = (0..=LEVELS).fold(
        json!({"type": "string"}),
        |inner, _| json!({"type": "object", "properties": {"a": {"type": "array", "items": inner}}}),
    );
    assert!(!may_be_strict(&deep));
}

// A small model that repeats itself is stopped by the grammar, long before its answer is cut off.
#[test]
fn a_turn_has_an_end_for_each_grammar() {
    assert_eq!(lean()["properties"]["actions"]["maxItems"], 20);
}

#[test]
fn actions_that_are_not_allowed_do_not_fit_the_schema() {
    let schema = full(&["navigate", "stop"], &[]);
    assert!(!valid(&turn_with("click", json!({"eid": 12})), &schema));
    assert!(!valid(&turn_with("navigate", json!({"eid": 12})), &schema));
    assert!(!valid(&turn_with("navigate", json!({"url": "https://a.test", "more": 1})), &schema));
    assert!(valid(&turn_with("navigate", json!({"url": "https://a.test"})), &schema));
}
