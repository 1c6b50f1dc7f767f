//! The lanes of a composite agent (S0.9 to S0.14).

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Reference to the agent's own inputs and locals, in place of an item's id.
pub const CONTEXT: &str = "__CTX__";

/// Default number of items of a lane that run in parallel (C6).
pub const MAX_PARALLEL: usize = 4;

/// Lanes, executed from left to right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Graph {
    /// Number of items of a lane that run in parallel; 1 runs them one after another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_parallel: Option<usize>,
    pub lanes: Vec<Lane>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lane {
    pub items: Vec<Item>,
}

/// A call of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Item {
    pub id: String,
    pub agent: String,
    /// Condition of the call; the item is skipped if it is false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bindings: Vec<Binding>,
    /// Effect of a failure of the item.
    #[serde(default, skip_serializing_if = "OnError::is_fail")]
    pub on_error: OnError,
    /// Time limit of each attempt, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ui: Option<Placement>,
}

/// A condition (S0.12): `var` with one of the comparisons, or `expr` alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct When {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub var: Option<String>,
    /// Text, true or false, a number, or null.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub equals: Option<Value>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub not_equals: Option<Value>,
    #[serde(rename = "in", default, skip_serializing_if = "Option::is_none")]
    pub one_of: Option<Vec<Value>>,
    /// True: the variable exists and is not null. False: it does not exist or is null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
    /// A minijinja expression over the context that is true or false: `score > 3 and not done`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expr: Option<String>,
}

/// Effect of a failure of an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum OnError {
    /// The composite ends with the item's status.
    #[default]
    Fail,
    /// The lanes continue without its outputs; the composite ends as partial at best.
    Continue,
    /// Retries the item up to `max` times; then the composite ends with the status of the last attempt.
    Retry { max: u32 },
}

impl OnError {
    fn is_fail(&self) -> bool {
        *self == Self::Fail
    }
}

/// An input of an item, taken from another item's output or from the context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    pub from_agent_item_id: String,
    pub from_var: String,
    pub to_agent_item_id: String,
    pub to_var: String,
}

/// Position of an item in the editor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    pub lane_index: u32,
    pub order: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<f64>,
}

/// Deserializes `null` as a given value, as distinct from an absent one.
pub fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
