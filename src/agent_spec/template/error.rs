//! Errors of templates.

/// Error of a template, worded for its author.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct TemplateError {
    pub(crate) words: String,
    /// Line of the template, from 1.
    pub line: Option<usize>,
}

impl TemplateError {
    pub(crate) fn new(words: String) -> Self {
        Self { words, line: None }
    }
}
