//! What of a run's input is kept in memory only: inputs that are secrets, of every agent; and what looks
//! like a password, code or card number in the words that go to a model. All else is given as it is.

use super::opening::HISTORY;
use super::plans;
use crate::spec::AgentSpec;
use crate::spec::check::Others;
use crate::spec::{native, secret};
use crate::turn::typed;
use crate::vault::{Vault, is_value};
use serde_json::{Map, Value};

/// The input with marks in place of its secrets; their values are in the vault.
pub fn concealed(
    vault: &Vault,
    spec: &AgentSpec,
    others: &dyn Others,
    input: Map<String, Value>,
) -> Map<String, Value> {
    if native::is_own(&spec.name) {
        return plans::concealed(vault, others, input);
    }
    let secrets = secret::inputs(spec, others);
    let (browses, told_to_model) = (spec.browser.is_some(), told_to_model(spec));
    let hidden = |name: &str, value: Value| match value {
        Value::Null => Value::Null,
        Value::String(text) if secrets.contains(name) => Value::String(kept(vault, text, browses)),
        // A secret is a text; one that is not is no less one.
        other if secrets.contains(name) => Value::String(vault.keep(&other.to_string())),
        Value::String(text) if told_to_model => Value::String(vault.conceal(&text)),
        // Said before, elsewhere: nobody types it any more.
        Value::Array(told) if told_to_model && name == HISTORY => {
            told.into_iter().map(|one| masked(vault, one)).collect()
        }
        other => other,
    };
    input.into_iter().map(|(name, value)| (name.clone(), hidden(&name, value))).collect()
}

/// Whether a model reads the words that the agent is given, at once or in a conversation.
pub fn told_to_model(spec: &AgentSpec) -> bool {
    spec.browser.is_some() || spec.llm.is_some()
}

/// One message of an earlier chat.
fn masked(vault: &Vault, mut said: Value) -> Value {
    if let Some(Value::String(text)) = said.get_mut("content") {
        *text = typed::shown(&vault.conceal(text));
    }
    said
}

/// Fields of pages take no spaces around a value; for code they may be part of it.
fn kept(vault: &Vault, text: String, browses: bool) -> String {
    match is_value(&text) {
        true => vault.keep(if browses { text.trim() } else { &text }),
        false => text,
    }
}
