//! Values by which a page tells which optional cookies were agreed to. Pure.

use crate::gate::wire_layer::reading;
use crate::page::request_body::{BodyValue, ValueKind};

/// Values that agree.
const AGREED: [&str; 14] = [
    "accept",
    "accepted",
    "accept_all",
    "granted",
    "allow",
    "allowed",
    "all",
    "yes",
    "true",
    "on",
    "opt-in",
    "optin",
    "everyone",
    "public",
];
/// Words of values, and of the address, that refuse.
const REFUSED: [&str; 13] = [
    "reject", "rejected", "refuse", "refused", "deny", "denied", "decline", "declined", "no", "false", "off",
    "none", "optout",
];
/// Words of names under which agreeing refuses.
const INVERSE: [&str; 8] = ["out", "not", "reject", "refuse", "deny", "decline", "disable", "object"];
/// Words of names under which agreed things are listed.
const AGREEING: [&str; 4] = ["accept", "allow", "grant", "agree"];
/// Words of names of what is stored in any case.
const NECESSARY: [&str; 5] = ["necessary", "essential", "required", "functional", "strictly"];
/// Words of names whose numbers are choices.
const OPTIONAL: [&str; 14] = [
    "marketing",
    "analytics",
    "analytical",
    "statistics",
    "statistic",
    "ads",
    "advertising",
    "advertisement",
    "performance",
    "targeting",
    "preferences",
    "social",
    "personalization",
    "tracking",
];

/// Answer to one question about cookies.
#[derive(Clone, Copy, PartialEq)]
enum Choice {
    Agreed,
    Refused,
    /// No answer: a time, an id, a version.
    Other,
}

/// True if a value or a word of the address says that something optional is refused, and no value agrees to anything.
pub fn refuses_all(values: &[BodyValue], words: &[String]) -> bool {
    let optional = || values.iter().filter(|value| !has_word(&value.name, &NECESSARY)).map(choice_of);
    let by_address = words.iter().any(|word| REFUSED.contains(&word.as_str()));
    let refused = by_address || optional().any(|choice| choice == Choice::Refused);
    !values.is_empty() && refused && optional().all(|choice| choice != Choice::Agreed)
}

fn choice_of(value: &BodyValue) -> Choice {
    let text = value.value.to_ascii_lowercase();
    let is_optional = has_word(&value.name, &OPTIONAL);
    let said = match value.kind {
        _ if is_optional && text == "1" => Choice::Agreed,
        _ if is_optional && text == "0" => Choice::Refused,
        ValueKind::Flag if text == "true" => Choice::Agreed,
        ValueKind::Flag => Choice::Refused,
        ValueKind::Text if AGREED.contains(&text.as_str()) => Choice::Agreed,
        ValueKind::Text if has_word(&value.value, &REFUSED) => Choice::Refused,
        // Lists of what was agreed to, and of what was not.
        ValueKind::Text if has_word(&value.value, &OPTIONAL) && lists_answers(&value.name) => Choice::Agreed,
        ValueKind::Text | ValueKind::Number | ValueKind::Null | ValueKind::File { .. } => Choice::Other,
    };
    match said {
        Choice::Agreed if has_word(&value.name, &INVERSE) => Choice::Refused,
        Choice::Refused if has_word(&value.name, &INVERSE) => Choice::Agreed,
        said => said,
    }
}

fn lists_answers(name: &str) -> bool {
    has_word(name, &AGREEING) || has_word(name, &INVERSE)
}

fn has_word(text: &str, list: &[&str]) -> bool {
    let mut words = Vec::new();
    reading::push_words(&mut words, text);
    words.iter().any(|word| list.iter().any(|known| word.starts_with(known)) && !is_short_start(word, list))
}

/// True if a short word of the list only begins the other: "no" is none of "notice".
fn is_short_start(word: &str, list: &[&str]) -> bool {
    const SHORT: usize = 5;
    !list.iter().any(|known| *known == word || (known.len() >= SHORT && word.starts_with(known)))
}
