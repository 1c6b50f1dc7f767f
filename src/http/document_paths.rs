//! Paths of the specification documents (C14): other names for `/api/runs`. Each call answers when the run
//! has ended, asks a question, is paused, or the time limit is reached.

use crate::clock::Moment;
use crate::engine::registry::starting::StartRun;
use crate::engine::registry::view;
use crate::http::caller_header;
use crate::http::json_object::JsonObject;
use crate::http::language::reader::ReaderLocale;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::follow_run::{HaltReason, has_ended};
use crate::http::rest::runs::{event_lines, run_bodies, start_run, start_with_metadata, wait_for_run};
use crate::http::service::Service;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::protocol::caller::Caller;
use crate::store::rows::{EventRow, RunRow};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

/// Maximum number of events in the `log` of a run.
const LOG: usize = 10_000;

#[derive(Deserialize, ToSchema)]
pub struct RunRequest {
    #[serde(default)]
    input: Map<String, Value>,
    /// Time limit in milliseconds; 600000 if absent.
    timeout_ms: Option<u64>,
}

/// Run an agent and wait for the result.
// The path of the specification (S0.37).
#[utoipa::path(post, path = "/api/run/{name}", tag = "documents", params(("name" = String, Path)), request_body = RunRequest, responses(
    (status = 200, description = "It has ended.", body = run_bodies::Outcome),
    (status = 202, description = "It asks something, is paused, or the time is up.", body = run_bodies::Outcome),
    (status = 404, description = "There is no such agent.", body = run_bodies::Fault),
    (status = 422, description = "The input does not fit the agent.", body = run_bodies::Fault),
))]
pub async fn run(
    service: web::Data<Service>,
    name: web::Path<String>,
    reader: ReaderLocale,
    body: web::Json<JsonObject<RunRequest>>,
    request: HttpRequest,
) -> HttpResult {
    let client = caller_header::read_caller(&request);
    carry_out(&service, client, reader, name.into_inner(), body.into_inner().0).await
}

/// Run an agent and wait for the result. Alias of `/api/run/{name}`.
// The path of the specification (S0.49).
#[utoipa::path(post, path = "/api/agents/{name}/run", tag = "documents", params(("name" = String, Path)), request_body = RunRequest, responses(
    (status = 200, description = "It has ended.", body = run_bodies::Outcome),
    (status = 202, description = "It asks something, is paused, or the time is up.", body = run_bodies::Outcome),
    (status = 404, description = "There is no such agent.", body = run_bodies::Fault),
    (status = 422, description = "The input does not fit the agent.", body = run_bodies::Fault),
))]
pub async fn run_agent(
    service: web::Data<Service>,
    name: web::Path<String>,
    reader: ReaderLocale,
    body: web::Json<JsonObject<RunRequest>>,
    request: HttpRequest,
) -> HttpResult {
    let client = caller_header::read_caller(&request);
    carry_out(&service, client, reader, name.into_inner(), body.into_inner().0).await
}

async fn carry_out(
    service: &Service,
    client: Caller,
    reader: ReaderLocale,
    agent: String,
    RunRequest { mut input, timeout_ms }: RunRequest,
) -> HttpResult {
    reader.speaks(&mut input);
    let run = start_run(service, StartRun { client: Some(client), ..StartRun::new(agent, input) }).await?;
    let status = wait(service, &run, timeout_ms).await?;
    let row = service.run(&run).await?;
    let facts = facts(service, &row).await?;
    let locale = reader.choose_for_run(&row.input);
    Ok(HttpResponse::build(status).json(json!({
        "ok": has_succeeded(&row),
        "vars": row.vars,
        "log": event_lines::readable(&facts, locale),
        "error": error(&row),
        "run_id": row.id,
        "status": row.status,
        "questions": questions(service, &row).await?,
    })))
}

#[derive(Deserialize, ToSchema)]
pub struct ExecutionRequest {
    /// The inputs by name; also accepted as `with`.
    #[serde(default, alias = "with")]
    input: Map<String, Value>,
    /// Text for the agent: its input `text`.
    prompt: Option<String>,
    /// Time limit in milliseconds; 600000 if absent.
    timeout_ms: Option<u64>,
    /// A repeated key for the same agent returns the run that was started with it first.
    idempotency_key: Option<String>,
    /// An object stored with the run, at most 16 kB.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Value>,
}

