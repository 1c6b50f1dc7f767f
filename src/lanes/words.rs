//! What a composite run says at its end, in the run's language.

use super::state::Failure;
use crate::program::words::given;
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

pub fn partial(tolerated: &[String], vars: &Map<String, Value>, locale: Locale) -> String {
    let items = tolerated.join(", ");
    let told = match locale {
        Locale::Uk => format!("Виконано частково; без елементів: {items}."),
        Locale::En => format!("Done in part; without the items {items}."),
    };
    format!("{told}\n{}", given(vars, locale))
}
