//! Comparison of what leaves with what the person has approved: shown is sent.

use crate::gate::effect::question_texts::field_title;
use crate::gate::wire_layer::file_request;
use crate::gate::wire_layer::harmless::stated_effects::{deed_of_name, grave_words};
use crate::gate::wire_layer::proposed_request::{
    ARGUMENT, ApprovedContent, ApprovedEffect, ApprovedForm, ApprovedRequest, ProposedRequest,
};
use crate::gate::wire_layer::reading::{RequestReading, push_words};
use crate::page::outgoing_request::OutgoingRequest;
use crate::page::request_body::{BodyValue, ValueKind, is_opaque_token};
use crate::page::site::is_same_site;
use crate::page::target::{Field, NOTHING_SENT};
use crate::page::url::{strip_fragment, strip_query};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;

/// Longest value that is compared exactly, in bytes: the page reports longer ones shortened.
const LONGEST_COMPARED: usize = 20_000;
/// Number of values from which a body may have more than were read.
const MOST_COMPARED: usize = 500;

/// Relation of a request to the approvals that no request has used yet.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison {
    /// The approval covers it; the reference of the question.
    Same(String),
    /// It is what was approved, except for these values.
    Changed(Vec<ChangedValue>),
    /// The approval was for something else, or there is none.
    Unrelated,
}

/// A value that differs from the approved one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangedValue {
    pub name: String,
    pub approved: String,
    pub actual: String,
}

/// Compares a request with the unused approvals: the first that covers it counts, or else the first that it changes.
pub fn compare_with_approvals(proposed: &ProposedRequest, reading: &RequestReading) -> Comparison {
    let mut found = Comparison::Unrelated;
    for approved in &proposed.approved {
        match compare_with_approval(approved, proposed, reading) {
            Comparison::Same(reference) => return Comparison::Same(reference),
            changed @ Comparison::Changed(_) if found == Comparison::Unrelated => found = changed,
            Comparison::Changed(_) | Comparison::Unrelated => {}
        }
    }
    found
}

fn compare_with_approval(
    approved: &ApprovedEffect,
    proposed: &ProposedRequest,
    reading: &RequestReading,
) -> Comparison {
    let request = &proposed.request;
    let same_if = |is_same: bool| match is_same {
        true => Comparison::Same(approved.reference.clone()),
        false => Comparison::Unrelated,
    };
    let changed = match &approved.content {
        ApprovedContent::Address(url) => {
            return same_if(request.is_safe_method() && strip_fragment(&request.url) == strip_fragment(url));
        }
        ApprovedContent::Files(files) => {
            return same_if(file_request::carries_only_files(files, request, reading));
        }
        ApprovedContent::Requests(requests) => compare_requests(requests, request, reading),
        ApprovedContent::Form(form) => compare_form(form, request, reading),
    };
    match changed {
        None => Comparison::Unrelated,
        Some(changed) if changed.is_empty() => same_if(true),
        Some(changed) => Comparison::Changed(changed),
    }
}

/// Compares with requests that were shown before the page gave them up. `None` if it is none of them.
fn compare_requests(
    requests: &[ApprovedRequest],
    request: &OutgoingRequest,
    reading: &RequestReading,
) -> Option<Vec<ChangedValue>> {
    let is_same = |approved: &&ApprovedRequest| {
        approved.method == request.method && strip_query(&approved.url) == strip_query(&request.url)
    };
    let digest = digest_of_rest(request, reading);
    let differences = requests.iter().filter(is_same).map(|approved| {
        let mut changed = changed_values(&approved.values, reading);
        if changed.is_empty() && approved.digest != digest {
            changed.push(ChangedValue {
                name: String::from("body"),
                approved: approved.digest.clone(),
                actual: digest.clone(),
            });
        }
        changed
    });
    differences.min_by_key(Vec::len)
}

