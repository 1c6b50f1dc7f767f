//! The files that a run leaves, over HTTP: its state and its trace.

use crate::engine::archive::documents;
use crate::engine::archive::documents::DocumentKind;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::{Service, run_blocking};
use crate::ids::RunId;
use actix_web::{HttpResponse, web};
use serde_json::Value;
use utoipa::ToSchema;

/// Members that `state.json` and `trace.json` share.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape for the API's description")]
struct Head {
    /// Number of times the run was saved.
    _version: u64,
    _updated_at: String,
    /// Version of this format.
    _schema: u32,
    run_id: String,
    session_id: String,
    timestamp: String,
}

/// `state.json`.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape for the API's description")]
struct StateFile {
    #[serde(flatten)]
    head: Head,
    state_data: Value,
}

/// `trace.json`.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape for the API's description")]
struct Trace {
    #[serde(flatten)]
    head: Head,
    steps: Vec<run_bodies::TraceStep>,
}

/// Get the whole state, as in `runs/{id}/state.json`, with the number of times it was saved. If the run has
/// continued since, the state is the one that the next save would write.
#[utoipa::path(get, path = "/api/runs/{id}/state", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = StateFile),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
))]
pub async fn state(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    let run = RunId::from(id.into_inner());
    let state = whole_state(&service, &run).await?;
    as_saved(&service, run, DocumentKind::State, state).await
}

async fn as_saved(service: &Service, run: RunId, part: DocumentKind, body: Value) -> HttpResult {
    let folder = service.files.run(&run);
    Ok(HttpResponse::Ok()
        .json(run_blocking(move || documents::current_document(&folder, &run, part, &body)).await?))
}

/// Returns the current state of a run.
pub async fn whole_state(service: &Service, run: &RunId) -> Result<Value, Problem> {
    let Some(stored) = service.store().restore(run.clone()).await? else {
        return Err(service
            .run(run)
            .await
            .err()
            .unwrap_or_else(|| Problem::internal(&"a run without a state")));
    };
    service.services.stored_state(stored).await.map_err(|fault| Problem::internal(&fault))
}

/// Get every step in order.
#[utoipa::path(get, path = "/api/runs/{id}/trace", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = Trace),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
))]
pub async fn trace(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    let run = service.run(&RunId::from(id.into_inner())).await?.id;
    let steps = documents::steps(service.store(), &run).await?;
    as_saved(&service, run, DocumentKind::Trace, steps).await
}
