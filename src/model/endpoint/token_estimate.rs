//! Estimates the tokens of a call if its endpoint does not report them, or reports only a part (C5). The
//! estimate is based on the lengths of request and reply, so that `limits.tokens` also holds there, and is
//! rather too high than too low. Pure.

use crate::model::endpoint::reply::{Completion, LONGEST, ReportedUsage, TOO_LONG};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes per token. English has more; other scripts use two or three bytes per letter, and fewer letters per
/// token.
const BYTES: usize = 4;
/// Tokens of a picture, regardless of its size in bytes.
const PICTURE: usize = 1_000;

/// Set once an endpoint has reported no usage, so that the warning is logged only once.
#[derive(Clone, Debug, Default)]
pub struct UsageWarning(Arc<AtomicBool>);

impl UsageWarning {
    /// Returns the completion with missing token counts estimated.
    pub fn with_estimates(&self, mut completion: Completion, request: &Value) -> Completion {
        estimate_missing(&mut completion, request);
        let guessed = completion.usage.as_ref().is_some_and(|usage| usage.estimated);
        if guessed && !self.0.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "the model's endpoint tells no `usage`: tokens are estimated by the length of the texts"
            );
        }
        completion
    }
}

/// Fills in missing token counts. A reported zero also counts as missing.
fn estimate_missing(completion: &mut Completion, request: &Value) {
    let reported = completion.usage.clone().unwrap_or_default();
    let (sent, received) = (reported.prompt_tokens, reported.completion_tokens);
    let (sent, received) = (sent.filter(|n| *n > 0), received.filter(|n| *n > 0));
    if sent.is_some() && received.is_some() {
        return;
    }
    completion.usage = Some(ReportedUsage {
        prompt_tokens: sent.or_else(|| Some(tokens(length(request)))),
        completion_tokens: received.or_else(|| Some(tokens(reply(completion)))),
        estimated: true,
        ..reported
    });
}

fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(BYTES)).unwrap_or(u64::MAX)
}

/// Returns the length of everything that the model wrote.
fn reply(completion: &Completion) -> usize {
    let value_length = |value: &Option<Value>| value.as_ref().map_or(0, length);
    let each = completion.choices.iter().map(|choice| {
        let message = &choice.message;
        // The reply was not read to its end.
        let cut = if choice.finish_reason.as_deref() == Some(TOO_LONG) { LONGEST } else { 0 };
        cut + value_length(&message.content)
            + value_length(&message.tool_calls)
            + message.refusal.as_ref().map_or(0, String::len)
    });
    each.sum()
}

/// Returns the approximate length of a value as JSON, in bytes.
fn length(value: &Value) -> usize {
    match value {
        Value::String(text) if text.starts_with("data:") => PICTURE * BYTES,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| length(item) + 1).sum::<usize>() + 2,
        Value::Object(members) => {
            members.iter().map(|(name, value)| name.len() + 4 + length(value)).sum::<usize>() + 2
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::prices::Price;
    use crate::config::prices::Prices;
    use serde_json::json;

    fn answered(usage: Value, content: &str) -> Completion {
        let body = json!({"choices": [{"message": {"content": content}}], "usage": usage});
        let mut completion = serde_json::from_value(body).expect("a completion");
        estimate_missing(
            &mut completion,
            &json!({"messages": [{"role": "user", "content": "a".repeat(4_000)}]}),
        );
        completion
    }

    fn estimated_counts(usage: Value) -> (u64, u64, bool) {
        let usage = answered(usage, &"b".repeat(400)).usage("planner", "m", &Prices::default());
        (usage.input_tokens, usage.output_tokens, usage.estimated)
    }

    // Reported counts are used; missing ones are estimated as a quarter of the bytes, rounded up (C5).
    #[test]
    fn missing_token_counts_are_estimated_and_marked() {
        assert_eq!(estimated_counts(json!({"prompt_tokens": 7, "completion_tokens": 3})), (7, 3, false));
        let (input, output) = (1_012, 101);
        for unreported in [json!(null), json!({}), json!({"prompt_tokens": 0, "completion_tokens": 0})] {
            assert_eq!(estimated_counts(unreported.clone()), (input, output, true), "{unreported}");
        }
        assert_eq!(estimated_counts(json!({"prompt_tokens": 7})), (7, output, true));
        assert_eq!(estimated_counts(json!({"completion_tokens": 3})), (input, 3, true));
        // The cost follows the price table.
        let price = Price { input: 1.0, cached: 1.0, output: 1.0 };
        let usage =
            answered(json!(null), "b").usage("planner", "m", &Prices::new("EUR", [("m".into(), price)]));
        assert!(usage.cost.is_some_and(|cost| cost > 0.001), "{usage:?}");
    }

    #[test]
    fn a_picture_counts_as_one_and_not_by_its_bytes() {
        let picture = format!("data:image/jpeg;base64,{}", "A".repeat(400_000));
        let request =
            json!({"messages": [{"content": [{"type": "image_url", "image_url": {"url": picture}}]}]});
        assert!((1_000..1_100).contains(&tokens(length(&request))), "{}", tokens(length(&request)));
    }

    #[test]
    fn a_reply_of_which_only_the_beginning_was_read_is_a_long_one() {
        let body = json!({"choices": [{"finish_reason": TOO_LONG}]});
        let mut completion: Completion = serde_json::from_value(body).expect("a completion");
        estimate_missing(&mut completion, &json!({}));
        assert!(completion.usage.is_some_and(|usage| usage.completion_tokens >= Some(65_536)));
    }

    // A replayed call reports the same numbers.
    #[test]
    fn an_estimate_is_kept_with_the_answer() {
        let kept = json!(answered(json!(null), "b"));
        assert_eq!(kept["usage"]["estimated"], true);
        let reported = json!(answered(json!({"prompt_tokens": 7, "completion_tokens": 3}), "b"));
        assert_eq!(reported["usage"].get("estimated"), None);
    }
}
