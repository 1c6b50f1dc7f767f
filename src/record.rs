//! Records the inputs that a step gets from outside: model calls, and everything else that it cannot compute
//! itself, such as pages, files and spending. In a replay, the recording supplies these inputs, so that the
//! step can be repeated without a model or a page.
//!
//! The recorder is a task-local set by the caller of the step, and is reached by name like a clock. If it
//! were passed as a parameter, a function that forgot to pass it on would leave a silent gap in the record.

use crate::clock::{Moment, Stopwatch};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::config::recording::Recording;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::future::{Future, pending};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Name of the note that holds the hash of the code that a step ran.
pub const CODE: &str = "code";

tokio::task_local! {
    static RECORDER: Recorder;
}

/// The recorder that a step runs under: it records the inputs, or replays recorded ones.
#[derive(Clone)]
pub enum Recorder {
    Record(RecordingBuffer),
    Replay(Arc<dyn ReplaySource>),
}

/// A recording in progress.
#[derive(Clone)]
pub struct RecordingBuffer {
    level: Recording,
    recording: Arc<Mutex<StepRecording>>,
}

/// All recorded inputs of a step, in their order.
#[derive(Debug, Default)]
pub struct StepRecording {
    pub calls: Vec<RecordedCall>,
    pub notes: Vec<Note>,
    /// True if it may contain secrets that are not known yet.
    pub held_back: bool,
}

/// A recorded input: its name and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub name: String,
    pub value: Value,
}

/// Source of recorded inputs in a replay.
pub trait ReplaySource: Send + Sync {
    /// Returns the recorded value of this name, or `None` if there is none. After `None` the caller must
    /// abort the step.
    fn note(&self, name: &str) -> Option<Value>;
    /// Returns the recorded result of the model call: `{"answer": …}` or `{"fault": …}`.
    fn answer(&self, role: &str, request: &Value) -> Option<Value>;
}

impl RecordingBuffer {
    /// Returns `None` if recording is off.
    pub fn new(level: Recording) -> Option<Self> {
        (level != Recording::Off).then(|| Self { level, recording: Arc::default() })
    }

    /// Takes the recording and leaves an empty one.
    pub fn take(&self) -> StepRecording {
        std::mem::take(&mut self.lock())
    }

    /// True if secrets may be on the page, so that the recording must not be stored yet.
    pub fn is_held_back(&self) -> bool {
        self.lock().held_back
    }

