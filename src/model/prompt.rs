//! Writes the request: a system message that stays the same during a run, the history, and last what
//! became of the last turn with the page as it is now (PROTOCOL sections 3 and 6). What pages say
//! stands between fences that bear one nonce of this request, so that no page can close them.

mod budget;
mod last;
mod plan_view;
mod results;
pub mod roles;
mod system;

use super::{ActionResult, Entry, PlanRequest, Since, Speaker};
use crate::page::{Observation, text};
use crate::protocol::Locale;
use crate::turn::{Turn, TurnStatus};
use base64::Engine;
use budget::{HISTORY, PERSON, RETURNED, RETURNED_BEFORE, SUMMARY, TURN};
use results::{cut, ends, one_line, premove, results_text};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

const GOAL: &str = "You act for the person who writes to you. Do what they ask and no more.";

/// The prompt's template is part of the program; this is a fault of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the prompt cannot be written: {0}")]
pub struct PromptError(String);

/// Who wrote a message, and its text.
#[derive(Clone, Debug, PartialEq)]
struct Message {
    role: &'static str,
    text: String,
}

/// All messages of one request. `mend` is the fault of the reply before, for the corrective retry.
pub fn messages(request: &PlanRequest<'_>, mend: Option<&str>) -> Result<Value, PromptError> {
    messages_with(request, mend, None)
}

/// The same with an order of ours besides.
fn messages_with(
    request: &PlanRequest<'_>,
    mend: Option<&str>,
    order: Option<&str>,
) -> Result<Value, PromptError> {
    let nonce = nonce();
    let mut written = vec![Message { role: "system", text: system::system(request)? }];
    // However little room there is for the rest, what came before is told.
    let summaries = request.history.iter().filter_map(|entry| match entry {
        Entry::Summary { text, .. } => Some(text),
        _ => None,
    });
    let most = budget::share(summaries.clone().map(|text| text.chars().count()), SUMMARY);
    for text in summaries {
        let text = results::summary(&cut(text, most), &lasting_nonce(text.clone()));
        // One of its own, so that the first stays as it is in the endpoint's cache (S2.32).
        written.push(Message { role: "system", text });
    }
    let (before, last) = split_last(request.history);
    // It must stand before the last turn; what was seen later can only be the page itself.
    let since = request.since.filter(|since| since.at <= before.len());
    for message in history(before, since) {
        join(&mut written, message);
    }
    let page = page(request.page, since, &nonce);
    for message in last::messages(request, last, [mend, order], (page, &nonce)) {
        join(&mut written, message);
    }
    let mut out: Vec<Value> =
        written.iter().map(|message| json!({ "role": message.role, "content": message.text })).collect();
    if let (Some(picture), Some(last), Some(text)) = (request.picture, out.last_mut(), written.last()) {
        let data = base64::engine::general_purpose::STANDARD.encode(picture);
        *last = json!({ "role": "user", "content": [
            { "type": "text", "text": text.text },
            { "type": "image_url", "image_url": { "url": format!("data:image/jpeg;base64,{data}") } },
        ] });
    }
    Ok(Value::Array(out))
}

/// Beyond guessing, and another one for each request.
fn nonce() -> String {
    crate::ids::token().chars().take(16).collect()
}

fn render(template: &str, values: minijinja::Value) -> Result<String, PromptError> {
    let mut engine = minijinja::Environment::new();
    engine.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    engine.render_str(template, values).map_err(|fault| PromptError(fault.to_string()))
}

fn language(locale: Locale) -> &'static str {
    match locale {
        Locale::Uk => "Ukrainian",
        Locale::En => "English",
    }
}

/// Neighbours of one role become one message: templates of many local models want roles to take turns.
fn join(written: &mut Vec<Message>, message: Message) {
    match written.last_mut() {
        Some(last) if last.role == message.role => {
            last.text.push_str("\n\n");
            last.text.push_str(&message.text);
        }
        _ => written.push(message),
    }
}

/// The last turn and what was said since belong to the last message; where a summary has taken the turn, tasks that
/// have ended since do all the same.
fn split_last(history: &[Entry]) -> (&[Entry], &[Entry]) {
    let last_turn = history.iter().rposition(|entry| matches!(entry, Entry::Acted { .. }));
    let first_end = || history.iter().position(|entry| matches!(entry, Entry::Ended { .. }));
    history.split_at(last_turn.or_else(first_end).unwrap_or(history.len()))
}

