//! Converts requests and responses between actix and rmcp, which use different versions of the `http` crate.

use crate::http::guard::forwarded_headers::Arrival;
use crate::http::mcp::context::ServiceAddress;
use crate::http::mcp::sessions::InUse;
use crate::http::problem::Problem;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_ENCODING, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use futures_util::StreamExt;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use std::convert::Infallible;

pub fn in_request(request: &HttpRequest, body: Bytes) -> Result<http::Request<Full<Bytes>>, Problem> {
    let mut converted =
        http::Request::builder().method(request.method().as_str()).uri(request.uri().to_string());
    for (name, value) in request.headers() {
        converted = converted.header(name.as_str(), value.as_bytes());
    }
    if let Some(arrival) = request.extensions().get::<Arrival>() {
        converted = converted.extension(ServiceAddress(arrival.address()));
    }
    converted.body(Full::new(body)).map_err(|fault| Problem::bad_request("bad_request", fault.to_string()))
}

/// Converts a response. Its body may be a stream that lasts as long as a call, during which `in_use` keeps
/// the session in use.
pub fn out_response(
    answer: http::Response<BoxBody<Bytes, Infallible>>,
    in_use: Option<InUse>,
) -> HttpResponse {
    let status = StatusCode::from_u16(answer.status().as_u16()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = HttpResponse::build(status);
    for (name, value) in answer.headers() {
        let name = HeaderName::from_bytes(name.as_str().as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value.as_bytes())) {
            response.append_header((name, value));
        }
    }
    // Nothing may buffer events to compress them.
    response.insert_header((CONTENT_ENCODING, "identity"));
    response.streaming(answer.into_body().into_data_stream().inspect(move |_| {
        let _ = &in_use;
    }))
}
