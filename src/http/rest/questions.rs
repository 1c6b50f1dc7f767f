//! Questions that wait for a person, and the person's answers. Runs have no access to these calls: only
//! people and their tools use HTTP.

use crate::clock::Moment;
use crate::engine::registry::answers::AnswerQuestion;
use crate::engine::registry::view;
use crate::http::caller_header;
use crate::http::json_object::JsonObject;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::Service;
use crate::ids::{QuestionId, RunId};
use crate::protocol::server::ResolvedBy;
use crate::protocol::{caller, client};
use crate::store::waiting_questions::{QuestionCursor, WaitingFilter, WaitingRow};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::IntoParams;

const LIMIT: usize = 200;

#[derive(Deserialize, IntoParams)]
pub struct QuestionQuery {
    /// Only questions of this run's tree.
    run_id: Option<String>,
    /// `waiting` (the default): questions that are not answered yet.
    status: Option<String>,
    /// Maximum number of questions, 1 to 200; 200 if absent.
    limit: Option<usize>,
    /// The `cursor` of the previous answer.
    cursor: Option<String>,
}

/// List the open questions of all runs, oldest first, with their total number.
#[utoipa::path(get, path = "/api/questions", tag = "questions", params(QuestionQuery), responses(
    (status = 200, body = run_bodies::WaitingQuestions),
    (status = 400, description = "The query does not fit.", body = run_bodies::Fault),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
))]
pub async fn list(service: web::Data<Service>, query: web::Query<QuestionQuery>) -> HttpResult {
    let QuestionQuery { run_id, status, limit, cursor } = query.into_inner();
    // A form sends empty fields as empty texts.
    let [run_id, status, cursor] =
        [run_id, status, cursor].map(|field| field.filter(|text| !text.is_empty()));
    if let Some(word) = status.filter(|word| word != "waiting") {
        let detail = format!("questions are listed while they wait: use status=waiting, not \"{word}\"");
        return Err(Problem::bad_request("bad_query", detail));
    }
    let root = match run_id {
        Some(run) => Some(service.run(&RunId::from(run)).await?.root),
        None => None,
    };
    let limit = limit.unwrap_or(LIMIT).clamp(1, LIMIT);
    let after = cursor.map(|cursor| parse_cursor(&cursor)).transpose()?;
    let total = service.store().count_waiting(root.clone()).await?;
    // A row more than requested shows whether there are more.
    let mut rows = service.store().waiting_questions(WaitingFilter { root, after, limit: limit + 1 }).await?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let cursor = rows.last().filter(|_| more).map(cursor_behind);
    let items: Vec<Value> = rows.iter().map(|row| view::question(&row.question)).collect();
    let tasks: Map<String, Value> = rows.iter().map(task).collect();
    Ok(HttpResponse::Ok().json(json!({"items": items, "cursor": cursor, "total": total, "tasks": tasks})))
}

fn cursor_behind(WaitingRow { question, .. }: &WaitingRow) -> String {
    format!("{}.{}", question.asked_at.millis(), question.reference)
}

fn parse_cursor(cursor: &str) -> Result<QuestionCursor, Problem> {
    let parts = cursor.split_once('.').and_then(|(at, reference)| Some((at.parse().ok()?, reference)));
    let Some((millis, reference)) = parts else {
        return Err(Problem::bad_cursor(cursor));
    };
    Ok(QuestionCursor { asked_at: Moment::from_millis(millis), reference: QuestionId::from(reference) })
}

/// Returns title and agent of the question's task, keyed by the id of its root run.
fn task(row: &WaitingRow) -> (String, Value) {
    (row.question.root.to_string(), json!({"title": row.title, "agent": row.agent}))
}

/// Answer a question. The first answer counts.
#[utoipa::path(post, path = "/api/questions/{reference}", tag = "questions",
    params(("reference" = String, Path)),
    request_body = run_bodies::Answer,
    responses(
        (status = 200, description = "The run continues with it.", body = run_bodies::Resolved),
        (status = 403, description = "`own_question`: a program may not answer questions of runs that it started \
            (`gate.client_answers`).", body = run_bodies::Fault),
        (status = 404, description = "There is no such question.", body = run_bodies::Fault),
        (status = 409, description = "It has already been answered or has expired.", body = run_bodies::Fault),
        (status = 422, description = "The answer does not fit the question.", body = run_bodies::Fault),
))]
pub async fn answer(
    service: web::Data<Service>,
    reference: web::Path<String>,
    body: web::Json<JsonObject<client::Answer>>,
    request: HttpRequest,
) -> HttpResult {
    let (reference, answer) = (QuestionId::from(reference.into_inner()), body.into_inner().0);
    let client = caller_header::read_caller(&request);
    service.ask_registry(AnswerQuestion::new(reference.clone(), answer, None, client.clone())).await?;
    let (run, answer) =
        service.store().question(reference.clone()).await?.map(|row| (row.run, row.answer)).unzip();
    let mut resolved = json!({
        "reference": reference, "run_id": run, "by": ResolvedBy::from_client(Some(&client)), "client": client, "answer": answer.flatten(),
    });
    caller::mark(&mut resolved, &client.id);
    Ok(HttpResponse::Ok().json(resolved))
}
