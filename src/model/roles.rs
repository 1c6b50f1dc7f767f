//! Model requests besides turns: plan items, judgements of an item, summaries of old history, and thoughts
//! before acting. The command planner has none of these.

use crate::model::endpoint::reply::{Completion, ReplyFault};
use crate::model::endpoint::structured_output::StructuredRequest;
use crate::model::role_requests::{
    JudgeRequest, PlanItemsRequest, RowsRequest, SummaryRequest, ThinkRequest, closed_object_schema,
    model_required,
};
use crate::model::{Planner, plan_items, prompt};
use crate::page::extracted_rows::schema::RowSchema;
use crate::page::extracted_rows::{MAX_ROWS, Row, fit};
use crate::plan::Item;
use crate::planning::{ModelUsage, PlanError};
use crate::turn::Thought;
use serde_json::{Value, json};

/// The items of a plan; empty if the task needs none.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedItems {
    pub items: Vec<Item>,
    pub usage: Vec<ModelUsage>,
}

/// Verdict of a judge on an item of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    pub met: bool,
    /// The reason in one sentence.
    pub why: String,
    pub usage: Vec<ModelUsage>,
}

/// Summary of the oldest part of a history.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    pub text: String,
    pub usage: Vec<ModelUsage>,
}

/// Rows of a part of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRows {
    pub rows: Vec<Row>,
    pub usage: Vec<ModelUsage>,
}

/// Thoughts before an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Thoughts {
    pub thoughts: Vec<Thought>,
    pub usage: Vec<ModelUsage>,
}

impl Planner {
    /// Requests the items of a plan. Fails without a model.
    pub async fn plan_items(&self, request: &PlanItemsRequest<'_>) -> Result<PlannedItems, PlanError> {
        let Self::Model(planner) = self else { return Err(model_required(request.locale)) };
        let query = StructuredRequest {
            role: "planner",
            model: planner.model_for(request.prefers),
            locale: request.locale,
            name: "plan",
            schema: &plan_items::schema(),
            temperature: request.prefers.and_then(|prefers| prefers.temperature),
            messages: &|previous_fault| prompt::role_prompts::plan(request, previous_fault),
        };
        let (items, usage) = planner
            .answer(query, |reply| {
                plan_items::parse_items(&reply.object_within()?).map_err(ReplyFault::NotAsked)
            })
            .await?;
        Ok(PlannedItems { items, usage })
    }

    /// Judges an item. An invalid verdict is requested once more from the beginning.
    pub async fn judge(&self, request: &JudgeRequest<'_>) -> Result<Judgement, PlanError> {
        let mut judged = self.judge_once(request).await;
        if let Err(PlanError::Invalid { usage: spent, .. }) = judged {
            judged = self.judge_once(request).await;
            let (Ok(Judgement { usage, .. })
            | Err(PlanError::Invalid { usage, .. } | PlanError::Unavailable { usage, .. })) = &mut judged;
            usage.splice(0..0, spent);
        }
        judged
    }

    async fn judge_once(&self, request: &JudgeRequest<'_>) -> Result<Judgement, PlanError> {
        let Self::Model(planner) = self else { return Err(model_required(request.locale)) };
        let query = StructuredRequest {
            role: "judge",
            model: planner.judge_model(request.picture.is_some()),
            locale: request.locale,
            name: "judgement",
            schema: &closed_object_schema(&[
                ("why", json!({"type": "string"})),
                ("met", json!({"type": "boolean"})),
            ]),
            temperature: None,
            messages: &|previous_fault| prompt::role_prompts::judge(request, previous_fault),
        };
        let ((met, why), usage) = planner.answer(query, judgement).await?;
        Ok(Judgement { met, why, usage })
    }

    /// Writes two or three paragraphs with the summarizer's model at temperature 0.
    pub async fn summarize(&self, request: &SummaryRequest<'_>) -> Result<Summary, PlanError> {
        let Self::Model(planner) = self else { return Err(model_required(request.locale)) };
        let query = StructuredRequest {
            role: "summarizer",
            model: planner.summarizer(),
            locale: request.locale,
            name: "summary",
            schema: &closed_object_schema(&[("summary", json!({"type": "string"}))]),
            temperature: Some(0.0),
            messages: &|previous_fault| prompt::role_prompts::summary(request, previous_fault),
        };
        let (text, usage) = planner.answer(query, |reply| text(&reply.object_within()?, "summary")).await?;
        Ok(Summary { text, usage })
    }

