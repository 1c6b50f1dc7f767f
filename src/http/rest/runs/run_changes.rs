//! Changes of a task by a person: title, pin, archive and deletion.

use crate::engine::error::RunRequestError;
use crate::engine::registry::deleting::Delete;
use crate::engine::registry::feed::TreeDeleted;
use crate::engine::registry::view;
use crate::http::json_object::{JsonObject, present};
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::store::rows::ListSettingsChange;
use crate::text::invisible_chars::is_invisible;
use actix_web::{HttpResponse, web};
use futures_util::{FutureExt, StreamExt, stream};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashSet;
use utoipa::ToSchema;

/// Maximum length of a title, in characters.
const MAX_TITLE: usize = 200;
/// Maximum number of tasks deleted at once.
const MAX_DELETED: usize = 200;
/// Maximum number of tasks deleted concurrently, so that they share transactions.
const MAX_CONCURRENT: usize = 16;
const VISIBILITIES: [&str; 2] = ["private", "team"];

/// Fields to change; an absent field stays unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunPatch {
    /// A title that is kept; null or empty restores the generated one.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    title: Option<Option<String>>,
    /// Show the task above all others.
    pinned: Option<bool>,
    /// Hide the task from lists, except those that ask for archived tasks.
    archived: Option<bool>,
    /// private or team
    visibility: Option<String>,
}

/// Rename a run, pin it or archive it. Pin, archive and visibility apply to whole tasks only.
#[utoipa::path(patch, path = "/api/runs/{id}", tag = "runs", params(("id" = String, Path)), request_body = RunPatch, responses(
    (status = 200, description = "As it is now.", body = run_bodies::RunRow),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
    (status = 409, description = "`not_root`: it was called by another run.", body = run_bodies::Fault),
    (status = 422, description = "A value does not fit.", body = run_bodies::Fault),
))]
pub async fn change(
    service: web::Data<Service>,
    id: web::Path<String>,
    body: web::Json<JsonObject<RunPatch>>,
) -> HttpResult {
    let (run, patch) = (RunId::from(id.into_inner()), body.into_inner().0);
    let row = service.run(&run).await?;
    let of_tasks = patch.pinned.is_some() || patch.archived.is_some() || patch.visibility.is_some();
    if of_tasks && row.parent.is_some() {
        return Err(RunRequestError::NotRoot { run, root: row.root }.into());
    }
    let changed = service.store().change_run(run.clone(), check_patch(patch)?).await?;
    let row = changed.ok_or(RunRequestError::UnknownRun(run))?;
    Ok(HttpResponse::Ok().json(view::list_row(&row)))
}

fn check_patch(patch: RunPatch) -> Result<ListSettingsChange, Problem> {
    let RunPatch { title, pinned, archived, visibility } = patch;
    if let Some(word) = visibility.as_deref().filter(|word| !VISIBILITIES.contains(word)) {
        let known = VISIBILITIES.join(" or ");
        let detail = format!("there is no visibility \"{word}\"; use {known}");
        return Err(Problem::invalid("bad_input", detail));
    }
    let title = title.map(|title| title.map(|title| one_line(&title)).filter(|title| !title.is_empty()));
    if title.iter().flatten().any(|title| title.chars().count() > MAX_TITLE) {
        let detail = format!("the title is longer than {MAX_TITLE} letters; write a shorter one");
        return Err(Problem::invalid("bad_input", detail));
    }
    Ok(ListSettingsChange { title, pinned, archived, visibility })
}

/// Removes line breaks and invisible characters.
fn one_line(title: &str) -> String {
    let spaced = title.chars().map(|c| if c.is_control() { ' ' } else { c });
    let seen: String = spaced.filter(|c| !is_invisible(*c)).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Delete a task with the runs that it called, their events, pictures, files and recorded calls. Audit rows
/// are kept. A running task is stopped first.
#[utoipa::path(delete, path = "/api/runs/{id}", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, description = "It is gone.", body = DeletedRun),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
    (status = 409, description = "`not_root`: it was called by another run, which is what can be deleted.", body = run_bodies::Fault),
))]
pub async fn delete(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    let run = RunId::from(id.into_inner());
    delete_run(&service, &run).await?;
    Ok(HttpResponse::Ok().json(json!({"run_id": run, "deleted": true})))
}

#[derive(Deserialize, ToSchema)]
pub struct RunsToDelete {
    /// At most 200 ids.
    ids: Vec<String>,
}

/// Result for one task.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
pub struct DeletedRun {
    run_id: String,
    deleted: bool,
    /// Reason why it was not deleted: `unknown_run`, `not_root`, `busy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

/// Delete several tasks. A task that cannot be deleted does not affect the others.
#[utoipa::path(post, path = "/api/runs/delete", tag = "runs", request_body = RunsToDelete, responses(
    (status = 200, description = "What became of each.", body = run_bodies::Page<DeletedRun>),
    (status = 422, description = "None or too many are named.", body = run_bodies::Fault),
))]
pub async fn delete_several(
    service: web::Data<Service>,
    body: web::Json<JsonObject<RunsToDelete>>,
) -> HttpResult {
    let RunsToDelete { ids } = body.into_inner().0;
    if ids.is_empty() || ids.len() > MAX_DELETED {
        let detail = format!("`ids` names {} runs; name 1 to {MAX_DELETED}", ids.len());
        return Err(Problem::invalid("bad_input", detail));
    }
    let delete = |run: RunId| {
        let service = &service;
        async move {
            match delete_run(service, &run).await {
                Ok(()) => json!({"run_id": run, "deleted": true}),
                Err(fault) => {
                    json!({"run_id": run, "deleted": false, "code": fault.code, "detail": fault.detail})
                }
            }
        }
    };
    let mut known = HashSet::new();
    let (unique, repeated): (Vec<_>, Vec<_>) =
        ids.into_iter().map(RunId::from).enumerate().partition(|(_, run)| known.insert(run.clone()));
    let at_a_time = stream::iter(unique).map(|(at, run)| delete(run).map(move |item| (at, item)));
    let mut items: Vec<(usize, Value)> = at_a_time.buffer_unordered(MAX_CONCURRENT).collect().await;
    // An id that is named again is answered by what is left of it then.
    for (at, run) in repeated {
        items.push((at, delete(run).await));
    }
    items.sort_by_key(|(at, _)| *at);
    let items: Vec<Value> = items.into_iter().map(|(_, item)| item).collect();
    Ok(HttpResponse::Ok().json(json!({"items": items, "cursor": null})))
}

async fn delete_run(service: &Service, run: &RunId) -> Result<(), Problem> {
    service.order(Delete { run: run.clone() }).await?;
    service.feed.do_send(TreeDeleted { root: run.clone() });
    Ok(())
}
