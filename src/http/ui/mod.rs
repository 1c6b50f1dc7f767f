//! The UI: files of `static/`, embedded in the binary. Browsers revalidate every file on each request and get
//! "not modified" while it is unchanged, so that a new version of the service never meets an old script.

pub(crate) mod about;
pub(crate) mod sign_in;
pub mod ws;

use crate::http::embedded::PageFiles;
use crate::http::guard::Guard;
use crate::http::guard::credential::Credential;
use crate::http::problem::{HttpResult, Problem};
use actix_web::http::header::{self, ETag, EntityTag, Header, IfNoneMatch};
use actix_web::{HttpRequest, HttpResponse, web};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// Serves the page, with two values written into it: the CSRF token, and the origin by which the service's own
/// browsers reach it.
pub async fn page(request: HttpRequest, guard: web::Data<Guard>, caller: Credential) -> HttpResult {
    let csrf = caller.sign_in().map(|sign_in| sign_in.csrf.as_str()).unwrap_or_default();
    let mut html = PageFiles::text("index.html").unwrap_or_default();
    for (name, value) in [("askfirst-csrf", csrf), ("askfirst-origin", guard.own_origin().as_str())] {
        let meta = |content: &str| format!("<meta name=\"{name}\" content=\"{content}\">");
        html = html.replace(&meta(""), &meta(value));
    }
    let whose = if csrf.is_empty() { "no-cache" } else { "private, no-cache" };
    Ok(send("index.html", html.into_bytes().into(), whose, &request))
}

pub async fn docs(request: HttpRequest) -> HttpResult {
    serve("docs/index.html", &request)
}

pub async fn file(path: web::Path<String>, request: HttpRequest) -> HttpResult {
    serve(&path, &request)
}

fn serve(path: &str, request: &HttpRequest) -> HttpResult {
    let (Some(file), Some(_)) = (PageFiles::get(path), kind(path)) else {
        return Err(Problem::not_found("not_found", format!("there is nothing at {}", request.path())));
    };
    Ok(send(path, file.data, "no-cache", request))
}

/// Sends a file, or "not modified" if the client has it already.
fn send(path: &str, bytes: Cow<'static, [u8]>, caching: &'static str, request: &HttpRequest) -> HttpResponse {
    let hash = Sha256::digest(&bytes);
    let tag = EntityTag::new_strong(hash[..12].iter().map(|byte| format!("{byte:02x}")).collect());
    let is_current = match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|seen| seen.weak_eq(&tag)),
        Err(_) => false,
    };
    let mut answer = if is_current { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    answer.insert_header(ETag(tag)).insert_header((header::CACHE_CONTROL, caching));
    if is_current {
        return answer.finish();
    }
    answer.content_type(kind(path).unwrap_or("application/octet-stream")).body(bytes.into_owned())
}

/// Returns the content type by the file's extension; `None` for a type that is not served.
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
