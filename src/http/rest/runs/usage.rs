//! Model usage by agent: tokens, and costs if prices are known.

use crate::clock::Moment;
use crate::engine::registry::view;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::rest::runs::run_bodies::UsageByAgent;
use crate::http::service::Service;
use crate::store::rows;
use crate::store::rows::usage::AgentUsage;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

#[derive(Deserialize, IntoParams)]
pub struct Since {
    /// Only runs started since this time; RFC 3339.
    since: Option<String>,
}

/// Get the model usage of each agent's own runs. Runs that they called count for the called agent.
#[utoipa::path(get, path = "/api/usage", tag = "service", params(Since), responses(
    (status = 200, body = UsageByAgent),
    (status = 400, description = "The time is not valid.", body = run_bodies::Fault),
))]
pub async fn by_agent(service: web::Data<Service>, since: web::Query<Since>) -> HttpResult {
    let since = since.into_inner().since.filter(|text| !text.is_empty());
    let since = since.map(|text| {
        Moment::from_rfc3339(&text).ok_or_else(|| {
            Problem::bad_request(
                "bad_query",
                format!("\"{text}\" is not a date and time; write 2026-01-31T12:00:00Z"),
            )
        })
    });
    let rows = service.store().usage_by_agent(since.transpose()?).await?;
    let total = rows.iter().fold(rows::Usage::default(), |sum, row| sum.plus(&row.usage));
    let items: Vec<Value> = rows.iter().map(agent_usage_json).collect();
    let currency = &service.about.currency;
    let answer = json!({"currency": currency, "items": items, "total": view::usage(&total), "cursor": null});
    Ok(HttpResponse::Ok().json(answer))
}

fn agent_usage_json(row: &AgentUsage) -> Value {
    json!({"agent": row.agent, "runs": row.runs, "usage": view::usage(&row.usage)})
}
