//! Recording of a model call and its result.

use super::{Recorder, RecordingBuffer, tape};
use crate::clock::{Moment, Stopwatch};
use crate::config::Recording;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A recorded model call. Pictures in the request are replaced by their hashes.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCall {
    pub role: String,
    /// The model that answered, or else the one that was requested.
    pub model: String,
    pub at: Moment,
    pub took_ms: u64,
    pub tokens: Tokens,
    pub cost: Option<f64>,
    pub currency: Option<String>,
    /// Error message, if there is no answer.
    pub error: Option<String>,
    /// `None` if only answers are recorded.
    pub request: Option<Value>,
    pub answer: Option<Value>,
    /// The error in the form that a replay returns it.
    pub fault: Option<Value>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    pub input: u64,
    pub cached: u64,
    pub output: u64,
}

/// A model call in progress. Dropping it records that the call was cancelled.
pub struct CallRecorder {
    to: Option<(RecordingBuffer, RecordedCall, Stopwatch)>,
}

impl CallRecorder {
    pub fn begin(role: &str, request: &Value) -> Self {
        let Some(Recorder::Takes(blank)) = tape() else { return Self { to: None } };
        let call = RecordedCall {
            role: role.to_owned(),
            model: request["model"].as_str().unwrap_or_default().to_owned(),
            at: Moment::now(),
            took_ms: 0,
            tokens: Tokens::default(),
            cost: None,
            currency: None,
            error: None,
            request: (blank.level == Recording::All).then(|| without_pictures(request)),
            answer: None,
            fault: None,
        };
        Self { to: Some((blank, call, Stopwatch::start())) }
    }

    /// Completes the call; `with` sets its result.
    pub fn ended(mut self, with: impl FnOnce(&mut RecordedCall)) {
        if let Some((blank, mut call, watch)) = self.to.take() {
            call.took_ms = watch.millis();
            with(&mut call);
            blank.taken().calls.push(call);
        }
    }
}

impl Drop for CallRecorder {
    fn drop(&mut self) {
        if let Some((blank, mut call, watch)) = self.to.take() {
            call.took_ms = watch.millis();
            call.error = Some(String::from("cut off"));
            blank.taken().calls.push(call);
        }
    }
}

/// Returns the request with each picture replaced by its hash.
pub fn without_pictures(request: &Value) -> Value {
    match request {
        Value::Object(members) => {
            let hashed = |(name, value): (&String, &Value)| match value.as_str() {
                Some(url) if name == "url" && url.starts_with("data:image/") => (name.clone(), hashed(url)),
                _ => (name.clone(), without_pictures(value)),
            };
            Value::Object(members.iter().map(hashed).collect())
        }
        Value::Array(items) => items.iter().map(without_pictures).collect(),
        other => other.clone(),
    }
}

fn hashed(picture: &str) -> Value {
    json!(format!("sha256:{:x}", Sha256::digest(picture)))
}
