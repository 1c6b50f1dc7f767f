//! Plays the recording of one step: notes by their names, model answers in their order. Compares current
//! requests with the recorded ones.

use crate::observability::replay::recorded_run::RecordedCall;
use crate::observability::replay::{line_diff, normalize};
use crate::record::{ReplaySource, without_pictures};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The recording of one step.
pub struct Player {
    played: Mutex<Played>,
    /// Notified when the step asks for something that was not recorded, and so cannot continue.
    lost: Notify,
}

#[derive(Default)]
struct Played {
    notes: Vec<(String, Value)>,
    calls: VecDeque<RecordedCall>,
    answered: usize,
    told: usize,
    fault: Option<Mismatch>,
}

/// A difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Kind of the difference: `prompt`, `changes`, `asks`, …
    pub what: &'static str,
    /// The difference in lines.
    pub how: String,
}

impl Player {
    pub fn new(heard: &Value, calls: impl IntoIterator<Item = RecordedCall>) -> Self {
        let notes = heard["heard"].as_array().into_iter().flatten();
        let notes =
            notes.map(|note| (note["what"].as_str().unwrap_or_default().to_owned(), note["said"].clone()));
        let played =
            Played { notes: notes.collect(), calls: calls.into_iter().collect(), ..Played::default() };
        Self { played: Mutex::new(played), lost: Notify::new() }
    }

    /// Waits until something is requested that was not recorded.
    pub async fn lost(&self) {
        self.lost.notified().await;
    }

    /// Returns the number of model answers and other notes that were used, and the first difference.
    pub fn finish(&self) -> (usize, usize, Option<Mismatch>) {
        let mut played = self.played();
        let left = played.calls.front().map(|call| Mismatch {
            what: "prompt",
            how: format!("- it asked the {} once more, and does not now\n", call.role),
        });
        let fault = played.fault.take().or(left);
        (played.answered, played.told, fault)
    }

    fn played(&self) -> MutexGuard<'_, Played> {
        self.played.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn misses(&self, what: &'static str, how: String) {
        self.played().fault.get_or_insert(Mismatch { what, how });
        self.lost.notify_one();
    }
}

impl ReplaySource for Player {
    fn note(&self, what: &str) -> Option<Value> {
        let mut played = self.played();
        let place = played.notes.iter().position(|(known, _)| known == what);
        match place {
            Some(place) => {
                played.told += 1;
                Some(played.notes.remove(place).1)
            }
            None => {
                drop(played);
                self.misses("asks", format!("+ it asks now what it did not ask then: {what}\n"));
                None
            }
        }
    }

    fn answer(&self, role: &str, request: &Value) -> Option<Value> {
        let mut played = self.played();
        match played.calls.pop_front() {
            Some(call) => {
                played.answered += 1;
                let how = differs(&call, role, request);
                if !how.is_empty() {
                    played.fault.get_or_insert(Mismatch { what: "prompt", how });
                }
                Some(call.said)
            }
            None => {
                drop(played);
                self.misses(
                    "prompt",
                    format!("+ it asks the {role} once more than it did\n{}", shown(request)),
                );
                None
            }
        }
    }
}

/// Returns the lines in which the two requests differ. Empty if requests are not recorded.
fn differs(then: &RecordedCall, role: &str, request: &Value) -> String {
    if then.role != role {
        return format!("- it asked the {}\n+ it asks the {role}\n", then.role);
    }
    if then.request.is_null() {
        return String::new();
    }
    let now = without_pictures(request);
    let words = line_diff::diff(&shown(&then.request), &shown(&now));
    if !words.is_empty() {
        return words;
    }
    // Not every server supports schemas, so they are compared only if both requests have one.
    let schema = |request: &Value| request["response_format"]["json_schema"]["schema"].clone();
    match (schema(&then.request), schema(&now)) {
        (Value::Null, _) | (_, Value::Null) => String::new(),
        (then, now) => line_diff::diff(
            &format!("{:#}", normalize::normalize_value(&then)),
            &format!("{:#}", normalize::normalize_value(&now)),
        ),
    }
}

/// Formats the messages for people.
fn shown(request: &Value) -> String {
    let mut whole = String::new();
    for message in request["messages"].as_array().into_iter().flatten() {
        let role = message["role"].as_str().unwrap_or_default();
        whole.push_str(&format!("[{role}]\n{}\n", words(&message["content"])));
    }
    normalize::text_of(&whole)
}

fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .map(|part| part["text"].as_str().unwrap_or("(a picture)").to_owned())
            .collect::<Vec<_>>()
            .join("\n"),
        other => other.to_string(),
    }
}
