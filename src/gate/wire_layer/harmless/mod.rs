//! Conditions of the rules that name why a request is harmless.

pub mod consent_values;
pub mod draft_places;
pub mod form_request;
pub mod read_names;
pub mod read_operations;
pub mod stated_effects;

use crate::gate::harmless_rules::{HarmlessConditions, HarmlessRule};
use crate::gate::rules::Rules;
use crate::gate::wire_layer::proposed_request::ProposedRequest;
use crate::gate::wire_layer::reading::RequestReading;
use crate::page::request_body::{self, BodyValue, ValueChange, is_opaque_token};

/// Returns the first rule that names why the request is harmless. None covers one with a password or a payment card, nor
/// one that says itself that it changes something.
pub fn find_rule<'a>(
    rules: &'a Rules,
    proposed: &ProposedRequest,
    reading: &RequestReading,
) -> Option<&'a HarmlessRule> {
    if read_operations::asks_for_change(reading) || stated_effects::has_secret_fields(reading) {
        return None;
    }
    rules.harmless_requests().find(|rule| holds(&rule.when, proposed, reading))
}

/// True if all conditions hold.
fn holds(when: &HarmlessConditions, proposed: &ProposedRequest, reading: &RequestReading) -> bool {
    is_free_of_effects(when, proposed, reading)
        && fits_address(when, proposed, reading)
        && fits_values(when, reading)
        && when.reads.is_none_or(|reads| reads == read_operations::only_reads(&proposed.request, reading))
}

/// True if neither the request nor the pressed control states an effect that the rule does not know.
fn is_free_of_effects(
    when: &HarmlessConditions,
    proposed: &ProposedRequest,
    reading: &RequestReading,
) -> bool {
    let is_known = |word: &str| when.despite.iter().any(|known| known == word);
    let is_known_control =
        |word: &str| is_known(word) || when.despite_control.iter().any(|known| known == word);
    let is_telemetry = when.telemetry == Some(true);
    let is_read = when.reads == Some(true) || !when.verb.is_empty() || !when.named_read.is_empty();
    let mut grave = stated_effects::grave_words(reading).filter(|word| !is_read || !word.is_thing());
    // A rule by methods names those that delete; every other rule is about what stays.
    let deletes = proposed.request.method == "DELETE" && !when.method.iter().any(|method| method == "delete");
    let mut by_value = stated_effects::grave_values(reading).filter(|_| !is_telemetry);
    !deletes
        && grave.all(|word| is_known(word.text()))
        && by_value.all(is_known)
        && (is_read
            || is_telemetry
            || when.any_control
            || stated_effects::control_effect(proposed).is_none_or(is_known_control))
}

fn fits_address(when: &HarmlessConditions, proposed: &ProposedRequest, reading: &RequestReading) -> bool {
    (when.words.is_empty() || has_word(&reading.words, &when.words))
        && (when.operation.is_empty() || draft_places::is_operation(&when.operation, proposed, reading))
        && (when.last_word.is_empty() || ends_in_word(&reading.words, &when.last_word))
        && (when.last_part.is_empty() || ends_in_part(reading, &when.last_part))
        && (when.verb.is_empty() || read_operations::calls_begin_with(reading, &when.verb))
        && (when.named_read.is_empty() || read_names::is_named_read(reading, &when.named_read))
        && when.telemetry.is_none_or(|telemetry| telemetry == reading.is_telemetry)
        && when.own_site.is_none_or(|own| own == reading.is_same_site)
        && when.stored_before.is_none_or(|stored| stored == proposed.stored_before)
        && (when.called.is_empty() || is_called(reading, &when.called))
        && covers_method(when, proposed)
}

/// True if the rule is about the method. Only rules that name them are about methods that store or delete, and about
/// messages of sockets, whose address says nothing.
fn covers_method(when: &HarmlessConditions, proposed: &ProposedRequest) -> bool {
    let request = &proposed.request;
    when.method.contains(&request.method.to_ascii_lowercase())
        || (when.method.is_empty() && matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS" | "POST"))
}

/// True if one of the words, or two of them written together ("last-seen" as `lastseen`), is in the list.
fn has_word(words: &[String], list: &[String]) -> bool {
    words.iter().any(|word| list.contains(word)) || words.windows(2).any(|pair| list.contains(&pair.concat()))
}

/// True if the last word, or the last two written together, is in the list. Ids are no words.
fn ends_in_word(words: &[String], list: &[String]) -> bool {
    let has_letters = |word: &&String| word.chars().any(char::is_alphabetic);
    let last: Vec<&String> = words.iter().filter(has_letters).rev().take(2).collect();
    match last.as_slice() {
        [last, before] => list.contains(last) || list.contains(&format!("{before}{last}")),
        [last] => list.contains(last),
        _ => false,
    }
}

/// True if the path ends in one of these parts.
fn ends_in_part(reading: &RequestReading, list: &[String]) -> bool {
    let last = reading.url.as_ref().and_then(|url| url.path_segments()?.rfind(|part| !part.is_empty()));
    last.is_some_and(|last| list.contains(&last.to_ascii_lowercase()))
}

fn fits_values(when: &HarmlessConditions, reading: &RequestReading) -> bool {
    let telling = || reading.values.iter().filter(|value| tells(value));
    (!reading.is_opaque || when.unreadable == Some(true))
        && (when.names.is_empty() || telling().all(|value| is_named(value, &when.names)))
        && (when.some_names.is_empty() || telling().any(|value| is_named(value, &when.some_names)))
        && !telling().any(|value| is_named(value, &when.no_names))
        && !telling().any(|value| when.no_values.contains(&value.value.to_ascii_lowercase()))
        && when.typed.is_none_or(|typed| typed == reading.carries_typed)
        && when.view_state.is_none_or(|view| view == telling().all(is_of_view))
        && when.most_values.is_none_or(|most| telling().count() <= most)
        && when.least_values.is_none_or(|least| telling().count() >= least)
        && when.all_refused.is_none_or(|refused| refused == refuses_all(reading))
}

/// True if the value's name says that it is of the view alone.
fn is_of_view(value: &BodyValue) -> bool {
    let change = ValueChange { name: value.name.clone(), before: None, now: Some(value.value.clone()) };
    request_body::is_view_state(&change)
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
    parts.iter().any(|part| names.iter().any(|name| fits_name(name, part)))
}

/// True if a name of a rule is the part of the value's name; `*_ids` and `include_*` are all that end or begin so.
fn fits_name(name: &str, part: &str) -> bool {
    match (name.strip_prefix('*'), name.strip_suffix('*')) {
        (Some(end), _) => part.ends_with(end),
        (None, Some(start)) => part.starts_with(start),
        (None, None) => name == part,
    }
}

fn is_index(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_digit())
}

/// True if a value says that something optional is refused, and none that it is agreed to.
fn refuses_all(reading: &RequestReading) -> bool {
    consent_values::refuses_all(&reading.values, &reading.words)
}
