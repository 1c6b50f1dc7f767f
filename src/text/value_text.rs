//! Texts of JSON values.

use serde_json::Value;

/// Returns a text as it is, and any other value as JSON.
pub fn format_value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
