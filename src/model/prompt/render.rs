//! Parts that all prompts share: message type, templates, history entries, fences with a nonce.

use crate::ids;
use crate::model::prompt::length_budget::{PERSON, RETURNED, RETURNED_BEFORE, TURN};
use crate::model::prompt::result_texts;
use crate::model::prompt::result_texts::{keep_ends, premove, results_text};
use crate::planning::{ActionResult, HistoryEntry, Speaker};
use crate::protocol::Locale;
use crate::text::truncate::truncate_within;
use crate::turn::{Turn, TurnStatus};
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

pub(crate) fn entry_messages(entry: &HistoryEntry, before: Option<&HistoryEntry>) -> Vec<PromptMessage> {
    match entry {
        HistoryEntry::Message { by: Speaker::Person, text } => {
            vec![PromptMessage { role: "user", text: keep_ends(text, PERSON) }]
        }
        HistoryEntry::Message { by: Speaker::Agent, text } => {
            // A turn that stopped contains this text already.
            let repeated = matches!(before, Some(HistoryEntry::Acted { turn, .. }) if turn.stop);
            if repeated {
                Vec::new()
            } else {
                vec![PromptMessage {
                    role: "assistant",
                    text: response_json(&truncate_within(text, TURN)).to_string(),
                }]
            }
        }
        HistoryEntry::Ended { result } => {
            let nonce = lasting_nonce(entry_text(std::slice::from_ref(result)));
            vec![PromptMessage {
                role: "user",
                text: result_texts::ended_text(result, &nonce, RETURNED_BEFORE),
            }]
        }
        // Summaries are written before all other messages.
        HistoryEntry::Summary { .. } => Vec::new(),
        HistoryEntry::Premove { name, text } => {
            vec![PromptMessage {
                role: "user",
                text: premove(name, text, &lasting_nonce(text.clone()), RETURNED),
            }]
        }
        HistoryEntry::Acted { turn, results } => {
            let results = results_text(results, &lasting_nonce(entry_text(results)), RETURNED_BEFORE);
            vec![
                PromptMessage { role: "assistant", text: turn_json(turn).to_string() },
                PromptMessage { role: "user", text: results },
            ]
        }
    }
}

/// Returns a turn without the parts that a model need not read again.
pub(crate) fn turn_json(turn: &Turn) -> Value {
    let actions: Vec<Value> = turn
        .actions
        .iter()
        .enumerate()
        .map(|(index, call)| json!({ "action_id": call.id_at(index), "action": call.action, "params": call.params }))
        .collect();
    let variables: Vec<Value> =
        turn.context.variables.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
    json!({
        "status": turn.status, "context": { "variables": variables }, "thoughts": turn.thoughts,
        "actions": actions, "stop": turn.stop, "response": turn.response,
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

fn entry_text(results: &[ActionResult]) -> String {
    results.iter().filter_map(|result| result.returned.as_deref()).collect()
}

fn response_json(text: &str) -> Value {
    json!({ "status": TurnStatus::Success, "actions": [], "stop": true, "response": text })
}
