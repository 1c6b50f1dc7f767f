//! Conditions of the rules that name why a request is harmless.

use crate::gate::harmless_rules::HarmlessConditions;
use crate::gate::wire_layer::proposed_request::ProposedRequest;
use crate::gate::wire_layer::reading::RequestReading;
use crate::gate::wire_layer::request_class;
use crate::page::request_body::{BodyValue, GraphqlOperation, OperationKind, ValueKind, is_opaque_token};

/// True if all conditions hold.
pub fn holds(when: &HarmlessConditions, proposed: &ProposedRequest, reading: &RequestReading) -> bool {
    let telling = || reading.values.iter().filter(|value| tells(value));
    let has_word = |words: &[String]| {
        words.is_empty() || reading.words.iter().any(|word| words.iter().any(|known| known == word))
    };
    let last = reading.words.iter().rev().find(|word| word.chars().any(char::is_alphabetic));
    let covers_method = when.method.contains(&proposed.request.method.to_ascii_lowercase())
        || (when.method.is_empty() && !proposed.request.is_message());
    covers_method
        && !request_class::states_grave_effect(proposed, reading)
        && (when.called.is_empty() || is_called(reading, &when.called))
        && has_word(&when.words)
        && (when.last_word.is_empty() || last.is_some_and(|last| when.last_word.contains(last)))
        && (when.names.is_empty() || telling().all(|value| is_named(value, &when.names)))
        && when.reads.is_none_or(|reads| reads == only_reads(&reading.graphql))
        && when.telemetry.is_none_or(|telemetry| telemetry == reading.is_telemetry)
        && when.own_site.is_none_or(|own| own == reading.is_same_site)
        && when.typed.is_none_or(|typed| typed == reading.carries_typed)
        && when.most_values.is_none_or(|most| telling().count() <= most)
        && when.least_values.is_none_or(|least| telling().count() >= least)
        && when.all_refused.is_none_or(|refused| refused == refuses_all(reading))
        && when.unreadable.unwrap_or_default() == reading.is_opaque
}

/// True if the request names an operation, and all words of it are in the list.
fn is_called(reading: &RequestReading, called: &[String]) -> bool {
    let mut words = reading.words.iter().filter(|word| word.chars().any(char::is_alphabetic)).peekable();
    words.peek().is_some() && words.all(|word| called.contains(word))
}

/// True if a value says something to the server that a person would be shown.
fn tells(value: &BodyValue) -> bool {
    !is_opaque_token(&value.name, &value.value)
}

/// True if the last part of the value's name, or the whole of it, is in the list.
fn is_named(value: &BodyValue, names: &[String]) -> bool {
    let whole = value.name.to_ascii_lowercase();
    let part = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').to_owned();
    let parts: Vec<String> = whole.split(['.', '[', ']']).map(part).filter(|part| !is_index(part)).collect();
    parts.iter().any(|part| names.contains(part))
}

fn is_index(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_digit())
}

/// True if there are GraphQL operations and all of them read. One that only the server knows reads if its name
/// does not say otherwise.
fn only_reads(operations: &[GraphqlOperation]) -> bool {
    let reads = |operation: &GraphqlOperation| {
        operation.foreign_fields.is_empty()
            && matches!(
                operation.kind,
                OperationKind::Query | OperationKind::Subscription | OperationKind::PersistedQuery
            )
    };
    !operations.is_empty() && operations.iter().all(reads)
}

fn refuses_all(reading: &RequestReading) -> bool {
    let agrees = |value: &BodyValue| match value.kind {
        ValueKind::Flag => value.value == "true",
        ValueKind::Text => {
            let words = [
                "accept", "accepted", "granted", "allow", "allowed", "all", "yes", "true", "opt-in", "optin",
            ];
            words.contains(&value.value.to_ascii_lowercase().as_str())
        }
        ValueKind::Number | ValueKind::Null | ValueKind::File { .. } => false,
    };
    let is_necessary = |value: &BodyValue| {
        let name = value.name.to_ascii_lowercase();
        ["necessary", "essential", "required", "functional", "strictly"]
            .iter()
            .any(|word| name.contains(word))
    };
    !reading.values.is_empty() && reading.values.iter().all(|value| is_necessary(value) || !agrees(value))
}
