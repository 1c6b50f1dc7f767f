//! A finding of the doctor, with its grade.

use serde::Serialize;

/// Report on one part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub subject: &'static str,
    pub grade: Grade,
    pub text: String,
    /// Advice on what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    pub(crate) fn good(subject: &'static str, text: impl Into<String>) -> Self {
        Self { subject, grade: Grade::Good, text: text.into(), advice: None }
    }

    pub(crate) fn note(subject: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { subject, grade: Grade::Note, text: text.into(), advice: Some(advice.into()) }
    }

    pub(crate) fn missing(subject: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { subject, grade: Grade::Missing, text: text.into(), advice: Some(advice.into()) }
    }
}

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    Good,
    /// The service works without this part, or with restrictions.
    Note,
    /// The service does not work without this part.
    Missing,
}
