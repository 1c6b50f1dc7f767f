//! Errors of calls to the model endpoint, and the pause before a retry.

use crate::clock::Moment;
use crate::config::secret::Secret;
use crate::ids;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Error of a model call.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallError {
    #[error("status {status}: {message}")]
    Rejected { status: u16, code: String, message: String, retry_after: Option<Duration> },
    #[error("no connection: {0}")]
    Unreachable(String),
    #[error("no answer in time")]
    TimedOut,
    #[error("the answer was cut off: {0}")]
    BrokeOff(String),
    #[error("the answer is not a chat completion: {0}")]
    Unreadable(String),
    /// The fixed text and the shortest page do not fit; nothing was sent.
    #[error("the rules and the shortest page take about {needed} tokens, the model's context has {context}")]
    ContextTooSmall { needed: u64, context: u64 },
}

impl CallError {
    /// Masks the key in the error. Endpoints repeat a key that they refuse, and errors are logged, stored and
    /// shown.
    pub(crate) fn mask_key(mut self, key: Option<&Secret>) -> Self {
        if let (Self::Rejected { message, code, .. }, Some(key)) = (&mut self, key) {
            for text in [message, code] {
                *text = text.replace(key.expose().trim(), "••••");
            }
        }
        self
    }

    /// Returns the pause before the next attempt; `None` if a retry cannot help.
    pub(crate) fn pause(&self, tried: u32) -> Option<Duration> {
        let backed_off = backoff_pause(tried);
        match self {
            Self::Rejected { code, .. } if code.contains("insufficient_quota") => None,
            Self::Rejected { status: 408 | 409 | 425 | 429 | 500..=599, retry_after, .. } => {
                match retry_after {
                    Some(wait) => (*wait <= PATIENCE).then_some(*wait),
                    None => Some(backed_off),
                }
            }
            Self::Rejected { .. } | Self::Unreadable(_) | Self::ContextTooSmall { .. } => None,
            // The call was long already; one retry is as much as a person would wait for.
            Self::TimedOut => (tried < 1).then_some(backed_off),
            Self::Unreachable(_) | Self::BrokeOff(_) => Some(backed_off),
        }
    }

    /// True if the endpoint does not support the requested `response_format`.
    pub fn refuses_format(&self) -> bool {
        const WORDS: [&str; 7] = [
            "response_format",
            "json_schema",
            "json schema",
            "json_object",
            "structured output",
            "guided",
            "grammar",
        ];
        match self {
            Self::Rejected { status: 400 | 404 | 422 | 500 | 501, code, message, .. } => {
                let text = format!("{code} {message}").to_lowercase();
                WORDS.iter().any(|word| text.contains(word))
            }
            Self::Rejected { .. }
            | Self::Unreachable(_)
            | Self::TimedOut
            | Self::BrokeOff(_)
            | Self::Unreadable(_)
            | Self::ContextTooSmall { .. } => false,
        }
    }

    /// True if the model does not accept a temperature.
    pub fn refuses_temperature(&self) -> bool {
        matches!(self, Self::Rejected { status: 400 | 422, code, message, .. }
            if format!("{code} {message}").to_lowercase().contains("temperature"))
    }

    /// Returns the text of a refusal in lower case; empty for other errors.
    fn refusal_text(&self) -> String {
        match self {
            Self::Rejected { status: 400 | 413 | 422 | 500, code, message, .. } => {
                format!("{code} {message}").to_lowercase()
            }
            _ => String::new(),
        }
    }

    /// Returns the model's context window if the request was longer; `Some(None)` if the endpoint does not name it.
    pub(crate) fn refused_context(&self) -> Option<Option<u64>> {
        const WORDS: [&str; 7] = [
            "context length",
            "context_length",
            "context size",
            "context_size",
            "context window",
            "maximum context",
            "prompt is too long",
        ];
        let text = self.refusal_text();
        WORDS.iter().any(|word| text.contains(word)).then(|| {
            let (_, after) = text.rsplit_once("context size").or_else(|| text.split_once("context"))?;
            let number = after.trim_start_matches(|c: char| !c.is_ascii_digit());
            number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        })
    }

    /// True if the endpoint does not take the limit on an answer under this name, or at all.
    pub(crate) fn refuses_limit(&self) -> bool {
        let text = self.refusal_text();
        text.contains("max_tokens") || text.contains("max_completion_tokens")
    }

    /// True if the model's template has no system role, or takes none there.
    pub(crate) fn refuses_system(&self) -> bool {
        const WORDS: [&str; 5] =
            ["system role", "role system", "role 'system'", "roles must alternate", "system message must be"];
        let text = self.refusal_text();
        WORDS.iter().any(|word| text.contains(word))
    }

    /// True if the endpoint does not stream.
    pub(crate) fn refuses_stream(&self) -> bool {
        self.refusal_text().contains("stream")
    }

    /// True if another model at the same endpoint may succeed.
    pub fn may_succeed_with_another_model(&self) -> bool {
        match self {
            Self::Rejected { status, .. } => !matches!(status, 401 | 403),
            Self::TimedOut | Self::BrokeOff(_) | Self::Unreadable(_) | Self::ContextTooSmall { .. } => true,
            Self::Unreachable(_) => false,
        }
    }
}

/// Longest pause that an endpoint may request.
const PATIENCE: Duration = Duration::from_secs(60);

const FIRST_PAUSE: Duration = Duration::from_millis(400);

const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Error in the settings of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    #[error("`model.base_url` is not an http or https address; set it to one, as http://127.0.0.1:11434/v1")]
    BaseUrl,
    #[error(
        "`model.api_key` contains characters that no key has; set it again, without spaces or line breaks"
    )]
    ApiKey,
    #[error("the HTTP client could not be created for the model: {0}")]
    Client(String),
}

/// Reads the requested pause: seconds or a date (RFC 9110), or milliseconds as OpenAI sends them.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(millis));
    }
    let after = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = after.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(after).ok()?.timestamp().as_millisecond();
    Some(Duration::from_millis(u64::try_from(date - Moment::now().millis()).unwrap_or(0)))
}

/// Doubles the pause with each attempt, with a random factor from one half to one, so that many runs do not
/// retry at the same moment.
pub(crate) fn backoff_pause(tried: u32) -> Duration {
    let whole = FIRST_PAUSE.saturating_mul(2u32.saturating_pow(tried)).min(LONGEST_PAUSE);
    let random = ids::token();
    let spread = u32::from_str_radix(&random[random.len() - 4..], 16).unwrap_or(0);
    whole / 2 + whole.mul_f64(f64::from(spread) / f64::from(0xffff_u32) / 2.0)
}
