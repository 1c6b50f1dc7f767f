//! How a person's edit of the plan stands among a run's messages: it is no order in words, and is known
//! again by how it begins.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// No person's words begin like this: it holds a character that no input field gives.
const MARK: &str = "\u{1}plan_edit ";

/// The message that carries it.
pub fn write<T: Serialize>(items: &T) -> String {
    // Our own types of strings, numbers and lists are always JSON.
    format!("{MARK}{}", serde_json::to_string(items).unwrap_or_default())
}

pub fn is_edit(message: &str) -> bool {
    message.starts_with(MARK)
}

pub fn read<T: DeserializeOwned>(message: &str) -> Option<T> {
    serde_json::from_str(message.strip_prefix(MARK)?).ok()
}
