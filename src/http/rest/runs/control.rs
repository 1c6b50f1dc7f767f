//! Steering a run over HTTP: stop, pause, resume, next message.

use crate::engine::registry::Control;
use crate::engine::registry::answers::SendMessage;
use crate::http::caller_header;
use crate::http::json_object::JsonObject;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::follow_run::has_ended;
use crate::http::rest::runs::wait_for_run::wait_until;
use crate::http::rest::runs::{brief, run_bodies};
use crate::http::service::Service;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::rows::RunRow;
use crate::store::rows::user_command::UserCommand;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use std::time::Duration;
use utoipa::ToSchema;

/// Time within which a stop usually takes effect; a pause waits for the end of the current action.
const SOON: Duration = Duration::from_millis(1_500);

/// Stop the run and all its child runs.
#[utoipa::path(post, path = "/api/runs/{id}/stop", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, description = "It has stopped.", body = run_bodies::Started),
    (status = 202, description = "It will stop.", body = run_bodies::Started),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
    (status = 409, description = "It has already ended.", body = run_bodies::Fault),
))]
pub async fn stop(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    steer_and_wait(&service, id.into_inner(), UserCommand::Stop, has_ended).await
}

/// Pause the run between two steps.
#[utoipa::path(post, path = "/api/runs/{id}/pause", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, description = "It is paused.", body = run_bodies::Started),
    (status = 202, description = "It will pause after the current step.", body = run_bodies::Started),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
    (status = 409, description = "It is not at work.", body = run_bodies::Fault),
))]
pub async fn pause(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    steer_and_wait(&service, id.into_inner(), UserCommand::Pause, |row| row.status == Status::Paused.word())
        .await
}

/// Resume a paused run.
#[utoipa::path(post, path = "/api/runs/{id}/resume", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, description = "It goes on.", body = run_bodies::Started),
    (status = 202, description = "It will resume.", body = run_bodies::Started),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
    (status = 409, description = "It is not paused.", body = run_bodies::Fault),
))]
pub async fn resume(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    steer_and_wait(&service, id.into_inner(), UserCommand::Resume, |row| row.status != Status::Paused.word())
        .await
}

async fn steer_and_wait(
    service: &Service,
    id: String,
    command: UserCommand,
    done: fn(&RunRow) -> bool,
) -> HttpResult {
    let run = RunId::from(id);
    service.ask_registry(Control { run: run.clone(), command }).await?;
    let (row, done) = wait_until(service, &run, done, SOON).await?;
    let mut answer = if done { HttpResponse::Ok() } else { HttpResponse::Accepted() };
    Ok(answer.json(brief(&run, &row.status)))
}

#[derive(Deserialize, ToSchema)]
pub struct NextMessage {
    text: String,
}

/// Send a message to the run. It is read before the next plan; a run that has ended continues.
#[utoipa::path(post, path = "/api/runs/{id}/messages", tag = "runs", params(("id" = String, Path)), request_body = NextMessage, responses(
    (status = 202, description = "It will be read.", body = run_bodies::Started),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
    (status = 409, description = "`busy`: runs of its agent take no messages.", body = run_bodies::Fault),
    (status = 422, description = "The text is empty.", body = run_bodies::Fault),
))]
pub async fn message(
    service: web::Data<Service>,
    id: web::Path<String>,
    body: web::Json<JsonObject<NextMessage>>,
    request: HttpRequest,
) -> HttpResult {
    let (run, NextMessage { text }) = (RunId::from(id.into_inner()), body.into_inner().0);
    if text.trim().is_empty() {
        return Err(Problem::invalid("bad_message", "the message is empty"));
    }
    let client = caller_header::read_caller(&request);
    service.ask_registry(SendMessage { run: run.clone(), text, client, idempotency_record: None }).await?;
    let (row, _) = wait_until(&service, &run, |row| !has_ended(row), SOON).await?;
    Ok(HttpResponse::Accepted().json(brief(&run, &row.status)))
}
