//! What a composite run says at its end, in the run's language.

use super::state::Failure;
use crate::protocol::{Locale, Status};
use serde_json::{Map, Value};

pub fn failed(failure: &Failure, locale: Locale) -> String {
    let Failure { item, agent, outcome, why } = failure;
    let told = match locale {
        Locale::Uk => format!("Агент `{agent}` (елемент {item}): {}", uk(*outcome)),
        Locale::En => format!("Agent `{agent}` (item {item}) ended as {}", outcome.word()),
    };
    if why.is_empty() { format!("{told}.") } else { format!("{told}: {why}") }
}

fn uk(outcome: Status) -> &'static str {
    match outcome {
        Status::Cancelled => "скасовано",
        Status::Exhausted => "вичерпано ліміт",
        Status::Denied => "не дозволено",
        Status::Blocked => "не може йти далі",
        Status::Queued
        | Status::Running
        | Status::Waiting
        | Status::Paused
        | Status::Succeeded
        | Status::Partial
        | Status::Failed
        | Status::Skipped => "не вдалося",
    }
}

/// The outputs: one text as it is, else all of them by name.
pub fn done(vars: &Map<String, Value>, locale: Locale) -> String {
    let mut said = vars.iter();
    match (said.next(), said.next()) {
        (None, _) => locale.pick("Готово.", "Done.").to_owned(),
        (Some((_, Value::String(text))), None) => text.clone(),
        _ => vars
            .iter()
            .map(|(name, value)| format!("- {name}: {}", shown(value)))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

pub fn partial(tolerated: &[String], vars: &Map<String, Value>, locale: Locale) -> String {
    let items = tolerated.join(", ");
    let told = match locale {
        Locale::Uk => format!("Виконано частково; без елементів: {items}."),
        Locale::En => format!("Done in part; without the items {items}."),
    };
    format!("{told}\n{}", done(vars, locale))
}

pub fn farewell(outcome: Status, locale: Locale) -> String {
    let (uk, en) = match outcome {
        Status::Cancelled => ("Зупинено.", "Stopped."),
        Status::Exhausted => ("Ліміт вичерпано.", "A limit was reached."),
        Status::Queued
        | Status::Running
        | Status::Waiting
        | Status::Paused
        | Status::Succeeded
        | Status::Partial
        | Status::Failed
        | Status::Skipped
        | Status::Denied
        | Status::Blocked => ("Не вдалося.", "It failed."),
    };
    locale.pick(uk, en).to_owned()
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
