//! Idempotency record of a request.

use serde_json::Value;

/// Idempotency record: key, request hash, position of the reply.
#[derive(Clone, Debug, PartialEq)]
pub struct IdempotencyRecord {
    pub key: String,
    /// Hash of the request. A repeated key with another hash is a different request.
    pub request_hash: String,
    /// Position in the run at which the reply begins.
    pub position: Value,
}
