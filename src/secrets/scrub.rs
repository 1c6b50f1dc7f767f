//! Removes secrets from text and JSON that is stored or sent. In JSON, only strings that the program itself
//! wrote are skipped.

use crate::secrets::redact;
use crate::secrets::redact::Redaction;
use crate::turn::typed_secret;
use serde_json::Value;

/// Replacement of a secret value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// Its placeholder, for storage and for planners.
    Placeholder,
    /// `••••`, for people.
    Mask,
}

/// Keys whose strings are the program's own constants, names or numbers, which no page, person or planner
/// writes. Strings under all other keys are searched.
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
/// Keys whose strings may be URLs. A form submitted by GET puts its values there.
const ADDRESS: &[&str] = &["url", "page", "action", "destination"];
/// Keys below which every string is free text.
const DEEP: &[&str] = &["params", "variables", "values", "vars", "answers", "options", "notes", "input"];

/// Returns the text without any of the values.
pub fn scrub_text(text: &str, known: &[Redaction], shown: Replacement) -> String {
    let text = redact::redact_text(text, known);
    match shown {
        Replacement::Placeholder => text,
        Replacement::Mask => typed_secret::mask_placeholders(&text),
    }
}

/// Removes the values from every string that people, planners and pages may have written. `ours` is true if a
/// string at this level is one of the program's own; `deep` is true if everything below is free text.
pub fn redact_json(value: &mut Value, known: &[Redaction], shown: Replacement, ours: bool, deep: bool) {
    match value {
        Value::String(text) if !ours || deep => *text = scrub_text(text, known, shown),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_json(item, known, shown, ours, deep)),
        Value::Object(map) => {
            for (key, item) in map {
                let address = ADDRESS.contains(&key.as_str());
                if let (Value::String(text), true) = (&*item, address) {
                    *item = Value::String(redact::redact_address(text, known));
                }
                let below = deep || DEEP.contains(&key.as_str());
                redact_json(item, known, shown, address || OURS.contains(&key.as_str()), below);
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
