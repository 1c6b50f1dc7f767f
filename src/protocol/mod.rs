//! Wire protocol, version 1 (`docs/protocol.md`): frames from clients, frames to clients, and the types that
//! both use. Types only, without behaviour.

pub mod action_effect;
pub mod caller;
pub mod client;
pub mod event;
pub mod markdown;
pub mod picture;
pub mod server;

use crate::text::named_values::named_values;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Protocol version in `hello` and `welcome`.
pub const VERSION: u32 = 1;

named_values! {
    /// Status of a run. The last eight are outcomes: the run has ended.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
    #[cfg_attr(test, derive(ts_rs::TS))]
    #[serde(rename_all = "snake_case")]
    pub enum Status {
        Queued = "queued",
        Running = "running",
        Waiting = "waiting",
        Paused = "paused",
        Succeeded = "succeeded",
        Partial = "partial",
        Failed = "failed",
        Skipped = "skipped",
        Cancelled = "cancelled",
        Denied = "denied",
        Blocked = "blocked",
        Exhausted = "exhausted",
    }
}

impl Status {
    /// Returns the names of all statuses.
    pub fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|status| status.word()).collect()
    }

    /// Parses a status; `None` for any other word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|status| status.word() == word)
    }

    /// True if the run has ended.
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

named_values! {
    /// Kind of a question that waits for a person (C20).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[cfg_attr(test, derive(ts_rs::TS))]
    #[serde(rename_all = "snake_case")]
    pub enum QuestionKind {
        Confirm = "confirm",
        Manual = "manual",
        Question = "question",
        ApprovePlan = "approve_plan",
        Budget = "budget",
    }
}

/// Scope of an approval. `Action` is offered from the second question about one action on: it covers whatever else that
/// action stores at the same site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Remember {
    #[default]
    Once,
    Action,
    Run,
    Site,
}

/// Language of texts for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Locale {
    Uk,
    #[default]
    En,
}

impl Locale {
    /// Parses a language tag: `uk-UA`, `uk_UA.UTF-8` and the like are Ukrainian, every other tag is English.
    pub fn from_tag(tag: &str) -> Self {
        Self::from_known_tag(tag).unwrap_or_default()
    }

    /// Returns the language of a tag if it is Ukrainian or English.
    fn from_known_tag(tag: &str) -> Option<Self> {
        let language = tag.trim().split(['-', '_', '.']).next().unwrap_or_default().to_ascii_lowercase();
        match language.as_str() {
            "uk" => Some(Self::Uk),
            "en" => Some(Self::En),
            _ => None,
        }
    }

    /// Returns the language with the highest weight in an `Accept-Language` header; `None` if it names
    /// neither.
    pub fn from_accept_language(header: &str) -> Option<Self> {
        let mut best: Option<(f32, Self)> = None;
        for range in header.split(',') {
            let (tag, weight) = range.split_once(';').unwrap_or((range, "q=1"));
            let weight =
                weight.trim().strip_prefix("q=").and_then(|number| number.parse().ok()).unwrap_or(0.0);
            let Some(locale) = Self::from_known_tag(tag).filter(|_| weight > 0.0) else { continue };
            if best.is_none_or(|(before, _)| weight > before) {
                best = Some((weight, locale));
            }
        }
        best.map(|(_, locale)| locale)
    }

    /// Returns the language of a run's input, English by default.
    pub fn from_input_or_english(input: &Map<String, Value>) -> Self {
        Self::from_input(input).unwrap_or_default()
    }

    /// Returns the language that an input names in `locale`, else Ukrainian if its text has Cyrillic letters.
    pub fn from_input(input: &Map<String, Value>) -> Option<Self> {
        let input_text = |name: &str| input.get(name).and_then(Value::as_str);
        let cyrillic = |letter: char| ('\u{400}'..='\u{4ff}').contains(&letter);
        match input_text("locale") {
            Some(tag) => Some(Self::from_tag(tag)),
            None => input_text("text").unwrap_or_default().contains(cyrillic).then_some(Self::Uk),
        }
    }

    /// Returns the language tag.
    pub fn tag(self) -> &'static str {
        self.pick("uk", "en")
    }

    /// Returns the languages that a browser sends for this reader, best first.
    pub fn languages(self) -> &'static str {
        match self {
            Self::Uk => "uk-UA,uk,en-US,en",
            Self::En => "en-US,en",
        }
    }

    /// Returns the text in this language.
    pub fn pick<'a>(self, uk: &'a str, en: &'a str) -> &'a str {
        match self {
            Self::Uk => uk,
            Self::En => en,
        }
    }
}

#[cfg(test)]
mod typescript;

#[cfg(test)]
mod tests {
    use super::Locale::{self, En, Uk};
    use serde_json::{Map, json};

    #[test]
    fn the_language_follows_what_is_accepted_best_and_is_english_otherwise() {
        for (header, expected) in [
            ("uk-UA,uk;q=0.9,en;q=0.8", Some(Uk)),
            ("en-US,en;q=0.9,uk;q=0.8", Some(En)),
            ("en;q=0.3, uk;q=0.7", Some(Uk)),
            ("de-DE, uk;q=0.5", Some(Uk)),
            ("uk;q=0, en;q=0.1", Some(En)),
            ("ru,de;q=0.9", None),
            ("*", None),
            ("ukx, ї;q=;", None),
            ("", None),
        ] {
            assert_eq!(Locale::from_accept_language(header), expected, "{header}");
        }
        for (tag, expected) in
            [("uk", Uk), ("UK_ua.UTF-8", Uk), ("en-GB", En), ("C", En), ("", En), ("de", En)]
        {
            assert_eq!(Locale::from_tag(tag), expected, "{tag}");
        }
    }

    #[test]
    fn the_language_of_a_run_is_named_or_detected_from_its_text() {
        for (input, expected) in [
            (json!({"locale": "uk", "text": "open a.test"}), Some(Uk)),
            (json!({"locale": "en", "text": "відкрий a.test"}), Some(En)),
            (json!({"text": "відкрий a.test"}), Some(Uk)),
            (json!({"text": "open a.test"}), None),
            (json!({}), None),
        ] {
            let input: Map<String, _> = serde_json::from_value(input).unwrap();
            assert_eq!(
                (Locale::from_input(&input), Locale::from_input_or_english(&input)),
                (expected, expected.unwrap_or(En))
            );
        }
    }
}
