//! Limits that an agent file may set.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The agent's own limits, named as in the settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_steps: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_steps: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalid_actions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tries: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub try_timeout_s: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orchestration_depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orchestration_steps: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orchestration_width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_s: Option<u64>,
}
