//! Result of a tool call: texts and JSON within limits, or an error message that says what to do.

use rmcp::model::{CallToolResponse, CallToolResult};
use rmcp::service::ServiceError;
use serde_json::Value;

/// Maximum length of all texts of a result, in characters.
const TEXT: usize = 100_000;
/// Maximum size of the JSON of a result, in bytes.
const JSON: usize = 200_000;

/// Result of a tool. None of it is trusted.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    pub text: String,
    pub result: Option<Value>,
}

/// A failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    /// Error code for programs.
    pub code: &'static str,
    pub words: String,
}

impl ToolError {
    fn new(code: &'static str, words: String) -> Self {
        Self { code, words }
    }

    /// Error of a server that is not in the settings.
    pub fn unknown(server: &str) -> Self {
        Self::new(
            "unknown_server",
            format!("there is no MCP server `{server}`; add `[mcp.servers.{server}]` to the settings"),
        )
    }

    /// Error of a server that ended during a call.
    pub fn gone(server: &str) -> Self {
        Self::new(
            "server_gone",
            format!("the MCP server `{server}` has ended; it begins again with the next call"),
        )
    }

    /// Error of a server that does not start.
    pub fn not_begun(server: &str, why: &str) -> Self {
        let words = format!(
            "the MCP server `{server}` does not begin: {why}; see `mcp.servers.{server}` of the settings"
        );
        Self::new("server_not_begun", words)
    }

    /// Converts an error of a call; `seconds` is its time limit.
    pub fn from_service_error(server: &str, seconds: u64, fault: &ServiceError) -> Self {
        match fault {
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => Self::gone(server),
            ServiceError::Timeout { .. } => Self::new(
                "timeout",
                format!(
                    "the MCP server `{server}` did not answer within {seconds} s (`mcp.servers.{server}.timeout_s`)"
                ),
            ),
            ServiceError::McpError(error) => {
                let message = format!("{} ({})", error.message, error.code.0);
                Self::new(
                    "tool_refused",
                    format!("the MCP server `{server}` refuses: {}", truncate_with_notice(&message, 2_000)),
                )
            }
            other => Self::new(
                "server_broken",
                format!("the MCP server `{server}`: {}", truncate_with_notice(&other.to_string(), 500)),
            ),
        }
    }
}

/// Parses the response to a call.
pub fn read(server: &str, answer: CallToolResponse) -> Result<ToolResult, ToolError> {
    let CallToolResponse::Complete(CallToolResult { content, structured_content, is_error, .. }) = answer
    else {
        let words =
            format!("the MCP server `{server}` asks for something that is not given (input, or patience)");
        return Err(ToolError::new("server_asks", words));
    };
    let parts: Vec<String> =
        content.iter().map(|block| block_text(&serde_json::to_value(block).unwrap_or_default())).collect();
    let mut text = truncate_with_notice(&parts.join("\n"), TEXT);
    if is_error == Some(true) {
        let message = if text.trim().is_empty() { String::from("it does not say why") } else { text };
        return Err(ToolError::new("tool_failed", message));
    }
    let found =
        structured_content.or_else(|| serde_json::from_str(text.trim()).ok().filter(Value::is_object));
    let size = found.as_ref().map_or(0, |value| value.to_string().len());
    if size > JSON {
        text = format!("{text}\n(JSON of {size} bytes was left out; at most {JSON} are taken)");
        return Ok(ToolResult { text, result: None });
    }
    if text.is_empty() {
        text = found.as_ref().map(|value| truncate_with_notice(&value.to_string(), TEXT)).unwrap_or_default();
    }
    Ok(ToolResult { text, result: found })
}

/// Converts one content block to text. Pictures, sounds and binary files are named and left out.
fn block_text(block: &Value) -> String {
    let word = |name: &str| block[name].as_str().unwrap_or_default();
    match word("type") {
        "text" => word("text").to_owned(),
        "resource_link" => format!("[link: {}]", word("uri")),
        "resource" => match block["resource"]["text"].as_str() {
            Some(text) => text.to_owned(),
            None => format!("[file: {}]", block["resource"]["uri"].as_str().unwrap_or_default()),
        },
        other => format!("[{other}: {}, {} kB, left out]", word("mimeType"), word("data").len() / 1366),
    }
}

/// Truncates a text to `most` characters and tells the model so.
fn truncate_with_notice(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}… (cut after {most} characters)", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(value: Value) -> Result<ToolResult, ToolError> {
        let result: CallToolResult = serde_json::from_value(value).unwrap();
        read("shop", result.into())
    }

    #[test]
    fn texts_and_json_are_taken_and_the_rest_is_named() {
        let done = answer(json!({"content": [{"type": "text", "text": "Kyiv"},
            {"type": "image", "mimeType": "image/png", "data": "aaaa".repeat(1366)},
            {"type": "resource_link", "uri": "file:///x", "name": "x"}], "structuredContent": {"a": 1}}));
        let text = "Kyiv\n[image: image/png, 4 kB, left out]\n[link: file:///x]";
        assert_eq!(done, Ok(ToolResult { text: text.to_owned(), result: Some(json!({"a": 1})) }));
        let done = answer(json!({"content": [{"type": "text", "text": " {\"b\": 2} "}]})).unwrap();
        assert_eq!(done.result, Some(json!({"b": 2})));
        let failed = answer(json!({"content": [{"type": "text", "text": "no such city"}], "isError": true}));
        assert_eq!(failed.unwrap_err(), ToolError::new("tool_failed", String::from("no such city")));
    }

    #[test]
    fn the_kept_part_of_a_tool_answer_is_limited() {
        let done = answer(json!({"content": [{"type": "text", "text": "я".repeat(TEXT * 3)}],
            "structuredContent": {"x": "y".repeat(JSON * 2)}}))
        .unwrap();
        assert!(
            done.text.chars().count() < TEXT + 200 && done.text.contains("cut after"),
            "{}",
            done.text.len()
        );
        assert_eq!(done.result, None);
        assert!(done.text.ends_with("are taken)"));
    }
}
