//! Checks every response that a test receives against the OpenAPI document.

use askfirst::http::openapi::Api;
use reqwest::{Method, Request};
use serde_json::Value;
use std::sync::LazyLock;
use utoipa::OpenApi;

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::to_value(Api::openapi()).unwrap());

/// Fails if the document lacks this response. Calls that are not in the document are ignored.
pub fn describes(request: &Request, status: u16) {
    let (method, path) = (request.method(), request.url().path());
    let Some(responses) = responses(method, path) else { return };
    let default = responses["default"]["description"].as_str().unwrap();
    let any = default.split(|c: char| !c.is_ascii_digit()).any(|code| code == status.to_string());
    assert!(
        any || !responses[status.to_string()].is_null(),
        "the API's description of {method} {path} lacks its answer {status}"
    );
}

fn responses(method: &Method, path: &str) -> Option<&'static Value> {
    let paths = DOCUMENT["paths"].as_object().unwrap();
    // The template with the fewest parameters wins: `/api/agents/validate` before `/api/agents/{name}`.
    let fits = paths.iter().filter(|(template, _)| is_of(path, template));
    let (_, item) = fits.min_by_key(|(template, _)| template.matches('{').count())?;
    Some(&item[method.as_str().to_lowercase()]["responses"]).filter(|responses| responses.is_object())
}

fn is_of(path: &str, template: &str) -> bool {
    let (path, template): (Vec<_>, Vec<_>) = (path.split('/').collect(), template.split('/').collect());
    let same = |(part, named): (&&str, &&str)| part == named || (named.starts_with('{') && !part.is_empty());
    path.len() == template.len() && path.iter().zip(&template).all(same)
}