/// The page as it is now, or what changed of it.
fn page(page: Option<&Observation>, since: Option<Since<'_>>, nonce: &str) -> String {
    match (page, since) {
        (Some(page), Some(since)) => text::write_changes(page, since.look.look, since.changes, nonce),
        (Some(page), None) => text::write(page, nonce),
        (None, _) => String::from("No page is open."),
    }
}

/// The whole look that the changes build on, where it was shown.
fn base(since: Since<'_>) -> Message {
    let nonce = lasting_nonce(text::write(since.look, ""));
    Message { role: "user", text: text::write(since.look, &nonce) }
}

/// As much of the older history as there is room for, the newest of it; the person's last words in it
/// are never left out, nor is the look that the last one builds on.
fn history(entries: &[Entry], since: Option<Since<'_>>) -> Vec<Message> {
    let mut pieces: Vec<Vec<Message>> = Vec::new();
    let mut base = since.map(|since| (since.at, base(since)));
    let mut room = HISTORY.saturating_sub(base.as_ref().map_or(0, |(_, look)| look.text.chars().count()));
    let (mut heard, mut kept) = (false, 0);
    for (index, entry) in entries.iter().enumerate().rev() {
        pieces.extend(base.take_if(|(at, _)| *at == index + 1).map(|(_, look)| vec![look]));
        let piece = written(entry, entries.get(index.wrapping_sub(1)));
        let length: usize = piece.iter().map(|message| message.text.chars().count()).sum();
        let person = matches!(entry, Entry::Said { by: Speaker::Person, .. });
        if length > room {
            if heard {
                break;
            }
            // Only the task itself is still looked for.
            room = 0;
            if !person {
                continue;
            }
        }
        heard |= person;
        room = room.saturating_sub(length);
        kept += 1;
        pieces.push(piece);
    }
    let left_out = kept < entries.len();
    pieces.extend(base.map(|(_, look)| vec![look]));
    pieces.push(if left_out {
        vec![Message {
            role: "user",
            text: String::from("(Earlier parts of this conversation are left out.)"),
        }]
    } else {
        Vec::new()
    });
    pieces.into_iter().rev().flatten().collect()
}

fn written(entry: &Entry, before: Option<&Entry>) -> Vec<Message> {
    match entry {
        Entry::Said { by: Speaker::Person, text } => vec![Message { role: "user", text: ends(text, PERSON) }],
        Entry::Said { by: Speaker::Agent, text } => {
            // A turn that stopped has said it already.
            let repeated = matches!(before, Some(Entry::Acted { turn, .. }) if turn.stop);
            if repeated {
                Vec::new()
            } else {
                vec![Message { role: "assistant", text: said(&cut(text, TURN)).to_string() }]
            }
        }
        Entry::Ended { result } => {
            let nonce = lasting_nonce(entry_text(std::slice::from_ref(result)));
            vec![Message { role: "user", text: results::ended(result, &nonce, RETURNED_BEFORE) }]
        }
        // It stands before all others.
        Entry::Summary { .. } => Vec::new(),
        Entry::Premove { name, text } => {
            vec![Message { role: "user", text: premove(name, text, &lasting_nonce(text.clone()), RETURNED) }]
        }
        Entry::Acted { turn, results } => {
            let results = results_text(results, &lasting_nonce(entry_text(results)), RETURNED_BEFORE);
            vec![
                Message { role: "assistant", text: acted(turn).to_string() },
                Message { role: "user", text: results },
            ]
        }
    }
}

/// Older values keep their nonce from request to request, so that prompt caches work, and it is still
/// beyond guessing: it depends on a secret of this process.
fn lasting_nonce(text: String) -> String {
    static SECRET: LazyLock<String> = LazyLock::new(crate::ids::token);
    let digest = Sha256::digest(format!("{}{text}", *SECRET));
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn entry_text(results: &[ActionResult]) -> String {
    results.iter().filter_map(|result| result.returned.as_deref()).collect()
}

fn said(text: &str) -> Value {
    json!({ "status": TurnStatus::Success, "actions": [], "stop": true, "response": text })
}

/// A turn without what a model need not read again.
fn acted(turn: &Turn) -> Value {
    let actions: Vec<Value> = turn
        .actions
        .iter()
        .enumerate()
        .map(|(index, call)| json!({ "action_id": call.id_at(index), "action": call.action, "params": call.params }))
        .collect();
    let variables: Vec<Value> =
        turn.context.variables.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
    json!({
        "status": turn.status, "context": { "variables": variables }, "thoughts": turn.thoughts,
        "actions": actions, "stop": turn.stop, "response": turn.response,
    })
}

#[cfg(test)]
mod bounds;

#[cfg(test)]
mod tests;

#[cfg(test)]
mod printed;
