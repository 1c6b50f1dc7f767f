//! The lanes of a composite agent (S0.9 to S0.14).

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The word for the globals and locals of the agent itself, in place of an item's id.
pub const CONTEXT: &str = "__CTX__";

/// So many items of a lane run side by side where the graph does not say (C6).
pub const MAX_PARALLEL: usize = 4;

/// Lanes, carried out from left to right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Graph {
    /// How many items of a lane run side by side; 1 is one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_parallel: Option<usize>,
    pub lanes: Vec<Lane>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lane {
    pub items: Vec<Item>,
}

/// One call of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Item {
    pub id: String,
    pub agent: String,
    /// The item is skipped where this does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bindings: Vec<Binding>,
    /// What a failure of the item means for the whole.
    #[serde(default, skip_serializing_if = "OnError::is_fail")]
    pub on_error: OnError,
    /// Seconds that each try of the item may take.
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
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub equals: Option<Value>,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub not_equals: Option<Value>,
    #[serde(rename = "in", default, skip_serializing_if = "Option::is_none")]
    pub one_of: Option<Vec<Value>>,
    /// Whether the variable is there and not null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
    /// A minijinja expression over the context that is true or false: `score > 3 and not done`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expr: Option<String>,
}

/// What a failure of an item means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum OnError {
    /// The whole ends as the item did.
    #[default]
    Fail,
    /// The lanes go on without its outputs; the whole is partial at best.
    Continue,
    /// It is tried again so often, then the whole ends as the last try did.
    Retry { max: u32 },
}

impl OnError {
    pub fn is_fail(&self) -> bool {
        *self == Self::Fail
    }
}

/// One input of an item, taken from another item's output or from the context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    pub from_agent_item_id: String,
    pub from_var: String,
    pub to_agent_item_id: String,
    pub to_var: String,
}

/// Where the editor shows an item.
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

/// Tells `null` from nothing at all.
pub fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
