//! Information about the service.

use crate::http::service::{About, Service};
use actix_web::{HttpResponse, web};

/// Get the information that a client needs before the first run.
#[utoipa::path(get, path = "/api/settings", tag = "service", responses((status = 200, body = About)))]
pub async fn about(service: web::Data<Service>) -> HttpResponse {
    HttpResponse::Ok().json(service.about.planned_by(&service.model.current()))
}