/// Returns the hash of a body of which the values are not all of it: of an unknown type, or too long. Empty for others.
pub fn digest_of_rest(request: &OutgoingRequest, reading: &RequestReading) -> String {
    let is_cut = reading.values.len() >= MOST_COMPARED
        || reading.values.iter().any(|value| {
            value.value.len() >= LONGEST_COMPARED || matches!(value.kind, ValueKind::File { .. })
        });
    let Some(body) = request.body.as_deref().filter(|_| reading.is_opaque || is_cut) else {
        return String::new();
    };
    // Chromium makes a boundary up for each request.
    let boundary =
        request.content_type.split_once("boundary=").map(|(_, name)| name.trim_matches('"').as_bytes());
    let mut hash = Sha256::new();
    let mut rest = body;
    while let Some(boundary) = boundary.filter(|boundary| !boundary.is_empty()) {
        let Some(at) = rest.windows(boundary.len()).position(|part| part == boundary) else { break };
        let (before, after) = rest.split_at(at);
        hash.update(before);
        rest = after.get(boundary.len()..).unwrap_or_default();
    }
    hash.update(rest);
    format!("SHA-256 {:x}", hash.finalize())
}

fn changed_values(approved: &[(String, String)], reading: &RequestReading) -> Vec<ChangedValue> {
    let actual = comparable_values(&reading.values);
    let differs = |(name, value): &(String, String)| {
        let found = actual.iter().find(|(other, _)| other == name);
        let is_same = found.is_some_and(|(_, now)| now == value);
        let now = found.map(|(_, now)| now.clone()).unwrap_or_default();
        (!is_same).then(|| ChangedValue { name: name.clone(), approved: value.clone(), actual: now })
    };
    let added = |(name, value): &&(String, String)| {
        !value.is_empty() && !approved.iter().any(|(other, _)| other == name)
    };
    let added = actual.iter().filter(added).map(|(name, value)| added_value(name, value));
    approved.iter().filter_map(differs).chain(added).collect()
}

/// Returns the values that an approval of a request is bound to: all but tokens that nobody is shown.
pub fn comparable_values(values: &[BodyValue]) -> Vec<(String, String)> {
    let shown = values.iter().filter(|value| !is_opaque_token(&value.name, &value.value));
    shown.map(|value| (value.name.clone(), value.value.clone())).collect()
}

fn added_value(name: &str, value: &str) -> ChangedValue {
    ChangedValue { name: name.to_owned(), approved: String::new(), actual: value.to_owned() }
}

/// Compares with a form that was shown before it was sent. `None` if the request is not about the form.
fn compare_form(
    approved: &ApprovedForm,
    request: &OutgoingRequest,
    reading: &RequestReading,
) -> Option<Vec<ChangedValue>> {
    if request.is_safe_method() && !approved.form.method.eq_ignore_ascii_case("get") {
        return None;
    }
    let is_fields = request.content_type.contains("form");
    let is_same_address = strip_query(&request.url) == strip_query(&approved.form.action);
    if is_same_address && request.is_safe_method() {
        return Some(compare_fields(approved, &reading.values));
    }
    if is_same_address && strip_fragment(&request.url) != strip_fragment(&approved.form.action) {
        let fields = compare_fields(approved, reading.body_values());
        return Some(std::iter::once(changed_address(approved, &request.url)).chain(fields).collect());
    }
    let other_method = changed_method(approved, request);
    if is_same_address && is_fields {
        let fields = compare_fields(approved, reading.body_values());
        return Some(other_method.into_iter().chain(fields).collect());
    }
    let changed = unexplained_values(approved, reading);
    if is_same_address {
        return Some(other_method.into_iter().chain(changed).collect());
    }
    if request.kind.is_navigation() {
        let fields = compare_fields(approved, reading.body_values());
        return Some(std::iter::once(changed_address(approved, &request.url)).chain(fields).collect());
    }
    compare_scripted(approved, request, reading, other_method.into_iter().chain(changed).collect())
}

