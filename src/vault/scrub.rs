//! Taking secrets out of what is stored and sent: out of texts, and out of JSON wherever it may hold words
//! that we did not write ourselves.

use crate::turn::blot::{self, Known};
use crate::turn::typed;
use serde_json::Value;

/// What stands in place of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum As {
    /// Its mark, for what is stored and for planners.
    Mark,
    /// `••••`, for people.
    Mask,
}

/// Keys whose strings are words of ours, names of ours or numbers: the program works with them, and no
/// page, person or planner writes them. What stands under any other key is searched.
const OURS: &[&str] = &[
    "type",
    "event",
    "entry",
    "kind",
    "status",
    "outcome",
    "by",
    "remember",
    "on_expire",
    "locale",
    "node",
    "to",
    "changes",
    "button",
    "direction",
    "execution",
    "decision",
    "rule",
    "risk",
    "effect_class",
    "action_id",
    "depends_on",
    "dropped",
    "run_id",
    "root_run_id",
    "parent_run_id",
    "reference",
    "fingerprint",
    "origin",
    "at",
    "expires_at",
    "picture",
    "screenshot",
    "last_screenshot",
    "code",
    "agent",
    "model",
    "role",
    "tag",
    "method",
    "autocomplete",
    "mark",
    "sent",
    "rest",
    "tab",
    "holder",
];
/// Keys whose strings may be addresses; a form that is sent by GET puts its values there.
const ADDRESS: &[&str] = &["url", "page", "action", "destination"];
/// Keys below which everything is free text.
const DEEP: &[&str] = &["params", "variables", "values", "vars", "answers", "options", "notes", "input"];

/// A text without any of the values.
pub fn scrubbed(text: &str, known: &[Known], shown: As) -> String {
    let text = blot::text(text, known);
    match shown {
        As::Mark => text,
        As::Mask => typed::shown(&text),
    }
}

/// Takes the values out of all that people, planners and pages may have written.
/// `ours`: a string here is no free text. `deep`: everything below is.
pub fn walk(value: &mut Value, known: &[Known], shown: As, ours: bool, deep: bool) {
    match value {
        Value::String(text) if !ours || deep => *text = scrubbed(text, known, shown),
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, known, shown, ours, deep)),
        Value::Object(map) => {
            for (key, item) in map {
                let address = ADDRESS.contains(&key.as_str());
                if let (Value::String(text), true) = (&*item, address) {
                    *item = Value::String(blot::address(text, known));
                }
                let below = deep || DEEP.contains(&key.as_str());
                walk(item, known, shown, address || OURS.contains(&key.as_str()), below);
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
