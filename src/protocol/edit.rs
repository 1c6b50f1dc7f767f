//! How a person's edit of the plan, or the end of a task before its time, stands among a run's messages: it is no
//! order in words, and is known again by how it begins.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// No person's words begin like this: it holds a character that no input field gives.
const MARK: &str = "\u{1}plan_edit ";
const CANCEL: &str = "\u{1}task_cancel ";

/// The message that carries it.
pub fn write<T: Serialize>(items: &T) -> String {
    // Our own types of strings, numbers and lists are always JSON.
    format!("{MARK}{}", serde_json::to_string(items).unwrap_or_default())
}

/// The message that ends this task.
pub fn cancel(task: &str) -> String {
    format!("{CANCEL}{task}")
}

pub fn is_edit(message: &str) -> bool {
    message.starts_with(MARK) || message.starts_with(CANCEL)
}

/// The task that it ends.
pub fn cancelled(message: &str) -> Option<&str> {
    message.strip_prefix(CANCEL)
}

pub fn read<T: DeserializeOwned>(message: &str) -> Option<T> {
    serde_json::from_str(message.strip_prefix(MARK)?).ok()
}
