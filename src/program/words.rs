//! What people read at the end of a run that is no conversation, in the run's language.

use crate::protocol::{Locale, Status};
use serde_json::{Map, Value};

/// Values are cut here, in characters.
const LONGEST: usize = 500;

/// How it ended, where nothing better can be said.
pub fn ended(outcome: Status, locale: Locale) -> &'static str {
    let (uk, en) = match outcome {
        Status::Cancelled => ("Зупинено.", "Stopped."),
        Status::Exhausted => ("Ліміт вичерпано.", "A limit was reached."),
        Status::Denied => ("Правила цього не дозволяють.", "The rules do not allow it."),
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

/// Outputs: one text as it is, several by name.
pub fn given(vars: &Map<String, Value>, locale: Locale) -> String {
    let mut values = vars.values();
    match (values.next(), values.next()) {
        (None, _) => ended(Status::Succeeded, locale).to_owned(),
        (Some(Value::String(text)), None) => text.clone(),
        (Some(_), _) => {
            let line = |(name, value): (&String, &Value)| match shown(value) {
                text if text.contains('\n') => format!("- {name}:\n\n  {}\n", text.replace('\n', "\n  ")),
                text => format!("- {name}: {text}"),
            };
            vars.iter().map(line).collect::<Vec<_>>().join("\n")
        }
    }
}

/// A value in a line.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text),
        other => cut(&other.to_string()),
    }
}

/// No longer than people read.
pub fn cut(text: &str) -> String {
    shortened(text, LONGEST)
}

/// At most so many characters, with a mark where something is left out.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Without a model nothing can be answered.
pub fn no_model(locale: Locale) -> &'static str {
    locale.pick(
        "Цьому агентові потрібна модель: задайте OPENAI_API_KEY або `model.base_url`.",
        "This agent needs a model: set OPENAI_API_KEY, or `model.base_url`.",
    )
}
