//! What the server sends (PROTOCOL 1.2 and 6). A fact is stored before it is sent; its envelope
//! (`run_id`, `root_run_id`, `seq`, `at`) is added when it has its place in the log.

use super::caller::Caller;
pub use super::event::{Display, Event, Failure, FileFact, PolicyReason};
use super::{QuestionKind, Remember, Status, client::Answer};
use crate::ids::{QuestionId, RunId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Something that happened in a run: stored, numbered, sent to every viewer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    RunStarted {
        agent: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        parent_run_id: Option<RunId>,
        input: Map<String, Value>,
    },
    Status {
        status: Status,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        node: Option<String>,
    },
    /// `html` is `text` made safe on the server.
    AgentMessage {
        text: String,
        html: String,
        r#final: bool,
    },
    AgentQuestion(Question),
    QuestionResolved {
        reference: QuestionId,
        by: ResolvedBy,
        answer: Value,
        /// The client that a person answered with.
        #[serde(default)]
        client: Option<Caller>,
    },
    Event(Event),
    RunEnded {
        outcome: Status,
        final_response: Option<String>,
        vars: Map<String, Value>,
        /// The plan as it was then, as a checklist in Markdown (S2.17).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        plan: Option<String>,
    },
}

/// The interrupt envelope (C20).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Question {
    pub reference: QuestionId,
    pub kind: QuestionKind,
    pub reason: String,
    pub text: String,
    pub payload: Value,
    /// What the person may let it remember.
    pub remember: Vec<Remember>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub expires_at: Option<String>,
    /// What becomes of the run then.
    pub on_expire: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ResolvedBy {
    User,
    Expired,
    Policy,
    Stopped,
}

/// Frames that are not facts: said to one socket only.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    Welcome {
        session_id: SessionId,
        protocol: u32,
        run: Value,
        seq: u64,
    },
    Accepted {
        run_id: RunId,
    },
    /// Number of questions that wait for a person, of all runs: only for who asked for it in `hello`, at once and whenever
    /// one was asked or resolved.
    Waiting {
        total: u64,
    },
    Pong,
    /// What the page asks that this socket holds; null: it does not ask it any more. Answered by `input`
    /// of kind `dialog`.
    PageDialog {
        run_id: RunId,
        number: u64,
        dialog: Option<Dialog>,
    },
    /// Address of the page that this socket holds.
    PageAddress {
        run_id: RunId,
        url: String,
    },
    /// The page that this socket holds asks for a file, or (not `open`) does not any more. Answered by `input` of
    /// kind `files`.
    FileChooser {
        run_id: RunId,
        number: u64,
        multiple: bool,
        open: bool,
    },
    Error {
        code: &'static str,
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        reference: Option<QuestionId>,
        /// With `unknown_run`: a run that this socket followed was deleted.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        run_id: Option<RunId>,
    },
}

/// A dialog that a page has open: `confirm`, `prompt` or `beforeunload`; or an `alert`, which it does not wait
/// with.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Dialog {
    pub kind: String,
    pub message: String,
    /// What stands in the field of a prompt.
    pub default_text: String,
}

impl Fact {
    /// The body as it is stored, without its envelope.
    pub fn body(&self) -> String {
        // Serialising our own types of strings, numbers and maps with string keys cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Question {
    /// The answer as it counts: what cannot be remembered here holds for this once.
    pub fn counted(&self, answer: Answer) -> Answer {
        let remember = answer
            .remember
            .map(|choice| if self.remember.contains(&choice) { choice } else { Remember::Once });
        Answer { remember, ..answer }
    }

    /// Checks that an answer has what this kind of question asks for, and is one answer only: what could be read in
    /// two ways is no consent.
    pub fn accepts(&self, answer: &Answer) -> Result<(), &'static str> {
        let given = [answer.confirmed.is_some(), answer.text.is_some(), answer.done.is_some()];
        if given.iter().filter(|given| **given).count() > 1 {
            return Err("answer with one of `confirmed`, `text` and `done`");
        }
        match self.kind {
            QuestionKind::Confirm | QuestionKind::ApprovePlan | QuestionKind::Budget => {
                match answer.confirmed {
                    Some(_) => Ok(()),
                    None => Err("answer with `confirmed`: true or false"),
                }
            }
            QuestionKind::Manual if answer.done == Some(true) || answer.text.is_some() => Ok(()),
            QuestionKind::Manual => Err("answer with `done`: true, or `text`"),
            QuestionKind::Question if answer.text.is_some() => Ok(()),
            QuestionKind::Question => Err("answer with `text`"),
        }
    }
}
