//! Kind of a request, by which those that a page sends by itself are known again.

use crate::page::outgoing_request::OutgoingRequest;
use crate::page::outgoing_request::request_shape::{body_shape, query_shape};
use crate::page::url::path_pattern;
use sha2::{Digest, Sha256};
use url::Url;

/// Largest body that is remembered, or read for the kind of its request, in bytes.
pub(super) const LARGEST_BODY: usize = 512 * 1024;

/// Returns the kind of a request: method, destination, path pattern, and the shape of what it carries.
pub fn request_kind(request: &OutgoingRequest) -> String {
    let url = Url::parse(&request.url).ok();
    let address = url.as_ref().map_or_else(
        || request.url.clone(),
        |url| format!("{}{} {}", url.origin().ascii_serialization(), path_pattern(url), query_shape(url)),
    );
    let body = match request.body.as_deref() {
        Some(body) if body.len() > LARGEST_BODY => hash_request(request),
        Some(body) => body_shape(&request.content_type, body),
        None => String::new(),
    };
    format!("{} {address} {body}", request.method)
}

/// Returns a hash of a request, which is the same for the very same request only.
pub(super) fn hash_request(request: &OutgoingRequest) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{} {}\n", request.method, request.url));
    hash.update(request.body.as_deref().unwrap_or_default());
    format!("{:x}", hash.finalize())
}
