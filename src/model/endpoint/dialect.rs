//! The form in which an endpoint takes a request: the name of the limit on an answer, the role of the system, its
//! context window. What an endpoint refuses is left out from then on.

use crate::config;
use crate::model::endpoint::context_fit::{fit_messages, join_roles, messages_length};
use crate::model::endpoint::error::CallError;
use crate::model::endpoint::reply::Completion;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Bytes of a text for each 100 tokens, before an endpoint has counted. Pages have many digits and brackets, which
/// are tokens of their own for small models.
const FIRST_RATIO: u64 = 250;
/// Bounds of what an endpoint may report for them.
const RATIOS: std::ops::RangeInclusive<u64> = 150..=400;
/// Smallest plausible context window in tokens.
const LEAST_CONTEXT: u64 = 512;

/// Forms that one endpoint takes, shared by all calls.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// Most tokens of an answer; 0 for no limit.
    most_output: u64,
    /// Tokens of the context window; 0 if it is unknown.
    context: AtomicU64,
    /// Bytes for each 100 tokens, as last reported.
    ratio: AtomicU64,
    /// Names of the limit on an answer, in the order in which they are tried.
    limit_names: [&'static str; 2],
    /// Index into `limit_names`; after the last, no limit is sent.
    limit_at: AtomicUsize,
    no_system: AtomicBool,
    /// Set by `model.stream`, and once the endpoint has refused to stream.
    no_stream: AtomicBool,
}

/// Names of the limit on an answer: of most servers first, and of OpenAI first.
const COMMON: [&str; 2] = ["max_tokens", "max_completion_tokens"];
const OF_OPENAI: [&str; 2] = ["max_completion_tokens", "max_tokens"];

impl Dialect {
    pub fn new(settings: &config::Model, is_openai: bool) -> Self {
        Self {
            most_output: settings.max_output_tokens,
            context: AtomicU64::new(settings.context_tokens),
            ratio: AtomicU64::new(FIRST_RATIO),
            limit_names: if is_openai { OF_OPENAI } else { COMMON },
            limit_at: AtomicUsize::new(0),
            no_system: AtomicBool::new(false),
            no_stream: AtomicBool::new(!settings.stream),
        }
    }

    /// True if answers that people read are streamed.
    pub fn streams(&self) -> bool {
        !self.no_stream.load(Ordering::Relaxed)
    }

    /// Returns the request as the endpoint takes it. Fails if the fixed text alone is longer than the context.
    pub fn adapt(&self, request: &Value) -> Result<Value, CallError> {
        let mut body = request.clone();
        let output = self.output_limit();
        let name = self.limit_names.get(self.limit_at.load(Ordering::Relaxed));
        if let (Some(name), Some(limit)) = (name, output) {
            body[*name] = json!(limit);
        }
        let Some(messages) = request["messages"].as_array() else { return Ok(body) };
        let mut messages = messages.clone();
        let context = self.context.load(Ordering::Relaxed);
        if context > 0 {
            messages = self.fit(messages, context, output.unwrap_or(context / 4))?;
        }
        if self.no_system.load(Ordering::Relaxed) {
            messages = without_system(messages);
        }
        join_roles(&mut messages);
        body["messages"] = Value::Array(messages);
        Ok(body)
    }

    fn fit(&self, messages: Vec<Value>, context: u64, output: u64) -> Result<Vec<Value>, CallError> {
        let ratio = self.ratio.load(Ordering::Relaxed);
        let room = usize::try_from(context.saturating_sub(output) * ratio / 100).unwrap_or(usize::MAX);
        let tokens =
            |bytes: usize| (u64::try_from(bytes).unwrap_or(u64::MAX).saturating_mul(100) / ratio) + output;
        let too_small = |needed| CallError::ContextTooSmall { needed: tokens(needed), context };
        fit_messages(messages, room).map_err(|fault| too_small(fault.needed))
    }

    /// Returns the most tokens of an answer: at most a quarter of the context.
    fn output_limit(&self) -> Option<u64> {
        let context = self.context.load(Ordering::Relaxed);
        let share = if context > 0 { (context / 4).max(1) } else { u64::MAX };
        (self.most_output > 0).then(|| self.most_output.min(share))
    }

    /// Notes how many tokens the endpoint counted for a request.
    pub fn note_usage(&self, body: &Value, completion: &Completion) {
        let counted = completion.usage.as_ref().filter(|usage| !usage.estimated);
        let tokens = counted.and_then(|usage| usage.prompt_tokens).filter(|tokens| *tokens >= 100);
        if let (Some(tokens), Some(messages)) = (tokens, body["messages"].as_array()) {
            let bytes = u64::try_from(messages_length(messages)).unwrap_or(u64::MAX);
            // A little less than reported: the next request may have more digits.
            let ratio = (bytes.saturating_mul(95) / tokens).clamp(*RATIOS.start(), *RATIOS.end());
            self.ratio.store(ratio, Ordering::Relaxed);
        }
    }