/// Compares a request that a script sends in place of the form, to an address of its own.
fn compare_scripted(
    approved: &ApprovedForm,
    request: &OutgoingRequest,
    reading: &RequestReading,
    changed: Vec<ChangedValue>,
) -> Option<Vec<ChangedValue>> {
    let own_site = Url::parse(&approved.page)
        .ok()
        .zip(reading.url.as_ref())
        .is_some_and(|(page, url)| is_same_site(&page, url));
    let carried = carries_shown_value(approved, reading);
    match (carried, own_site) {
        (false, _) => None,
        (true, true) => {
            let address =
                states_other_effect(approved, reading).then(|| changed_address(approved, &request.url));
            Some(address.into_iter().chain(changed).collect())
        }
        (true, false) => {
            let origin = |url: &str| Url::parse(url).map(|url| url.origin().ascii_serialization());
            let [before, now] =
                [&approved.form.action, &request.url].map(|url| origin(url).unwrap_or_else(|_| url.clone()));
            let destination = ChangedValue { name: String::from("→"), approved: before, actual: now };
            Some(std::iter::once(destination).chain(changed).collect())
        }
    }
}

/// True if the address or the operation states an effect that the address of the form does not.
fn states_other_effect(approved: &ApprovedForm, reading: &RequestReading) -> bool {
    let mut shown = Vec::new();
    push_words(&mut shown, &approved.form.action);
    grave_words(reading).any(|word| !shown.iter().any(|known| known == word.text()))
}

/// Returns the difference if a form that would be posted is sent by another method.
fn changed_method(approved: &ApprovedForm, request: &OutgoingRequest) -> Option<ChangedValue> {
    let is_other = approved.form.method.eq_ignore_ascii_case("post") && request.method != "POST";
    is_other.then(|| ChangedValue {
        name: String::from("method"),
        approved: String::from("POST"),
        actual: request.method.clone(),
    })
}

fn changed_address(approved: &ApprovedForm, url: &str) -> ChangedValue {
    let before = approved.form.action.clone();
    ChangedValue { name: String::from("→"), approved: before, actual: url.to_owned() }
}

/// Compares the fields of a native form by name.
fn compare_fields(approved: &ApprovedForm, values: &[BodyValue]) -> Vec<ChangedValue> {
    let mut changed = Vec::new();
    for value in values {
        let named: Vec<&Field> =
            approved.form.fields.iter().filter(|field| field.name == value.name).collect();
        if entered(approved, &value.name).is_some_and(|text| same_text(text, &value.value)) {
            continue;
        }
        if named.is_empty() {
            if !is_meaningless(value) {
                changed.push(added_value(&value.name, &shown_value(value)));
            }
        } else if !named.iter().any(|field| matches_field(field, value)) {
            let before = named.iter().find(|field| field.filled).or(named.first());
            changed.push(ChangedValue {
                name: before.map(|field| field_title(field)).unwrap_or_default(),
                approved: before.map(|field| approved_text(field)).unwrap_or_default(),
                actual: shown_value(value),
            });
        }
    }
    let sent = |field: &&Field| values.iter().any(|value| value.name == field.name);
    let is_expected =
        |field: &&Field| field.filled && !field.name.is_empty() && !field.value.is_empty() && !field.secret;
    let missing = approved.form.fields.iter().filter(is_expected).filter(|field| !sent(field));
    changed.extend(missing.filter(|field| field.kind != "file").map(|field| ChangedValue {
        name: field_title(field),
        approved: field.value.clone(),
        actual: String::new(),
    }));
    changed
}

/// Returns the text that the action itself enters into the field with this name.
fn entered<'a>(approved: &'a ApprovedForm, name: &str) -> Option<&'a str> {
    let is_named =
        |label: &str, field: &Field| field.name == name && (field.label == label || field.name == label);
    let is_meant =
        |label: &str| label == name || approved.form.fields.iter().any(|field| is_named(label, field));
    approved.entered.iter().find(|(label, _)| is_meant(label)).map(|(_, text)| text.as_str())
}

