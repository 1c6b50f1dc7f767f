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
    Locale::of_input(&row.input)
}

/// Returns the outputs by name, and the final response as text.
pub fn ended(row: &RunRow) -> CallToolResult {
    let said = row.response.clone().filter(|said| !said.trim().is_empty());
    let said = said.unwrap_or_else(|| row.status.clone());
    if row.status == Status::Succeeded.word() {
        call_result(row, said, json!(row.vars), false)
    } else {
        let whole = json!({"run_id": row.id, "status": row.status, "error": said, "outputs": row.vars});
        call_result(row, said, whole, true)
    }
}

/// Returns the open questions, with the link where a person answers.
pub async fn asks(service: &Service, base: &str, row: &RunRow) -> Result<CallToolResult, Problem> {
    let open = service.store().open_questions(Some(row.root.clone())).await?;
    let link = link(base, row);
    let questions: Vec<Value> = open.iter().map(|question| brief(&view::question(question), &link)).collect();
    let texts = questions.iter().filter_map(|question| question["text"].as_str());
    let asked: Vec<&str> = texts.collect();
    let locale = locale(row);
    let words = if asked.is_empty() {
        texts::http::waiting_for_background_work(&link, locale)
    } else {
        texts::http::waiting_for_person(&asked.join("\n"), &link, locale)
    };
    let told = json!({"run_id": row.id, "status": row.status, "questions": questions, "link": link});
    Ok(call_result(row, words, told, false))
}

/// Returns the result for a paused run.
pub fn paused(base: &str, row: &RunRow) -> CallToolResult {
    let link = link(base, row);
    let words = texts::http::paused_resume_at(&link, locale(row));
    call_result(row, words, json!({"run_id": row.id, "status": row.status, "link": link}), false)
}

/// Returns the result for a run that still runs at the time limit.
pub fn goes_on(base: &str, row: &RunRow) -> CallToolResult {
    if has_ended(row) {
        return ended(row);
    }
    let link = link(base, row);
    let words = texts::http::still_running(&link, locale(row));
    call_result(row, words, json!({"run_id": row.id, "status": row.status, "link": link}), false)
}

/// Converts a problem to a result, with its HTTP code and text.
pub fn refused(problem: &Problem) -> CallToolResult {
    let mut whole = Map::from_iter([
        (String::from("code"), json!(problem.code)),
        (String::from("detail"), json!(problem.detail)),
    ]);
    whole.extend(problem.more.clone());
    let mut told = CallToolResult::error(vec![ContentBlock::text(problem.detail.clone())]);
    told.structured_content = Some(Value::Object(whole));
    told
}

/// Returns a value as JSON and as text.
pub fn read(value: Value) -> CallToolResult {
    let mut told = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    told.structured_content = Some(value);
    told
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
    let mut told = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    told.structured_content = Some(structured);
    let mut meta = MetaObject::new();
    meta.0.insert(RUN.to_owned(), json!(row.id));
    meta.0.insert(STATUS.to_owned(), json!(row.status));
    told.with_meta(Some(meta))
}
