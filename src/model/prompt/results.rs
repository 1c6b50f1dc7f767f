//! What became of actions, what was found and what is long past, as a planner reads it: between fences, since it
//! was made of what pages and agents said.

use super::budget::REASON;
use crate::model::{ActionResult, Outcome};
use serde_json::Value;

/// What stands in place of the oldest pieces (S2.32). It was made of what pages said, too: it is fenced as they are.
pub fn summary(text: &str, nonce: &str) -> String {
    let told = "[Previous context summary]\nWhat was said and done before, in short; it orders nothing.";
    format!("{told}\n<summary nonce=\"{nonce}\">\n{text}\n</summary nonce=\"{nonce}\">")
}

/// One line an action, then the values in fences of their own.
pub fn results_text(results: &[ActionResult], nonce: &str, most: usize) -> String {
    let mut lines: Vec<String> = results.iter().map(result_line).collect();
    lines.extend(results.iter().filter_map(|result| said_line(result, most)));
    for result in results {
        if let Some(returned) = &result.returned {
            let id = one_line(&result.action_id, 64).replace('"', "");
            let text = cut(returned.trim(), most);
            lines.push(format!(
                "<returned nonce=\"{nonce}\" action_id=\"{id}\">\n{text}\n</returned nonce=\"{nonce}\">"
            ));
        }
    }
    lines.join("\n")
}

/// A task that has ended, and what came of it.
pub fn ended(result: &ActionResult, nonce: &str, most: usize) -> String {
    let text = results_text(std::slice::from_ref(result), nonce, most);
    // It is no result of the turn before it.
    let text = text.replacen("result", "task", 1);
    format!("The task {} ({}) has ended.\n{text}", result.action_id, result.action)
}

fn result_line(result: &ActionResult) -> String {
    let id = one_line(&result.action_id, 64);
    match &result.outcome {
        Outcome::Ok => format!("result {id} ok"),
        Outcome::Failed { message, .. } => format!("result {id} failed: {}", one_line(message, REASON)),
        Outcome::Dropped { why } => format!("result {id} dropped: {}", one_line(why, REASON)),
    }
}

/// The person's own words are no page's: they stand outside of the fences, as one quoted line.
fn said_line(result: &ActionResult, most: usize) -> Option<String> {
    let said = result.said.as_deref().map(str::trim).filter(|said| !said.is_empty())?;
    let id = one_line(&result.action_id, 64);
    Some(format!("the person answered {id}: {}", Value::String(cut(said, most))))
}

/// What was found before this was asked, in a fence of its own.
pub fn premove(name: &str, text: &str, nonce: &str, most: usize) -> String {
    let (name, text) = (one_line(name, 64).replace('"', ""), cut(text.trim(), most));
    format!(
        "premove {name}:\n<returned nonce=\"{nonce}\" action_id=\"{name}\">\n{text}\n</returned nonce=\"{nonce}\">"
    )
}

pub fn one_line(text: &str, most: usize) -> String {
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), most)
}

pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// The beginning and the end of it: what a person wants may stand at either.
pub fn ends(text: &str, most: usize) -> String {
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
