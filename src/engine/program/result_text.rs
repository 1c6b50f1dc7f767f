//! Texts for the end of a run that is no conversation: its outcome, and values shortened and formatted for people.

use crate::protocol::{Locale, Status};
use crate::text::truncate::truncate;
use crate::text::value_text::format_value_text;
use crate::texts::endings;
use crate::texts::questions::characters_not_shown;
use serde_json::{Map, Value};

/// Longest value that is shown, in characters.
const MAX_VALUE_CHARS: usize = 500;
/// Longest text that is shown to a person for approval, in characters.
const MAX_APPROVAL_CHARS: usize = 20_000;

/// Returns a text for an outcome, used if there is no better one.
pub fn outcome_text(outcome: Status, locale: Locale) -> &'static str {
    match outcome {
        Status::Cancelled => endings::stopped(locale),
        Status::Exhausted => endings::limit_reached(locale),
        Status::Denied => endings::forbidden_by_rules(locale),
        Status::Succeeded => endings::done(locale),
        Status::Queued
        | Status::Running
        | Status::Waiting
        | Status::Paused
        | Status::Partial
        | Status::Failed
        | Status::Skipped
        | Status::Blocked => endings::failed(locale),
    }
}

/// Returns the text for the limit that was reached.
pub fn limit_text(limit: &str, locale: Locale) -> &'static str {
    match limit {
        "tokens" => endings::token_limit_reached(locale),
        "money" => endings::spending_limit_reached(locale),
        _ => endings::limit_reached(locale),
    }
}

/// Formats outputs: a single text as it is, several values by name.
pub fn format_vars(vars: &Map<String, Value>, locale: Locale) -> String {
    let mut values = vars.values();
    match (values.next(), values.next()) {
        (None, _) => outcome_text(Status::Succeeded, locale).to_owned(),
        (Some(Value::String(text)), None) => text.clone(),
        (Some(_), _) => {
            let line = |(name, value): (&String, &Value)| match format_value(value) {
                text if text.contains('\n') => format!("- {name}:\n\n  {}\n", text.replace('\n', "\n  ")),
                text => format!("- {name}: {text}"),
            };
            vars.iter().map(line).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Formats a value, shortened.
fn format_value(value: &Value) -> String {
    truncate_value(&format_value_text(value))
}

/// Returns the text that a person is asked to allow, in full. A text longer than `MAX_APPROVAL_CHARS` loses its middle;
/// the cut states how many characters are left out.
pub fn format_for_approval(text: &str, locale: Locale) -> String {
    let length = text.chars().count();
    if length <= MAX_APPROVAL_CHARS {
        return text.to_owned();
    }
    let begin: String = text.chars().take(MAX_APPROVAL_CHARS / 2).collect();
    let end: String = text.chars().skip(length - MAX_APPROVAL_CHARS / 2).collect();
    let left = length - MAX_APPROVAL_CHARS / 2 * 2;
    let notice = characters_not_shown(left, locale);
    format!("{begin}\n… {notice} …\n{end}")
}

/// Shortens a text to `MAX_VALUE_CHARS` characters.
pub fn truncate_value(text: &str) -> String {
    truncate(text, MAX_VALUE_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_for_approval_is_shown_whole_or_marked_as_cut() {
        let long = format!("{}{}tail", "a".repeat(MAX_APPROVAL_CHARS), "b".repeat(MAX_APPROVAL_CHARS));
        assert_eq!(format_for_approval(&long[..MAX_APPROVAL_CHARS], Locale::En), long[..MAX_APPROVAL_CHARS]);
        let shown = format_for_approval(&long, Locale::En);
        assert!(
            shown.ends_with("tail") && shown.contains("[20004 CHARACTERS ARE NOT SHOWN HERE]"),
            "{shown}"
        );
        assert!(format_for_approval(&long, Locale::Uk).contains("НЕ ПОКАЗАНО СИМВОЛІВ: 20004"));
    }
}
