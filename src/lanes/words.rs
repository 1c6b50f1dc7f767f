//! What a composite run says at its end, in the run's language.

use super::state::Failure;
use crate::program::words::given;
use crate::protocol::{Locale, Status};
use serde_json::{Map, Value};

pub fn failed(failure: &Failure, locale: Locale) -> String {
    let Failure { item, agent, outcome, why } = failure;
    let told = match locale {
        Locale::Uk => format!("Агент `{agent}` (картка {item}): {}", of(*outcome).0),
        Locale::En => format!("Agent `{agent}` (card {item}) {}", of(*outcome).1),
    };
    if why.is_empty() { format!("{told}.") } else { format!("{told}: {why}") }
}

/// The end of an agent, in Ukrainian and in English.
fn of(outcome: Status) -> (&'static str, &'static str) {
    match outcome {
        Status::Cancelled => ("зупинено", "was stopped"),
        Status::Exhausted => ("вичерпано ліміт", "reached a limit"),
        Status::Denied => ("заборонено", "was not allowed"),
        Status::Blocked => ("не може продовжити", "could not continue"),
        Status::Queued
        | Status::Running
        | Status::Waiting
        | Status::Paused
        | Status::Succeeded
        | Status::Partial
        | Status::Failed
        | Status::Skipped => ("не вдалося", "failed"),
    }
}

pub fn partial(tolerated: &[String], vars: &Map<String, Value>, locale: Locale) -> String {
    let items = tolerated.join(", ");
    let told = match locale {
        Locale::Uk => format!("Виконано частково; не вдалися картки: {items}."),
        Locale::En => format!("Partly done; cards that failed: {items}."),
    };
    format!("{told}\n{}", given(vars, locale))
}
