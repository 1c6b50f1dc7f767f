//! Errors as RFC 9457 `application/problem+json`, with a `code` for programs and a `detail` that says what to
//! do. All HTTP errors are built here.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt;

/// Media type of error responses.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// An error response.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub status: StatusCode,
    /// Stable code for programs: `bad_host`, `unknown_run`, …
    pub code: Cow<'static, str>,
    pub title: String,
    /// The error in this request, and what to do about it.
    pub detail: String,
    /// Further members of the response.
    pub more: Map<String, Value>,
    /// Seconds after which to try again.
    pub retry_after_s: Option<u64>,
}

impl Problem {
    /// Creates a problem whose title is the name of the status.
    pub fn new(status: StatusCode, code: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self {
            status,
            code: code.into(),
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            detail: detail.into(),
            more: Map::new(),
            retry_after_s: None,
        }
    }

    /// 400: the request is malformed.
    pub fn bad_request(code: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, detail)
    }

    /// 403: this origin or this client may not do that.
    pub fn forbidden(code: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, detail)
    }

    /// 404: `unknown_run`, `unknown_agent`, `unknown_reference`, `not_found`.
    pub fn not_found(code: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, detail)
    }

    /// 409: `already_resolved`, `busy`, `lease_held`.
    pub fn conflict(code: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, detail)
    }

    /// 422: well formed, but not valid.
    pub fn invalid(code: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail)
    }

    /// 400: the text is not a cursor of this list.
    pub fn bad_cursor(text: &str) -> Self {
        let detail = format!("\"{text}\" is not a cursor; use the `cursor` of the previous answer, or none");
        Self::bad_request("bad_query", detail)
    }

    /// 500: the cause is logged and not sent to the client.
    pub fn internal(cause: &dyn fmt::Display) -> Self {
        tracing::error!(%cause, "request failed");
        let detail = "something went wrong in the service; see its log";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail)
    }

    /// Adds a member.
    pub fn with_member(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a `Retry-After` header.
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }

    fn body(&self) -> Value {
        let mut body = json!({
            "type": "about:blank",
            "title": self.title,
            "status": self.status.as_u16(),
            "detail": self.detail,
            "code": self.code,
        });
        if let Value::Object(members) = &mut body {
            for (name, value) in &self.more {
                members.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        body
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

impl std::error::Error for Problem {}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut answer = HttpResponse::build(self.status);
        answer.insert_header((header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE)));
        if let Some(seconds) = self.retry_after_s {
            answer.insert_header((header::RETRY_AFTER, seconds.to_string()));
        }
        answer.body(self.body().to_string())
    }
}

/// A problem in the format of OpenAI's API, for clients of its paths.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenAi(pub Problem);

impl OpenAi {
    /// True if errors at this path use OpenAI's format.
    pub fn speaks(path: &str) -> bool {
        path.starts_with("/v1/")
    }

    pub fn body(&self) -> Value {
        let Self(problem) = self;
        let kind = match problem.status.as_u16() {
            429 => "rate_limit_error",
            500.. => "server_error",
            _ => "invalid_request_error",
        };
        let code = match &*problem.code {
            "unknown_agent" => "model_not_found",
            "unauthorized" => "invalid_api_key",
            code => code,
        };
        json!({"error": {"message": problem.detail, "type": kind, "param": null, "code": code}})
    }
}

impl From<Problem> for OpenAi {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl fmt::Display for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for OpenAi {}

impl ResponseError for OpenAi {
    fn status_code(&self) -> StatusCode {
        self.0.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut answer = HttpResponse::build(self.0.status);
        if let Some(seconds) = self.0.retry_after_s {
            answer.insert_header((header::RETRY_AFTER, seconds.to_string()));
        }
        if self.0.status == StatusCode::CONFLICT {
            // Client libraries would retry otherwise, with the same result.
            answer.insert_header(("x-should-retry", "false"));
        }
        answer.json(self.body())
    }
}

impl Problem {
    /// Builds the response in the format of this path.
    pub fn answer_at(self, path: &str) -> HttpResponse {
        if OpenAi::speaks(path) { OpenAi(self).error_response() } else { self.error_response() }
    }
}

/// Answers a request for an unknown path.
pub async fn no_such_page(request: actix_web::HttpRequest) -> HttpResponse {
    let path = request.path();
    Problem::not_found("not_found", format!("there is nothing at {path}")).answer_at(path)
}

pub type HttpResult = Result<HttpResponse, Problem>;
