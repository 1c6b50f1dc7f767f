//! Frames that a client sends (`docs/protocol.md`). Unknown fields are ignored. An unknown `type` is answered
//! with an error frame and never closes the socket.

use crate::ids::{QuestionId, RunId};
use crate::protocol::Remember;
use crate::protocol::caller::Caller;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A message of the person: starts a run, or continues an existing one.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct UserMessage {
    pub text: String,
    pub agent: Option<String>,
    pub run_id: Option<RunId>,
    /// For a new run: ids of files uploaded before (`POST /api/files/{file}`).
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<String>>"))]
    pub files: Vec<String>,
    /// For a new run: a model of the connected endpoint, instead of the default.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub model: Option<String>,
}

/// A text frame from a client.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientFrame {
    /// First frame of every socket. Answered by `welcome` and the missed events. `client` names who answers
    /// questions through this socket; without it, the session does. `waiting: true` subscribes to the frame
    /// `waiting`, `writing: true` to the frame `writing`.
    Hello {
        protocol: u32,
        run_id: Option<RunId>,
        after_seq: Option<u64>,
        locale: Option<String>,
        client: Option<Caller>,
        waiting: Option<bool>,
        writing: Option<bool>,
    },
    /// Starts a run, or sends the next message of one. Answered by `run_started` or `accepted`.
    UserMessage(UserMessage),
    /// Answers a question. Answered by the event `question_resolved`, or `error`.
    Answer {
        reference: QuestionId,
        #[serde(flatten)]
        answer: Answer,
    },
    /// Steers a run. Answered by `status` or the event `lease`.
    Control { run_id: RunId, command: Command },
    /// Starts or stops live pictures. Answered by binary frames with this `tag` in their header, as pictures
    /// of an earlier `view` may still arrive.
    View {
        run_id: RunId,
        on: bool,
        max_width: Option<u32>,
        max_fps: Option<u32>,
        quality: Option<u32>,
        tag: Option<u32>,
    },
    /// Acknowledges a live picture; not answered.
    FrameAck { frame: u32 },
    /// Input of the person; accepted only while this socket holds the lease. Answered only if refused, by
    /// `error`.
    Input {
        run_id: RunId,
        #[serde(flatten)]
        input: PersonInput,
    },
    /// Keeps the connection alive. Answered by `pong`.
    Ping,
}

/// The answer to a question: one of `confirmed`, `text`, `done`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default)]
pub struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub confirmed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub remember: Option<Remember>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub comment: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub done: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub message: Option<String>,
}

/// Command of a person to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Command {
    Stop,
    Pause,
    Resume,
    TakeOver,
    HandBack,
}

/// An input event of the person on the live view. Never stored, never sent to another client.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PersonInput {
    /// `x` and `y` are fractions of the picture's size, 0 to 1; `modifiers` as for `key`.
    Mouse {
        event: MouseEvent,
        x: f64,
        y: f64,
        #[serde(default)]
        button: Held,
        #[serde(default)]
        count: Option<u32>,
        #[serde(default)]
        modifiers: u32,
    },
    /// `dx` and `dy` are in CSS pixels.
    Wheel {
        x: f64,
        y: f64,
        dx: f64,
        dy: f64,
    },
    /// `modifiers` is the sum of 1 Alt, 2 Control, 4 Meta, 8 Shift.
    Key {
        event: KeyEvent,
        key: String,
        #[serde(default)]
        code: String,
        #[serde(default)]
        modifiers: u32,
    },
    Text {
        text: String,
    },
    /// Answers the `page_dialog` with this `number`; `text` is for a prompt.
    Dialog {
        accept: bool,
        #[serde(default)]
        text: Option<String>,
        #[serde(default)]
        number: Option<u64>,
    },
    /// Navigates to another page. Refused if the URL policy denies the address, as for the agent.
    Navigate {
        url: String,
    },
    /// Goes one step back in the history of the page.
    Back,
    /// Answers the `file_chooser` with this `number`: names of files of the run; an empty list cancels it.
    Files {
        number: u64,
        #[serde(default)]
        names: Vec<String>,
    },
}

/// Mouse button of an event; `none` for a move without a button.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Held {
    #[default]
    Left,
    Right,
    Middle,
    None,
}

/// Kind of a mouse event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MouseEvent {
    Move,
    Down,
    Up,
}

/// Kind of a key event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum KeyEvent {
    Down,
    Up,
}

/// Parses one text frame. The error is the message that the client receives with `bad_message`.
pub fn read(text: &str) -> Result<ClientFrame, String> {
    let value: Value = serde_json::from_str(text)
        .map_err(|fault| format!("the frame is not JSON ({fault}); send one JSON object a frame"))?;
    let Some(kind) = value.get("type").and_then(Value::as_str) else {
        return Err(String::from("the frame has no `type`; every frame is an object with one"));
    };
    let kind = kind.to_owned();
    serde_json::from_value(value).map_err(|fault| format!("`{kind}`: {fault}"))
}
