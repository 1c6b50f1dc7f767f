//! Extracts JSON from text that a model wrote: for `llm` agents with `parse_json` (S0.29), and for plans,
//! judgements, summaries and thoughts (C2): the first value counts. Turns are read by `answer_json`, which refuses an answer
//! that could mean several.

use crate::model::code_fences::{CodeFence, code_fences};
use serde_json::Value;

/// Returns the first JSON object or list: in a code block marked as JSON, else in any code block, else
/// anywhere in the text. Without one, returns the reason.
pub fn extract_first_json(text: &str) -> (Option<Value>, Option<String>) {
    if text.trim().is_empty() {
        return (None, Some(String::from("the text is empty")));
    }
    let (marked, others): (Vec<CodeFence<'_>>, Vec<CodeFence<'_>>) =
        code_fences(text).into_iter().partition(|fence| fence.language.eq_ignore_ascii_case("json"));
    let mut reason = None;
    for piece in marked.iter().chain(&others).map(|fence| fence.body).chain([text]) {
        match first_in(piece) {
            Ok(value) => return (Some(value), None),
            Err(why) => reason = reason.or(why),
        }
    }
    let reason = reason.unwrap_or_else(|| String::from("there is no JSON object or list in the text"));
    (None, Some(reason))
}

/// Most levels of JSON in strings within JSON in strings.
const ESCAPED: u32 = 4;

/// Replaces each string that contains a JSON object or list by that value.
pub fn unescape_json(value: &Value) -> Value {
    unescaped_to(value, ESCAPED)
}

fn unescaped_to(value: &Value, left: u32) -> Value {
    match value {
        Value::String(text) if left > 0 && text.trim_start().starts_with(['{', '[']) => {
            match serde_json::from_str::<Value>(text) {
                Ok(inner @ (Value::Object(_) | Value::Array(_))) => unescaped_to(&inner, left - 1),
                Ok(_) | Err(_) => value.clone(),
            }
        }
        Value::Array(items) => items.iter().map(|item| unescaped_to(item, left)).collect(),
        Value::Object(map) => {
            map.iter().map(|(name, value)| (name.clone(), unescaped_to(value, left))).collect()
        }
        other => other.clone(),
    }
}

/// Returns the first complete object or list; otherwise the reason why the first attempt failed.
fn first_in(text: &str) -> Result<Value, Option<String>> {
    /// Limits the attempts on a text full of brackets, each of which may read to the end of the text.
    const ATTEMPTS: usize = 200;
    let mut reason = None;
    for (at, _) in text.char_indices().filter(|(_, c)| matches!(c, '{' | '[')).take(ATTEMPTS) {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => return Ok(value),
            Some(Err(fault)) => {
                reason.get_or_insert_with(|| format!("what looks like JSON is not: {fault}"));
            }
            None => {}
        }
    }
    Err(reason)
}

#[cfg(test)]
mod tests {
    //! Tests of the extraction (S0.29, S0.39, S0.40, S0.46).

    use super::*;
    use serde_json::json;

    fn find_json(text: &str) -> Value {
        let (value, reason) = extract_first_json(text);
        assert_eq!(reason, None, "for {text:?}");
        value.expect("a value")
    }

    // A fenced block is extracted (S0.29, S0.39).
    #[test]
    fn json_extract_fenced_codeblock() {
        assert_eq!(find_json("Here:\n```json\n{\"a\": 1}\n```\nbye"), json!({"a": 1}));
        assert_eq!(find_json("```\n[1, 2]\n```"), json!([1, 2]));
        assert_eq!(find_json("{not json} ```json\n{\"a\": {\"b\": \"```\"}}"), json!({"a": {"b": "```"}}));
        // A block marked as JSON takes precedence over an earlier unmarked one.
        assert_eq!(
            find_json("```python\nx = {}\n```\n```json\n{\"real\": true}\n```"),
            json!({"real": true})
        );
    }

    // A JSON value within a sentence is extracted (S0.40).
    #[test]
    fn json_extract_inline_object() {
        assert_eq!(
            find_json("The answer is {\"is_complex\": false}, I think."),
            json!({"is_complex": false})
        );
        assert_eq!(find_json("[1, {\"a\": \"}\"}] and {\"b\": 2}"), json!([1, {"a": "}"}]));
        assert_eq!(
            find_json("braces {like these} first, then {\"ok\": \"so — «так»\"}"),
            json!({"ok": "so — «так»"})
        );
    }

    // Text without JSON has a reason (S0.29).
    #[test]
    fn text_without_json_has_a_reason() {
        for (text, reason) in [
            ("", "the text is empty"),
            ("no braces at all", "there is no JSON object or list in the text"),
            ("{\"cut\": ", "what looks like JSON is not"),
            ("{{{{{{", "what looks like JSON is not"),
        ] {
            let (value, why) = extract_first_json(text);
            assert_eq!(value, None);
            let why = why.expect("a reason");
            assert!(why.starts_with(reason), "{why}");
        }
    }

    proptest::proptest! {
        // Any text can be searched (S0.46).
        #[test]
        fn extracting_json_never_panics(text in "\\PC{0,200}") {
            let _ = extract_first_json(&text);
        }

        // An object that follows other text is found (S0.46).
        #[test]
        fn an_object_after_other_text_is_found(key in "[a-z]{1,8}", number in proptest::num::i64::ANY, before in "[^{\\[`]{0,40}") {
            let value = json!({ key: number });
            proptest::prop_assert_eq!(find_json(&format!("{before}{value} and more")), value);
        }
    }
}
