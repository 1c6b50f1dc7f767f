//! Lenient parsing of turns: other words for the status, thoughts that are plain text or contain an action
//! (S4.29), one action in place of a list, and the older format of one rationale with one action (S2.3,
//! S2.4). The shapes of small models are brought into the schema's first (`turn_shape`). The result is a `Turn`
//! like any other.

pub(crate) mod call_shape;
pub(crate) mod element_number;
pub(crate) mod turn_shape;

use crate::text::truncate::{one_line, truncate_within};
use crate::turn::{Call, Context, Thought, Turn, TurnStatus};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawTurn {
    status: Value,
    #[serde(deserialize_with = "crate::turn::or_default")]
    context: Context,
    #[serde(deserialize_with = "many")]
    thoughts: Vec<RawThought>,
    memory: Value,
    step_ref: Value,
    expected_outcome: Option<String>,
    confidence: Value,
    #[serde(deserialize_with = "many")]
    actions: Vec<Call>,
    stop: Value,
    response: Value,
    /// The older format: one rationale and its one action (S2.3).
    rationale: Option<String>,
    action: Option<Value>,
}

/// A thought, which may contain actions.
#[derive(Deserialize)]
#[serde(untagged)]
enum RawThought {
    Words(String),
    Whole(Box<ThoughtObject>),
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ThoughtObject {
    #[serde(rename = "type")]
    kind: Option<String>,
    content: Option<String>,
    action: Option<Value>,
    #[serde(deserialize_with = "many")]
    actions: Vec<Call>,
}

impl TryFrom<Value> for Turn {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let raw: RawTurn =
            serde_json::from_value(turn_shape::shape_turn(value)?).map_err(|fault| fault.to_string())?;
        Ok(raw.into())
    }
}

impl From<RawTurn> for Turn {
    fn from(written: RawTurn) -> Self {
        let mut turn = Self {
            status: status(&written.status),
            context: written.context,
            memory: text(&written.memory).and_then(|note| note_line(&note)),
            step_ref: parse_number(&written.step_ref),
            expected_outcome: written.expected_outcome,
            confidence: confidence(&written.confidence),
            actions: written.actions,
            stop: is_true(&written.stop),
            response: text(&written.response),
            ..Self::default()
        };
        let mut early = Vec::new();
        for thought in written.thoughts {
            let (thought, actions) = split_thought(thought);
            turn.thoughts.push(thought);
            early.extend(actions);
        }
        prepend_actions(&mut turn, early);
        if let Some(rationale) = written.rationale {
            turn.thoughts.push(Thought { kind: String::from("DECISION"), content: rationale });
            turn.confidence = turn.confidence.or(Some(1.0));
        }
        if let Some(action) = written.action {
            add_legacy_action(&mut turn, &action);
        }
        make_ids_unique(&mut turn.actions);
        turn
    }
}

/// Longest note of a planner to itself, in characters.
const MEMORY: usize = 600;

