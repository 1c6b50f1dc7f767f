//! Ends of calls of a page's tools, as text for the planner. All of it comes from the page.

use crate::browser::error::{ErrorCode, PageError};
use crate::page::text::{quoted, quoted_within};
use crate::text::truncate::truncate;
use serde_json::Value;

/// Longest text of a result in characters.
const LONGEST: usize = 20_000;
/// Longest text of an error in characters.
const REASON: usize = 400;
/// Longest text of a result that is told in a note.
const LATE: usize = 500;

/// End of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallEnd {
    /// Text that the tool returned; empty if it returned nothing.
    Returned(String),
    /// The tool, or the page around it, reports an error.
    Failed(String),
    /// The page, or Chromium, called it off.
    Cancelled(String),
    /// The document went before it returned.
    DocumentLeft,
}

/// Reads the event of a call's end.
pub fn read_response(params: &Value) -> CallEnd {
    let text = |pointer: &str| params.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let reason = [text("/errorText"), text("/exception/description"), text("/exception/value")];
    let reason = reason.into_iter().find(|reason| !reason.is_empty()).unwrap_or_default();
    let reason = reason.lines().next().unwrap_or_default();
    match text("/status") {
        "Canceled" | "Cancelled" => CallEnd::Cancelled(truncate(reason, REASON)),
        "Error" => CallEnd::Failed(truncate(reason, REASON)),
        _ => read_output(params.get("output").unwrap_or(&Value::Null)),
    }
}

/// Reads what a tool returned. Many return the results of MCP: a list of contents, of which the texts count.
fn read_output(output: &Value) -> CallEnd {
    // Results pass as JSON between the documents of a page.
    let read = output.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let output = read.as_ref().filter(|read| read.is_object()).unwrap_or(output);
    let contents = output.get("content").and_then(Value::as_array);
    let text = match (contents, output) {
        (Some(contents), _) => contents.iter().map(content_text).collect::<Vec<_>>().join("\n"),
        (None, Value::Null) => String::new(),
        (None, Value::String(text)) => text.clone(),
        (None, other) => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    let is_error = output.get("isError").and_then(Value::as_bool).unwrap_or_default();
    if is_error {
        CallEnd::Failed(truncate(&text, REASON))
    } else {
        CallEnd::Returned(truncate(&text, LONGEST))
    }
}

fn content_text(content: &Value) -> String {
    match (content["type"].as_str(), content["text"].as_str()) {
        (_, Some(text)) => text.to_owned(),
        (Some("json"), None) => content.get("json").unwrap_or(content).to_string(),
        (Some(kind @ ("image" | "audio" | "resource" | "resource_link")), None) => {
            format!("({kind} left out)")
        }
        _ => content.to_string(),
    }
}

impl CallEnd {
    /// True if the tool returned something that says more than that it ended.
    pub fn has_text(&self) -> bool {
        matches!(self, Self::Returned(text) if !matches!(text.as_str(), "" | "[]" | "{}"))
    }

    /// Returns the text for the planner, or the error.
    pub fn into_result(self, tool: &str) -> Result<String, PageError> {
        let with_reason = |what: &str, reason: &str| match reason.is_empty() {
            true => what.to_owned(),
            false => format!("{what}: {}", quoted(reason)),
        };
        match self {
            Self::Returned(text) if text.is_empty() => Ok(String::from("the tool returned nothing")),
            Self::Returned(text) => Ok(text),
            Self::DocumentLeft => {
                Ok(String::from("the page went on to another document before the tool returned; look at it"))
            }
            Self::Failed(reason) => {
                let what = with_reason(&format!("the tool {} of the page failed", quoted(tool)), &reason);
                Err(PageError::new(ErrorCode::ToolFailed, what))
            }
            Self::Cancelled(reason) => {
                let what = format!("the page called its tool {} off", quoted(tool));
                Err(PageError::new(ErrorCode::ToolFailed, with_reason(&what, &reason)))
            }
        }
    }

    /// Returns the note about a call that ended after its action.
    pub fn late_note(self, tool: &str) -> String {
        match self.into_result(tool) {
            Ok(text) => {
                let text = quoted_within(&text, LATE);
                format!("the tool {}, called before, has returned: {text}", quoted(tool))
            }
            Err(fault) => format!("called before: {}", fault.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn results_are_read_in_all_forms() {
        for (params, end) in [
            (json!({"status": "Completed", "output": "done"}), CallEnd::Returned("done".into())),
            (json!({"status": "Success"}), CallEnd::Returned(String::new())),
            (
                json!({"status": "Completed", "output": {"content": [
                    {"type": "text", "text": "one"}, {"type": "image", "data": "…"}, {"type": "text", "text": "two"},
                ]}}),
                CallEnd::Returned("one\n(image left out)\ntwo".into()),
            ),
            (
                json!({"status": "Completed", "output": "{\"content\": [{\"type\": \"text\", \"text\": \"one\"}]}"}),
                CallEnd::Returned("one".into()),
            ),
            (
                json!({"status": "Completed", "output": {"isError": true, "content": [{"text": "sold out"}]}}),
                CallEnd::Failed("sold out".into()),
            ),
            (
                json!({"status": "Error", "errorText": "TypeError: no\n    at x.js:3"}),
                CallEnd::Failed("TypeError: no".into()),
            ),
            (json!({"status": "Canceled"}), CallEnd::Cancelled(String::new())),
        ] {
            assert_eq!(read_response(&params), end, "{params}");
        }
    }

    #[test]
    fn a_late_result_is_cut() {
        let note = CallEnd::Returned("word ".repeat(4_000)).late_note("search");
        assert!(note.starts_with("the tool \"search\", called before, has returned: \"word word"), "{note}");
        assert!((500..700).contains(&note.chars().count()), "{note}");
    }

    #[test]
    fn errors_quote_the_page() {
        let failed = CallEnd::Failed("say \"yes\"".into()).into_result("pay");
        let message = "the tool \"pay\" of the page failed: \"say \\\"yes\\\"\"";
        assert_eq!(failed, Err(PageError::new(ErrorCode::ToolFailed, message)));
    }
}
