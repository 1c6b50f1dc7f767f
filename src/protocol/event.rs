//! What happens within a run, as its `event` facts tell it (PROTOCOL 1.2 and 6): `event` and `data`.

use super::Status;
use crate::ids::{RunId, SessionId};
use crate::plan::Item;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
        /// The rule's reason by language; only of what is denied.
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
        /// Null where nobody knows what the model costs.
        cost: Option<f64>,
        /// What the cost is in, where there is one.
        #[serde(default)]
        currency: Option<String>,
        /// The endpoint does not tell the tokens: they are guessed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
        estimated: bool,
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

/// The reason of a rule that denies an action, in both languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PolicyReason {
    pub uk: String,
    pub en: String,
}

/// Why an action failed: a code for programs, words for the planner and the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Failure {
    pub code: String,
    pub message: String,
}
