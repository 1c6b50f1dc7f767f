//! Frames that the server sends (`docs/protocol.md`). An event is stored before it is sent; its envelope
//! (`run_id`, `root_run_id`, `seq`, `at`) is added when it gets its place in the log.

use crate::ids::{QuestionId, RunId, SessionId};
use crate::protocol::caller::Caller;
use crate::protocol::client::Answer;
use crate::protocol::event::Event;
use crate::protocol::{QuestionKind, Remember, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An event of a run: stored, numbered, and sent to every viewer.
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
        /// The program that started the run; absent if a person or another run did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        client: Option<Caller>,
    },
    Status {
        status: Status,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        node: Option<String>,
    },
    /// `html` is `text` converted to safe HTML by the server.
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
        /// The client through which a person answered.
        #[serde(default)]
        client: Option<Caller>,
    },
    Event(Event),
    RunEnded {
        outcome: Status,
        final_response: Option<String>,
        vars: Map<String, Value>,
        /// The plan at the end of the run, as a Markdown checklist (S2.17).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        plan: Option<String>,
    },
}

/// A question that interrupts a run (C20).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Question {
    pub reference: QuestionId,
    pub kind: QuestionKind,
    pub reason: String,
    pub text: String,
    pub payload: Value,
    /// Scopes that the person may choose for an approval.
    pub remember: Vec<Remember>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub expires_at: Option<String>,
    /// Status of the run if the question expires.
    pub on_expire: Status,
}

/// Cause of a question's end: a person, its expiry, a rule, the end of the run, or a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ResolvedBy {
    User,
    Expired,
    Policy,
    Stopped,
    #[serde(untagged)]
    Client(AnsweringProgram),
}

/// A program that answered a question: `client:<name>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(transparent)]
pub struct AnsweringProgram(#[cfg_attr(test, ts(type = "`client:${string}`"))] String);

impl ResolvedBy {
    /// Returns who answered, by the client that sent the answer.
    pub fn from_client(client: Option<&Caller>) -> Self {
        match client.filter(|client| client.is_program()) {
            Some(program) => Self::Client(AnsweringProgram(format!("client:{}", program.program_name()))),
            None => Self::User,
        }
    }

    /// True if the question was answered, by a person or by a program that may answer.
    pub fn is_answer(&self) -> bool {
        match self {
            Self::User | Self::Client(_) => true,
            Self::Expired | Self::Policy | Self::Stopped => false,
        }
    }

    /// Returns the word on the wire and in the store.
    pub fn word(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Expired => "expired",
            Self::Policy => "policy",
            Self::Stopped => "stopped",
            Self::Client(AnsweringProgram(word)) => word,
        }
    }

    /// Returns the word without the name of the program, for metrics.
    pub fn kind(&self) -> &str {
        if matches!(self, Self::Client(_)) { "client" } else { self.word() }
    }
}

/// Frames that are not events: sent to one socket only.
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
    /// Number of questions that wait for a person, over all runs. Sent only to a socket that subscribed in
    /// `hello`: at once, and whenever a question is asked or resolved.
    Waiting {
        total: u64,
    },
    Pong,
    /// The message to the person as far as the model has written it, from its begin. Sent only to a socket that
    /// subscribed in `hello`, and never stored: the next event of the run takes its place. `html` is `text` converted
    /// to safe HTML by the server.
    Writing {
        run_id: RunId,
        root_run_id: RunId,
        text: String,
        html: String,
    },
    /// Dialog of the page that this socket holds; null if it was closed. Answered by `input` of kind
    /// `dialog`.
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
    /// The page that this socket holds opened a file chooser, or closed it (`open` is false). Answered by
    /// `input` of kind `files`.
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
        /// With `unknown_run`: the followed run that was deleted.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        run_id: Option<RunId>,
    },
}

/// An open dialog of a page: `confirm`, `prompt`, `beforeunload`, or `alert`, which does not block the page.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Dialog {
    pub kind: String,
    pub message: String,
    /// Default text of a prompt.
    pub default_text: String,
}

impl Fact {
    /// Returns the JSON that is stored, without the envelope.
    pub fn body(&self) -> String {
        // Serializing these types (strings, numbers, maps with string keys) cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Question {
    /// Returns the answer as it takes effect: a scope that the question does not offer becomes `once`. Refuses an
    /// answer without the one field that this kind of question requires, and one with two of `confirmed`, `text` and
    /// `done`, because it could be read in two ways.
    pub fn accept_answer(&self, answer: Answer) -> Result<Answer, &'static str> {
        let answers = [answer.confirmed.is_some(), answer.text.is_some(), answer.done.is_some()];
        if answers.iter().filter(|is_set| **is_set).count() > 1 {
            return Err("answer with one of `confirmed`, `text` and `done`");
        }
        let (fits, required) = match self.kind {
            QuestionKind::Confirm | QuestionKind::ApprovePlan | QuestionKind::Budget => {
                (answer.confirmed.is_some(), "answer with `confirmed`: true or false")
            }
            QuestionKind::Manual => {
                (answer.done == Some(true) || answer.text.is_some(), "answer with `done`: true, or `text`")
            }
            QuestionKind::Question => (answer.text.is_some(), "answer with `text`"),
        };
        if !fits {
            return Err(required);
        }
        let offered = |choice| if self.remember.contains(&choice) { choice } else { Remember::Once };
        Ok(Answer { remember: answer.remember.map(offered), ..answer })
    }
}
