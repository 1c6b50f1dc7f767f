//! A plan: goals with what shows that each is reached, never how (document 002). Pure: what it is, and what
//! is next. The tool is chosen when an item is worked at.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How often an item is tried where nothing else is said (S2.1).
pub const MAX_ATTEMPTS: u32 = 3;

/// One goal (S2.1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default)]
pub struct Item {
    /// From 1; the order in which items are worked at.
    pub position: u32,
    /// What is to be achieved.
    pub description: String,
    /// What can be observed when it is.
    pub acceptance_criteria: String,
    /// What a machine can check of that; all of them must hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<Predicate>>"))]
    pub predicates: Vec<Predicate>,
    /// Positions of the items that must have succeeded before.
    pub dependencies: Vec<u32>,
    pub status: ItemStatus,
    /// What was done for it last.
    pub chosen_tool: Option<String>,
    pub tool_input: Option<Value>,
    pub execution_result: Option<Value>,
    pub attempts: u32,
    pub max_attempts: u32,
    /// What it was accepted by, or why it was not.
    pub evidence: Option<Evidence>,
}

/// The words of document 002 are read as well (C8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ItemStatus {
    #[default]
    #[serde(alias = "PENDING", alias = "pending")]
    Queued,
    Running,
    #[serde(alias = "COMPLETED", alias = "completed")]
    Succeeded,
    #[serde(alias = "FAILED")]
    Failed,
    #[serde(alias = "SKIPPED")]
    Skipped,
}

/// A condition that needs no judge (C12).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "check", rename_all = "snake_case")]
pub enum Predicate {
    /// The address of the page contains this.
    Url { value: String },
    /// The page shows this.
    Text { value: String },
    /// The run has a file of this name.
    File { value: String },
    /// A variable or an answer has this value, as text.
    Variable { name: String, value: String },
}

/// What an item was judged by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default)]
pub struct Evidence {
    pub accepted: bool,
    /// `predicates`, `judge`, or `person`.
    pub by: String,
    /// In one sentence.
    pub why: String,
    /// The page then: its address, and the path of its picture.
    pub url: Option<String>,
    pub picture: Option<String>,
    /// What was seen or returned, shortened.
    pub text: Option<String>,
}
