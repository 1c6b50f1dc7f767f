//! Model calls of a run.

use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::store::rows::recordings::{CallRow, CallText};
use actix_web::{HttpResponse, web};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// A model call.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
struct ModelCall {
    /// Counts from 1 within the run.
    n: u64,
    /// Number of the step that made the call (`/trace`).
    step: u64,
    /// planner, vision, judge, summarizer, extractor, llm
    role: String,
    model: String,
    at: String,
    took_ms: u64,
    tokens: Tokens,
    /// Null if the price is unknown.
    #[schema(required)]
    cost: Option<f64>,
    #[schema(required)]
    currency: Option<String>,
    /// Error message if the call failed.
    #[schema(required)]
    error: Option<String>,
    /// True if the step failed and the answer was not kept.
    dropped: bool,
}

#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
struct Tokens {
    input: u64,
    cached: u64,
    output: u64,
}

/// A model call with its texts. Secrets are replaced by placeholders, pictures by hashes.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
struct WholeCall {
    #[serde(flatten)]
    call: ModelCall,
    /// Messages as they were sent; empty if only answers are recorded (`telemetry.record_model`).
    messages: Vec<Value>,
    /// Parameters of the request besides the messages: model, response format, temperature.
    #[schema(value_type = Object)]
    request: Value,
    /// Text of the answer.
    #[schema(required)]
    text: Option<String>,
    /// The whole chat completion.
    #[schema(required, value_type = Option<Object>)]
    answer: Option<Value>,
}

/// List the model calls of a run in order, without their texts.
#[utoipa::path(get, path = "/api/runs/{id}/calls", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = run_bodies::Page<ModelCall>),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
))]
pub async fn list(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    let run = service.run(&RunId::from(id.into_inner())).await?.id;
    let items: Vec<Value> = service.store().calls(run).await?.iter().map(row).collect();
    Ok(HttpResponse::Ok().json(json!({"items": items, "cursor": null})))
}

/// Get one model call with its texts.
#[utoipa::path(get, path = "/api/runs/{id}/calls/{n}", tag = "runs",
    params(("id" = String, Path), ("n" = u64, Path, description = "Counts from 1.")),
    responses(
        (status = 200, body = WholeCall),
        (status = 404, description = "There is no such call.", body = run_bodies::Fault),
))]
pub async fn get_call(service: web::Data<Service>, path: web::Path<(String, u64)>) -> HttpResult {
    let (id, n) = path.into_inner();
    let run = service.run(&RunId::from(id)).await?.id;
    let Some((call, text)) = service.store().call(run.clone(), n).await? else {
        return Err(Problem::not_found("not_found", format!("there is no call {n} of run {run}")));
    };
    Ok(HttpResponse::Ok().json(call_document(&call, text)))
}

fn call_document(call: &CallRow, text: CallText) -> Value {
    let mut document = row(call);
    let reply = text.answer.as_ref().and_then(|answer| words(&answer["choices"][0]["message"]["content"]));
    document["messages"] = json!(text.messages);
    document["request"] = if text.request.is_null() { json!({}) } else { text.request };
    document["text"] = json!(reply);
    document["answer"] = json!(text.answer);
    document
}

fn words(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(parts.iter().filter_map(|part| part["text"].as_str()).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn row(call: &CallRow) -> Value {
    json!({
        "n": call.n,
        "step": call.step,
        "role": call.role,
        "model": call.model,
        "at": call.at.rfc3339(),
        "took_ms": call.took_ms,
        "tokens": {"input": call.input, "cached": call.cached, "output": call.output},
        "cost": call.cost,
        "currency": call.currency,
        "error": call.error,
        "dropped": call.dropped,
    })
}
