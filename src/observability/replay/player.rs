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
    state: Mutex<PlayState>,
    /// Notified when the step asks for something that was not recorded, and so cannot continue.
    lost: Notify,
}

#[derive(Default)]
struct PlayState {
    notes: Vec<(String, Value)>,
    calls: VecDeque<RecordedCall>,
    answered: usize,
    used_notes: usize,
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
    pub fn new(inputs: &Value, calls: impl IntoIterator<Item = RecordedCall>) -> Self {
        let notes = inputs["heard"].as_array().into_iter().flatten();
        let notes =
            notes.map(|note| (note["what"].as_str().unwrap_or_default().to_owned(), note["said"].clone()));
        let state =
            PlayState { notes: notes.collect(), calls: calls.into_iter().collect(), ..PlayState::default() };
        Self { state: Mutex::new(state), lost: Notify::new() }
    }

    /// Waits until something is requested that was not recorded.
    pub async fn wait_until_lost(&self) {
        self.lost.notified().await;
    }

    /// Returns the number of model answers and other notes that were used, and the first difference.
    pub fn finish(&self) -> (usize, usize, Option<Mismatch>) {
        let mut state = self.lock_state();
        let left = state.calls.front().map(|call| Mismatch {
            what: "prompt",
            how: format!("- it asked the {} once more, and does not now\n", call.role),
        });
        let fault = state.fault.take().or(left);
        (state.answered, state.used_notes, fault)
    }

    fn lock_state(&self) -> MutexGuard<'_, PlayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report_missing(&self, what: &'static str, how: String) {
        self.lock_state().fault.get_or_insert(Mismatch { what, how });
        self.lost.notify_one();
    }
}

impl ReplaySource for Player {
    fn note(&self, what: &str) -> Option<Value> {
        let mut state = self.lock_state();
        let position = state.notes.iter().position(|(name, _)| name == what);
        match position {
            Some(position) => {
                state.used_notes += 1;
                Some(state.notes.remove(position).1)
            }
            None => {
                drop(state);
                self.report_missing("asks", format!("+ it asks now what it did not ask then: {what}\n"));
                None
            }
        }
    }

    fn answer(&self, role: &str, request: &Value) -> Option<Value> {
        let mut state = self.lock_state();
        match state.calls.pop_front() {
            Some(call) => {
                state.answered += 1;
                let how = differs(&call, role, request);
                if !how.is_empty() {
                    state.fault.get_or_insert(Mismatch { what: "prompt", how });
                }
                Some(call.result)
            }
            None => {
                drop(state);
                self.report_missing(
                    "prompt",
                    format!("+ it asks the {role} once more than it did\n{}", messages_text(request)),
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
    let words = line_diff::diff(&messages_text(&then.request), &messages_text(&now));
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
fn messages_text(request: &Value) -> String {
    let mut text = String::new();
    for message in request["messages"].as_array().into_iter().flatten() {
        let role = message["role"].as_str().unwrap_or_default();
        text.push_str(&format!("[{role}]\n{}\n", words(&message["content"])));
    }
    normalize::normalize_text(&text)
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
