//! A planner's request and its answer: history, page, plan, the planned turn. The model planner and the
//! command planner share these types.

use crate::page::observation::Observation;
use crate::plan::Item;
use crate::protocol::Locale;
use crate::text::truncate::{one_line, truncate_within};
use crate::turn::agent_tools::Tool;
use crate::turn::schema::TurnForm;
use crate::turn::{Call, Turn};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An entry of a conversation, in chronological order. An action and its result are one entry, so that
/// truncating a long history cannot separate them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum HistoryEntry {
    #[serde(rename = "said")]
    Message {
        by: Speaker,
        text: String,
    },
    Acted {
        turn: Turn,
        results: Vec<ActionResult>,
    },
    /// An ASYNC action of an earlier turn has ended.
    Ended {
        result: ActionResult,
    },
    /// Summary of this many of the oldest entries (S2.32).
    Summary {
        text: String,
        entries: u64,
    },
    /// Result of a premove, an agent that runs before each plan (S4.31). Untrusted.
    Premove {
        name: String,
        text: String,
    },
}

/// Author of a message in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    Person,
    Agent,
}

/// Result of one action of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionResult {
    pub action_id: String,
    pub action: String,
    pub outcome: ActionStatus,
    /// Text that `extract` read or an agent returned. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<String>,
    /// The person's answer in their own words.
    #[serde(default, rename = "said", skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Effect of the action on the page, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect_summary: Option<String>,
}

/// Outcome of an action: done, failed, or not begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionStatus {
    Ok,
    Failed { code: String, message: String },
    Dropped { why: String },
}

/// Longest text of one line about an action, in characters.
const LINE: usize = 500;

/// Writes what came of an action on one line, in words: `a1 ok: clicked link "Cart"; now at "/cart"`. Numbers of
/// elements are left out, since they mean nothing in later requests. Texts in quotes are the page's.
pub fn describe_result(result: &ActionResult, call: Option<&Call>) -> String {
    let words = call.map_or_else(|| result.action.clone(), call_words);
    let id = truncate_within(&one_line(&result.action_id), 64);
    let line = match &result.outcome {
        ActionStatus::Ok => {
            let effect = result.effect_summary.as_deref().filter(|effect| !effect.is_empty());
            let effect = effect.map(|effect| format!("; {effect}")).unwrap_or_default();
            format!("{id} ok: {}{effect}", past_tense(&words))
        }
        ActionStatus::Failed { message, .. } => format!("{id} failed: {words}: {message}"),
        ActionStatus::Dropped { why } => format!("{id} not done: {words}: {why}"),
    };
    truncate_within(&one_line(&line), LINE)
}

/// Returns the description of a call; without one its name and parameters, except for numbers of elements.
fn call_words(call: &Call) -> String {
    if let Some(words) = &call.description {
        return words.clone();
    }
    let named = |(name, value): &(&String, &Value)| !name.ends_with("eid") && !value.is_null();
    let params: Map<String, Value> =
        call.params.iter().filter(named).map(|(name, value)| (name.clone(), value.clone())).collect();
    match params.is_empty() || call.action == "fill" {
        true => call.action.clone(),
        false => format!("{} {}", call.action, truncate_within(&Value::Object(params).to_string(), 200)),
    }
}

/// Puts the verb at the beginning of a description into the past tense.
fn past_tense(words: &str) -> String {
    let (verb, rest) = words.split_once(' ').map_or((words, ""), |(verb, rest)| (verb, rest));
    let past = match verb {
        "go" => "went",
        "find" => "searched for",
        "stop" => "stopped",
        "drag" => "dragged",
        "recall" | "fill" | "click" | "press" | "select" | "wait" | "open" | "hover" | "scroll"
        | "upload" | "accept" | "dismiss" | "ask" | "call" | "reload" | "switch" => {
            return format!("{}ed{}{rest}", verb, space(rest));
        }
        "type" | "close" | "change" | "manage" => return format!("{verb}d{}{rest}", space(rest)),
        other => other,
    };
    format!("{past}{}{rest}", space(rest))
}

