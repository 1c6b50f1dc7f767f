//! The client that an HTTP request comes from: the one that its header names, else an API caller, which is known
//! by the token that it showed or by its address.

use super::guard::{self, Arrival};
use crate::protocol::caller::{Caller, CallerKind, HEADER};
use actix_web::http::header::{AUTHORIZATION, HeaderMap, USER_AGENT};
use actix_web::{HttpMessage, HttpRequest};
use std::net::IpAddr;

/// The client of a request to `/api`.
pub fn client_of(request: &HttpRequest) -> Caller {
    let kind = match request.extensions().get::<guard::Credential>() {
        Some(guard::Credential::SignedIn(_)) => CallerKind::Page,
        Some(_) | None => CallerKind::Api,
    };
    named(request.headers()).unwrap_or_else(|| unnamed(kind, request.headers(), client_address(request)))
}

/// The address of the client, also behind a trusted proxy.
pub fn client_address(request: &HttpRequest) -> Option<IpAddr> {
    request.extensions().get::<Arrival>().and_then(|arrival| arrival.client)
}

/// The id that the client of a request goes by; empty if it gives none.
pub fn id_of(request: &HttpRequest) -> String {
    named(request.headers()).map(|caller| caller.id).unwrap_or_default()
}

/// A client that did not name itself.
pub fn unnamed(kind: CallerKind, headers: &HeaderMap, address: Option<IpAddr>) -> Caller {
    let id = match headers.contains_key(AUTHORIZATION) {
        true => String::from("token"),
        false => address.map_or_else(String::new, |address| address.to_string()),
    };
    Caller::new(kind, &id, agent(headers))
}

/// The client's own name: its `User-Agent`.
pub fn agent(headers: &HeaderMap) -> Option<&str> {
    headers.get(USER_AGENT)?.to_str().ok()
}

fn named(headers: &HeaderMap) -> Option<Caller> {
    Caller::from_header(headers.get(HEADER)?.to_str().ok()?)
}
