//! The page and its files: what is written in `static/` is what is served. Every file is asked for
//! again each time and answered with "not modified" while it is the same, so that a new version of
//! the service never meets an old script.

use super::problem::Problem;
use super::runs::Answer;
use actix_web::http::header::{self, ETag, EntityTag, Header, IfNoneMatch};
use actix_web::{HttpRequest, HttpResponse, web};
use rust_embed::Embed;

#[derive(Embed)]
#[folder = "static/"]
struct Files;

pub async fn page(request: HttpRequest) -> Answer {
    serve("index.html", &request)
}

pub async fn docs(request: HttpRequest) -> Answer {
    serve("docs/index.html", &request)
}

pub async fn file(path: web::Path<String>, request: HttpRequest) -> Answer {
    serve(&path, &request)
}

fn serve(path: &str, request: &HttpRequest) -> Answer {
    let (Some(file), Some(kind)) = (Files::get(path), kind(path)) else {
        return Err(Problem::not_found("not_found", format!("there is nothing at {}", request.path())));
    };
    let tag = EntityTag::new_strong(
        file.metadata.sha256_hash()[..12].iter().map(|byte| format!("{byte:02x}")).collect(),
    );
    let known = match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|seen| seen.weak_eq(&tag)),
        Err(_) => false,
    };
    let mut answer = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    answer.insert_header(ETag(tag)).insert_header((header::CACHE_CONTROL, "no-cache"));
    if known {
        return Ok(answer.finish());
    }
    Ok(answer.content_type(kind).body(file.data.into_owned()))
}

/// The content type by the name's ending; a file of another kind is not ours to serve.
fn kind(path: &str) -> Option<&'static str> {
    let (_, ending) = path.rsplit_once('.')?;
    match ending {
        "html" => Some("text/html; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "json" => Some("application/json"),
        "svg" => Some("image/svg+xml"),
        "png" => Some("image/png"),
        "woff2" => Some("font/woff2"),
        _ => None,
    }
}
