//! The turn that every planner returns, whether model or command planner (`docs/turns.md`). Parsing is
//! more lenient than the schema that is requested: absent fields take their defaults.

pub mod agent_tools;
pub mod page_range;
pub mod internal_action;
pub mod page_input;
pub mod nesting_limit;
pub(crate) mod param_reader;
pub mod action;
pub mod named_secret;
pub(crate) mod parse;
pub mod schema;
pub mod typed_secret;
pub(crate) mod lenient_parse;

use crate::agent_name;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// The answer of a planner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub struct Turn {
    pub status: TurnStatus,
    pub context: Context,
    pub thoughts: Vec<Thought>,
    /// Note of the planner to itself, on one line; shown to it until a newer one replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Position of the plan's item that the turn works at.
    pub step_ref: Option<u32>,
    /// Expected state of the page afterwards; quoted texts in it are checked.
    pub expected_outcome: Option<String>,
    /// From 0 to 1.
    pub confidence: Option<f64>,
    pub actions: Vec<Call>,
    /// True if the work is over after the actions.
    pub stop: bool,
    /// Message to the person; with `stop` the last.
    pub response: Option<String>,
}

/// Status of the work, as the turn reports it (S4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TurnStatus {
    Success,
    #[default]
    Executing,
    Error,
    TaskStarted,
}

/// Context that the turn reports (S4.2, S4.4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Context {
    /// Names of the notes that the turn builds on.
    #[serde(deserialize_with = "or_default")]
    pub knowledge_relics: Vec<String>,
    /// A list of `{name, value}` as requested, or an object as weak models write it.
    #[serde(deserialize_with = "variables")]
    pub variables: Map<String, Value>,
    /// Kept for the trace only; never grants rights (C17).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_level: Option<Value>,
}

/// A thought of the planner (S4.5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thought {
    /// `PLAN`, `OBSERVATION`, `DECISION`, `ASSUMPTION` or another word.
    #[serde(rename = "type")]
    pub kind: String,
    pub content: String,
}

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(agent_name::canonical(&String::deserialize(deserializer)?).to_owned())
}

/// An action as the planner wrote it, not yet checked (S4.6 to S4.13).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Call {
    pub action_id: Option<String>,
    /// Name of an action or agent; aliases are resolved.
    #[serde(deserialize_with = "name")]
    pub action: String,
    /// `tool`, `internal`, `relic` or `monument`; kept for the trace only.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(deserialize_with = "lenient_parse::params")]
    pub params: Map<String, Value>,
    /// `SYNC` or `ASYNC`, in any case.
    pub execution: Option<String>,
    /// Id of an earlier action or of a task.
    pub depends_on: Option<String>,
    pub display: Option<Value>,
    #[serde(deserialize_with = "or_default")]
    pub sub_actions: Vec<Call>,
}

impl Turn {
    /// True if the turn only reports that the plan item is done.
    pub fn only_claims_done(&self) -> bool {
        self.status == TurnStatus::Success && self.actions.is_empty() && !self.stop && self.response.is_none()
    }

    /// True if the turn consists of thoughts alone, before an action (S4.32).
    pub fn only_thinks(&self) -> bool {
        let thinks = self.thoughts.iter().any(|thought| !thought.content.trim().is_empty());
        thinks && self.actions.is_empty() && !self.stop && self.response.is_none()
    }

    /// True if the turn does nothing but keep variables.
    pub fn only_keeps_variables(&self) -> bool {
        let keeps = !self.context.variables.is_empty() && self.status == TurnStatus::Executing;
        keeps && self.actions.is_empty() && !self.stop && self.response.is_none()
    }

    /// True if the turn acts and neither stops nor waits for a background task.
    pub fn goes_on(&self) -> bool {
        let ends = |call: &Call| matches!(call.action.as_str(), "stop" | "complete");
        let status = match self.status {
            TurnStatus::Executing | TurnStatus::Success => true,
            TurnStatus::Error | TurnStatus::TaskStarted => false,
        };
        status && !self.stop && !self.actions.is_empty() && !self.actions.iter().any(ends)
    }
}

impl Call {
    /// Returns the action's id; without one, its position in the turn: a1, a2, … (`docs/turns.md`, "Actions").
    pub fn id_at(&self, index: usize) -> String {
        match &self.action_id {
            Some(id) if !id.trim().is_empty() => id.clone(),
            _ => format!("a{}", index + 1),
        }
    }
}

/// Deserializes `null` as the default value.
fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

fn variables<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    #[derive(Deserialize)]
    struct Pair {
        name: String,
        #[serde(default)]
        value: Value,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Shape {
        Pairs(Vec<Pair>),
        Map(Map<String, Value>),
    }
    Ok(match Option::<Shape>::deserialize(deserializer)? {
        None => Map::new(),
        Some(Shape::Map(map)) => map,
        Some(Shape::Pairs(pairs)) => pairs.into_iter().map(|p| (p.name, p.value)).collect(),
    })
}
