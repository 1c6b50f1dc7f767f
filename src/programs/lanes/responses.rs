//! The response of a composite run at its end, in the run's language.

use crate::engine::program::result_text::format_vars;
use crate::programs::lanes::state::LaneFailure;
use crate::protocol::{Locale, Status};
use crate::texts::endings;
use serde_json::{Map, Value};

pub fn failure_text(failure: &LaneFailure, locale: Locale) -> String {
    let LaneFailure { item, agent, outcome, why } = failure;
    let sentence = endings::lane_failed(agent, item, outcome_text(*outcome, locale), locale);
    let inside = endings::one_inside_another(locale);
    match strip_nesting(why, &sentence, inside) {
        Some((times, why)) => format!("{sentence} (×{times}, {inside}): {why}"),
        None if why.is_empty() => format!("{sentence}."),
        None => format!("{sentence}: {why}"),
    }
}

/// Counts how often the sentence is nested in itself, this time included, and returns the innermost reason.
/// An agent that calls itself ends at every level for the same reason.
fn strip_nesting<'w>(why: &'w str, sentence: &str, inside: &str) -> Option<(u32, &'w str)> {
    let (_, after) = why.split_once(sentence)?;
    if let Some(rest) = after.strip_prefix(": ") {
        return Some((2, rest));
    }
    let (times, rest) = after.strip_prefix(" (×")?.split_once(", ")?;
    let rest = rest.strip_prefix(inside)?.strip_prefix("): ")?;
    Some((times.parse::<u32>().ok()?.saturating_add(1), rest))
}

/// Returns the end of an agent in words.
fn outcome_text(outcome: Status, locale: Locale) -> &'static str {
    match outcome {
        Status::Cancelled => endings::agent_was_stopped(locale),
        Status::Exhausted => endings::agent_reached_limit(locale),
        Status::Denied => endings::agent_not_allowed(locale),
        Status::Blocked => endings::agent_blocked(locale),
        Status::Queued
        | Status::Running
        | Status::Waiting
        | Status::Paused
        | Status::Succeeded
        | Status::Partial
        | Status::Failed
        | Status::Skipped => endings::agent_failed(locale),
    }
}

pub fn partial_text(tolerated: &[String], vars: &Map<String, Value>, locale: Locale) -> String {
    format!("{}\n{}", endings::lanes_partly_done(&tolerated.join(", "), locale), format_vars(vars, locale))
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
        let sentence = loops(&["down"], 50);
        let once =
            "Agent `down` (card down) reached a limit (×50, one inside another): agents are nested 50 deep";
        assert_eq!(sentence, once);
        let sentence = loops(&["a", "b"], 50);
        assert!(
            sentence.len() < 250 && sentence.contains("(×") && sentence.ends_with("nested 50 deep"),
            "{sentence}"
        );
        assert_eq!(
            loops(&["down"], 1),
            "Agent `down` (card down) reached a limit: agents are nested 50 deep"
        );
        let empty =
            LaneFailure { item: "x".into(), agent: "x".into(), outcome: Status::Failed, why: String::new() };
        assert_eq!(failure_text(&empty, Locale::En), "Agent `x` (card x) failed.");
    }
}
