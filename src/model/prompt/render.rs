//! Parts that all prompts share: message type, templates, the last turn, nonces of fences.

use crate::ids;
use crate::protocol::Locale;
use crate::turn::{Call, Turn, TurnStatus};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

pub(crate) const GOAL: &str = "You act for the person who writes to you. Do what they ask and no more.";

/// Error in a prompt template. Templates are part of the program, so this is a bug.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the prompt cannot be written: {0}")]
pub struct PromptError(String);

/// Role and text of a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PromptMessage {
    pub(crate) role: &'static str,
    pub(crate) text: String,
}

pub(crate) fn language(locale: Locale) -> &'static str {
    match locale {
        Locale::Uk => "Ukrainian",
        Locale::En => "English",
    }
}

pub(crate) fn render(template: &str, values: minijinja::Value) -> Result<String, PromptError> {
    let mut engine = minijinja::Environment::new();
    engine.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    engine.render_str(template, values).map_err(|fault| PromptError(fault.to_string()))
}

/// Returns the last turn in the form that turns are asked for, with the ids by which its results are told. `memory` is
/// the newest note, which an earlier turn may have written.
pub(crate) fn turn_json(turn: &Turn, memory: Option<&str>) -> Value {
    let call = |(index, call): (usize, &Call)| {
        let mut written = json!({ "action_id": call.id_at(index), "action": call.action });
        if !call.params.is_empty() {
            written["params"] = json!(call.params);
        }
        written
    };
    let actions: Vec<Value> = turn.actions.iter().enumerate().map(call).collect();
    let thoughts: Vec<&str> = turn.thoughts.iter().map(|thought| thought.content.as_str()).collect();
    let thoughts = Some(thoughts.join(" ")).filter(|text| !text.is_empty());
    json!({
        "thoughts": thoughts, "memory": memory, "actions": actions, "status": turn.status, "stop": turn.stop,
        "response": turn.response,
    })
}

/// Derives a nonce from a text. Older values keep their nonce in every request, so that prompt caches work;
/// it is unpredictable because it depends on a secret of this process.
pub(crate) fn lasting_nonce(text: String) -> String {
    static SECRET: LazyLock<String> = LazyLock::new(ids::token);
    let digest = Sha256::digest(format!("{}{text}", *SECRET));
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Returns an unpredictable nonce, a new one for each request.
pub(crate) fn nonce() -> String {
    ids::token().chars().take(16).collect()
}

pub(crate) fn response_json(text: &str) -> Value {
    json!({ "actions": [], "status": TurnStatus::Success, "stop": true, "response": text })
}