fn matches_field(field: &Field, value: &BodyValue) -> bool {
    if matches!(value.kind, ValueKind::File { .. }) {
        return true;
    }
    if field.secret || field.card {
        return keeps_secret(field, value);
    }
    if !field.generated.is_empty() {
        return has_hash(value, &field.generated);
    }
    let is_withheld = field.value.is_empty() && field.sent.is_empty() && field.kind == "hidden";
    let is_choice = matches!(field.kind.as_str(), "checkbox" | "radio");
    if is_withheld || value.value.len() > LONGEST_COMPARED {
        return true;
    }
    if is_choice && !field.filled {
        return false;
    }
    if !field.sent.is_empty() {
        return has_hash(value, &field.sent)
            || submits_nothing(field, value)
            || same_text(&field.value, &value.value);
    }
    same_text(&field.value, &value.value) || (is_choice && value.value == "on")
}

/// Returns what the person has seen of a field. Of a hidden value that looks generated, only a hash is kept.
fn approved_text(field: &Field) -> String {
    if field.generated.is_empty() { field.value.clone() } else { String::from("…") }
}

fn has_hash(value: &BodyValue, hash: &str) -> bool {
    hash == format!("{:x}", Sha256::digest(&value.value))
}

/// True if the field is a choice that is submitted as an empty value, and such a one leaves.
fn submits_nothing(field: &Field, value: &BodyValue) -> bool {
    value.value.is_empty() && field.sent == format!("{:x}", Sha256::digest(NOTHING_SENT))
}

/// True if a hidden value that looks generated stood in the form, and another one leaves under its name.
fn replaces_generated(approved: &ApprovedForm, value: &BodyValue) -> bool {
    let named = |field: &&Field| {
        let last = value.name.rsplit('.').next();
        !field.generated.is_empty() && last.is_some_and(|last| last.eq_ignore_ascii_case(&field.name))
    };
    let mut fields = approved.form.fields.iter().filter(named).peekable();
    fields.peek().is_some() && !fields.any(|field| has_hash(value, &field.generated))
}

/// Compares two texts, ignoring differences in white space.
fn same_text(one: &str, other: &str) -> bool {
    one == other || one.split_whitespace().eq(other.split_whitespace())
}

/// Returns the values that are neither in the form nor without meaning: a script may name them otherwise than the
/// form does.
fn unexplained_values(approved: &ApprovedForm, reading: &RequestReading) -> Vec<ChangedValue> {
    let explained = |value: &BodyValue| {
        (is_meaningless(value) && !replaces_generated(approved, value))
            || explaining_fields(approved, value).any(|field| explains(field, value))
            || approved.entered.iter().any(|(_, text)| same_text(text, &value.value))
    };
    let unexplained = reading.values.iter().filter(|value| !explained(value));
    let before = |value: &BodyValue| {
        let last = value.name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let field = explaining_fields(approved, value)
            .find(|field| value.name.ends_with(&field.name) || field.name.to_ascii_lowercase() == last);
        field.map(approved_text).unwrap_or_default()
    };
    unexplained
        .map(|value| ChangedValue {
            name: value.name.clone(),
            approved: before(value),
            actual: shown_value(value),
        })
        .collect()
}

/// Returns the fields whose value a sent value may be: where it stands in the place of an argument, that argument alone,
/// so that values that have changed places are noticed.
fn explaining_fields<'a>(
    approved: &'a ApprovedForm,
    value: &'a BodyValue,
) -> impl Iterator<Item = &'a Field> + use<'a> {
    let is_in_place = |field: &Field| {
        let before = value.name.len().checked_sub(field.name.len());
        let is_end =
            before.and_then(|before| value.name.split_at_checked(before)).is_some_and(|(outer, end)| {
                end == field.name && (outer.is_empty() || outer.ends_with(['.', ']']))
            });
        field.kind == ARGUMENT && is_end
    };
    let most =
        approved.form.fields.iter().filter(|field| is_in_place(field)).map(|field| field.name.len()).max();
    approved.form.fields.iter().filter(move |field| {
        most.is_none_or(|most| field.name.len() == most && value.name.ends_with(&field.name))
    })
}

