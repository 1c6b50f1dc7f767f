//! Versions in headers: `ETag`, and the preconditions of requests that overwrite a version.

use crate::agent_spec::files::version::ExpectedState;
use actix_web::http::header::{self, ETag, EntityTag, HeaderMap, HeaderName};

/// Returns the `ETag` header of a version.
pub fn version_tag(version: &str) -> ETag {
    ETag(EntityTag::new_strong(version.to_owned()))
}

/// Conditions that the request headers set for replacing a file.
pub struct Preconditions {
    /// `If-Match`: the versions that it may have; `*` is any.
    versions: Vec<String>,
    /// `If-None-Match: *`: there must be no current version.
    new: bool,
}

impl Preconditions {
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let all = |name: HeaderName| headers.get_all(name).filter_map(|value| value.to_str().ok());
        let tags = all(header::IF_MATCH).flat_map(|tags| tags.split(','));
        let plain = |tag: &str| tag.trim().trim_start_matches("W/").trim_matches('"').to_owned();
        Self {
            versions: tags.map(plain).collect(),
            new: all(header::IF_NONE_MATCH).any(|tag| tag.trim() == "*"),
        }
    }

    pub fn expected_state(&self) -> ExpectedState<'_> {
        match self.versions.as_slice() {
            [] if self.new => ExpectedState::Nothing,
            [] => ExpectedState::Anything,
            versions => ExpectedState::OneOf(versions),
        }
    }
}
