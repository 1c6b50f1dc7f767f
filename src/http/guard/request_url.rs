//! The address of a request as the routes see it, without the base path and the token.

use crate::config::proxies::BasePath;
use actix_web::dev::ServiceRequest;
use actix_web::http::Uri;
use actix_web::http::header::{self, HeaderMap, HeaderValue};
use actix_web::http::uri::PathAndQuery;

/// Removes the base path from the request's path. Returns false if the path is not below it.
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

/// Puts the base path before the path of a `Location` header.
pub fn prefix_location(base: &BasePath, headers: &mut HeaderMap) {
    let location = headers
        .get(header::LOCATION)
        .and_then(|location| location.to_str().ok())
        .filter(|location| !base.is_root() && location.starts_with('/') && !location.starts_with("//"));
    if let Some(Ok(location)) = location.map(|location| HeaderValue::from_str(&base.join(location))) {
        headers.insert(header::LOCATION, location);
    }
}

/// Returns the parameters of the query string.
pub fn query_pairs(request: &ServiceRequest) -> Vec<(String, String)> {
    url::form_urlencoded::parse(request.query_string().as_bytes()).into_owned().collect()
}

/// Returns the path and query of a request without the token.
pub fn without_token(request: &ServiceRequest) -> String {
    let rest: Vec<_> = query_pairs(request).into_iter().filter(|(name, _)| name != "token").collect();
    let path = format!("/{}", request.path().trim_start_matches('/'));
    if rest.is_empty() {
        return path;
    }
    let pairs: Vec<_> = rest.iter().map(|(name, value)| (&**name, &**value)).collect();
    format!("{path}?{}", url_pairs(&pairs))
}

/// Encodes parameters as a query string.
pub fn url_pairs(pairs: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}
