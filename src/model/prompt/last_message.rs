//! The last message of a request: results of the last turn, messages since then, notes, and the page. Its
//! long parts share budgets, so that many results take no more room than one.

use crate::model::prompt::history::entry_messages;
use crate::model::prompt::length_budget::{NEW, NOTES, PERSON, REASON, RETURNED, TURN};
use crate::model::prompt::render::{PromptMessage, turn_json};
use crate::model::prompt::result_texts::{ended_text, keep_ends, one_line, premove, results_text};
use crate::model::prompt::{length_budget, plan_view, system_message};
use crate::planning::{ActionResult, HistoryEntry, PlanRequest, Speaker};
use crate::text::truncate::truncate_within;
use crate::turn::Turn;
use serde_json::json;

/// Returns the last turn, then one message with its results, later entries, notes, and the page.
pub(crate) fn messages(
    request: &PlanRequest<'_>,
    last: &[HistoryEntry],
    [previous_fault, order]: [Option<&str>; 2],
    (page, nonce): (String, &str),
) -> Vec<PromptMessage> {
    let LatestEntries { mut messages, mut parts, results } =
        collect_latest_entries(last, nonce, request.memory);
    if messages.is_empty() {
        // Without a last turn, to which the note belongs, a summary has replaced it.
        let text = request.memory.map(|memory| plan_view::fence_result("memory", memory, nonce));
        parts.extend(text.map(|text| format!("Your note to yourself:\n{text}")));
    }
    parts.extend(notes(request));
    parts.extend(
        previous_fault.map(|fault| format!("Your last reply could not be used: {}", one_line(fault, REASON))),
    );
    parts.extend(plan_view::parts(request, nonce));
    parts.extend(circumstances(request));
    let passing = plan_view::passing_actions(request);
    parts.extend(passing.map(|actions| format!("Actions that you may use now, besides: {actions}.")));
    parts.extend(order.map(str::to_owned));
    parts.extend(results.filter(|text| !text.is_empty()));
    if system_message::browses(request) {
        parts.push(page);
    }
    messages.push(PromptMessage { role: "user", text: parts.join("\n\n") });
    messages
}

/// Writes the date and the actions that are left, on one line.
fn circumstances(request: &PlanRequest<'_>) -> Option<String> {
    let now = request.now.map(|now| format!("Now: {now}."));
    let left = request.steps_left.map(|(left, all)| format!("Actions left: {left} of {all}."));
    let line = now.into_iter().chain(left).collect::<Vec<_>>().join(" ");
    Some(line).filter(|line| !line.is_empty())
}

/// Entries of the history since the last turn.
struct LatestEntries {
    /// The last turn and the agent's own messages.
    messages: Vec<PromptMessage>,
    /// Texts of the person, tasks and premoves.
    parts: Vec<String>,
    /// Results of the last turn.
    results: Option<String>,
}

fn collect_latest_entries(last: &[HistoryEntry], nonce: &str, memory: Option<&str>) -> LatestEntries {
    let mut messages = Vec::new();
    let mut parts: Vec<String> = Vec::new();
    let mut last_results = None;
    let value = max_value_len(last);
    let (word, own) =
        (max_message_len(last, Speaker::Person, PERSON), max_message_len(last, Speaker::Agent, TURN));
    for (index, entry) in last.iter().enumerate() {
        match entry {
            HistoryEntry::Acted { turn, results } => {
                messages.push(PromptMessage { role: "assistant", text: turn_text(turn, memory) });
                last_results = Some(results_text(results, nonce, value));
            }
            HistoryEntry::Premove { name, text } => parts.push(premove(name, text, nonce, value)),
            HistoryEntry::Ended { result } => parts.push(ended_text(result, nonce, value)),
            HistoryEntry::Message { by: Speaker::Person, text } => parts.push(keep_ends(text, word)),
            HistoryEntry::Message { by, text } => {
                let short = HistoryEntry::Message { by: *by, text: truncate_within(text, own) };
                messages.extend(entry_messages(&short, index.checked_sub(1).and_then(|at| last.get(at))));
            }
            // Summaries are written before all other messages.
            HistoryEntry::Summary { .. } => {}
        }
    }
    LatestEntries { messages, parts, results: last_results }
}

/// Returns the maximum length of each value.
fn max_value_len(last: &[HistoryEntry]) -> usize {
    let lengths = |result: &ActionResult| {
        [&result.returned, &result.answer].into_iter().flatten().map(length).collect::<Vec<_>>()
    };
    let lengths = last.iter().flat_map(|entry| match entry {
        HistoryEntry::Acted { results, .. } => results.iter().flat_map(lengths).collect(),
        HistoryEntry::Ended { result } => lengths(result),
        HistoryEntry::Premove { text, .. } => vec![length(text)],
        HistoryEntry::Message { .. } | HistoryEntry::Summary { .. } => Vec::new(),
    });
    length_budget::share(lengths, NEW).min(RETURNED)
}

/// Returns the maximum length of each message of a speaker.
fn max_message_len(last: &[HistoryEntry], who: Speaker, most: usize) -> usize {
    let lengths = last.iter().filter_map(|entry| match entry {
        HistoryEntry::Message { by, text } if *by == who => Some(length(text)),
        _ => None,
    });
    length_budget::share(lengths, most)
}

fn length(text: impl AsRef<str>) -> usize {
    text.as_ref().chars().count()
}

fn notes(request: &PlanRequest<'_>) -> Vec<String> {
    let lines: Vec<String> = request.notes.iter().map(|note| one_line(note, REASON)).collect();
    let most = length_budget::share(lines.iter().map(length), NOTES);
    lines.iter().map(|line| format!("note: {}", truncate_within(line, most))).collect()
}

/// Writes the turn; a very long one only with the names of its actions.
fn turn_text(turn: &Turn, memory: Option<&str>) -> String {
    const ACTIONS: usize = 50;
    let whole = turn_json(turn, memory).to_string();
    if length(&whole) <= TURN {
        return whole;
    }
    let name = |text: &str| one_line(text, 64);
    let actions: Vec<_> = turn
        .actions
        .iter()
        .enumerate()
        .take(ACTIONS)
        .map(|(index, call)| json!({ "action_id": name(&call.id_at(index)), "action": name(&call.action), "params": {} }))
        .collect();
    let response = turn.response.as_ref().map(|text| truncate_within(text, REASON));
    json!({ "memory": memory, "actions": actions, "status": turn.status, "stop": turn.stop, "response": response })
        .to_string()
}
