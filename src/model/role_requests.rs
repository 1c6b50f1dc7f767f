//! Requests of the roles beside the planner: plan items, judge, summary, thoughts, orchestration.

use crate::page::extracted_rows::schema::RowSchema;
use crate::page::extracted_rows::text_parts::TextPart;
use crate::page::observation::Observation;
use crate::plan::Item;
use crate::planning::{HistoryEntry, ModelPreference, PlanError, PlanRequest};
use crate::protocol::Locale;
use crate::texts;
use crate::turn::agent_tools::Tool;
use serde_json::{Map, Value, json};

/// Request for the items of a plan, or of the rest of one (S2.33, S2.34).
#[derive(Clone, Copy, Debug)]
pub struct PlanItemsRequest<'a> {
    pub locale: Locale,
    /// The model named in the agent's file.
    pub prefers: Option<&'a ModelPreference>,
    /// Purpose of the agent.
    pub goal: Option<&'a str>,
    /// The person's task.
    pub mission: &'a str,
    pub answers: &'a Map<String, Value>,
    /// Items of the current plan, if there is one.
    pub items: &'a [Item],
    /// Reason for a new plan.
    pub reason: Option<&'a str>,
    /// For reference only; items name no tools.
    pub tools: &'a [Tool],
    /// Messages and results so far.
    pub history: &'a [HistoryEntry],
    pub page: Option<&'a Observation>,
}

/// Request to judge from evidence whether an item is reached (C12).
#[derive(Clone, Copy, Debug)]
pub struct JudgeRequest<'a> {
    pub locale: Locale,
    pub item: &'a Item,
    pub mission: &'a str,
    /// The agent's own report about the item.
    pub report: &'a str,
    /// The actions taken, one line each.
    pub work: &'a [String],
    pub url: Option<&'a str>,
    pub page: &'a str,
    /// A screenshot as JPEG.
    pub picture: Option<&'a [u8]>,
    pub files: &'a [String],
    pub variables: &'a [(String, String)],
    /// The person's answers by key, in their own words.
    pub answers: &'a [(String, String)],
}

/// Request for a summary of the oldest part of a conversation (S2.32).
#[derive(Clone, Copy, Debug)]
pub struct SummaryRequest<'a> {
    pub locale: Locale,
    pub entries: &'a [HistoryEntry],
}

/// Request for the rows that a part of a page's text tells of.
#[derive(Clone, Copy, Debug)]
pub struct RowsRequest<'a> {
    pub locale: Locale,
    /// The model named in the agent's file.
    pub prefers: Option<&'a ModelPreference>,
    pub schema: &'a RowSchema,
    pub part: TextPart<'a>,
}

/// Request for thoughts before acting (S4.33).
#[derive(Clone, Copy, Debug)]
pub struct ThinkRequest<'a> {
    /// The request of the turn; the prompt starts with the same messages.
    pub plan: &'a PlanRequest<'a>,
    pub most: u32,
    pub tokens: u32,
}

/// Returns the schema of a closed object that requires all of these properties.
pub(crate) fn closed_object_schema(members: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> =
        members.iter().map(|(name, of)| ((*name).to_owned(), of.clone())).collect();
    json!({
        "type": "object", "properties": properties, "required": names, "additionalProperties": false,
    })
}

/// Error without a model: the command planner has none of these roles.
pub(crate) fn model_required(locale: Locale) -> PlanError {
    PlanError::Unavailable { message: texts::model::model_required(locale).to_owned(), usage: Vec::new() }
}

/// An agent that a plan may name.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedAgent {
    pub tool: Tool,
    /// Names of its outputs.
    pub outputs: Vec<String>,
}

impl OfferedAgent {
    /// Describes the agent for an agent that makes plans.
    pub fn describe(&self) -> Value {
        let inputs: Vec<Value> = self
            .tool
            .inputs
            .iter()
            .map(|input| {
                json!({"name": input.name, "type": input.type_name, "required": input.required, "description": input.description})
            })
            .collect();
        let Tool { name, description, .. } = &self.tool;
        json!({"name": name, "description": description, "inputs": inputs, "outputs": self.outputs})
    }
}

/// Request for a plan of agents.
#[derive(Clone, Copy)]
pub struct OrchestrationRequest<'a> {
    pub locale: Locale,
    pub prefers: &'a ModelPreference,
    /// The person's request in their own words.
    pub prompt: &'a str,
    pub agents: &'a [OfferedAgent],
    /// Names of the values that templates may use.
    pub bindings: &'a [String],
    /// Most agent steps in one plan.
    pub most: u32,
    /// Checks a plan; the error is worded for the model.
    pub fits: &'a (dyn Fn(&Value) -> Result<(), String> + Sync),
}
