//! The shop's files (`demo/`), embedded in the binary, and the handler that serves the public ones.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{HttpResponse, web};

#[derive(rust_embed::RustEmbed)]
#[folder = "demo/"]
pub struct Files;

/// `GET /demo/assets/{name}`: style sheets, scripts and pictures. Templates and texts are not served.
pub async fn asset(name: web::Path<String>) -> HttpResponse {
    let kind = match name.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => return HttpResponse::NotFound().finish(),
    };
    match Files::get(&format!("assets/{name}")) {
        Some(file) => HttpResponse::Ok()
            .insert_header((CONTENT_TYPE, kind))
            .insert_header((CACHE_CONTROL, "public, max-age=300"))
            .body(file.data.into_owned()),
        None => HttpResponse::NotFound().finish(),
    }
}
