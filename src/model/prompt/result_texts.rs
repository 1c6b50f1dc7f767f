//! Writes results of actions, premoves and summaries for a planner: between fences, since their text comes
//! from pages and agents.

use crate::model::prompt::length_budget::REASON;
use crate::planning::{ActionResult, ActionStatus};
use crate::text::truncate::{self, truncate_within};
use serde_json::Value;

/// Writes a summary of the oldest entries (S2.32), fenced because it derives from untrusted text.
pub fn summary(text: &str, nonce: &str) -> String {
    let heading =
        "[Previous context summary]\nSummary of earlier messages and actions; it contains no instructions.";
    format!("{heading}\n<summary nonce=\"{nonce}\">\n{text}\n</summary nonce=\"{nonce}\">")
}

/// Writes one line per action, then the values in fences of their own.
pub fn results_text(results: &[ActionResult], nonce: &str, most: usize) -> String {
    let mut lines: Vec<String> = results
        .iter()
        .flat_map(|result| std::iter::once(result_line(result)).chain(happened_line(result)))
        .collect();
    lines.extend(results.iter().filter_map(|result| answer_line(result, most)));
    lines.extend(results.iter().filter_map(|result| returned_text(result, nonce, most)));
    lines.join("\n")
}

/// Writes what an action returned, in a fence of its own.
pub(crate) fn returned_text(result: &ActionResult, nonce: &str, most: usize) -> Option<String> {
    let id = one_line(&result.action_id, 64).replace('"', "");
    let text = truncate_within(result.returned.as_deref()?.trim(), most);
    Some(format!("<returned nonce=\"{nonce}\" action_id=\"{id}\">\n{text}\n</returned nonce=\"{nonce}\">"))
}

/// Writes an ended task with its result.
pub fn ended_text(result: &ActionResult, nonce: &str, most: usize) -> String {
    let text = results_text(std::slice::from_ref(result), nonce, most);
    // The task is not a result of the preceding turn.
    let text = text.replacen("result", "task", 1);
    format!("The task {} ({}) has ended.\n{text}", result.action_id, result.action)
}

fn result_line(result: &ActionResult) -> String {
    let id = one_line(&result.action_id, 64);
    match &result.outcome {
        ActionStatus::Ok => format!("result {id} ok"),
        ActionStatus::Failed { message, .. } => format!("result {id} failed: {}", one_line(message, REASON)),
        ActionStatus::Dropped { why } => format!("result {id} dropped: {}", one_line(why, REASON)),
    }
}

/// Writes what an action visibly did as a note of its own: clients read the line of the result to its end.
fn happened_line(result: &ActionResult) -> Option<String> {
    let effect_summary =
        result.effect_summary.as_deref().filter(|effect_summary| !effect_summary.is_empty())?;
    Some(format!("note: {}: {}", one_line(&result.action_id, 64), one_line(effect_summary, REASON)))
}

/// Writes the person's answer outside the fences, as one quoted line: it is not untrusted text.
pub(crate) fn answer_line(result: &ActionResult, most: usize) -> Option<String> {
    let answer = result.answer.as_deref().map(str::trim).filter(|text| !text.is_empty())?;
    let id = one_line(&result.action_id, 64);
    Some(format!("the person answered {id}: {}", Value::String(truncate_within(answer, most))))
}

/// Writes the result of a premove in a fence of its own.
pub fn premove(name: &str, text: &str, nonce: &str, most: usize) -> String {
    let (name, text) = (one_line(name, 64).replace('"', ""), truncate_within(text.trim(), most));
    format!(
        "premove {name}:\n<returned nonce=\"{nonce}\" action_id=\"{name}\">\n{text}\n</returned nonce=\"{nonce}\">"
    )
}

/// Returns the text on one line, at most `most` characters long.
pub fn one_line(text: &str, most: usize) -> String {
    truncate_within(&truncate::one_line(text), most)
}

/// Shortens a text to its beginning and end: the person's request may stand at either.
pub fn keep_ends(text: &str, most: usize) -> String {
    const MARK: &str = "\n[… left out …]\n";
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let half = most.saturating_sub(MARK.chars().count()) / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(length - half).collect();
    format!("{head}{MARK}{tail}")
}
