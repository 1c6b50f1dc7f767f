//! Readings of the planner's request: its language, its newest message, a call for help, and the limit of
//! observations for one command.

use crate::planning::{HistoryEntry, Speaker};
use crate::protocol::Locale;
use crate::text::tokenize;

/// Observations in which the element of a command is searched before giving up.
pub(crate) const MAX_OBSERVATIONS: usize = 3;

/// Detects the language of a command: Ukrainian if it contains Cyrillic letters, else English. Quoted texts
/// and addresses are ignored, as they belong to the page. Without letters, returns `otherwise`.
pub fn detect_locale(message: &str, otherwise: Locale) -> Locale {
    let words = tokenize::words(message);
    let mut plain =
        words.iter().filter(|word| !word.quoted && !word.key.contains('.')).flat_map(|word| word.key.chars());
    let cyrillic = plain.clone().any(|c| matches!(c, 'а'..='я' | 'і' | 'ї' | 'є' | 'ґ'));
    match (cyrillic, plain.any(|c| c.is_ascii_alphabetic())) {
        (true, _) => Locale::Uk,
        (false, true) => Locale::En,
        (false, false) => otherwise,
    }
}

/// Returns the person's newest message.
pub fn newest_message(history: &[HistoryEntry]) -> &str {
    let message = history.iter().rev().find_map(|entry| match entry {
        HistoryEntry::Message { by: Speaker::Person, text } => Some(text.as_str()),
        HistoryEntry::Message { by: Speaker::Agent, .. }
        | HistoryEntry::Acted { .. }
        | HistoryEntry::Ended { .. }
        | HistoryEntry::Summary { .. }
        | HistoryEntry::Premove { .. } => None,
    });
    message.unwrap_or_default()
}

/// True if the text asks for the available commands.
pub fn is_call_for_help(message: &str) -> bool {
    let message = message.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    matches!(
        message.as_str(),
        "" | "help" | "what can you do" | "допомога" | "допоможи" | "довідка" | "що ти вмієш" | "що ти можеш"
    )
}
