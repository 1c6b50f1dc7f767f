//! Texts for the end of a run that is no conversation, in the run's language.

use crate::protocol::{Locale, Status};
use serde_json::{Map, Value, json};

/// Longest value that is shown, in characters.
const LONGEST: usize = 500;
/// Longest text that is shown to a person for approval, in characters.
const SHOWN: usize = 20_000;

/// Returns a text for an outcome, used if there is no better one.
pub fn outcome_text(outcome: Status, locale: Locale) -> &'static str {
    let (uk, en) = match outcome {
        Status::Cancelled => ("Зупинено.", "Stopped."),
        Status::Exhausted => ("Вичерпано ліміт.", "A limit was reached."),
        Status::Denied => ("Правила цього не дозволяють.", "The rules do not allow this."),
        Status::Succeeded => ("Готово.", "Done."),
        Status::Queued
        | Status::Running
        | Status::Waiting
        | Status::Paused
        | Status::Partial
        | Status::Failed
        | Status::Skipped
        | Status::Blocked => ("Не вдалося.", "It failed."),
    };
    locale.pick(uk, en)
}

/// Returns the text for the limit that was reached.
pub fn limit_text(limit: &str, locale: Locale) -> &'static str {
    match limit {
        "tokens" => locale.pick("Вичерпано ліміт токенів.", "The token limit was reached."),
        "money" => locale.pick("Вичерпано ліміт витрат.", "The spending limit was reached."),
        _ => outcome_text(Status::Exhausted, locale),
    }
}

/// Returns the texts of a question in both languages, for pages whose reader can switch the language.
pub fn in_both_languages(say: impl Fn(Locale) -> Value) -> Value {
    json!({"uk": say(Locale::Uk), "en": say(Locale::En)})
}

/// Formats outputs: a single text as it is, several values by name.
pub fn given(vars: &Map<String, Value>, locale: Locale) -> String {
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

/// Formats a value on one line.
pub fn format_value(value: &Value) -> String {
    match value {
        Value::String(text) => truncate_value(text),
        other => truncate_value(&other.to_string()),
    }
}

/// Returns the text that a person is asked to allow, in full. A text longer than `SHOWN` loses its middle;
/// the cut states how many characters are left out.
pub fn format_for_approval(text: &str, locale: Locale) -> String {
    let length = text.chars().count();
    if length <= SHOWN {
        return text.to_owned();
    }
    let begin: String = text.chars().take(SHOWN / 2).collect();
    let end: String = text.chars().skip(length - SHOWN / 2).collect();
    let left = length - SHOWN / 2 * 2;
    let told = match locale {
        Locale::Uk => format!("[ТУТ НЕ ПОКАЗАНО СИМВОЛІВ: {left}]"),
        Locale::En => format!("[{left} CHARACTERS ARE NOT SHOWN HERE]"),
    };
    format!("{begin}\n… {told} …\n{end}")
}

/// Shortens a text to `LONGEST` characters.
pub fn truncate_value(text: &str) -> String {
    truncate_text(text, LONGEST)
}

/// Shortens a text to `most` characters, with an ellipsis where it is cut.
pub fn truncate_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the text for an agent that needs a model when there is none.
pub fn model_missing_text(locale: Locale) -> &'static str {
    locale.pick(
        "Цьому агентові потрібна модель: під’єднайте її на сторінці «Модель» або задайте OPENAI_API_KEY чи `model.base_url`.",
        "This agent needs a model: connect one on the page “Model”, or set OPENAI_API_KEY or `model.base_url`.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_for_approval_is_shown_whole_or_marked_as_cut() {
        let long = format!("{}{}tail", "a".repeat(SHOWN), "b".repeat(SHOWN));
        assert_eq!(format_for_approval(&long[..SHOWN], Locale::En), long[..SHOWN]);
        let shown = format_for_approval(&long, Locale::En);
        assert!(
            shown.ends_with("tail") && shown.contains("[20004 CHARACTERS ARE NOT SHOWN HERE]"),
            "{shown}"
        );
        assert!(format_for_approval(&long, Locale::Uk).contains("НЕ ПОКАЗАНО СИМВОЛІВ: 20004"));
    }
}
