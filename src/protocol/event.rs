//! Payload of the stored events of type `event`: what happens within a run (`docs/protocol.md`).

use crate::ids::{RunId, SessionId};
use crate::plan::Item;
use crate::protocol::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Payload of an `event` frame: its name in `event`, its fields in `data`.
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
    /// A thought of any kind, in one record (C19).
    Thought {
        r#type: String,
        content: String,
        action_id: Option<String>,
        /// Position of the plan item that the thought concerns.
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
        /// Effect of the action on the page, in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        summary: Option<String>,
        /// Effect of the action and what is to be known about its result, for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        summary_texts: Option<TextInLanguages>,
        took_ms: u64,
        /// Why the wait for the page ended: still, quiet, busy, loaded, dialog.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        settled: Option<String>,
        /// Files that the action downloaded into the run's files.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(test, ts(optional, as = "Option<Vec<FileFact>>"))]
        files: Vec<FileFact>,
        dropped: Vec<String>,
    },
    /// A request with an effect that left.
    Effect {
        /// Action that caused it; empty if the page sends it before any.
        action_id: String,
        method: String,
        url: String,
        origin: String,
        /// Reason why it was not held: the reference of a question, the id of a permission, or `rule:<id>`.
        covered_by: String,
    },
    Policy {
        decision: String,
        rule: String,
        risk: String,
        effect: String,
        action_id: String,
        /// The rule's reason in both languages; only for a denied action.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        reason: Option<PolicyReason>,
    },
    StateUpdated {
        steps: u32,
        max_steps: u32,
        invalid_actions: u32,
        visits: u32,
        url: Option<String>,
        /// Key under which the person's answer was stored.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        answer_received: Option<String>,
        /// True if the plan has changed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
        plan_updated: bool,
    },
    /// The whole current plan; an empty list if there is none any more.
    Plan {
        items: Vec<Item>,
    },
    /// An ASYNC action: at its start, on progress, and at its end.
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
        /// The child run that does the work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        child_run_id: Option<RunId>,
        /// Time at which the work began, RFC 3339.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        started_at: Option<String>,
    },
    /// From now on a summary stands for the oldest `entries` entries of the conversation.
    Compacted {
        entries: u64,
        summary: String,
    },
    /// The run has used 80 % of a limit.
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
        /// Null if the price of the model is unknown.
        cost: Option<f64>,
        /// Currency of `cost`, if there is a cost.
        #[serde(default)]
        currency: Option<String>,
        /// True if the endpoint reports no token counts and these are estimates.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
        estimated: bool,
    },
    Lease {
        holder: Option<SessionId>,
    },
    /// Status of an item of a lane: `skipped`, `running`, or the outcome of its run.
    Item {
        item_id: String,
        agent: String,
        lane: usize,
        status: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        run_id: Option<RunId>,
        /// Counts from 1; 0 if the item was never started.
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

/// Display hint of an ASYNC action (S4.12).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Display {
    /// `progress_bar` or `status_message`; any other value is shown as a status message.
    pub r#type: String,
    pub label: String,
    #[serde(default)]
    pub estimated_duration_seconds: Option<f64>,
}

/// A file of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileFact {
    pub name: String,
    pub size: u64,
}

/// The reason of a rule that denies an action, in both languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PolicyReason {
    pub uk: String,
    pub en: String,
}

/// Error of an action: a code for programs, a message for the planner and the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Failure {
    pub code: String,
    pub message: String,
}

/// A text in both languages, for a reader who can switch between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TextInLanguages {
    pub uk: String,
    pub en: String,
}

/// The end of an action, for `Event::ActionFinished`. By default it failed at once.
#[derive(Debug, Default)]
pub struct ActionEnd {
    pub action_id: String,
    pub action: String,
    pub ok: bool,
    pub result: Option<Value>,
    pub error: Option<Failure>,
    pub summary: Option<String>,
    pub summary_texts: Option<TextInLanguages>,
    pub took_ms: u64,
    pub settled: Option<String>,
    pub files: Vec<FileFact>,
    /// Ids of the actions of the turn that are not done after it.
    pub dropped: Vec<String>,
}

impl From<ActionEnd> for Event {
    fn from(end: ActionEnd) -> Self {
        let ActionEnd {
            action_id,
            action,
            ok,
            result,
            error,
            summary,
            summary_texts,
            took_ms,
            settled,
            files,
            dropped,
        } = end;
        Self::ActionFinished {
            action_id,
            action,
            ok,
            result,
            error,
            summary,
            summary_texts,
            took_ms,
            settled,
            files,
            dropped,
        }
    }
}
