//! Background work of runs: status, results and cancelling.

use crate::engine::registry::plan_edits::CancelTask;
use crate::engine::registry::{Control, view};
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::follow_run::has_ended;
use crate::http::rest::runs::run_bodies;
use crate::http::rest::runs::wait_for_run::wait_until;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::rows::TaskRow;
use crate::store::rows::user_command::UserCommand;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use utoipa::{IntoParams, ToSchema};

/// Time within which a cancel usually takes effect.
const SOON: Duration = Duration::from_millis(1_500);

/// Background work of a run.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
pub struct Task {
    task_id: String,
    action_id: String,
    /// The run that started the work.
    run_id: String,
    root_run_id: String,
    /// The run that does the work.
    #[schema(required)]
    child_run_id: Option<String>,
    agent: String,
    /// queued, running, waiting, succeeded, failed, cancelled, …
    status: String,
    /// 0 to 1; 1 only when the work is done.
    #[schema(required)]
    progress: Option<f64>,
    /// Display hint: `type` (progress_bar, status_message), `label`, `estimated_duration_seconds`.
    #[schema(required, value_type = Option<Object>)]
    display: Option<Value>,
    #[schema(required, value_type = Option<Object>)]
    result: Option<Value>,
    #[schema(required)]
    error: Option<String>,
    created_at: String,
    #[schema(required)]
    started_at: Option<String>,
    #[schema(required)]
    ended_at: Option<String>,
}

#[derive(Deserialize, IntoParams)]
pub struct TaskQuery {
    /// Background work of this run's tree; if absent, all that has not ended.
    run_id: Option<String>,
}

/// List background work, oldest first.
#[utoipa::path(get, path = "/api/tasks", tag = "runs", params(TaskQuery), responses(
    (status = 200, body = run_bodies::Page<Task>),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
))]
pub async fn list(service: web::Data<Service>, query: web::Query<TaskQuery>) -> HttpResult {
    let rows = match query.into_inner().run_id {
        Some(run) => service.store().tasks(service.run(&RunId::from(run)).await?.root).await?,
        None => service.store().living_tasks().await?,
    };
    let items: Vec<Value> = rows.iter().map(view::task).collect();
    Ok(HttpResponse::Ok().json(json!({"items": items, "cursor": null})))
}

/// Get the progress and the result of background work.
// As specified (S4.16, S4.17).
#[utoipa::path(get, path = "/api/tasks/{task_id}", tag = "runs", params(("task_id" = String, Path)), responses(
    (status = 200, body = Task),
    (status = 404, description = "Nothing has this id.", body = run_bodies::Fault),
))]
pub async fn get_task(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    Ok(HttpResponse::Ok().json(view::task(&find_task(&service, &id).await?)))
}

/// Cancel background work. The run that started it continues and is informed.
#[utoipa::path(post, path = "/api/tasks/{task_id}/cancel", tag = "runs", params(("task_id" = String, Path)), responses(
    (status = 200, description = "The run that did it has stopped.", body = Task),
    (status = 202, description = "It will stop.", body = Task),
    (status = 404, description = "Nothing has this id.", body = run_bodies::Fault),
    (status = 409, description = "It has already ended.", body = run_bodies::Fault),
))]
pub async fn cancel(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    let task = find_task(&service, &id).await?;
    let is_over = task.ended_at.is_some() || Status::from_word(&task.status).is_some_and(Status::is_outcome);
    if is_over {
        return Err(Problem::conflict("busy", "it has already ended"));
    }
    let Some(child) = task.child else {
        // Work without a run of its own waits for others or is a group, so its parent run ends it.
        service.ask_registry(CancelTask { run: task.run, task: task.id }).await?;
        return Ok(HttpResponse::Accepted().json(view::task(&find_task(&service, &id).await?)));
    };
    service.ask_registry(Control { run: child.clone(), command: UserCommand::Stop }).await?;
    let (_, done) = wait_until(&service, &child, has_ended, SOON).await?;
    let mut answer = if done { HttpResponse::Ok() } else { HttpResponse::Accepted() };
    Ok(answer.json(view::task(&find_task(&service, &id).await?)))
}

async fn find_task(service: &Service, id: &str) -> Result<TaskRow, Problem> {
    let row = service.store().task(id.to_owned()).await?;
    row.ok_or_else(|| {
        Problem::not_found("unknown_task", format!("there is no background work with the id {id}"))
    })
}
