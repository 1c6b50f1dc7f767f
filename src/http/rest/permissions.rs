//! Permissions that a person has granted, and the audit log of all decisions.

use crate::gate::actor::{ListGrants, RevokeGrant};
use crate::http::caller_header;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::Service;
use crate::ids::{GrantId, RunId};
use crate::protocol::caller;
use crate::store::rows::GrantRow;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

/// List the current permissions, oldest first.
#[utoipa::path(get, path = "/api/grants", tag = "permissions", responses((status = 200, body = run_bodies::Page<run_bodies::Grant>)))]
pub async fn grants(service: web::Data<Service>) -> HttpResult {
    let rows = service.ask_gate(ListGrants).await?;
    let items: Vec<Value> = rows.iter().map(grant).collect();
    Ok(HttpResponse::Ok().json(json!({"items": items, "cursor": null})))
}

/// Revoke a permission.
#[utoipa::path(delete, path = "/api/grants/{id}", tag = "permissions", params(("id" = String, Path)), responses(
    (status = 200, body = run_bodies::Revoked),
    (status = 404, description = "There is no such permission.", body = run_bodies::Fault),
))]
pub async fn revoke(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    let id = GrantId::from(id.into_inner());
    if !service.ask_gate(RevokeGrant(id.clone())).await? {
        return Err(Problem::not_found("unknown_grant", format!("there is no permission {id}")));
    }
    Ok(HttpResponse::Ok().json(json!({"id": id, "revoked": true})))
}

#[derive(Deserialize, IntoParams)]
pub struct PermissionQuery {
    /// Only decisions of this run.
    run_id: Option<String>,
    /// Maximum number of decisions, 1 to 1000; 200 if absent.
    limit: Option<usize>,
    /// The `cursor` of the previous answer.
    cursor: Option<String>,
}

/// List the decisions of the policy and of people, newest first. Decisions of deleted runs are included.
#[utoipa::path(get, path = "/api/audit", tag = "permissions", params(PermissionQuery), responses(
    (status = 200, body = run_bodies::Page<run_bodies::Decision>),
    (status = 400, description = "The query does not fit.", body = run_bodies::Fault),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
))]
pub async fn audit(
    service: web::Data<Service>,
    query: web::Query<PermissionQuery>,
    request: HttpRequest,
) -> HttpResult {
    let PermissionQuery { run_id, limit, cursor } = query.into_inner();
    let run = run_id.map(RunId::from);
    let before =
        cursor.filter(|cursor| !cursor.is_empty()).map(|cursor| parse_cursor(&cursor)).transpose()?;
    let limit = limit.unwrap_or(200).clamp(1, 1_000);
    // A row more than requested shows whether there are more.
    let mut items = service.store().audit(run.clone(), before, limit + 1).await?;
    // Audit rows outlive their run, so check that the run exists only if there are none.
    if let Some(run) = run.filter(|_| items.is_empty()) {
        service.run(&run).await?;
    }
    let more = items.len() > limit;
    items.truncate(limit);
    let receiver = caller_header::read_caller_id(&request);
    for item in &mut items {
        add_caller_flag(item, &receiver);
    }
    let cursor = items.last().filter(|_| more).map(|item| item["id"].to_string());
    Ok(HttpResponse::Ok().json(json!({"items": items, "cursor": cursor})))
}

/// Adds the fields that a row may lack, and marks the receiver's own answer.
fn add_caller_flag(item: &mut Value, receiver: &str) {
    for field in ["origin", "values", "client"] {
        if item.get(field).is_none() {
            item[field] = Value::Null;
        }
    }
    caller::mark(item, receiver);
}

fn parse_cursor(cursor: &str) -> Result<i64, Problem> {
    cursor.parse().map_err(|_| Problem::bad_cursor(cursor))
}

fn grant(row: &GrantRow) -> Value {
    json!({
        "id": row.id,
        "scope": row.scope,
        "run_id": row.run,
        "origin": row.origin,
        "rule": row.rule,
        "covers": row.covers,
        "created_at": row.created_at.rfc3339(),
        "expires_at": row.expires_at.rfc3339(),
    })
}