fn space(rest: &str) -> &'static str {
    if rest.is_empty() { "" } else { " " }
}

/// Failure code of an action whose approval became void because the page changed.
pub const APPROVAL_VOID: &str = "approval_void";

/// Failure code of an action that a crash interrupted between its intent and its receipt.
pub const OUTCOME_UNKNOWN: &str = "outcome_unknown";

/// Failure code of an action without external effects that a pause or a crash interrupted.
pub const INTERRUPTED: &str = "interrupted";

/// Failure code of typing a secret that was lost with the process that held it.
pub const SECRET_GONE: &str = "secret_gone";

/// Failure code of typing a secret into a field that does not ask for it.
pub const SECRET_MISPLACED: &str = "secret_misplaced";

/// Everything that a planner may know.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanRequest<'a> {
    pub locale: Locale,
    /// The model named in the agent's file.
    pub prefers: Option<&'a ModelPreference>,
    /// Purpose of the agent; constant during a run.
    pub goal: Option<&'a str>,
    /// Named secrets that may be typed, each with its allowed places; constant during a run.
    pub secrets: &'a [String],
    pub history: &'a [HistoryEntry],
    pub page: Option<&'a Observation>,
    /// True if the agent may ask for a picture of the page.
    pub may_look: bool,
    /// Titles of all tabs, in order; empty if there is only one.
    pub tabs: &'a [String],
    /// Present if only changes of the page are shown.
    pub since: Option<BaseObservation<'a>>,
    /// The screenshot of `page` as JPEG, for agents with `vision` only.
    pub picture: Option<&'a [u8]>,
    /// Pages of files that the last turn asked to see.
    pub page_pictures: &'a [PagePicture],
    /// Names of the actions that this agent may use now.
    pub actions: &'a [&'a str],
    /// True if a turn may consist of thoughts alone (S4.32).
    pub thoughts: bool,
    /// Agents that it may call; constant during a run.
    pub tools: &'a [Tool],
    /// The plan that the agent executes.
    pub plan: Option<PlanView<'a>>,
    /// The person's answers by key.
    pub answers: Option<&'a Map<String, Value>>,
    /// Variables of the conversation for parameters of tools (S4.4).
    pub variables: Option<&'a Map<String, Value>>,
    /// The planner's newest note to itself.
    pub memory: Option<&'a str>,
    /// Date with weekday, time and time zone.
    pub now: Option<&'a str>,
    /// Number of actions that the agent may still do, and of all.
    pub steps_left: Option<(u32, u32)>,
    /// Names of the outputs besides the final response, which variables of these names fill; constant during a run.
    pub outputs: &'a [String],
    /// Names of the run's files, for the command planner; models receive them in `notes`.
    pub files: &'a [String],
    /// Further notes for the planner, such as "outcome unknown, look".
    pub notes: &'a [String],
}

impl<'a> PlanRequest<'a> {
    /// Returns the parts of a turn that the agent can use now.
    pub fn form(&self) -> TurnForm<'a> {
        let plan = self.plan.is_some_and(|plan| !plan.items.is_empty());
        let variables = self.variables.is_some_and(|variables| !variables.is_empty());
        TurnForm {
            actions: self.actions,
            tools: self.tools,
            plan,
            variables: plan || variables || !self.tools.is_empty() || !self.outputs.is_empty(),
            files: !self.files.is_empty(),
            picture: self.picture.is_some(),
            dialog: self.page.is_some_and(|page| page.dialog.is_some()),
            look: self.may_look,
        }
    }
}

/// A page of a file as a picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PagePicture {
    /// Description: `page 3 of "report.pdf"`.
    pub label: String,
    /// JPEG; empty in a replay, since pictures are not recorded.
    #[serde(skip)]
    pub jpeg: Vec<u8>,
}