/// Run an agent and wait for the result, as an execution.
// The path of the specification (S3.3, S3.15, S3.39).
#[utoipa::path(post, path = "/agents/{id}/executions", tag = "documents", params(("id" = String, Path)), request_body = ExecutionRequest, responses(
    (status = 200, description = "It has ended.", body = run_bodies::ExecutionRecord),
    (status = 202, description = "It asks something, is paused, or the time is up.", body = run_bodies::ExecutionRecord),
    (status = 404, description = "There is no such agent.", body = run_bodies::Fault),
    (status = 409, description = "The key was used for another input.", body = run_bodies::Fault),
    (status = 422, description = "The input does not fit the agent.", body = run_bodies::Fault),
))]
pub async fn execute(
    service: web::Data<Service>,
    id: web::Path<String>,
    body: web::Json<JsonObject<ExecutionRequest>>,
    request: HttpRequest,
) -> HttpResult {
    let ExecutionRequest { mut input, prompt, timeout_ms, idempotency_key, metadata } = body.into_inner().0;
    if let Some(prompt) = prompt {
        input.entry("text").or_insert(Value::String(prompt));
    }
    let client = Some(caller_header::read_caller(&request));
    let start = StartRun { idempotency_key, client, ..StartRun::new(id.into_inner(), input) };
    let run = start_with_metadata(&service, start, metadata).await?;
    let status = wait(&service, &run, timeout_ms).await?;
    Ok(HttpResponse::build(status).json(execution(&service, &run).await?))
}

/// Get the record of an execution.
// The path of the specification (S3.34).
#[utoipa::path(get, path = "/executions/agents/{exec_id}", tag = "documents", params(("exec_id" = String, Path)),
    responses(
        (status = 200, body = run_bodies::ExecutionRecord),
        (status = 404, description = "There is no such execution.", body = run_bodies::Fault),
))]
pub async fn executed(service: web::Data<Service>, exec_id: web::Path<String>) -> HttpResult {
    let record = execution(&service, &RunId::from(exec_id.into_inner())).await?;
    Ok(HttpResponse::Ok().json(record))
}

async fn execution(service: &Service, run: &RunId) -> Result<Value, Problem> {
    let row = service.run(run).await?;
    Ok(json!({
        "exec_id": row.id,
        "run_id": row.id,
        "parent_exec_id": row.parent,
        "agent_id": row.agent,
        "status": row.status,
        "success": has_succeeded(&row),
        "input": row.input,
        "outputs": row.vars,
        "error": error(&row).map(|words| json!({"code": row.status, "message": words})),
        "questions": questions(service, &row).await?,
        "created_at": row.created_at.rfc3339(),
        "ended_at": row.ended_at.map(Moment::rfc3339),
    }))
}

async fn wait(service: &Service, run: &RunId, timeout_ms: Option<u64>) -> Result<StatusCode, Problem> {
    match wait_for_run::wait_until_halted(service, run, timeout_ms).await? {
        Some(HaltReason::Ended) => Ok(StatusCode::OK),
        Some(HaltReason::AwaitsAnswer | HaltReason::Paused | HaltReason::AwaitsMessage) | None => {
            Ok(StatusCode::ACCEPTED)
        }
    }
}

async fn questions(service: &Service, row: &RunRow) -> Result<Vec<Value>, Problem> {
    let open = service.store().open_questions(Some(row.root.clone())).await?;
    Ok(open.iter().map(view::question).collect())
}

async fn facts(service: &Service, row: &RunRow) -> Result<Vec<EventRow>, Problem> {
    Ok(service.store().events(row.root.clone(), 0, LOG).await?)
}

fn has_succeeded(row: &RunRow) -> bool {
    row.status == Status::Succeeded.word()
}

/// Returns the reason if the run has ended without success.
fn error(row: &RunRow) -> Option<String> {
    let words =
        || row.response.clone().filter(|words| !words.is_empty()).unwrap_or_else(|| row.status.clone());
    (has_ended(row) && !has_succeeded(row)).then(words)
}
