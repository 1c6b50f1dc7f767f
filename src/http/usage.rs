//! Model usage by agent: tokens, and costs if prices are known.

use super::problem::Problem;
use super::runs::Answer;
use super::service::Service;
use super::shapes;
use crate::clock::Moment;
use crate::run::view;
use crate::store::rows::{self, AgentUsage};
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
pub struct Usage {
    model_calls: u64,
    /// Number of calls whose price is unknown.
    unpriced_calls: u64,
    input_tokens: u64,
    cached_tokens: u64,
    output_tokens: u64,
    /// Cost of the other calls, in the currency of the settings; null if there were calls but no price is
    /// known.
    #[schema(required)]
    cost: Option<f64>,
}

/// Model usage of an agent's own runs.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
pub struct OfAgent {
    agent: String,
    runs: u64,
    usage: Usage,
}

/// Model usage of all agents.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
pub struct Spending {
    /// Currency of all costs.
    currency: String,
    items: Vec<OfAgent>,
    total: Usage,
    #[schema(required)]
    cursor: Option<String>,
}

#[derive(Deserialize, IntoParams)]
pub struct Since {
    /// Only runs started since this time; RFC 3339.
    since: Option<String>,
}

/// Get the model usage of each agent's own runs. Runs that they called count for the called agent.
#[utoipa::path(get, path = "/api/usage", tag = "service", params(Since), responses(
    (status = 200, body = Spending),
    (status = 400, description = "The time is not valid.", body = shapes::Fault),
))]
pub async fn by_agent(service: web::Data<Service>, since: web::Query<Since>) -> Answer {
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
    let total = rows.iter().fold(rows::Usage::default(), |sum, row| sum.with(&row.usage));
    let items: Vec<Value> = rows.iter().map(of_agent).collect();
    let currency = &service.about.currency;
    let answer = json!({"currency": currency, "items": items, "total": view::usage(&total), "cursor": null});
    Ok(HttpResponse::Ok().json(answer))
}

fn of_agent(row: &AgentUsage) -> Value {
    json!({"agent": row.agent, "runs": row.runs, "usage": view::usage(&row.usage)})
}
