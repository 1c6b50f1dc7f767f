//! A request that may be sent again.

use serde_json::Value;

/// What it is known by, and what is kept of it with what it leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Try {
    pub key: String,
    /// What was asked, as a hash: another thing asked by the same key is another request.
    pub asked: String,
    /// Where in its run the answer begins.
    pub place: Value,
}
