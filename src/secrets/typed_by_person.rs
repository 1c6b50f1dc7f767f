//! Values of secret fields that persons typed in one run tree. Kept in memory only.

use crate::secrets::redact::Redaction;
use crate::turn::typed_secret::MASK;
use serde::Deserialize;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Name of the binding through which the page script reports them.
pub const BINDING: &str = "askfirstTyped";
/// Maximum number of values, of which the newest are kept. A page that fakes more only displaces its own.
const MOST: usize = 256;
/// Minimum length in characters: shorter values occur everywhere by chance.
const SHORTEST: usize = 3;
/// Minimum number of digits of a card number, which may be typed in groups and shown without.
const CARD_DIGITS: usize = 13;

/// Typed values, in order of arrival.
#[derive(Default)]
pub struct TypedSecrets(Mutex<VecDeque<TypedValue>>);

/// Content of a field, which the page script reports after every letter.
#[derive(Deserialize)]
struct TypedValue {
    /// Id of the field and its document; empty for a complete value.
    field: String,
    value: String,
}

impl TypedSecrets {
    /// Stores a value from a report of the page script.
    pub fn add_report(&self, payload: &str) {
        if let Ok(entry) = serde_json::from_str(payload) {
            self.add(entry);
        }
    }

    /// Adds a value of no particular field.
    pub fn add_value(&self, value: String) {
        self.add(TypedValue { field: String::new(), value });
    }

    /// Adds a value. Continued typing extends the previous value of the field; an overwritten value is kept,
    /// because it may have been sent.
    fn add(&self, new: TypedValue) {
        let mut all = self.all();
        let same = |entry: &TypedValue| !new.field.is_empty() && entry.field == new.field;
        if let Some(before) = all.iter_mut().rev().find(|entry| same(entry))
            && new.value.starts_with(&before.value)
        {
            before.value = new.value;
            return;
        }
        if all.iter().any(|entry| entry.value == new.value && new.field.is_empty()) {
            return;
        }
        if all.len() == MOST {
            all.pop_front();
        }
        all.push_back(new);
    }

    /// Returns the values to hide, with their replacement.
    pub fn hidden_values(&self) -> Vec<Redaction> {
        let all = self.all();
        let values = all.iter().flat_map(|entry| [Some(entry.value.clone()), ungrouped(&entry.value)]);
        let long = values.flatten().filter(|value| value.trim().chars().count() >= SHORTEST);
        long.map(|value| Redaction { value, with: MASK.to_owned() }).collect()
    }

    /// True if no value is known.
    pub fn is_empty(&self) -> bool {
        self.all().is_empty()
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<TypedValue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a card number typed in groups without its gaps.
fn ungrouped(value: &str) -> Option<String> {
    let is_gap = |letter: char| letter == ' ' || letter == '-';
    let grouped = value.contains(is_gap) && value.chars().all(|c| c.is_ascii_digit() || is_gap(c));
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    (grouped && digits.len() >= CARD_DIGITS).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn values(typed: &TypedSecrets) -> Vec<String> {
        typed.hidden_values().into_iter().map(|known| known.value).collect()
    }

    #[test]
    fn growing_text_is_one_value_and_overwritten_text_stays_known() {
        let typed = TypedSecrets::default();
        let says =
            |field: &str, value: &str| typed.add_report(&json!({"field": field, "value": value}).to_string());
        for value in ["", "o", "op", "opa", "op", "ope", "open"] {
            says("a1", value);
        }
        says("a2", "open sesame");
        assert_eq!(values(&typed), ["opa", "open", "open sesame"]);
        typed.add_value(String::from("open"));
        typed.add_report("no JSON");
        assert_eq!(values(&typed).len(), 3);
    }

    #[test]
    fn card_numbers_are_known_without_gaps_and_their_number_is_limited() {
        let typed = TypedSecrets::default();
        typed.add_value(String::from("4111 1111 1111 1111"));
        assert_eq!(values(&typed), ["4111 1111 1111 1111", "4111111111111111"]);
        (0..2 * MOST).for_each(|n| typed.add_value(format!("made up {n}")));
        assert_eq!(values(&typed).len(), MOST);
    }
}
