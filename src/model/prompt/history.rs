//! Earlier parts of a conversation, for planners, judges and summaries: turns and their results stand there in words,
//! one line each, since the numbers of elements that they used are gone. Values that actions returned stand in fences.

use crate::model::prompt::length_budget::{PERSON, RETURNED, RETURNED_BEFORE, TURN};
use crate::model::prompt::render::{PromptMessage, lasting_nonce, response_json};
use crate::model::prompt::result_texts::{
    answer_line, ended_text, keep_ends, one_line, premove, returned_text,
};
use crate::planning::{ActionResult, HistoryEntry, Speaker, describe_result};
use crate::text::truncate::truncate_within;
use crate::turn::{Call, Turn};

/// Longest thought and longest message of an earlier turn, in characters.
const THOUGHT: usize = 200;
const RESPONSE: usize = 500;

/// Returns the messages of an entry before the last turn.
pub(crate) fn entry_messages(entry: &HistoryEntry, before: Option<&HistoryEntry>) -> Vec<PromptMessage> {
    let user = |text: String| vec![PromptMessage { role: "user", text }];
    match entry {
        HistoryEntry::Message { by: Speaker::Person, text } => user(keep_ends(text, PERSON)),
        HistoryEntry::Message { by: Speaker::Agent, text } => {
            let text = response_json(&truncate_within(text, TURN)).to_string();
            match stops_with_message(before) {
                // The last turn contains this text already.
                true => Vec::new(),
                false => vec![PromptMessage { role: "assistant", text }],
            }
        }
        HistoryEntry::Ended { result } => {
            let nonce = lasting_nonce(result.returned.clone().unwrap_or_default());
            user(ended_text(result, &nonce, RETURNED_BEFORE))
        }
        // Summaries are written before all other messages.
        HistoryEntry::Summary { .. } => Vec::new(),
        HistoryEntry::Premove { name, text } => {
            user(premove(name, text, &lasting_nonce(text.clone()), RETURNED))
        }
        HistoryEntry::Acted { turn, results } => {
            let text = turn_text(turn, results);
            if text.is_empty() { Vec::new() } else { user(text) }
        }
    }
}

/// Returns true if the entry is a turn that ended with its message.
pub(crate) fn stops_with_message(entry: Option<&HistoryEntry>) -> bool {
    matches!(entry, Some(HistoryEntry::Acted { turn, .. }) if turn.stop)
}

/// Writes an earlier turn: its thoughts, its message, one line for each action, and what the actions returned.
fn turn_text(turn: &Turn, results: &[ActionResult]) -> String {
    let thoughts: Vec<&str> =
        turn.thoughts.iter().map(|thought| thought.content.trim()).filter(|text| !text.is_empty()).collect();
    let thought =
        (!thoughts.is_empty()).then(|| format!("you thought: {}", one_line(&thoughts.join(" "), THOUGHT)));
    let response = turn.response.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let response = response.map(|text| format!("you told the person: {}", one_line(text, RESPONSE)));
    let did = results.iter().filter(|result| result.action != "stop");
    let lines =
        did.clone().map(|result| format!("- result {}", describe_result(result, call_of(turn, result))));
    let answers = did.clone().filter_map(|result| answer_line(result, RETURNED_BEFORE));
    let nonce = lasting_nonce(results.iter().filter_map(|result| result.returned.as_deref()).collect());
    let returned = did.filter_map(|result| returned_text(result, &nonce, RETURNED_BEFORE));
    let lines: Vec<String> =
        thought.into_iter().chain(response).chain(lines).chain(answers).chain(returned).collect();
    lines.join("\n")
}

/// Returns the call of a result.
pub(crate) fn call_of<'a>(turn: &'a Turn, result: &ActionResult) -> Option<&'a Call> {
    let mut calls = turn.actions.iter().enumerate();
    calls.find(|(index, call)| call.id_at(*index) == result.action_id).map(|(_, call)| call)
}

/// Writes one entry for a summary, one line per message, thought or action.
pub(crate) fn entry_lines(entry: &HistoryEntry) -> Vec<String> {
    match entry {
        HistoryEntry::Message { by: Speaker::Person, text } => vec![format!("person: {text}")],
        HistoryEntry::Message { by: Speaker::Agent, text } => vec![format!("agent: {text}")],
        HistoryEntry::Acted { turn, results } => {
            let thoughts = turn.thoughts.iter().map(|thought| format!("agent thought: {}", thought.content));
            let done = results
                .iter()
                .map(|result| format!("agent did: {}", result_line(result, call_of(turn, result))));
            thoughts.chain(done).collect()
        }
        HistoryEntry::Summary { text, .. } => vec![format!("summary of what was before: {text}")],
        HistoryEntry::Premove { name, text } => vec![format!("looked up by {name}: {text}")],
        HistoryEntry::Ended { result } => vec![format!("task ended: {}", result_line(result, None))],
    }
}

fn result_line(result: &ActionResult, call: Option<&Call>) -> String {
    let answer = result.answer.as_ref().map(|text| format!("; the person answered: {text}"));
    let returned = result.returned.as_ref().map(|text| format!("; it gave: {text}"));
    format!("{}{}{}", describe_result(result, call), answer.unwrap_or_default(), returned.unwrap_or_default())
}