    fn lock(&self) -> MutexGuard<'_, StepRecording> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the step under the recorder.
pub async fn run_recorded<F: Future>(recorder: Option<Recorder>, step: F) -> F::Output {
    match recorder {
        Some(recorder) => RECORDER.scope(recorder, step).await,
        None => step.await,
    }
}

/// Runs `ask` and records its value. An error is not recorded here, because it ends the step and is kept with
/// its result. In a replay, returns the recorded value instead.
pub async fn record_input<T, E, F>(name: &str, ask: F) -> Result<T, E>
where
    T: Serialize + DeserializeOwned,
    F: Future<Output = Result<T, E>>,
{
    match current_recorder() {
        Some(Recorder::Replay(source)) => match read_replayed(&*source, name) {
            Some(value) => Ok(value),
            // The step asks for something that was not recorded. The player has noticed, and drops the step.
            None => pending().await,
        },
        Some(Recorder::Record(buffer)) => {
            let value = ask.await?;
            add_note(&buffer, name, &value);
            Ok(value)
        }
        None => ask.await,
    }
}

/// Like [`record_input`], for a value that is available at once. In a replay without a recorded value, calls `ask`.
pub fn record_value<T: Serialize + DeserializeOwned>(name: &str, ask: impl FnOnce() -> T) -> T {
    match current_recorder() {
        Some(Recorder::Replay(source)) => read_replayed(&*source, name).unwrap_or_else(ask),
        Some(Recorder::Record(buffer)) => {
            let value = ask();
            add_note(&buffer, name, &value);
            value
        }
        None => ask(),
    }
}

/// Marks the recording as possibly containing a secret that becomes known only when it is typed. The
/// recording is stored later.
pub fn hold_back() {
    if let Some(Recorder::Record(buffer)) = current_recorder() {
        buffer.lock().held_back = true;
    }
}

/// Returns the recorded result of a model call in a replay, or `None` outside one.
pub async fn recorded_answer(role: &str, request: &Value) -> Option<Value> {
    let Some(Recorder::Replay(source)) = current_recorder() else { return None };
    match source.answer(role, request) {
        Some(answer) => Some(answer),
        None => pending().await,
    }
}

fn current_recorder() -> Option<Recorder> {
    RECORDER.try_with(Recorder::clone).ok()
}

fn read_replayed<T: DeserializeOwned>(source: &dyn ReplaySource, name: &str) -> Option<T> {
    serde_json::from_value(source.note(name)?).ok()
}

fn add_note<T: Serialize>(buffer: &RecordingBuffer, name: &str, value: &T) {
    if buffer.level == Recording::All
        && let Ok(value) = serde_json::to_value(value)
    {
        buffer.lock().notes.push(Note { name: name.to_owned(), value });
    }
}

/// Serializes without empty and false values. Most properties of a page element are absent, so this shortens
/// observations. Use it only where a missing field has its default.
pub struct SkipEmpty<T>(pub T);

impl<T: Serialize> Serialize for SkipEmpty<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = serde_json::to_value(&self.0).map_err(serde::ser::Error::custom)?;
        strip_empty(value).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SkipEmpty<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self)
    }
}

fn strip_empty(value: Value) -> Value {
    let has_content = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    };
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (name, strip_empty(value)));
            Value::Object(members.filter(|(_, value)| has_content(value)).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(strip_empty).collect()),
        other => other,
    }
}

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

/// Tokens of one model call; `input` includes those in the endpoint's cache.
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
    /// Starts a recording. Outside of a recorded step it records nothing.
    pub fn begin(role: &str, request: &Value) -> Self {
        let Some(Recorder::Record(buffer)) = current_recorder() else { return Self { to: None } };
        let call = RecordedCall {
            role: role.to_owned(),
            model: request["model"].as_str().unwrap_or_default().to_owned(),
            at: Moment::now(),
            took_ms: 0,
            tokens: Tokens::default(),
            cost: None,
            currency: None,
            error: None,
            request: (buffer.level == Recording::All).then(|| without_pictures(request)),
            answer: None,
            fault: None,
        };
        Self { to: Some((buffer, call, Stopwatch::start())) }
    }

    /// Completes the call; `set_result` sets its result.
    pub fn finish(mut self, set_result: impl FnOnce(&mut RecordedCall)) {
        if let Some((buffer, mut call, watch)) = self.to.take() {
            call.took_ms = watch.millis();
            set_result(&mut call);
            buffer.lock().calls.push(call);
        }
    }
}

impl Drop for CallRecorder {
    fn drop(&mut self) {
        if let Some((buffer, mut call, watch)) = self.to.take() {
            call.took_ms = watch.millis();
            call.error = Some(String::from("cut off"));
            buffer.lock().calls.push(call);
        }
    }
}

/// Returns the request with each picture replaced by its hash.
pub fn without_pictures(request: &Value) -> Value {
    match request {
        Value::Object(members) => {
            let hash_member = |(name, value): (&String, &Value)| match value.as_str() {
                Some(url) if name == "url" && url.starts_with("data:image/") => {
                    (name.clone(), hash_picture(url))
                }
                _ => (name.clone(), without_pictures(value)),
            };
            Value::Object(members.iter().map(hash_member).collect())
        }
        Value::Array(items) => items.iter().map(without_pictures).collect(),
        other => other.clone(),
    }
}

fn hash_picture(picture: &str) -> Value {
    json!(format!("sha256:{:x}", Sha256::digest(picture)))
}
