//! The response of a composite run at its end, in the run's language.

use crate::engine::program::words::given;
use crate::programs::lanes::state::LaneFailure;
use crate::protocol::{Locale, Status};
use serde_json::{Map, Value};

pub fn failure_text(failure: &LaneFailure, locale: Locale) -> String {
    let LaneFailure { item, agent, outcome, why } = failure;
    let told = match locale {
        Locale::Uk => format!("Агент `{agent}` (картка {item}): {}", outcome_texts(*outcome).0),
        Locale::En => format!("Agent `{agent}` (card {item}) {}", outcome_texts(*outcome).1),
    };
    let inside = locale.pick("один в одному", "one inside another");
    match strip_nesting(why, &told, inside) {
        Some((times, why)) => format!("{told} (×{times}, {inside}): {why}"),
        None if why.is_empty() => format!("{told}."),
        None => format!("{told}: {why}"),
    }
}

/// Counts how often the sentence is nested in itself, this time included, and returns the innermost reason.
/// An agent that calls itself ends at every level for the same reason.
fn strip_nesting<'w>(why: &'w str, told: &str, inside: &str) -> Option<(u32, &'w str)> {
    let (_, after) = why.split_once(told)?;
    if let Some(rest) = after.strip_prefix(": ") {
        return Some((2, rest));
    }
    let (times, rest) = after.strip_prefix(" (×")?.split_once(", ")?;
    let rest = rest.strip_prefix(inside)?.strip_prefix("): ")?;
    Some((times.parse::<u32>().ok()?.saturating_add(1), rest))
}

/// The end of an agent, in Ukrainian and in English.
fn outcome_texts(outcome: Status) -> (&'static str, &'static str) {
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

pub fn partial_text(tolerated: &[String], vars: &Map<String, Value>, locale: Locale) -> String {
    let items = tolerated.join(", ");
    let told = match locale {
        Locale::Uk => format!("Виконано частково; не вдалися картки: {items}."),
        Locale::En => format!("Partly done; cards that failed: {items}."),
    };
    format!("{told}\n{}", given(vars, locale))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loops(agents: &[&str], levels: usize) -> String {
        let why = String::from("agents are nested 50 deep");
        agents.iter().cycle().take(levels).fold(why, |why, agent| {
            let agent = (*agent).to_owned();
            failure_text(
                &LaneFailure { item: agent.clone(), agent, outcome: Status::Exhausted, why },
                Locale::En,
            )
        })
    }

    // Agents that call themselves or each other without end: the repeated sentence is shown once.
    #[test]
    fn a_repeated_log_line_is_written_once_with_a_count() {
        let told = loops(&["down"], 50);
        let once =
            "Agent `down` (card down) reached a limit (×50, one inside another): agents are nested 50 deep";
        assert_eq!(told, once);
        let told = loops(&["a", "b"], 50);
        assert!(told.len() < 250 && told.contains("(×") && told.ends_with("nested 50 deep"), "{told}");
        assert_eq!(
            loops(&["down"], 1),
            "Agent `down` (card down) reached a limit: agents are nested 50 deep"
        );
        let empty =
            LaneFailure { item: "x".into(), agent: "x".into(), outcome: Status::Failed, why: String::new() };
        assert_eq!(failure_text(&empty, Locale::En), "Agent `x` (card x) failed.");
    }
}
