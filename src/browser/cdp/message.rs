//! CDP messages: events as received, and commands by name.

use chromiumoxide::types::{Command, Method, MethodId};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Time limit for replies of Chromium, unless the caller sets another.
pub const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// CDP event. Its parameters are parsed where they are read.
#[derive(Clone, Debug)]
pub struct CdpEvent {
    pub method: String,
    pub session: Option<String>,
    pub params: Value,
}

impl CdpEvent {
    /// Parses the parameters; `None` if they have an unknown form.
    pub fn parse_params<T: DeserializeOwned>(&self) -> Option<T> {
        T::deserialize(&self.params).ok()
    }

    pub fn text(&self, pointer: &str) -> &str {
        self.params.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }
}

/// Events of one session and of its inner sessions (the frames of a page). Unbounded: a slow reader gets no
/// screencast frames, and other events are small. Ends when the session or Chromium is gone.
pub type CdpEvents = mpsc::UnboundedReceiver<Arc<CdpEvent>>;

/// Command by name, for cases where chromiumoxide's type lacks a field or parses the reply of a newer
/// Chromium too strictly.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(transparent)]
pub struct RawCommand {
    #[serde(skip)]
    method: MethodId,
    params: Value,
}

impl RawCommand {
    /// Converts a typed command, so that commands of different types can be sent together.
    pub fn from_command<C: Command>(command: &C) -> Self {
        // The fields of a command always serialize to JSON: numbers, strings and lists of them.
        Self { method: command.identifier(), params: serde_json::to_value(command).unwrap_or_default() }
    }

    pub fn new(method: &'static str, params: Value) -> Self {
        Self { method: method.into(), params }
    }
}

impl Method for RawCommand {
    fn identifier(&self) -> MethodId {
        self.method.clone()
    }
}

impl Command for RawCommand {
    type Response = Value;
}