/// Returns a note on one line, bounded; `None` if it is empty.
fn note_line(note: &str) -> Option<String> {
    let line = truncate_within(&one_line(note), MEMORY);
    Some(line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// Separates a thought from its actions.
fn split_thought(thought: RawThought) -> (Thought, Vec<Call>) {
    match thought {
        RawThought::Words(content) => (Thought { kind: String::new(), content }, Vec::new()),
        RawThought::Whole(whole) => {
            let mut actions: Vec<Call> = whole.action.as_ref().and_then(call).into_iter().collect();
            actions.extend(whole.actions);
            let (kind, content) = (whole.kind.unwrap_or_default(), whole.content.unwrap_or_default());
            (Thought { kind, content }, actions)
        }
    }
}

/// Puts the actions of the thoughts first. The turn's own actions keep the ids of their positions.
fn prepend_actions(turn: &mut Turn, mut early: Vec<Call>) {
    if early.is_empty() {
        return;
    }
    for (index, call) in early.iter_mut().enumerate() {
        call.action_id.get_or_insert_with(|| format!("t{}", index + 1));
    }
    for (index, call) in turn.actions.iter_mut().enumerate() {
        call.action_id = Some(call.id_at(index));
    }
    early.append(&mut turn.actions);
    turn.actions = early;
}

/// Makes the ids unique (S4.6): a repeated id gets a number, `id-2`.
fn make_ids_unique(actions: &mut [Call]) {
    let ids: Vec<String> = actions.iter().enumerate().map(|(index, call)| call.id_at(index)).collect();
    let mut taken: HashSet<String> = ids.iter().cloned().collect();
    let mut met = HashSet::new();
    for (call, id) in actions.iter_mut().zip(&ids).filter(|(_, id)| !met.insert(id.as_str())) {
        let free = (2..).map(|n| format!("{id}-{n}")).find(|id| taken.insert(id.clone()));
        call.action_id = free;
    }
}

/// Adds the one action of the older format to the turn.
fn add_legacy_action(turn: &mut Turn, action: &Value) {
    match action["type"].as_str() {
        Some("complete") => {
            let summary = text(&action["summary"]);
            (turn.status, turn.stop) = (TurnStatus::Success, true);
            turn.response = turn.response.take().or(summary);
        }
        _ => turn.actions.extend(call(action)),
    }
}

/// Parses an action in the older or the current format.
fn call(action: &Value) -> Option<Call> {
    let first_object =
        |names: [&str; 2]| names.into_iter().find_map(|name| Some(action[name].as_object()?.clone()));
    let params = |pairs: &[(&str, &str)]| -> Map<String, Value> {
        let param = |(name, from): &(&str, &str)| {
            let value = action.get(*from).filter(|value| !value.is_null())?;
            Some(((*name).to_owned(), value.clone()))
        };
        pairs.iter().filter_map(param).collect()
    };
    let (name, params) = match action["type"].as_str() {
        Some("tool_call") => {
            (action["tool"].as_str()?, first_object(["tool_input", "params"]).unwrap_or_default())
        }
        Some("ask_user") if action.get("action").is_none() => {
            ("ask_user", params(&[("question", "question"), ("answer_key", "answer_key")]))
        }
        Some("replan") if action.get("action").is_none() => ("replan", params(&[("reason", "reason")])),
        _ => {
            return serde_json::from_value(action.clone()).ok().filter(|call: &Call| !call.action.is_empty());
        }
    };
    Some(Call { action: name.to_owned(), kind: Some(String::from("tool")), params, ..Call::default() })
}

/// Parses the status (S4.1) and its synonyms.
fn status(value: &Value) -> TurnStatus {
    match value.as_str().unwrap_or_default().trim().to_uppercase().as_str() {
        "SUCCESS" | "SUCCEEDED" | "DONE" | "COMPLETE" | "COMPLETED" => TurnStatus::Success,
        "ERROR" | "FAILED" | "FAILURE" => TurnStatus::Error,
        "TASK_STARTED" | "STARTED" => TurnStatus::TaskStarted,
        _ => TurnStatus::Executing,
    }
}

/// Parses a whole number that a model wrote as a number or as text.
pub(crate) fn parse_number(value: &Value) -> Option<u32> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_u64().and_then(|number| u32::try_from(number).ok()),
    }
}

fn confidence(value: &Value) -> Option<f64> {
    let share = match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_f64(),
    };
    share.filter(|share| share.is_finite()).map(|share| share.clamp(0.0, 1.0))
}

fn is_true(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| value.as_str().is_some_and(|word| word.eq_ignore_ascii_case("true")))
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Deserializes a list, or a single object as a list of one.
fn many<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let list = match Value::deserialize(deserializer)? {
        Value::Null => json!([]),
        one @ (Value::Object(_) | Value::String(_)) => json!([one]),
        other => other,
    };
    serde_json::from_value(list).map_err(serde::de::Error::custom)
}