/// True if no secret leaves under the name of a field that was empty when the person saw it. What it is, nobody is shown.
fn keeps_secret(field: &Field, value: &BodyValue) -> bool {
    field.filled || value.value.is_empty()
}

fn explains(field: &Field, value: &BodyValue) -> bool {
    let is_named = value.name.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case(&field.name));
    if field.secret || field.card {
        return is_named && keeps_secret(field, value);
    }
    let filled = field.filled || field.kind == "hidden";
    filled
        && !value.value.is_empty()
        && matches_field(field, value)
        && !(field.value.is_empty() && field.sent.is_empty() && field.generated.is_empty())
}

/// True if a value carries nothing that a person would be shown.
fn is_meaningless(value: &BodyValue) -> bool {
    match value.kind {
        ValueKind::Flag => value.value != "true" || deed_of_name(&value.name).is_none(),
        ValueKind::Null => true,
        ValueKind::Text | ValueKind::Number => {
            value.value.trim().is_empty() || is_opaque_token(&value.name, &value.value)
        }
        ValueKind::File { .. } => false,
    }
}

/// True if the request carries a value that a person saw in the form.
fn carries_shown_value(approved: &ApprovedForm, reading: &RequestReading) -> bool {
    let is_long = |text: &str| text.chars().count() >= 2;
    let shown = |field: &&Field| field.kind != "hidden" && field.filled && is_long(&field.value);
    let carried = |text: &str| reading.values.iter().any(|value| same_text(text, &value.value));
    approved.form.fields.iter().filter(shown).any(|field| carried(&field.value))
        || approved.entered.iter().any(|(_, text)| is_long(text) && carried(text))
}

fn shown_value(value: &BodyValue) -> String {
    let mut shown = [value.clone()];
    crate::page::request_body::mask_secrets(&mut shown);
    let [value] = shown;
    value.value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::target::Form;

    // Two arguments have the same last name; a page that swaps them does not send what was approved.
    #[test]
    fn arguments_that_change_places_are_noticed() {
        let field = |(name, value): (&str, &str)| Field {
            name: name.to_owned(),
            kind: ARGUMENT.to_owned(),
            value: value.to_owned(),
            filled: true,
            ..Field::default()
        };
        let fields = [("sender.account", "UA11"), ("recipient.account", "UA22"), ("sum", "50")];
        let form = Form { fields: fields.map(field).into(), ..Form::default() };
        let approved = ApprovedForm { form, entered: Vec::new(), page: String::from("https://bank.test/") };
        let is_explained = |name: &str, value: &str| {
            let value = BodyValue { name: name.to_owned(), value: value.to_owned(), kind: ValueKind::Text };
            explaining_fields(&approved, &value).any(|field| explains(field, &value))
        };
        for (name, value, expected) in [
            ("sender.account", "UA11", true),
            ("recipient.account", "UA22", true),
            ("sender.account", "UA22", false),
            ("params.recipient.account", "UA11", false),
            ("params.recipient.account", "UA22", true),
            ("params[0].sum", "50", true),
            ("params[0].sum", "UA22", false),
            // A script may name a value otherwise than the tool does.
            ("to", "UA22", true),
            ("to", "UA33", false),
            ("checksum", "50", true),
        ] {
            assert_eq!(is_explained(name, value), expected, "{name}: {value}");
        }
    }

    // Nobody is shown what is in a secret field, so it may leave only if the field was filled as the person was asked.
    #[test]
    fn a_secret_that_was_put_in_after_the_question_is_noticed() {
        for (filled, sent, is_same) in
            [(true, "sesame", true), (true, "", true), (false, "", true), (false, "sesame", false)]
        {
            let field = Field {
                name: String::from("pass"),
                kind: String::from("password"),
                secret: true,
                filled,
                ..Field::default()
            };
            let value = BodyValue { name: field.name.clone(), value: sent.to_owned(), kind: ValueKind::Text };
            assert_eq!(matches_field(&field, &value), is_same, "filled: {filled}, sent: {sent}");
            assert_eq!(explains(&field, &value), is_same, "filled: {filled}, sent: {sent}");
        }
    }
}
