//! What a step hears while it is taken: what a model was asked and answered, and whatever else the step cannot
//! work out by itself (a page, files, what was spent). A tape takes it down; a tape that is played answers in
//! place of the world, so that the step can be taken again without one.
//!
//! Whoever takes a step lays a tape under it. From below it is reached as a clock is, by name: were it handed
//! down, what one place forgot to hand on would be missing from the record without a word.

mod call;

pub use call::{Call, Listening, Tokens, without_pictures};

use crate::config::Recording;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::future::{Future, pending};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The note that names the code that a step ran, by its hash.
pub const CODE: &str = "code";

tokio::task_local! {
    static TAPE: Tape;
}

/// What lies under a step.
#[derive(Clone)]
pub enum Tape {
    Takes(Blank),
    Plays(Arc<dyn Plays>),
}

/// What a step has heard so far.
#[derive(Clone)]
pub struct Blank {
    level: Recording,
    taken: Arc<Mutex<Taken>>,
}

/// All that a step has heard, in the order in which it did.
#[derive(Debug, Default)]
pub struct Taken {
    pub calls: Vec<Call>,
    pub notes: Vec<Note>,
    /// Secrets may stand in it that are not known yet.
    pub held_back: bool,
}

/// One thing that was heard: what was asked, and what the world said.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub what: String,
    pub said: Value,
}

/// Answers in place of the world.
pub trait Plays: Send + Sync {
    /// What was said then; none if it was not asked then. Whoever answers with none ends the step.
    fn note(&self, what: &str) -> Option<Value>;
    /// What the model answered then: `{"answer": …}` or `{"fault": …}`.
    fn answer(&self, role: &str, request: &Value) -> Option<Value>;
}

impl Blank {
    /// None where nothing is to be kept.
    pub fn new(level: Recording) -> Option<Self> {
        (level != Recording::Off).then(|| Self { level, taken: Arc::default() })
    }

    pub fn take(&self) -> Taken {
        std::mem::take(&mut self.taken())
    }

    pub fn is_held_back(&self) -> bool {
        self.taken().held_back
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The step with the tape under it.
pub async fn on<F: Future>(tape: Option<Tape>, step: F) -> F::Output {
    match tape {
        Some(tape) => TAPE.scope(tape, step).await,
        None => step.await,
    }
}

/// What the world says, which is kept if it says anything: a failure ends the step, and is kept with its end.
/// On a tape that is played nobody is asked.
pub async fn heard<T, E, F>(what: &str, ask: F) -> Result<T, E>
where
    T: Serialize + DeserializeOwned,
    F: Future<Output = Result<T, E>>,
{
    match tape() {
        Some(Tape::Plays(plays)) => match replayed(&*plays, what) {
            Some(said) => Ok(said),
            // It asks what it did not ask then: whoever plays the tape knows, and drops the step.
            None => pending().await,
        },
        Some(Tape::Takes(blank)) => {
            let said = ask.await?;
            note(&blank, what, &said);
            Ok(said)
        }
        None => ask.await,
    }
}

/// The same of what is known at once.
pub fn heard_now<T: Serialize + DeserializeOwned>(what: &str, ask: impl FnOnce() -> T) -> T {
    match tape() {
        Some(Tape::Plays(plays)) => replayed(&*plays, what).unwrap_or_else(ask),
        Some(Tape::Takes(blank)) => {
            let said = ask();
            note(&blank, what, &said);
            said
        }
        None => ask(),
    }
}

/// What the step has heard may have a secret in it that is only known when it is typed: it is kept later.
pub fn hold_back() {
    if let Some(Tape::Takes(blank)) = tape() {
        blank.taken().held_back = true;
    }
}

/// What a model answered then, where a tape is played.
pub async fn answered(role: &str, request: &Value) -> Option<Value> {
    let Some(Tape::Plays(plays)) = tape() else { return None };
    match plays.answer(role, request) {
        Some(answer) => Some(answer),
        None => pending().await,
    }
}

fn tape() -> Option<Tape> {
    TAPE.try_with(Tape::clone).ok()
}

fn replayed<T: DeserializeOwned>(plays: &dyn Plays, what: &str) -> Option<T> {
    serde_json::from_value(plays.note(what)?).ok()
}

fn note<T: Serialize>(blank: &Blank, what: &str, said: &T) {
    if blank.level == Recording::All
        && let Ok(said) = serde_json::to_value(said)
    {
        blank.taken().notes.push(Note { what: what.to_owned(), said });
    }
}

/// What is written without all that says nothing: most of what is seen of a page is that something is not so.
/// For what may be left out of what is read.
pub struct Bare<T>(pub T);

impl<T: Serialize> Serialize for Bare<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = serde_json::to_value(&self.0).map_err(serde::ser::Error::custom)?;
        bare(whole).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Bare<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self)
    }
}

fn bare(value: Value) -> Value {
    let says = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    };
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (name, bare(value)));
            Value::Object(members.filter(|(_, value)| says(value)).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(bare).collect()),
        other => other,
    }
}
