//! Builds the request: a system message that is constant during a run, the history, and last the results of
//! the last turn with the current page (`docs/turns.md`, "The request"). Text of pages stands between fences
//! with a nonce of this request, so that no page can close them.

pub(crate) mod history;
pub(crate) mod last_message;
pub(crate) mod length_budget;
#[cfg(test)]
mod length_tests;
#[cfg(test)]
mod prompt_snapshots;
pub(crate) mod result_texts;
pub mod role_prompts;
pub(crate) mod system_message;
pub mod render;
pub(crate) mod plan_view;

use crate::model::prompt::history::entry_messages;
use crate::model::prompt::length_budget::{HISTORY, SUMMARY};
use crate::model::prompt::render::{PromptError, PromptMessage, lasting_nonce, nonce};
use crate::page::observation::Observation;
use crate::page::text;
use crate::planning::{BaseObservation, HistoryEntry, PagePicture, PlanRequest, Speaker};
use crate::text::truncate::truncate_within;
use base64::Engine;
use serde_json::{Value, json};

/// Builds all messages of one request. `previous_fault` is the fault of the previous reply, for the corrective retry.
/// Entries of the history stay messages of their own, so that the oldest can leave where a window is small; they are
/// joined when the request is sent (`endpoint/dialect.rs`).
pub fn messages(request: &PlanRequest<'_>, previous_fault: Option<&str>) -> Result<Value, PromptError> {
    messages_with(request, previous_fault, None)
}

/// Builds the messages with an additional instruction.
fn messages_with(
    request: &PlanRequest<'_>,
    previous_fault: Option<&str>,
    order: Option<&str>,
) -> Result<Value, PromptError> {
    let nonce = nonce();
    let mut written =
        vec![PromptMessage { role: "system", text: crate::model::prompt::system_message::system(request)? }];
    // Summaries are always included, however little room the rest leaves.
    let summaries = request.history.iter().filter_map(|entry| match entry {
        HistoryEntry::Summary { text, .. } => Some(text),
        _ => None,
    });
    let most = crate::model::prompt::length_budget::share(
        summaries.clone().map(|text| text.chars().count()),
        SUMMARY,
    );
    for text in summaries {
        let text = crate::model::prompt::result_texts::summary(
            &truncate_within(text, most),
            &lasting_nonce(text.clone()),
        );
        // A separate message, so that the first one stays in the endpoint's cache (S2.32).
        written.push(PromptMessage { role: "system", text });
    }
    let (before, last) = split_last(request.history);
    // The observation must precede the last turn; anything later is the page itself.
    let since = request.since.filter(|since| since.position <= before.len());
    written.extend(written_history(before, since));
    let page = page(request.page, since, &nonce);
    written.extend(crate::model::prompt::last_message::messages(
        request,
        last,
        [previous_fault, order],
        (page, &nonce),
    ));
    let mut out: Vec<Value> =
        written.iter().map(|message| json!({ "role": message.role, "content": message.text })).collect();
    let screenshot = request.picture.map(image_part);
    let has_pictures = screenshot.is_some() || !request.page_pictures.is_empty();
    if let (true, Some(last), Some(text)) = (has_pictures, out.last_mut(), written.last()) {
        // The text with the page comes last of all texts, as clients expect it.
        let text = json!({ "type": "text", "text": text.text });
        let parts: Vec<Value> = file_pages(request).into_iter().chain([text]).chain(screenshot).collect();
        *last = json!({ "role": "user", "content": parts });
    }
    Ok(Value::Array(out))
}

/// Returns a JPEG as a part of a message.
fn image_part(jpeg: &[u8]) -> Value {
    let data = base64::engine::general_purpose::STANDARD.encode(jpeg);
    json!({ "type": "image_url", "image_url": { "url": format!("data:image/jpeg;base64,{data}") } })
}

/// Returns the pictures of pages of files as parts of a message, each after its description.
fn file_pages(request: &PlanRequest<'_>) -> Vec<Value> {
    let describe =
        |label: &str| json!({ "type": "text", "text": format!("{label}, as a picture (untrusted):") });
    let pages = request.page_pictures.iter();
    pages.flat_map(|PagePicture { label, jpeg }| [describe(label), image_part(jpeg)]).collect()
}

/// Splits the history before the last turn: it and all later entries belong to the last message. If a summary
/// has replaced the turn, splits before the first ended task.
fn split_last(history: &[HistoryEntry]) -> (&[HistoryEntry], &[HistoryEntry]) {
    let last_turn = history.iter().rposition(|entry| matches!(entry, HistoryEntry::Acted { .. }));
    let first_end = || history.iter().position(|entry| matches!(entry, HistoryEntry::Ended { .. }));
    history.split_at(last_turn.or_else(first_end).unwrap_or(history.len()))
}

/// Writes the current page, or its changes.
fn page(page: Option<&Observation>, since: Option<BaseObservation<'_>>, nonce: &str) -> String {
    match (page, since) {
        (Some(page), Some(since)) => {
            text::write_changes(page, since.observation.number, since.changes, nonce)
        }
        (Some(page), None) => text::write(page, nonce),
        (None, _) => String::from("No page is open."),
    }
}

/// Writes the full observation on which the changes are based.
fn base_observation_message(since: BaseObservation<'_>) -> PromptMessage {
    let nonce = lasting_nonce(text::write(since.observation, ""));
    PromptMessage { role: "user", text: text::write(since.observation, &nonce) }
}

/// Returns the newest part of the history that fits. The person's last message in it and the observation on
/// which the changes are based are always included.
fn written_history(entries: &[HistoryEntry], since: Option<BaseObservation<'_>>) -> Vec<PromptMessage> {
    let mut pieces: Vec<Vec<PromptMessage>> = Vec::new();
    let mut base = since.map(|since| (since.position, base_observation_message(since)));
    let mut room =
        HISTORY.saturating_sub(base.as_ref().map_or(0, |(_, message)| message.text.chars().count()));
    let (mut has_person_message, mut included) = (false, 0);
    for (index, entry) in entries.iter().enumerate().rev() {
        pieces.extend(base.take_if(|(at, _)| *at == index + 1).map(|(_, message)| vec![message]));
        let piece = entry_messages(entry, entries.get(index.wrapping_sub(1)));
        let length: usize = piece.iter().map(|message| message.text.chars().count()).sum();
        let person = matches!(entry, HistoryEntry::Message { by: Speaker::Person, .. });
        if length > room {
            if has_person_message {
                break;
            }
            // From here on, look only for the person's message.
            room = 0;
            if !person {
                continue;
            }
        }
        has_person_message |= person;
        room = room.saturating_sub(length);
        included += 1;
        pieces.push(piece);
    }
    let left_out = included < entries.len();
    pieces.extend(base.map(|(_, message)| vec![message]));
    pieces.push(if left_out {
        vec![PromptMessage {
            role: "user",
            text: String::from("(Earlier parts of this conversation are left out.)"),
        }]
    } else {
        Vec::new()
    });
    pieces.into_iter().rev().flatten().collect()
}

#[cfg(test)]
mod tests;
