//! What models have taken, by agent: tokens, and money where it is known what they cost.

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
    /// Those of which nobody knows what they cost.
    unpriced_calls: u64,
    input_tokens: u64,
    cached_tokens: u64,
    output_tokens: u64,
    /// Of the others, in the currency of the settings; null where there were calls and no price is known.
    #[schema(required)]
    cost: Option<f64>,
}

/// What the model calls of an agent's own runs took.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
pub struct OfAgent {
    agent: String,
    runs: u64,
    usage: Usage,
}

/// What models have taken.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
pub struct Spending {
    /// What all money here is in.
    currency: String,
    items: Vec<OfAgent>,
    total: Usage,
    #[schema(required)]
    cursor: Option<String>,
}

#[derive(Deserialize, IntoParams)]
pub struct Since {
    /// Of runs begun since then; RFC 3339.
    since: Option<String>,
}

/// What each agent's own runs have taken; what they called counts where it was called.
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
    let rows = service.store().spent_by_agents(since.transpose()?).await?;
    let total = rows.iter().fold(rows::Usage::default(), |sum, row| sum.with(&row.usage));
    let items: Vec<Value> = rows.iter().map(of_agent).collect();
    let currency = &service.about.currency;
    let answer = json!({"currency": currency, "items": items, "total": view::usage(&total), "cursor": null});
    Ok(HttpResponse::Ok().json(answer))
}

fn of_agent(row: &AgentUsage) -> Value {
    json!({"agent": row.agent, "runs": row.runs, "usage": view::usage(&row.usage)})
}
