//! What the service is and what it has open.

use super::runs::Answer;
use super::service::{About, BrowserRow, Service};
use super::shapes;
use actix_web::{HttpResponse, web};
use serde_json::json;

/// What a page needs to know before anything runs.
#[utoipa::path(get, path = "/api/settings", tag = "service", responses((status = 200, body = About)))]
pub async fn about(service: web::Data<Service>) -> HttpResponse {
    HttpResponse::Ok().json(&service.about)
}

/// The browsers at work.
#[utoipa::path(get, path = "/api/browsers", tag = "service", responses((status = 200, body = shapes::Page<BrowserRow>)))]
pub async fn browsers(service: web::Data<Service>) -> Answer {
    let items = service.browsers.list().await;
    Ok(HttpResponse::Ok().json(json!({"items": items, "cursor": null})))
}
