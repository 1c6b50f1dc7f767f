//! The timeline of a run, and details of its steps and effects.

use crate::clock::Moment;
use crate::http::caller_header;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::observability::timeline;
use crate::observability::timeline::compare::ComparedRun;
use crate::observability::timeline::span::Timeline;
use crate::protocol::caller;
use crate::store::rows::trace::TraceBounds;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

/// Maximum age of a record when it is stored, in milliseconds. The cursor goes back by that, so that none is
/// missed.
const LATE_MS: i64 = 10_000;
/// Maximum number of runs in a timeline, and of steps by default.
const BOUNDS: TraceBounds = TraceBounds { runs: 1_000, steps: 10_000 };

/// Timeline of a run tree.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
struct TimelineBody {
    run_id: String,
    root_run_id: String,
    /// Time of the request; spans without an end last until then.
    at: String,
    /// Cursor for the next call, which returns what has changed since.
    cursor: String,
    /// Number of runs and steps left out; the newest steps are included.
    left_out: u64,
    /// Spans in order of their beginnings.
    spans: Vec<TimelineSpan>,
}

/// A period of time; its other fields depend on its kind.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
struct TimelineSpan {
    /// Id that stays the same over calls.
    id: String,
    #[schema(required)]
    parent: Option<String>,
    run_id: String,
    /// run, step, call, question, action, task, item
    kind: String,
    /// Name of the agent for a run, of the node for a step, of the role for a call, or of the action.
    name: String,
    status: String,
    begin: String,
    #[schema(required)]
    end: Option<String>,
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

/// An effect outside of the service.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
struct Effect {
    n: u64,
    action_id: String,
    /// The action about to be executed.
    action: Value,
    intent_at: String,
    #[schema(required)]
    receipt_at: Option<String>,
    /// Result of the effect; null if it is unknown or not yet complete.
    #[schema(required, value_type = Option<Object>)]
    receipt: Option<Value>,
}

#[derive(Deserialize, IntoParams)]
pub struct TimelineQuery {
    /// The `cursor` of the previous answer; returns only what has begun, ended or changed since.
    cursor: Option<String>,
    /// Maximum number of steps, 1 to 20000; 10000 if absent.
    limit: Option<usize>,
}

async fn load_timeline(service: &Service, run: &RunId, bounds: TraceBounds) -> Result<Timeline, Problem> {
    let found = timeline::read_timeline(service.store(), run, bounds).await?;
    // It was there a moment ago, and runs are not removed.
    found.ok_or_else(|| Problem::internal(&"a run without a timeline"))
}

/// Get the timeline of a run and all runs below it: runs, steps, model calls, questions, actions, tasks.
#[utoipa::path(get, path = "/api/runs/{id}/timeline", tag = "runs", params(("id" = String, Path), TimelineQuery), responses(
    (status = 200, body = TimelineBody),
    (status = 400, description = "The query is not valid.", body = run_bodies::Fault),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
))]
pub async fn get_timeline(
    service: web::Data<Service>,
    id: web::Path<String>,
    part: web::Query<TimelineQuery>,
    request: HttpRequest,
) -> HttpResult {
    let run = service.run(&RunId::from(id.into_inner())).await?.id;
    let since = part.cursor.as_deref().filter(|text| !text.is_empty());
    let since = since.map(|text| Moment::from_rfc3339(text).ok_or_else(|| Problem::bad_cursor(text)));
    let since = since.transpose()?;
    let steps = part.limit.unwrap_or(BOUNDS.steps).clamp(1, 20_000);
    let Timeline { run, root, at, spans, left_out } =
        load_timeline(&service, &run, TraceBounds { steps, ..BOUNDS }).await?;
    let cursor = Moment::from_millis(at.millis().saturating_sub(LATE_MS));
    let changed = spans.iter().filter(|span| since.is_none_or(|since| span.changed_since(since)));
    let mut spans: Vec<Value> = changed.map(|span| json!(span)).collect();
    let receiver = caller_header::read_caller_id(&request);
    for span in &mut spans {
        caller::mark(span, &receiver);
    }
    Ok(HttpResponse::Ok().json(json!({
        "run_id": run,
        "root_run_id": root,
        "at": at.rfc3339(),
        "cursor": cursor.rfc3339(),
        "left_out": left_out,
        "spans": spans,
    })))
}

