//! Results of calls: the outputs of a run that has ended, or what a run waits for, with a link for the
//! person.

use crate::engine::registry::view;
use crate::http::problem::Problem;
use crate::http::rest::runs::follow_run::has_ended;
use crate::http::service::Service;
use crate::protocol::{Locale, Status};
use crate::store::rows::RunRow;
use crate::texts;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value, json};

/// Key of the run's id in `_meta` of every result.
const RUN: &str = "askfirst/run_id";
const STATUS: &str = "askfirst/status";

pub fn locale(row: &RunRow) -> Locale {
    Locale::from_input_or_english(&row.input)
}

/// Returns the outputs by name, and the final response as text.
pub fn ended_result(row: &RunRow) -> CallToolResult {
    let text = row.response.clone().filter(|text| !text.trim().is_empty());
    let text = text.unwrap_or_else(|| row.status.clone());
    if row.status == Status::Succeeded.word() {
        call_result(row, text, json!(row.vars), false)
    } else {
        let content = json!({"run_id": row.id, "status": row.status, "error": text, "outputs": row.vars});
        call_result(row, text, content, true)
    }
}

/// Returns the open questions, with the link where a person answers.
pub async fn waiting_result(service: &Service, base: &str, row: &RunRow) -> Result<CallToolResult, Problem> {
    let open = service.store().open_questions(Some(row.root.clone())).await?;
    let link = link(base, row);
    let questions: Vec<Value> = open.iter().map(|question| brief(&view::question(question), &link)).collect();
    let texts = questions.iter().filter_map(|question| question["text"].as_str());
    let question_texts: Vec<&str> = texts.collect();
    let locale = locale(row);
    let words = if question_texts.is_empty() {
        texts::http::waiting_for_background_work(&link, locale)
    } else {
        texts::http::waiting_for_person(&question_texts.join("\n"), &link, locale)
    };
    let structured = json!({"run_id": row.id, "status": row.status, "questions": questions, "link": link});
    Ok(call_result(row, words, structured, false))
}

/// Returns the result for a paused run.
pub fn paused_result(base: &str, row: &RunRow) -> CallToolResult {
    let link = link(base, row);
    let words = texts::http::paused_resume_at(&link, locale(row));
    call_result(row, words, json!({"run_id": row.id, "status": row.status, "link": link}), false)
}

/// Returns the result for a run that still runs at the time limit.
pub fn running_result(base: &str, row: &RunRow) -> CallToolResult {
    if has_ended(row) {
        return ended_result(row);
    }
    let link = link(base, row);
    let words = texts::http::still_running(&link, locale(row));
    call_result(row, words, json!({"run_id": row.id, "status": row.status, "link": link}), false)
}

/// Converts a problem to a result, with its HTTP code and text.
pub fn problem_result(problem: &Problem) -> CallToolResult {
    let mut content = Map::from_iter([
        (String::from("code"), json!(problem.code)),
        (String::from("detail"), json!(problem.detail)),
    ]);
    content.extend(problem.more.clone());
    let mut result = CallToolResult::error(vec![ContentBlock::text(problem.detail.clone())]);
    result.structured_content = Some(Value::Object(content));
    result
}

/// Returns a value as JSON and as text.
pub fn json_result(value: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    result.structured_content = Some(value);
    result
}

/// Returns the link to a run in the UI, without the token, which belongs to the person.
pub fn link(base: &str, row: &RunRow) -> String {
    format!("{base}/#/runs/{}", row.root)
}

/// Returns the fields needed to answer a question, without its picture and values, which the UI shows.
pub fn brief(question: &Value, link: &str) -> Value {
    let names = ["reference", "run_id", "kind", "text", "reason", "expires_at"];
    let mut brief: Map<String, Value> =
        names.iter().filter_map(|name| Some(((*name).to_owned(), question.get(*name)?.clone()))).collect();
    brief.insert(String::from("link"), json!(link));
    Value::Object(brief)
}

fn call_result(row: &RunRow, words: String, structured: Value, is_error: bool) -> CallToolResult {
    let content = vec![ContentBlock::text(words)];
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(structured);
    let mut meta = MetaObject::new();
    meta.0.insert(RUN.to_owned(), json!(row.id));
    meta.0.insert(STATUS.to_owned(), json!(row.status));
    result.with_meta(Some(meta))
}
