//! Identifies the client of an HTTP request: by the header in which it names itself, else by the token that
//! it showed or by its address.

use crate::http::guard;
use crate::http::guard::forwarded_headers::Arrival;
use crate::protocol::caller::{Caller, CallerKind, HEADER};
use actix_web::http::header::{AUTHORIZATION, HeaderMap, USER_AGENT};
use actix_web::{HttpMessage, HttpRequest};
use std::net::IpAddr;

/// The client of a request to `/api`.
pub fn read_caller(request: &HttpRequest) -> Caller {
    let kind = match request.extensions().get::<guard::credential::Credential>() {
        Some(guard::credential::Credential::SignedIn(_)) => CallerKind::Page,
        Some(_) | None => CallerKind::Api,
    };
    named_caller(request.headers())
        .unwrap_or_else(|| default_caller(kind, request.headers(), client_address(request)))
}

/// Returns the address of the client, also if it is behind a trusted proxy.
pub fn client_address(request: &HttpRequest) -> Option<IpAddr> {
    request.extensions().get::<Arrival>().and_then(|arrival| arrival.client)
}

/// Returns the id in the client's header; empty if it gives none.
pub fn read_caller_id(request: &HttpRequest) -> String {
    named_caller(request.headers()).map(|caller| caller.id).unwrap_or_default()
}

/// Returns the identity of a client that did not name itself: `token` or its address.
pub fn default_caller(kind: CallerKind, headers: &HeaderMap, address: Option<IpAddr>) -> Caller {
    let id = match headers.contains_key(AUTHORIZATION) {
        true => String::from("token"),
        false => address.map_or_else(String::new, |address| address.to_string()),
    };
    Caller::new(kind, &id, agent(headers))
}

/// Returns the client's own name: its `User-Agent`.
pub fn agent(headers: &HeaderMap) -> Option<&str> {
    headers.get(USER_AGENT)?.to_str().ok()
}

fn named_caller(headers: &HeaderMap) -> Option<Caller> {
    Caller::from_header(headers.get(HEADER)?.to_str().ok()?)
}
