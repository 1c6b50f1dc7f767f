//! What the server sends (PROTOCOL 1.2 and 6). A fact is stored before it is sent; its envelope
//! (`run_id`, `root_run_id`, `seq`, `at`) is added when it has its place in the log.

use super::{QuestionKind, Remember, Status, client::Answer};
use crate::ids::{QuestionId, RunId, SessionId};
use crate::plan::Item;
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
    },
    Event(Event),
    RunEnded {
        outcome: Status,
        final_response: Option<String>,
        vars: Map<String, Value>,
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

/// `event` and `data`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum Event {
    Observation {
        look: u64,
        url: String,
        title: String,
        tab: String,
        chars: usize,
        picture: Option<String>,
    },
    /// One record for all that was thought (C19).
    Thought {
        r#type: String,
        content: String,
        action_id: Option<String>,
        /// The item of the plan that it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        step_ref: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        expected_outcome: Option<String>,
        /// 0 to 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        confidence: Option<f64>,
    },
    ActionStarted {
        action_id: String,
        action: String,
        params: Map<String, Value>,
        target: Option<Value>,
    },
    ActionFinished {
        action_id: String,
        action: String,
        ok: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        result: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        error: Option<Failure>,
        took_ms: u64,
        /// Why the wait for the page ended: still, quiet, busy, loaded, dialog.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        settled: Option<String>,
        /// What it has downloaded into the run's files.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(test, ts(optional, as = "Option<Vec<FileFact>>"))]
        files: Vec<FileFact>,
        dropped: Vec<String>,
    },
    Policy {
        decision: String,
        rule: String,
        risk: String,
        effect: String,
        action_id: String,
    },
    StateUpdated {
        steps: u32,
        max_steps: u32,
        invalid_actions: u32,
        visits: u32,
        url: Option<String>,
        /// The key of the answer that the person has just given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        answer_received: Option<String>,
        /// The plan is another one now.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
        plan_updated: bool,
    },
    /// The whole plan as it is now; no items: there is none any more.
    Plan {
        items: Vec<Item>,
    },
    /// An ASYNC action: at its start, as it goes on, at its end.
    Task {
        task_id: String,
        action_id: String,
        status: Status,
        /// 0 to 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        progress: Option<f64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        display: Option<Display>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        result: Option<Value>,
        agent: String,
        /// The run that does the work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        child_run_id: Option<RunId>,
        /// When it began to run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        started_at: Option<String>,
    },
    /// So many of the oldest pieces of the conversation stand as one summary from now on.
    Compacted {
        entries: u64,
        summary: String,
    },
    /// So much of what the run may use is used: at 80 %.
    Budget {
        /// `tokens`, `money` or `wall_s`.
        limit: String,
        used: f64,
        most: f64,
    },
    Usage {
        role: String,
        model: String,
        input_tokens: u64,
        cached_tokens: u64,
        output_tokens: u64,
        cost: f64,
    },
    Lease {
        holder: Option<SessionId>,
    },
    /// How an item of a lane stands: `skipped`, `running`, or how its run ended.
    Item {
        item_id: String,
        agent: String,
        lane: usize,
        status: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        run_id: Option<RunId>,
        /// From 1; 0 was never started.
        attempt: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        error: Option<String>,
    },
    Node {
        node: String,
    },
    /// A further message of the person, so that a replay shows both sides.
    UserMessage {
        text: String,
    },
}

/// How an ASYNC action is shown (S4.12).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Display {
    /// `progress_bar` or `status_message`; another word is shown as the latter.
    pub r#type: String,
    pub label: String,
    #[serde(default)]
    pub estimated_duration_seconds: Option<f64>,
}

/// One file of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileFact {
    pub name: String,
    pub size: u64,
}

/// Why an action failed: a code for programs, words for the planner and the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Failure {
    pub code: String,
    pub message: String,
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
    Pong,
    /// What the page asks that this socket holds; null: it does not ask it any more. Answered by `input`
    /// of kind `dialog`.
    PageDialog {
        run_id: RunId,
        number: u64,
        dialog: Option<Dialog>,
    },
    Error {
        code: &'static str,
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        reference: Option<QuestionId>,
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

    /// Whether this answer has what this kind of question asks for.
    pub fn accepts(&self, answer: &Answer) -> Result<(), &'static str> {
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