/// Deserializes a map, or a map as JSON in a string.
pub(crate) fn params<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    let map = match Value::deserialize(deserializer)? {
        Value::Null => json!({}),
        Value::String(text) if text.trim().is_empty() => json!({}),
        Value::String(text) => serde_json::from_str(&text).map_err(serde::de::Error::custom)?,
        other => other,
    };
    serde_json::from_value(map).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: Value) -> Turn {
        serde_json::from_value(value).expect("a turn")
    }

    // The older format of one rationale with one action parses as a turn (S2.3, S2.4, C19).
    #[test]
    fn a_thought_with_one_action_is_a_turn() {
        let turn = read(json!({
            "step_ref": 1, "rationale": "The file is missing.", "expected_outcome": "hello.txt exists",
            "action": {"type": "tool_call", "tool": "python", "tool_input": {"code": "1"}}
        }));
        assert_eq!((turn.step_ref, turn.confidence), (Some(1), Some(1.0)));
        assert_eq!(turn.thoughts[0].content, "The file is missing.");
        assert_eq!(
            (turn.actions[0].action.as_str(), &turn.actions[0].params["code"]),
            ("python", &json!("1"))
        );

        let asks = json!({"type": "ask_user", "question": "Which?", "answer_key": "size", "tool": null});
        let turn = read(json!({"step_ref": 2, "rationale": "r", "confidence": 0.4, "action": asks}));
        assert_eq!((turn.actions[0].action.as_str(), turn.confidence), ("ask_user", Some(0.4)));
        assert_eq!(
            Value::Object(turn.actions[0].params.clone()),
            json!({"question": "Which?", "answer_key": "size"})
        );

        let turn = read(json!({"rationale": "r", "action": {"type": "complete", "summary": "Done."}}));
        assert_eq!(
            (turn.status, turn.stop, turn.response.as_deref()),
            (TurnStatus::Success, true, Some("Done."))
        );
        let turn = read(json!({"rationale": "r", "action": {"type": "replan"}}));
        assert_eq!(turn.actions[0].action, "replan");
    }

    // Actions inside thoughts come before the turn's own actions, whose ids stay the same (S4.29).
    #[test]
    fn actions_inside_thoughts_come_first() {
        let turn = read(json!({
            "thoughts": [
                {"type": "OBSERVATION", "content": "look it up", "action": {"action": "recall", "params": {"query": "q"}}},
                {"type": "PLAN", "content": "then go on", "actions": [{"action_id": "x", "action": "clock"}]},
                "and a plain one"
            ],
            "actions": [{"action": "build"}, {"action": "test", "depends_on": "a1"}]
        }));
        let ids: Vec<_> =
            turn.actions.iter().enumerate().map(|(index, call)| (call.id_at(index), &*call.action)).collect();
        let expected = [("t1", "recall"), ("x", "clock"), ("a1", "build"), ("a2", "test")];
        assert_eq!(ids, expected.map(|(id, action)| (String::from(id), action)));
        assert_eq!(turn.thoughts.len(), 3);
        assert_eq!(read(serde_json::to_value(&turn).expect("json")), turn, "kept as it was read");
    }

    // A repeated id gets a free number (S4.6).
    #[test]
    fn action_ids_are_unique() {
        let written = [Some("d"), Some("d"), Some("a4"), None, Some("d-2"), Some("d")];
        let actions = written.map(|id| json!({"action_id": id, "action": "clock"}));
        let turn = read(json!({"actions": actions}));
        let ids: Vec<_> = turn.actions.iter().enumerate().map(|(index, call)| call.id_at(index)).collect();
        assert_eq!(ids, ["d", "d-3", "a4", "a4-2", "d-2", "d-4"]);
    }

    // Synonyms and looser shapes parse to the same turn (S4.1, S4.9, S4.14, S4.15).
    #[test]
    fn loose_words_and_shapes_are_read() {
        for (text, status) in [
            ("success", TurnStatus::Success),
            ("completed", TurnStatus::Success),
            ("FAILED", TurnStatus::Error),
            ("task_started", TurnStatus::TaskStarted),
            ("whatever", TurnStatus::Executing),
        ] {
            assert_eq!(read(json!({"status": text})).status, status, "{text}");
        }
        let turn = read(json!({
            "actions": {"action": "click", "params": "{\"eid\": 3}"}, "stop": "true", "response": {"a": 1},
            "confidence": "7", "step_ref": "2", "thoughts": null
        }));
        assert_eq!((turn.actions[0].params["eid"].clone(), turn.stop), (json!(3), true));
        assert_eq!((turn.response.as_deref(), turn.confidence), (Some("{\"a\":1}"), Some(1.0)));
        assert!(serde_json::from_value::<Turn>(json!({"actions": "click"})).is_err());
    }

    // The security level that a model claims is kept for the trace and grants nothing (S4.3, C17).
    #[test]
    fn a_security_level_changes_nothing() {
        let turn = read(json!({"context": {"security_level": "admin"}, "stop": true}));
        assert_eq!(turn.context.security_level, Some(json!("admin")));
        let without = Turn { context: Context::default(), ..turn.clone() };
        assert_eq!(read(json!({"stop": true})), without);
    }
}