    /// Learns from a refusal. Returns true if the request may be taken in another form.
    pub fn learn(&self, fault: &CallError, body: &Value) -> bool {
        if let Some(context) = fault.refused_context() {
            return self.learn_context(context);
        }
        let sent_limit = self.limit_names.iter().position(|name| body.get(*name).is_some());
        if let Some(at) = sent_limit.filter(|_| fault.refuses_limit()) {
            tracing::warn!("the endpoint does not take this name of the limit on an answer; using another");
            self.limit_at.fetch_max(at + 1, Ordering::Relaxed);
            return true;
        }
        if fault.refuses_system() && !self.no_system.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "the model knows no system role; its text stands in the first message from now on"
            );
            return true;
        }
        if fault.refuses_stream() && !self.no_stream.swap(true, Ordering::Relaxed) {
            tracing::warn!("the endpoint does not stream; answers are shown when they are complete");
            return true;
        }
        false
    }

    /// Takes over a context window that a refusal names, or expects more tokens for a text.
    fn learn_context(&self, named: Option<u64>) -> bool {
        let known = self.context.load(Ordering::Relaxed);
        let ratio = self.ratio.load(Ordering::Relaxed);
        if let Some(named) = named.filter(|named| *named >= LEAST_CONTEXT && (known == 0 || *named < known)) {
            tracing::warn!(tokens = named, "the model's context is small; requests are fitted to it");
            self.context.store(named, Ordering::Relaxed);
            return true;
        }
        // The window is known, so the tokens were estimated too low.
        let smaller = ratio * 3 / 4;
        if known > 0 && smaller >= *RATIOS.start() / 2 {
            self.ratio.store(smaller, Ordering::Relaxed);
            return true;
        }
        false
    }
}

/// Moves the texts of the system to the begin of the first message of the person.
fn without_system(messages: Vec<Value>) -> Vec<Value> {
    let (system, rest): (Vec<Value>, Vec<Value>) =
        messages.into_iter().partition(|message| message["role"] == "system");
    let texts: Vec<&str> = system.iter().filter_map(|message| message["content"].as_str()).collect();
    if texts.is_empty() {
        return rest;
    }
    let first = json!({ "role": "user", "content": texts.join("\n\n") });
    std::iter::once(first).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn dialect(most_output: u64, context: u64) -> Dialect {
        Dialect {
            most_output,
            context: AtomicU64::new(context),
            ratio: AtomicU64::new(FIRST_RATIO),
            limit_names: COMMON,
            limit_at: AtomicUsize::new(0),
            no_system: AtomicBool::new(false),
            no_stream: AtomicBool::new(true),
        }
    }

    fn refusal(status: u16, message: &str) -> CallError {
        let retry_after: Option<Duration> = None;
        CallError::Rejected { status, code: String::new(), message: message.to_owned(), retry_after }
    }

    fn request(length: usize) -> Value {
        let message = |role: &str, text: String| json!({ "role": role, "content": text });
        json!({ "messages": [message("system", String::from("rules")), message("user", "x".repeat(length))] })
    }

    #[test]
    fn the_limit_on_an_answer_has_the_name_that_the_endpoint_takes() {
        let one = dialect(4_096, 0);
        let body = one.adapt(&request(10)).unwrap();
        assert_eq!(body["max_tokens"], 4_096);
        let words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        assert!(one.learn(&refusal(400, words), &body));
        let body = one.adapt(&request(10)).unwrap();
        assert_eq!((body.get("max_tokens"), &body["max_completion_tokens"]), (None, &json!(4_096)));
        assert!(one.learn(&refusal(422, "max_completion_tokens: extra fields not permitted"), &body));
        let body = one.adapt(&request(10)).unwrap();
        let has_limit = |body: &Value| COMMON.iter().any(|name| body.get(*name).is_some());
        assert!(!has_limit(&body) && !one.learn(&refusal(422, "max_tokens"), &body));
        let openai = Dialect { limit_names: OF_OPENAI, ..dialect(9, 0) };
        assert_eq!(openai.adapt(&request(10)).unwrap()["max_completion_tokens"], 9);
        assert!(!has_limit(&dialect(0, 0).adapt(&request(10)).unwrap()));
    }

    #[test]
    fn a_context_is_kept_to_and_learned_from_refusals() {
        let one = dialect(4_096, 0);
        let long = request(100_000);
        assert_eq!(one.adapt(&long).unwrap()["messages"], long["messages"]);
        for (words, context) in [
            ("the request exceeds the available context size (4096 tokens), try increasing it", 4_096),
            ("This model's maximum context length is 2048 tokens. However, you requested 9000 tokens", 2_048),
        ] {
            assert!(one.learn(&refusal(400, words), &long), "{words}");
            let body = one.adapt(&long).unwrap();
            assert_eq!(body["max_tokens"], context / 4);
            let most = usize::try_from(context * 3 / 4 * FIRST_RATIO / 100).unwrap();
            let length = messages_length(body["messages"].as_array().unwrap());
            assert!(length <= most && length > most - 100, "{length} of {most}");
        }
        // Tokens that were estimated too low are estimated higher.
        assert!(one.learn(&refusal(400, "context size exceeded"), &long));
        assert!(messages_length(one.adapt(&long).unwrap()["messages"].as_array().unwrap()) < 3_000);
        let tiny = dialect(4_096, 600).adapt(&request(100_000));
        assert!(matches!(tiny, Err(CallError::ContextTooSmall { context: 600, .. })), "{tiny:?}");
    }

    #[test]
    fn the_system_is_merged_where_its_role_is_refused() {
        let one = dialect(0, 0);
        for words in [
            "System role not supported",
            "Conversation roles must alternate user/assistant/user/assistant/...",
        ] {
            assert!(refusal(400, words).refuses_system(), "{words}");
        }
        assert!(one.learn(&refusal(500, "System role not supported"), &request(3)));
        let body = one.adapt(&request(3)).unwrap();
        assert_eq!(body["messages"], json!([{ "role": "user", "content": "rules\n\nxxx" }]));
        assert!(!one.learn(&refusal(500, "System role not supported"), &body));
    }
}
