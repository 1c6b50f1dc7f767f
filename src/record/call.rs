//! One question to a model and what came of it.

use super::{Blank, Tape, tape};
use crate::clock::{Moment, Stopwatch};
use crate::config::Recording;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// As it is kept: the request as it was sent, but for pictures, of which there is the hash.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub role: String,
    /// The model that answered, or was asked.
    pub model: String,
    pub at: Moment,
    pub took_ms: u64,
    pub tokens: Tokens,
    pub cost: Option<f64>,
    pub currency: Option<String>,
    /// In words, why there is no answer.
    pub error: Option<String>,
    /// None where only answers are kept.
    pub request: Option<Value>,
    pub answer: Option<Value>,
    /// The same as `error`, as it is told again when the step is replayed.
    pub fault: Option<Value>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    pub input: u64,
    pub cached: u64,
    pub output: u64,
}

/// A call under way; one that is dropped was cut off.
pub struct Listening {
    to: Option<(Blank, Call, Stopwatch)>,
}

impl Listening {
    pub fn begin(role: &str, request: &Value) -> Self {
        let Some(Tape::Takes(blank)) = tape() else { return Self { to: None } };
        let call = Call {
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

    /// It is over; `with` says how.
    pub fn ended(mut self, with: impl FnOnce(&mut Call)) {
        if let Some((blank, mut call, watch)) = self.to.take() {
            call.took_ms = watch.millis();
            with(&mut call);
            blank.taken().calls.push(call);
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some((blank, mut call, watch)) = self.to.take() {
            call.took_ms = watch.millis();
            call.error = Some(String::from("cut off"));
            blank.taken().calls.push(call);
        }
    }
}

/// The request with a picture's hash in place of its bytes.
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
