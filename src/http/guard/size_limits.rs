//! Size limits of requests, and errors for bodies, queries and paths that cannot be parsed.

use crate::http::problem::Problem;
use actix_web::error::{JsonPayloadError, PathError, QueryPayloadError};
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap};
use actix_web::web::{self, ServiceConfig};

/// Maximum size of a body, in bytes.
pub const BODY_BYTES: usize = 1024 * 1024;

/// Sets the limits and error handlers of all extractors; for `App::configure`.
pub fn limits(app: &mut ServiceConfig) {
    app.app_data(web::PayloadConfig::new(BODY_BYTES))
        .app_data(web::JsonConfig::default().limit(BODY_BYTES).error_handler(|e, _| json_problem(&e).into()))
        .app_data(web::QueryConfig::default().error_handler(|e, _| query_problem(&e).into()))
        .app_data(web::PathConfig::default().error_handler(|e, _| path_problem(&e).into()));
}

/// Refuses a body whose `Content-Length` exceeds the limit. Uploads of files have a limit of their own.
pub fn check_length(path: &str, headers: &HeaderMap) -> Result<(), Problem> {
    if is_file(path) {
        return Ok(());
    }
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    match length.and_then(|digits| digits.parse::<usize>().ok()) {
        Some(bytes) if bytes > BODY_BYTES => Err(too_large()),
        Some(_) | None => Ok(()),
    }
}

/// True for the routes that take files: `/api/runs/{id}/files/{name}` and `/api/files/{name}`.
fn is_file(path: &str) -> bool {
    if path.starts_with("/api/files/") {
        return true;
    }
    let within = path.strip_prefix("/api/runs/").and_then(|rest| rest.split_once('/'));
    within.is_some_and(|(_, rest)| rest.starts_with("files/"))
}

fn too_large() -> Problem {
    let detail = format!("a request may carry at most {BODY_BYTES} bytes");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail)
}

fn json_problem(error: &JsonPayloadError) -> Problem {
    match error {
        JsonPayloadError::OverflowKnownLength { .. } | JsonPayloadError::Overflow { .. } => too_large(),
        JsonPayloadError::ContentType => {
            let detail = "send JSON with the header `Content-Type: application/json`";
            Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad_media_type", detail)
        }
        JsonPayloadError::Deserialize(fault) => {
            Problem::bad_request("bad_json", format!("the body does not fit: {fault}"))
        }
        other => Problem::bad_request("bad_json", format!("the body cannot be read: {other}")),
    }
}

fn query_problem(error: &QueryPayloadError) -> Problem {
    Problem::bad_request("bad_query", format!("the query of the address does not fit: {error}"))
}

fn path_problem(error: &PathError) -> Problem {
    Problem::not_found("not_found", format!("the address does not fit: {error}"))
}
