//! The lanes of a composite agent (S0.9 to S0.14).

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The word for the globals and locals of the agent itself, in place of an item's id.
pub const CONTEXT: &str = "__CTX__";

/// Lanes, carried out from left to right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Graph {
    pub lanes: Vec<Lane>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lane {
    pub items: Vec<Item>,
}

/// One call of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    pub id: String,
    pub agent: String,
    /// The item is skipped where this does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bindings: Vec<Binding>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ui: Option<Placement>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    pub var: String,
    /// Text, true or false, a number, or null.
    pub equals: Value,
}

/// One input of an item, taken from another item's output or from the context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    pub from_agent_item_id: String,
    pub from_var: String,
    pub to_agent_item_id: String,
    pub to_var: String,
}

/// Where the editor shows an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    pub lane_index: u32,
    pub order: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<f64>,
}
