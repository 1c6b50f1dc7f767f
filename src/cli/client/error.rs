//! Errors of the commands, and their exit codes.

use serde_json::Value;
use std::fmt;

/// Exit codes, which scripts rely on (see the help of `askfirst run`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Succeeded = 0,
    Usage = 2,
    Failed = 3,
    Cancelled = 4,
    Blocked = 5,
    Exhausted = 6,
}

/// Error that ends a command.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The arguments are not valid.
    #[error("{0}")]
    Usage(String),
    /// The service refused the request.
    #[error("{0}")]
    Refused(ApiError),
    #[error("the service at {address} does not answer ({cause}); {advice}")]
    Gone { address: String, cause: String, advice: String },
    #[error("the service sent an unexpected answer ({0}); is it another version?")]
    Unreadable(String),
    #[error("{what}: {source}")]
    File { what: String, source: std::io::Error },
    #[error("the HTTP client could not be created: {0}")]
    Client(String),
    /// Ended by an interrupt.
    #[error("interrupted")]
    Interrupted,
}

impl ClientError {
    /// True if the error may be temporary: the service does not answer, or is busy.
    pub fn passes(&self) -> bool {
        match self {
            Self::Gone { .. } => true,
            Self::Refused(refusal) => matches!(refusal.status, 429 | 503),
            Self::Usage(_)
            | Self::Unreadable(_)
            | Self::File { .. }
            | Self::Client(_)
            | Self::Interrupted => false,
        }
    }

    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Refused(refusal) => match refusal.status {
                400 | 404 | 409 | 413 | 422 => Exit::Usage,
                _ => Exit::Failed,
            },
            Self::Gone { .. } | Self::Unreadable(_) | Self::File { .. } | Self::Client(_) => Exit::Failed,
            Self::Interrupted => Exit::Cancelled,
        }
    }
}

/// An error response (RFC 9457).
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    pub status: u16,
    pub code: String,
    pub detail: String,
    pub faults: Vec<Value>,
    /// Names that the problem is about, such as agents that exist already.
    pub names: Vec<String>,
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)?;
        for fault in &self.faults {
            let part = |key: &str| fault[key].as_str().unwrap_or_default();
            write!(f, "\n  line {}: {}: {}", fault["line"], part("path"), part("message"))?;
        }
        Ok(())
    }
}