/// Model settings of an agent's file; `None` means those of the service.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelPreference {
    pub model: Option<String>,
    pub temperature: Option<f64>,
}

/// The part of a plan that a turn needs (S2.9).
#[derive(Clone, Copy, Debug)]
pub struct PlanView<'a> {
    pub mission: &'a str,
    pub items: &'a [Item],
    /// Position of the item in progress.
    pub current: Option<u32>,
}

/// A full observation earlier in the conversation, which stays in the request, and the changes since then.
#[derive(Clone, Copy, Debug)]
pub struct BaseObservation<'a> {
    pub observation: &'a Observation,
    /// Number of history entries before it.
    pub position: usize,
    /// Lines as `page::delta` writes them.
    pub changes: &'a str,
}

/// A planner's answer, with the usage of each model call that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedTurn {
    pub turn: Turn,
    pub usage: Vec<ModelUsage>,
}

/// Tokens and cost of one model call (`usage` in `docs/protocol.md`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelUsage {
    pub role: String,
    pub model: String,
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
    /// Cost reported by the endpoint, or from the price table; `None` if both are missing.
    pub cost: Option<f64>,
    /// Currency of the cost.
    pub currency: Option<String>,
    /// True if the endpoint did not report the tokens and they were estimated from text lengths.
    #[serde(default)]
    pub estimated: bool,
}

/// Reason why there is no turn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// The model answered twice without a valid turn. Counts as an invalid action.
    #[error("{message}")]
    Invalid { message: String, usage: Vec<ModelUsage> },
    /// No answer is available. Ends the run; the message says what to do, in the run's language.
    #[error("{message}")]
    Unavailable { message: String, usage: Vec<ModelUsage> },
}

impl PlanError {
    /// Returns the usage of the calls that were paid for nevertheless.
    pub fn usage(&self) -> &[ModelUsage] {
        match self {
            Self::Invalid { usage, .. } | Self::Unavailable { usage, .. } => usage,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // A later request tells what was done by names, and what failed is never told as done.
    #[test]
    fn results_are_told_in_words() {
        let result = |outcome, effect: Option<&str>| ActionResult {
            action_id: String::from("a1"),
            action: String::from("click"),
            outcome,
            returned: None,
            answer: None,
            effect_summary: effect.map(str::to_owned),
        };
        let call = |value| serde_json::from_value::<Call>(value).expect("a call");
        let link =
            call(json!({"action": "click", "params": {"eid": 3}, "description": "click link \"Cart\""}));
        let bare = call(json!({"action": "drag", "params": {"from_eid": 3, "to_eid": 4}}));
        let failed =
            ActionStatus::Failed { code: String::from("covered"), message: String::from("it is\ncovered") };
        let dropped = ActionStatus::Dropped { why: String::from("an action before it failed") };
        for (result, call, words) in [
            (
                result(ActionStatus::Ok, Some("now at \"/cart\"")),
                &link,
                "a1 ok: clicked link \"Cart\"; now at \"/cart\"",
            ),
            (result(failed, None), &link, "a1 failed: click link \"Cart\": it is covered"),
            (result(dropped, None), &bare, "a1 not done: drag: an action before it failed"),
            (result(ActionStatus::Ok, None), &bare, "a1 ok: dragged"),
        ] {
            assert_eq!(describe_result(&result, Some(call)), words);
        }
    }

    // Stored conversations keep these names.
    #[test]
    fn messages_and_answers_of_the_history_keep_their_stored_names() {
        let message = HistoryEntry::Message { by: Speaker::Person, text: String::from("buy") };
        assert_eq!(json!(message), json!({"entry": "said", "by": "person", "text": "buy"}));
        let answer = Some(String::from("the red one"));
        let (action_id, action) = (String::from("a1"), String::from("ask_user"));
        let result = ActionResult {
            action_id,
            action,
            outcome: ActionStatus::Ok,
            returned: None,
            answer,
            effect_summary: None,
        };
        assert_eq!(json!(result)["said"], "the red one");
    }
}
