//! Assembles a chat completion from the event stream of an endpoint. Keep-alives are skipped; an error within the
//! stream is the error of the call; a stream that ends before the answer counts as broken off.

use crate::config::secret::Secret;
use crate::model::endpoint::error::CallError;
use crate::model::endpoint::limited_response::{MOST, mask_key_in_body};
use crate::model::endpoint::reply::{Completion, LONGEST, TOO_LONG};
use crate::model::endpoint::{rejection, sending_error};
use reqwest::Response;
use serde_json::{Map, Value, json};

/// Most calls of tools in one answer.
const CALLS: usize = 64;

/// Reads a stream to its end. `show` receives the text of the answer each time it has grown.
pub(crate) async fn read_stream(
    mut response: Response,
    key: Option<&Secret>,
    mut show: impl FnMut(&str),
) -> Result<Completion, CallError> {
    let mut lines = Lines::default();
    let mut answer = Assembled::default();
    while !answer.is_done {
        let Some(chunk) = response.chunk().await.map_err(|fault| sending_error(&fault))? else { break };
        let before = answer.content.len();
        lines.add(&chunk, |line| answer.add_line(line))?;
        if answer.content.len() > before {
            show(&answer.content);
        }
        if lines.total > MOST || answer.content.len() > LONGEST {
            answer.finish_reason = Some(String::from(TOO_LONG));
            break;
        }
    }
    answer.complete(key)
}

/// Splits the bytes of a stream into lines.
#[derive(Default)]
struct Lines {
    buffer: Vec<u8>,
    total: usize,
}

impl Lines {
    fn add(
        &mut self,
        chunk: &[u8],
        mut line: impl FnMut(&str) -> Result<(), CallError>,
    ) -> Result<(), CallError> {
        self.total = self.total.saturating_add(chunk.len());
        self.buffer.extend_from_slice(chunk);
        while let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
            let bytes: Vec<u8> = self.buffer.drain(..=end).collect();
            line(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']))?;
        }
        Ok(())
    }
}

/// The answer as far as it has come.
#[derive(Default)]
struct Assembled {
    content: String,
    reasoning: String,
    refusal: String,
    calls: Vec<Value>,
    model: Option<Value>,
    usage: Option<Value>,
    finish_reason: Option<String>,
    is_done: bool,
}

