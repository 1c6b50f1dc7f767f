//! The wire, version 1 (PROTOCOL sections 1 and 6): what clients send, what they are sent, and the
//! words that both use. Types only; nothing here does anything.

pub mod caller;
pub mod client;
pub mod event;
pub mod markdown;
pub mod picture;
pub mod server;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version that `hello` and `welcome` carry.
pub const VERSION: u32 = 1;

/// How a run stands (requirements, "Status words"). The last eight are outcomes: a run that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Queued,
    Running,
    Waiting,
    Paused,
    Succeeded,
    Partial,
    Failed,
    Skipped,
    Cancelled,
    Denied,
    Blocked,
    Exhausted,
}

impl Status {
    pub const ALL: [Self; 12] = [
        Self::Queued,
        Self::Running,
        Self::Waiting,
        Self::Paused,
        Self::Succeeded,
        Self::Partial,
        Self::Failed,
        Self::Skipped,
        Self::Cancelled,
        Self::Denied,
        Self::Blocked,
        Self::Exhausted,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
            Self::Succeeded => "succeeded",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
            Self::Denied => "denied",
            Self::Blocked => "blocked",
            Self::Exhausted => "exhausted",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }

    /// Whether the run has ended.
    pub fn is_outcome(self) -> bool {
        match self {
            Self::Queued | Self::Running | Self::Waiting | Self::Paused => false,
            Self::Succeeded
            | Self::Partial
            | Self::Failed
            | Self::Skipped
            | Self::Cancelled
            | Self::Denied
            | Self::Blocked
            | Self::Exhausted => true,
        }
    }
}

/// What kind of question waits for a person (C20).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    Confirm,
    Manual,
    Question,
    ApprovePlan,
    Budget,
}

impl QuestionKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Manual => "manual",
            Self::Question => "question",
            Self::ApprovePlan => "approve_plan",
            Self::Budget => "budget",
        }
    }
}

/// How far an approval reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Remember {
    #[default]
    Once,
    Run,
    Site,
}

/// The language that people are answered in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Locale {
    #[default]
    Uk,
    En,
}

impl Locale {
    /// Anything but English is answered in Ukrainian, the service's first language.
    pub fn from_tag(tag: &str) -> Self {
        if tag.to_ascii_lowercase().starts_with("en") { Self::En } else { Self::Uk }
    }

    /// Of a run: what its input names, or else that of its words.
    pub fn of_input(input: &Map<String, Value>) -> Self {
        let said = |name: &str| input.get(name).and_then(Value::as_str);
        let cyrillic = |letter: char| ('\u{400}'..='\u{4ff}').contains(&letter);
        match said("locale") {
            Some(tag) => Self::from_tag(tag),
            None if said("text").unwrap_or_default().contains(cyrillic) => Self::Uk,
            None => Self::En,
        }
    }

    /// What a browser says for such a reader, the best first.
    pub fn languages(self) -> &'static str {
        match self {
            Self::Uk => "uk-UA,uk,en-US,en",
            Self::En => "en-US,en",
        }
    }

    /// The one of two texts that this locale reads.
    pub fn pick<'a>(self, uk: &'a str, en: &'a str) -> &'a str {
        match self {
            Self::Uk => uk,
            Self::En => en,
        }
    }
}

#[cfg(test)]
mod typescript;
