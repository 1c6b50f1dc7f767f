//! What goes over the wire to Chromium: events as they came, and commands by their names.

use chromiumoxide::types::{Command, EventMessage, Method, MethodId};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// No answer of Chromium takes longer, unless the caller says so.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Something that Chromium said by itself. Typed only where it is read.
#[derive(Clone, Debug, Deserialize)]
pub struct Event {
    pub method: String,
    #[serde(rename = "sessionId")]
    pub session: Option<String>,
    #[serde(default)]
    pub params: Value,
}

impl Event {
    /// The typed event, if its fields are as known.
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        T::deserialize(&self.params).ok()
    }

    pub fn text(&self, pointer: &str) -> &str {
        self.params.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }
}

impl Method for Event {
    fn identifier(&self) -> MethodId {
        self.method.clone().into()
    }
}

impl EventMessage for Event {
    fn session_id(&self) -> Option<&str> {
        self.session.as_deref()
    }
}

/// Events of one session, and of those that came of it (the frames of a page). Unbounded: a reader that does
/// something else meanwhile gets no live pictures, and all else is little. It ends when the session or
/// Chromium is gone.
pub type Events = mpsc::UnboundedReceiver<Arc<Event>>;

/// A command by its name, where chromiumoxide's own type lacks a field or reads the answer too
/// strictly for a newer Chromium.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(transparent)]
pub struct Raw {
    #[serde(skip)]
    method: MethodId,
    params: Value,
}

impl Raw {
    /// Of any typed command, where several kinds must be one.
    pub fn of<C: Command>(command: &C) -> Self {
        // The fields of a command are numbers, strings and lists of them: they always make JSON.
        Self { method: command.identifier(), params: serde_json::to_value(command).unwrap_or_default() }
    }

    pub fn new(method: &'static str, params: Value) -> Self {
        Self { method: method.into(), params }
    }
}

impl Method for Raw {
    fn identifier(&self) -> MethodId {
        self.method.clone()
    }
}

impl Command for Raw {
    type Response = Value;
}