    /// Reads rows out of a part of a page's text, with the planner's model at temperature 0.
    pub async fn read_rows(&self, request: &RowsRequest<'_>) -> Result<ReadRows, PlanError> {
        let Self::Model(planner) = self else { return Err(model_required(request.locale)) };
        let query = StructuredRequest {
            role: "extractor",
            model: planner.model_for(request.prefers),
            locale: request.locale,
            name: "rows",
            schema: &closed_object_schema(&[("rows", request.schema.strict_list())]),
            temperature: Some(0.0),
            messages: &|previous_fault| prompt::role_prompts::rows(request, previous_fault),
        };
        let (rows, usage) = planner.answer(query, |reply| rows(request.schema, reply)).await?;
        Ok(ReadRows { rows, usage })
    }

    /// Requests thoughts without actions. Fails without a model.
    pub async fn think(&self, request: &ThinkRequest<'_>) -> Result<Thoughts, PlanError> {
        let Self::Model(planner) = self else { return Err(model_required(request.plan.locale)) };
        let (role, model) = planner.role_and_model(request.plan);
        let text = || json!({"type": "string"});
        let thought = closed_object_schema(&[("type", text()), ("content", text())]);
        let query = StructuredRequest {
            role,
            model,
            locale: request.plan.locale,
            name: "thoughts",
            schema: &closed_object_schema(&[("thoughts", json!({"type": "array", "items": thought}))]),
            temperature: request.plan.prefers.and_then(|prefers| prefers.temperature),
            messages: &|previous_fault| prompt::role_prompts::think(request, previous_fault),
        };
        let (thoughts, usage) = planner.answer(query, thoughts).await?;
        Ok(Thoughts { thoughts, usage })
    }
}

fn judgement(reply: &Completion) -> Result<(bool, String), ReplyFault> {
    let reply_json = reply.object_within()?;
    // Text around the verdict may quote a page, so an answer with two verdicts is invalid.
    if reply.text().is_ok_and(|words| words.matches("\"met\"").count() > 1) {
        return Err(ReplyFault::NotAsked(String::from("there is more than one verdict in it")));
    }
    let met = match &reply_json["met"] {
        Value::Bool(met) => *met,
        Value::String(word) if word.eq_ignore_ascii_case("true") => true,
        Value::String(word) if word.eq_ignore_ascii_case("false") => false,
        _ => return Err(ReplyFault::NotAsked(String::from("`met` (true or false) is missing"))),
    };
    Ok((met, reply_json["why"].as_str().unwrap_or_default().trim().to_owned()))
}

fn rows(schema: &RowSchema, reply: &Completion) -> Result<Vec<Row>, ReplyFault> {
    let reply_json = reply.object_within()?;
    let Some(listed) = reply_json["rows"].as_array() else {
        return Err(ReplyFault::NotAsked(String::from("`rows` (a list) is missing")));
    };
    let fitted = listed.iter().take(MAX_ROWS).enumerate().map(|(at, row)| {
        let fault = |why: String| ReplyFault::NotAsked(format!("row {}: {why}", at + 1));
        fit::fit_row(&schema.fields, row).map_err(fault)
    });
    fitted.collect()
}

fn text(reply_json: &Value, name: &str) -> Result<String, ReplyFault> {
    let text = reply_json[name].as_str().map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| ReplyFault::NotAsked(format!("`{name}` (a text) is missing")))
}

fn thoughts(reply: &Completion) -> Result<Vec<Thought>, ReplyFault> {
    let reply_json = reply.object_within()?;
    let thoughts: Vec<Thought> = serde_json::from_value(reply_json["thoughts"].clone())
        .map_err(|fault| ReplyFault::NotAsked(fault.to_string()))?;
    let thoughts: Vec<Thought> =
        thoughts.into_iter().filter(|thought| !thought.content.trim().is_empty()).collect();
    if thoughts.is_empty() {
        return Err(ReplyFault::NotAsked(String::from("`thoughts` is empty")));
    }
    Ok(thoughts)
}
