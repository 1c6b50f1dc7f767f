//! Responses to chat clients in OpenAI's format: a completion, or its chunks as server-sent events.

use crate::clock::Moment;
use crate::protocol::Status;
use crate::store::rows::usage::Usage;
use actix_web::web::Bytes;
use serde_json::{Value, json};

pub const DONE: Bytes = Bytes::from_static(b"data: [DONE]\n\n");
pub const ALIVE: Bytes = Bytes::from_static(b": alive\n\n");

/// Fields that all parts of one completion share.
#[derive(Clone, Debug)]
pub struct CompletionHead {
    pub id: String,
    pub created: i64,
    pub model: String,
    /// True if the chunks have `usage`.
    pub include_usage: bool,
}

/// End of a completion: status and usage of its run.
#[derive(Clone, Debug)]
pub struct Ending {
    pub run: String,
    pub status: String,
    pub usage: Usage,
    /// References of the open questions.
    pub questions: Vec<String>,
}

impl CompletionHead {
    pub fn new(run: &str, after: u64, model: String, include_usage: bool) -> Self {
        let created = Moment::now().millis() / 1000;
        Self { id: format!("chatcmpl-{run}-{after}"), created, model, include_usage }
    }

    pub fn completion_body(&self, content: &str, ending: &Ending) -> Value {
        let message = json!({"role": "assistant", "content": content, "refusal": null});
        let choice =
            json!({"index": 0, "message": message, "logprobs": null, "finish_reason": ending.reason()});
        let mut body = self.envelope("chat.completion", json!([choice]));
        body["usage"] = usage(&ending.usage);
        body["askfirst"] = ending.askfirst_member();
        body
    }

    pub fn opening(&self) -> Bytes {
        self.chunk(json!({"role": "assistant", "content": ""}), None, None)
    }

    pub fn delta(&self, content: &str) -> Bytes {
        self.chunk(json!({"content": content}), None, None)
    }

    /// Returns the last chunks, without `DONE`.
    pub fn closing(&self, ending: &Ending) -> Bytes {
        let mut last = self.chunk(json!({}), Some(ending.reason()), Some(ending.askfirst_member())).to_vec();
        if self.include_usage {
            let mut chunk = self.envelope("chat.completion.chunk", json!([]));
            chunk["usage"] = usage(&ending.usage);
            last.extend_from_slice(&event(&chunk));
        }
        Bytes::from(last)
    }

    fn chunk(&self, delta: Value, reason: Option<&str>, more: Option<Value>) -> Bytes {
        let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason});
        let mut chunk = self.envelope("chat.completion.chunk", json!([choice]));
        if self.include_usage {
            chunk["usage"] = Value::Null;
        }
        if let Some(more) = more {
            chunk["askfirst"] = more;
        }
        event(&chunk)
    }

    fn envelope(&self, object: &str, choices: Value) -> Value {
        json!({"id": self.id, "object": object, "created": self.created, "model": self.model, "choices": choices})
    }
}

impl Ending {
    /// Returns `finish_reason`: `length` if a limit was reached, else `stop`.
    fn reason(&self) -> &'static str {
        if self.status == Status::Exhausted.word() { "length" } else { "stop" }
    }

    /// Returns the `askfirst` member, for clients that know this service.
    fn askfirst_member(&self) -> Value {
        json!({"run_id": self.run, "status": self.status, "questions": self.questions})
    }
}

pub fn event(body: &Value) -> Bytes {
    Bytes::from(format!("data: {body}\n\n"))
}

fn usage(used: &Usage) -> Value {
    json!({
        "prompt_tokens": used.input,
        "completion_tokens": used.output,
        "total_tokens": used.input + used.output,
        "prompt_tokens_details": {"cached_tokens": used.cached},
    })
}
