//! Conceals secrets in the inputs of a run: secret inputs of every agent, and passwords, codes and card
//! numbers in texts that go to a model. Everything else is passed on unchanged.

use super::opening::HISTORY;
use super::plans;
use crate::spec::AgentSpec;
use crate::spec::check::AgentLookup;
use crate::spec::{native, secret};
use crate::turn::typed_secret;
use crate::vault::{Vault, is_value};
use serde_json::{Map, Value};

/// Returns the inputs with placeholders in place of secrets. The vault holds their values.
pub fn conceal_inputs(
    vault: &Vault,
    spec: &AgentSpec,
    others: &dyn AgentLookup,
    input: Map<String, Value>,
) -> Map<String, Value> {
    if native::is_service_agent(&spec.name) {
        return plans::conceal_orchestration_inputs(vault, others, input);
    }
    let secrets = secret::inputs(spec, others);
    let (browses, told_to_model) = (spec.browser.is_some(), model_reads_inputs(spec));
    let hidden = |name: &str, value: Value| match value {
        Value::Null => Value::Null,
        Value::String(text) if secrets.contains(name) => Value::String(store_secret(vault, text, browses)),
        // Values other than strings are secrets too.
        other if secrets.contains(name) => Value::String(vault.store(&other.to_string())),
        Value::String(text) if told_to_model => Value::String(vault.conceal(&text)),
        // Earlier messages are masked, because nobody types these values any more.
        Value::Array(told) if told_to_model && name == HISTORY => {
            told.into_iter().map(|one| mask_message(vault, one)).collect()
        }
        other => other,
    };
    input.into_iter().map(|(name, value)| (name.clone(), hidden(&name, value))).collect()
}

/// Reports whether a model reads the agent's inputs, as a prompt or in a conversation.
pub fn model_reads_inputs(spec: &AgentSpec) -> bool {
    spec.browser.is_some() || spec.llm.is_some()
}

/// Masks the secrets in one message of an earlier chat.
fn mask_message(vault: &Vault, mut said: Value) -> Value {
    if let Some(Value::String(text)) = said.get_mut("content") {
        *text = typed_secret::mask_placeholders(&vault.conceal(text));
    }
    said
}

/// Trims a secret for a page field, which takes no surrounding spaces. For code, spaces may be part of the
/// value.
fn store_secret(vault: &Vault, text: String, browses: bool) -> String {
    match is_value(&text) {
        true => vault.store(if browses { text.trim() } else { &text }),
        false => text,
    }
}
