//! What a client sends (PROTOCOL 1.1). Unknown fields are ignored; an unknown `type` is a fault
//! with words for the client, never the end of the socket.

use super::Remember;
use super::caller::Caller;
use crate::ids::{QuestionId, RunId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A person's words: for a new run, or for one that is there.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct UserMessage {
    pub text: String,
    pub agent: Option<String>,
    pub run_id: Option<RunId>,
    /// For a new run: ids of files that were given before (`POST /api/files/{file}`).
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<String>>"))]
    pub files: Vec<String>,
    /// For a new run: a model of the connected endpoint, in place of the default.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub model: Option<String>,
}

/// One text frame from a client.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientFrame {
    /// First frame of every socket. Answered by `welcome` and the missed facts. `client` says who answers by this
    /// socket; without it that is the session. `waiting: true` asks for the frame `waiting`.
    Hello {
        protocol: u32,
        run_id: Option<RunId>,
        after_seq: Option<u64>,
        locale: Option<String>,
        client: Option<Caller>,
        waiting: Option<bool>,
    },
    /// Starts a run, or is the next message of one. Answered by `run_started` or `accepted`.
    UserMessage(UserMessage),
    /// Answered by the fact `question_resolved`, or `error`.
    Answer {
        reference: QuestionId,
        #[serde(flatten)]
        answer: Answer,
    },
    /// Answered by `status` or the event `lease`.
    Control { run_id: RunId, command: Command },
    /// Starts or stops live pictures. Answered by binary frames, each with this `tag` in its header: pictures of
    /// an earlier `view` may still be on their way.
    View {
        run_id: RunId,
        on: bool,
        max_width: Option<u32>,
        max_fps: Option<u32>,
        quality: Option<u32>,
        tag: Option<u32>,
    },
    /// Flow control of live pictures; no answer.
    FrameAck { frame: u32 },
    /// The person's hands; only while this socket holds the lease. No answer but `error`.
    Input {
        run_id: RunId,
        #[serde(flatten)]
        hands: Hands,
    },
    /// Answered by `pong`.
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

/// One input event of a person's hands on the live view. Never stored, never sent to anyone.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Hands {
    /// `x`, `y` in 0..1 of the picture; `modifiers` as of a key.
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
    /// `dx`, `dy` in CSS pixels.
    Wheel {
        x: f64,
        y: f64,
        dx: f64,
        dy: f64,
    },
    /// `modifiers`: 1 Alt, 2 Control, 4 Meta, 8 Shift, added up.
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
    /// The answer to `page_dialog`, the one of this `number`; `text` is for a prompt.
    Dialog {
        accept: bool,
        #[serde(default)]
        text: Option<String>,
        #[serde(default)]
        number: Option<u64>,
    },
    /// To another page; refused as for the agent where the address is closed.
    Navigate {
        url: String,
    },
    /// One step back in the history of the page.
    Back,
    /// The answer to `file_chooser`, the one of this `number`: names of files of the run; none closes it.
    Files {
        number: u64,
        #[serde(default)]
        names: Vec<String>,
    },
}

/// The button that a mouse event is about; `none` for a move without one.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MouseEvent {
    Move,
    Down,
    Up,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum KeyEvent {
    Down,
    Up,
}

/// Reads one text frame; the fault is what the client is told in `bad_message`.
pub fn read(text: &str) -> Result<ClientFrame, String> {
    let value: Value = serde_json::from_str(text)
        .map_err(|fault| format!("the frame is not JSON ({fault}); send one JSON object a frame"))?;
    let Some(kind) = value.get("type").and_then(Value::as_str) else {
        return Err(String::from("the frame has no `type`; every frame is an object with one"));
    };
    let kind = kind.to_owned();
    serde_json::from_value(value).map_err(|fault| format!("`{kind}`: {fault}"))
}
