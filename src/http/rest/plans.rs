//! The plan of a run, and changes to it by a person. The run reports the result of a change as the event
//! `plan`.

use crate::agent_spec::files::version::ExpectedState;
use crate::engine::error::RunRequestError;
use crate::engine::registry::plan_edits;
use crate::engine::registry::plan_edits::ChangePlan;
use crate::http::json_object::JsonObject;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::Service;
use crate::http::version_preconditions::{Preconditions, version_tag};
use crate::ids::RunId;
use crate::plan::edit::{self, Edit, Wanted};
use crate::plan::{Item, MAX_ATTEMPTS};
use crate::store::rows::RunRow;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// A plan and its version.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
pub struct Plan {
    #[schema(value_type = Vec<Object>)]
    items: Vec<Value>,
    /// Hash of the parts of the plan that a person may change.
    version: String,
}

#[derive(Deserialize, ToSchema)]
pub struct NewPlan {
    /// The whole new plan, in order.
    #[schema(value_type = Vec<EditedItem>)]
    items: Vec<JsonObject<Wanted>>,
}

/// An item of the new plan.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
pub struct EditedItem {
    /// Position in the current plan, from 1; absent for a new item.
    position: Option<u32>,
    description: String,
    acceptance_criteria: String,
    /// Positions in this list, from 1.
    dependencies: Vec<u32>,
    /// True to skip the item.
    skip: bool,
}

/// Get the plan of a run: its items, their status, and the evidence.
#[utoipa::path(get, path = "/api/runs/{id}/plan", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, description = "`ETag` is its version.", body = Plan),
    (status = 404, description = "There is no such run, or it has no plan.", body = run_bodies::Fault),
))]
pub async fn get_plan(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    let run = service.run(&RunId::from(id.into_inner())).await?;
    let items = load_plan(&service, &run).await?.ok_or_else(|| {
        Problem::not_found("no_plan", "this run has no plan; it makes one when the task needs it")
    })?;
    let version = edit::hash_editable(&items);
    Ok(HttpResponse::Ok()
        .insert_header(version_tag(&version))
        .json(json!({"items": items, "version": version})))
}

/// Change the plan: reword, add, remove and reorder items that are not done. With `If-Match`, change only the
/// version that was read.
#[utoipa::path(put, path = "/api/runs/{id}/plan", tag = "runs", params(("id" = String, Path)), request_body = NewPlan,
    responses(
        (status = 202, description = "The run will use it; the fact `plan` reports it.", body = Plan),
        (status = 404, description = "There is no such run.", body = run_bodies::Fault),
        (status = 409, description = "`no_plan`: it has none; `busy`: it has ended.", body = run_bodies::Fault),
        (status = 412, description = "The plan has changed in the meantime.", body = run_bodies::Fault),
        (status = 422, description = "It is not a valid plan; `detail` says which item is wrong.", body = run_bodies::Fault),
))]
pub async fn change(
    service: web::Data<Service>,
    request: HttpRequest,
    id: web::Path<String>,
    body: web::Json<JsonObject<NewPlan>>,
) -> HttpResult {
    let run = service.run(&RunId::from(id.into_inner())).await?;
    let Some(items) = load_plan(&service, &run).await? else {
        return Err(Problem::conflict("no_plan", "this run has no plan to change"));
    };
    // A run that has ended cannot use any plan.
    if run.ended_at.is_some() {
        return Err(Problem::conflict("busy", "this run has ended; its plan can no longer be changed"));
    }
    let version = edit::hash_editable(&items);
    let version = expected_version(&request, &version)?;
    let wanted: Vec<Wanted> = body.into_inner().0.items.into_iter().map(|item| item.0).collect();
    let edited = edit::apply_edit(&items, &wanted, MAX_ATTEMPTS)
        .map_err(|fault| Problem::invalid("bad_plan", fault.to_string()))?;
    if edited.is_empty() {
        return Err(Problem::invalid("bad_plan", "a plan has items; stop the run if nothing is left to do"));
    }
    service.order(ChangePlan { run: run.id, edit: Edit::new(&items, wanted), version }).await?;
    let version = edit::hash_editable(&edited);
    Ok(HttpResponse::Accepted()
        .insert_header(version_tag(&version))
        .json(json!({"items": edited, "version": version})))
}

async fn load_plan(service: &Service, run: &RunRow) -> Result<Option<Vec<Item>>, Problem> {
    let unread = service.store().inbox(run.id.clone()).await?;
    Ok(plan_edits::plan_with_edits(run, &unread))
}

/// Returns the version that the plan must still have when the change is written, if the request names one.
fn expected_version(request: &HttpRequest, version: &str) -> Result<Option<String>, Problem> {
    let precondition = Preconditions::from_headers(request.headers());
    let expected = precondition.expected_state();
    if !expected.fits(Some(version)) {
        return Err(RunRequestError::PlanChanged(version.to_owned()).into());
    }
    let named = matches!(expected, ExpectedState::OneOf(versions) if versions.iter().any(|expected| expected == version));
    Ok(named.then(|| version.to_owned()))
}