/// Compare two runs: steps in pairs, the first difference, the usage of each, and differences of inputs and
/// outputs.
#[utoipa::path(get, path = "/api/runs/{id}/compare/{other}", tag = "runs",
    params(("id" = String, Path), ("other" = String, Path)),
    responses(
        (status = 200, description = "`a` and `b`, `first_difference` (a place in `steps`), `steps`, `children`, \
            `inputs`, `outputs`.", body = Object),
        (status = 404, description = "There is no such run.", body = run_bodies::Fault),
))]
pub async fn compare(service: web::Data<Service>, path: web::Path<(String, String)>) -> HttpResult {
    let (first, second) = path.into_inner();
    let (a, b) = (service.run(&RunId::from(first)).await?, service.run(&RunId::from(second)).await?);
    let (timeline_a, timeline_b) =
        (load_timeline(&service, &a.id, BOUNDS).await?, load_timeline(&service, &b.id, BOUNDS).await?);
    let a = ComparedRun {
        timeline: &timeline_a,
        input: &a.input,
        vars: &a.vars,
        response: a.response.as_deref(),
    };
    let b = ComparedRun {
        timeline: &timeline_b,
        input: &b.input,
        vars: &b.vars,
        response: b.response.as_deref(),
    };
    let found = timeline::compare(&a, &b);
    let found = found.ok_or_else(|| Problem::internal(&"a run that is not in its own timeline"))?;
    Ok(HttpResponse::Ok().json(timeline::assemble::mask_secrets(json!(found))))
}

/// Get a step with its changes.
#[utoipa::path(get, path = "/api/runs/{id}/steps/{n}", tag = "runs",
    params(("id" = String, Path), ("n" = u64, Path, description = "Counts from 1.")),
    responses(
        (status = 200, body = run_bodies::TraceStep),
        (status = 404, description = "There is no such run or step.", body = run_bodies::Fault),
))]
pub async fn step(service: web::Data<Service>, path: web::Path<(String, u64)>) -> HttpResult {
    let (id, n) = path.into_inner();
    let run = service.run(&RunId::from(id)).await?.id;
    let Some(step) = service.store().step(run.clone(), n).await? else {
        return Err(Problem::not_found("not_found", format!("run {run} has no step {n}, or not yet")));
    };
    Ok(HttpResponse::Ok().json(json!({
        "n": step.n,
        "node": step.node,
        "outcome": step.outcome,
        "at": step.at.rfc3339(),
        "took_ms": step.took_ms,
        "changes": timeline::assemble::mask_secrets(step.changes),
    })))
}

/// Get an effect: the action about to be executed, and its result.
#[utoipa::path(get, path = "/api/runs/{id}/effects/{n}", tag = "runs",
    params(("id" = String, Path), ("n" = u64, Path, description = "Counts from 1.")),
    responses(
        (status = 200, body = Effect),
        (status = 404, description = "There is no such run or effect.", body = run_bodies::Fault),
))]
pub async fn effect(service: web::Data<Service>, path: web::Path<(String, u64)>) -> HttpResult {
    let (id, n) = path.into_inner();
    let run = service.run(&RunId::from(id)).await?.id;
    let Some(effect) = service.store().effect(run.clone(), n).await? else {
        return Err(Problem::not_found("not_found", format!("run {run} has no effect {n}")));
    };
    Ok(HttpResponse::Ok().json(json!({
        "n": effect.n,
        "action_id": effect.action_id,
        "action": timeline::assemble::mask_secrets(effect.action),
        "intent_at": effect.intent_at.rfc3339(),
        "receipt_at": effect.receipt_at.map(Moment::rfc3339),
        "receipt": effect.receipt.map(timeline::assemble::mask_secrets),
    })))
}
