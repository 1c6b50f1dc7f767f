//! The request of `POST /v1/chat/completions`. Parameters that tune a model (temperature, tools, …) are
//! ignored, because an agent has its own.

use crate::http::json_object::JsonObject;
use crate::http::problem::Problem;
use crate::ids::RunId;
use crate::protocol::Locale;
use crate::text::truncate::truncate_unmarked;
use serde::Deserialize;
use serde_json::{Value, json};

/// Maximum number of history messages passed to a new run, and their maximum length in characters.
const MAX_HISTORY: usize = 40;
const MAX_CHARACTERS: usize = 4_000;

#[derive(Deserialize)]
struct Body {
    model: Option<String>,
    #[serde(default)]
    messages: Vec<JsonObject<Message>>,
    #[serde(default)]
    stream: Option<bool>,
    stream_options: Option<JsonObject<StreamOptions>>,
    n: Option<u64>,
    #[serde(default)]
    metadata: Value,
}

#[derive(Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: Option<bool>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    content: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Instructions of the client count as the person's, because both come from the owner of the client.
    System,
    User,
    Assistant,
}

impl Role {
    pub fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    pub role: Role,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChatRequest {
    /// Name of the agent.
    pub model: String,
    /// Messages before the last user message; adjacent messages of one role are joined.
    pub history: Vec<ChatMessage>,
    /// The last user message.
    pub text: String,
    pub stream: bool,
    pub include_usage: bool,
    /// The run that the client names for its chat.
    pub run: Option<RunId>,
    /// Language from `Accept-Language`.
    pub accepted: Option<Locale>,
}

impl ChatRequest {
    pub fn read(body: &[u8]) -> Result<Self, Problem> {
        let JsonObject(body): JsonObject<Body> = serde_json::from_slice(body)
            .map_err(|fault| Problem::bad_request("bad_json", format!("the body does not fit: {fault}")))?;
        let model = body.model.filter(|model| !model.is_empty()).ok_or_else(|| {
            Problem::bad_request(
                "missing_model",
                "`model` is the name of an agent; GET /v1/models lists them",
            )
        })?;
        if body.n.is_some_and(|n| n > 1) {
            return Err(Problem::bad_request("unsupported", "`n` must be 1: an agent runs once per request"));
        }
        let mut history = Vec::new();
        for JsonObject(message) in body.messages {
            add_message(&mut history, message.read_message()?);
        }
        match history.pop() {
            Some(ChatMessage { role: Role::User, text }) if !text.trim().is_empty() => Ok(Self {
                model,
                history,
                text,
                stream: body.stream.unwrap_or(false),
                include_usage: body.stream_options.and_then(|more| more.0.include_usage).unwrap_or(false),
                run: body.metadata["askfirst_run_id"].as_str().filter(|run| !run.is_empty()).map(RunId::from),
                accepted: None,
            }),
            Some(_) | None => {
                Err(Problem::bad_request("bad_messages", "the last of `messages` must be from the `user`"))
            }
        }
    }
}

fn add_message(history: &mut Vec<ChatMessage>, message: Option<ChatMessage>) {
    let Some(message) = message else { return };
    match history.last_mut() {
        Some(last) if last.role == message.role => last.text = format!("{}\n\n{}", last.text, message.text),
        Some(_) | None => history.push(message),
    }
}

impl Message {
    /// Reads the message. Returns `None` for messages of the client's own tools, and for empty ones.
    fn read_message(self) -> Result<Option<ChatMessage>, Problem> {
        let role = match self.role.as_str() {
            "system" | "developer" => Role::System,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "tool" | "function" => return Ok(None),
            other => {
                let words = format!("there is no role \"{other}\"; use system, user or assistant");
                return Err(Problem::bad_request("bad_messages", words));
            }
        };
        let text = match self.content {
            Value::Null => String::new(),
            Value::String(text) => text,
            Value::Array(parts) => parts.iter().map(part_text).collect::<Result<Vec<_>, _>>()?.join("\n\n"),
            _ => {
                return Err(Problem::bad_request(
                    "bad_messages",
                    "`content` must be text or a list of parts",
                ));
            }
        };
        Ok(Some(ChatMessage { role, text }).filter(|message| !message.text.trim().is_empty()))
    }
}

fn part_text(part: &Value) -> Result<String, Problem> {
    match (part["type"].as_str(), part["text"].as_str()) {
        (Some("text" | "input_text") | None, Some(text)) => Ok(text.to_owned()),
        (kind, _) => {
            let words = format!(
                "a part of type \"{}\" cannot be taken; send text (files are given to a run by /api/runs)",
                kind.unwrap_or_default()
            );
            Err(Problem::bad_request("unsupported", words))
        }
    }
}

/// Converts the end of the history to the input of a run.
pub fn history_input(history: &[ChatMessage]) -> Vec<Value> {
    let each = latest(history).iter();
    each.map(|message| json!({"role": message.role.word(), "content": input_text(&message.text)})).collect()
}

/// Returns the messages of the history that a run receives.
pub fn latest(history: &[ChatMessage]) -> &[ChatMessage] {
    &history[history.len().saturating_sub(MAX_HISTORY)..]
}

/// Shortens a text to the length that a run receives.
pub fn input_text(text: &str) -> String {
    truncate_unmarked(text, MAX_CHARACTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(messages: Value) -> Result<ChatRequest, Problem> {
        ChatRequest::read(json!({"model": "browser", "messages": messages}).to_string().as_bytes())
    }

    #[test]
    fn the_last_user_message_is_the_request_and_the_rest_is_history() {
        let chat = read(json!([
            {"role": "developer", "content": "be brief"},
            {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
            {"role": "assistant", "content": null, "tool_calls": []},
            {"role": "tool", "content": "x"},
            {"role": "assistant", "content": "done"},
            {"role": "user", "content": "and"},
            {"role": "user", "content": "now?"},
        ]))
        .unwrap();
        let received: Vec<_> =
            chat.history.iter().map(|message| (message.role.word(), message.text.as_str())).collect();
        assert_eq!(received, [("system", "be brief"), ("user", "one\n\ntwo"), ("assistant", "done")]);
        assert_eq!((chat.text.as_str(), chat.stream), ("and\n\nnow?", false));
    }

    #[test]
    fn unsupported_chat_requests_are_refused_with_a_code() {
        for (messages, code) in [
            (json!([]), "bad_messages"),
            (json!([{"role": "assistant", "content": "x"}]), "bad_messages"),
            (json!([{"role": "user", "content": " "}]), "bad_messages"),
            (json!([{"role": "nobody", "content": "x"}]), "bad_messages"),
            (json!([{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]), "unsupported"),
            (json!("x"), "bad_json"),
        ] {
            assert_eq!(read(messages).unwrap_err().code, code);
        }
    }

    #[test]
    fn a_long_history_is_cut_at_its_beginning() {
        let long: Vec<ChatMessage> = (0..50)
            .map(|n| ChatMessage { role: Role::User, text: format!("{n}{}", "x".repeat(5_000)) })
            .collect();
        let received = history_input(&long);
        assert_eq!((received.len(), received[0]["content"].as_str().unwrap().len()), (40, 4_000));
        assert!(received[39]["content"].as_str().unwrap().starts_with("49x"));
    }
}
