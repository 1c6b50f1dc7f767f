//! Texts of the full-text index: titles, messages of people and agents, and visited sites. Each engine indexes them in its
//! own way. They contain no secrets, because events contain only their placeholders.

use crate::text::word_forms::{close_stem, unify_spelling};
use crate::turn::typed_secret;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Most characters of a text that are indexed.
const MAX_TEXT_CHARS: usize = 20_000;
/// Most words of a query, and most characters of it that are read.
const MAX_TERMS: usize = 12;
const MAX_QUERY_CHARS: usize = 400;
/// Depth to which an input is searched for texts.
const MAX_INPUT_DEPTH: usize = 4;

/// Prefixes of the events that contain indexed texts.
const INDEXED_EVENTS: [&str; 7] = [
    r#"{"type":"run_started""#,
    r#"{"type":"agent_message""#,
    r#"{"type":"agent_question""#,
    r#"{"type":"question_resolved""#,
    r#"{"type":"run_ended""#,
    r#"{"type":"event","event":"user_message""#,
    r#"{"type":"event","event":"observation""#,
];

/// A text to index, in the spelling of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedText {
    pub words: String,
    /// Beginning of the SHA-256 of the words. Equal texts of a run are indexed once.
    pub hash: [u8; 8],
}

impl IndexedText {
    /// Prepares a text for the index.
    pub fn new(text: &str) -> Self {
        let read: String = typed_secret::mask_placeholders(text).chars().take(MAX_TEXT_CHARS).collect();
        let words = unify_spelling(&read);
        let digest: [u8; 32] = Sha256::digest(&words).into();
        let mut hash = [0; 8];
        hash.copy_from_slice(&digest[..8]);
        Self { words, hash }
    }

    /// Returns the text of an event; `None` if the event has none to index.
    pub fn from_event(body: &str) -> Option<Self> {
        if !INDEXED_EVENTS.iter().any(|beginning| body.starts_with(beginning)) {
            return None;
        }
        let words = collect_texts(&serde_json::from_str(body).ok()?);
        if words.trim().is_empty() { None } else { Some(Self::new(&words)) }
    }
}

/// Returns the beginnings of words that a query asks for; a run must match all of them. Empty if the query has no words.
pub fn query_words(query: &str) -> Vec<String> {
    let read: String = query.chars().take(MAX_QUERY_CHARS).collect();
    let plain = unify_spelling(&read).to_lowercase();
    let words = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut found: Vec<String> = Vec::new();
    for word in words.take(MAX_TERMS) {
        let stem = close_stem(word).to_owned();
        if !found.contains(&stem) {
            found.push(stem);
        }
    }
    found
}

/// Returns the texts of an event. Only the host of a URL is indexed: the rest may grant access to an account.
fn collect_texts(event: &Value) -> String {
    let mut found = Vec::new();
    match event["type"].as_str().unwrap_or_default() {
        "run_started" => texts_in(&event["input"], MAX_INPUT_DEPTH, &mut found),
        "agent_message" => texts_in(&event["text"], 1, &mut found),
        "run_ended" => texts_in(&event["final_response"], 1, &mut found),
        "agent_question" => {
            for text in [&event["text"], &event["payload"]["effect"], &event["payload"]["question"]] {
                texts_in(text, 1, &mut found);
            }
        }
        "question_resolved" => {
            for name in ["text", "comment", "message"] {
                texts_in(&event["answer"][name], 1, &mut found);
            }
        }
        _ if event["event"] == "user_message" => texts_in(&event["data"]["text"], 1, &mut found),
        _ => {
            texts_in(&event["data"]["title"], 1, &mut found);
            let url = event["data"]["url"].as_str().and_then(|url| url::Url::parse(url).ok());
            found.extend(url.and_then(|url| url.host_str().map(str::to_owned)));
        }
    }
    found.join("\n")
}

fn texts_in(value: &Value, depth: usize, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) if depth > 0 => items.iter().for_each(|item| texts_in(item, depth - 1, found)),
        Value::Object(fields) if depth > 0 => {
            let inputs = fields.iter().filter(|(name, _)| *name != "locale");
            inputs.for_each(|(_, field)| texts_in(field, depth - 1, found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_indexed_text_of_an_event_has_hosts_instead_of_addresses() {
        let event = |event: &str, data: Value| json!({"type": "event", "event": event, "data": data});
        for (event, words) in [
            (
                json!({"type": "run_started", "input": {"text": "a lamp", "locale": "uk", "n": 1, "more": [{"x": "y"}]}}),
                "y\na lamp",
            ),
            (json!({"type": "agent_message", "text": "done", "html": "<b>"}), "done"),
            (
                json!({"type": "agent_question", "text": "May I?", "payload": {"effect": "Buy", "values": {"p": "s"}}}),
                "May I?\nBuy",
            ),
            (
                json!({"type": "question_resolved", "answer": {"confirmed": false, "comment": "the blue one"}}),
                "the blue one",
            ),
            (
                event("observation", json!({"title": "Lamps", "url": "https://shop.test/reset?token=abc"})),
                "Lamps\nshop.test",
            ),
            (event("user_message", json!({"text": "two"})), "two"),
        ] {
            let mut found: Vec<String> = collect_texts(&event).lines().map(str::to_owned).collect();
            let mut wanted: Vec<String> = words.lines().map(str::to_owned).collect();
            found.sort();
            wanted.sort();
            assert_eq!(found, wanted, "{event}");
        }
    }
}
