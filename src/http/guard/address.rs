//! The address that a request asks for: without the base path and the token, as the routes know it.

use crate::config::BasePath;
use actix_web::dev::ServiceRequest;
use actix_web::http::Uri;
use actix_web::http::header::{self, HeaderMap, HeaderValue};
use actix_web::http::uri::PathAndQuery;

/// Lets the routes see the path without the base path; whether it was there.
pub fn take_base_path(request: &mut ServiceRequest, base: &BasePath) -> bool {
    let Some(inner) = base.strip(request.uri().path()) else { return false };
    if base.is_root() {
        return true;
    }
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let Ok(inner) = PathAndQuery::from_maybe_shared(format!("{inner}{query}")) else { return false };
    let mut parts = request.uri().clone().into_parts();
    parts.path_and_query = Some(inner);
    let Ok(uri) = Uri::from_parts(parts) else { return false };
    request.match_info_mut().get_mut().update(&uri);
    request.head_mut().uri = uri;
    true
}

/// Puts the base path before the path that an answer leads to.
pub fn lead_below(base: &BasePath, headers: &mut HeaderMap) {
    let place = headers
        .get(header::LOCATION)
        .and_then(|place| place.to_str().ok())
        .filter(|place| !base.is_root() && place.starts_with('/') && !place.starts_with("//"));
    if let Some(Ok(place)) = place.map(|place| HeaderValue::from_str(&base.join(place))) {
        headers.insert(header::LOCATION, place);
    }
}

/// The fields after the question mark.
pub fn query_pairs(request: &ServiceRequest) -> Vec<(String, String)> {
    url::form_urlencoded::parse(request.query_string().as_bytes()).into_owned().collect()
}

/// The address of a request as the routes know it, without its token.
pub fn without_token(request: &ServiceRequest) -> String {
    let rest: Vec<_> = query_pairs(request).into_iter().filter(|(name, _)| name != "token").collect();
    let path = format!("/{}", request.path().trim_start_matches('/'));
    if rest.is_empty() {
        return path;
    }
    let pairs: Vec<_> = rest.iter().map(|(name, value)| (&**name, &**value)).collect();
    format!("{path}?{}", url_pairs(&pairs))
}

/// Fields as they stand after a question mark.
pub fn url_pairs(pairs: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}