impl Assembled {
    /// Adds a line of the stream; lines without data are keep-alives or names of events.
    fn add_line(&mut self, line: &str) -> Result<(), CallError> {
        let Some(data) = line.strip_prefix("data:").map(str::trim).filter(|data| !data.is_empty()) else {
            return Ok(());
        };
        if data == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        let chunk: Value = serde_json::from_str(data)
            .map_err(|fault| CallError::Unreadable(format!("an event is not JSON: {fault}")))?;
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            return Err(rejection(200, None, data));
        }
        self.add_chunk(&chunk);
        Ok(())
    }

    fn add_chunk(&mut self, chunk: &Value) {
        if let Some(model) = chunk.get("model").filter(|model| model.is_string()) {
            self.model.get_or_insert_with(|| model.clone());
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(usage.clone());
        }
        // The service requests one alternative.
        let Some(choice) = chunk["choices"].as_array().and_then(|choices| choices.first()) else { return };
        let delta = &choice["delta"];
        let field = |name: &str| delta[name].as_str();
        // Some servers send the reasoning under both names.
        let reasoning = field("reasoning_content").or_else(|| field("reasoning"));
        for (text, piece) in [
            (&mut self.content, field("content")),
            (&mut self.reasoning, reasoning),
            (&mut self.refusal, field("refusal")),
        ] {
            if text.len() <= LONGEST {
                text.push_str(piece.unwrap_or_default());
            }
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.add_call(call);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish_reason = Some(reason.to_owned());
        }
    }

    /// Adds a piece of a call; its name comes first, its arguments piece by piece.
    fn add_call(&mut self, piece: &Value) {
        let at = piece["index"].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(0);
        if at >= CALLS {
            return;
        }
        while self.calls.len() <= at {
            self.calls.push(json!({ "type": "function", "function": { "name": "", "arguments": "" } }));
        }
        for field in ["name", "arguments"] {
            let known = self.calls[at]["function"][field].as_str().unwrap_or_default();
            let added = piece["function"][field].as_str().unwrap_or_default();
            if known.len() <= LONGEST {
                self.calls[at]["function"][field] = json!(format!("{known}{added}"));
            }
        }
    }

    /// Returns the completion. Fails if the stream has broken off.
    fn complete(self, key: Option<&Secret>) -> Result<Completion, CallError> {
        if !self.is_done && self.finish_reason.is_none() {
            return Err(CallError::BrokeOff(String::from("the stream ended before the answer did")));
        }
        let mut message = Map::new();
        let texts =
            [("content", self.content), ("reasoning_content", self.reasoning), ("refusal", self.refusal)];
        for (field, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            message.insert(field.to_owned(), json!(text));
        }
        if !self.calls.is_empty() {
            message.insert(String::from("tool_calls"), json!(self.calls));
        }
        let body = json!({
            "model": self.model, "usage": self.usage,
            "choices": [{ "message": message, "finish_reason": self.finish_reason }],
        });
        let bytes = mask_key_in_body(body.to_string().into_bytes(), key);
        serde_json::from_slice(&bytes).map_err(|fault| CallError::Unreadable(fault.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assemble(stream: &str) -> Result<Completion, CallError> {
        let mut answer = Assembled::default();
        let mut lines = Lines::default();
        // Bytes may be cut anywhere, in the middle of a letter too.
        for piece in stream.as_bytes().chunks(3) {
            lines.add(piece, |line| answer.add_line(line))?;
        }
        answer.complete(None)
    }

    fn content(text: &str) -> String {
        format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": text } }] }))
    }

    #[test]
    fn a_stream_is_one_completion() {
        let stream = format!(
            ": ping\r\n\r\nevent: message\ndata: {}\n\n{}{}: ping\n\n{}data: {}\n\ndata: [DONE]\n\n",
            json!({ "model": "m", "choices": [{ "delta": { "role": "assistant", "content": null } }] }),
            content("{\"stop\": true, "),
            content("\"response\": \"Є"),
            content(" дві.\"}"),
            json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 3 } }),
        );
        let completion = assemble(&stream).expect("a completion");
        let turn = completion.turn().expect("a turn");
        assert_eq!((turn.stop, turn.response.as_deref()), (true, Some("Є дві.")));
        assert_eq!(completion.model.as_deref(), Some("m"));
        assert_eq!(completion.usage.and_then(|usage| usage.prompt_tokens), Some(7));
    }

    #[test]
    fn reasoning_and_calls_come_in_pieces_too() {
        let delta = |delta: Value| format!("data: {}\n\n", json!({ "choices": [{ "delta": delta }] }));
        let call = |function: Value| delta(json!({ "tool_calls": [{ "index": 0, "function": function }] }));
        let stream = [
            delta(json!({ "reasoning_content": "hm", "reasoning": "hm" })),
            call(json!({ "name": "click", "arguments": "" })),
            call(json!({ "arguments": "{\"eid\"" })),
            call(json!({ "arguments": ": 3}" })),
            format!("data: {}\n\n", json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] })),
        ];
        let completion = assemble(&stream.concat()).expect("a completion");
        assert_eq!(completion.choices[0].message.reasoning_content, Some(json!("hm")));
        assert_eq!(completion.turn().expect("a turn").actions[0].params["eid"], 3);
    }

    #[test]
    fn broken_streams_are_errors() {
        let cut = assemble(&content("{\"stop\": true"));
        assert!(matches!(cut, Err(CallError::BrokeOff(_))), "{cut:?}");
        let error = format!(
            "{}data: {}\n\n",
            content("{"),
            json!({ "error": { "message": "out of memory", "code": 500 } })
        );
        assert!(matches!(assemble(&error), Err(CallError::Rejected { status: 500, .. })));
        assert!(matches!(assemble("data: {\"choices\": \n\n"), Err(CallError::Unreadable(_))));
    }
}
