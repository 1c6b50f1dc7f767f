//! Reads the one JSON value of an answer: alone, in a code fence, after reasoning, or between words. Small slips
//! are mended (a trailing comma, a comment, a line break within a string). An answer with several values, or with
//! one name twice, could mean either, and is refused. Pure.

use crate::model::code_fences::code_fences;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Tags of reasoning before an answer.
const REASONING: [&str; 5] = ["think", "thinking", "thought", "reasoning", "reflection"];

/// Begin of the message in answers that keep the channels of their template.
const MESSAGE: &str = "<|message|>";

/// Most values in one answer that are looked at.
const VALUES: usize = 50;

/// Returns the JSON object, or the list of objects, in an answer. Fails with the reason.
pub(crate) fn read_answer(text: &str) -> Result<Value, String> {
    let text = strip_reasoning(text.trim());
    if text.is_empty() {
        return Err(String::from("it holds nothing after the reasoning"));
    }
    if let Ok(value) = read_whole(text) {
        return Ok(value);
    }
    let mut found = Vec::new();
    let fenced = fenced_blocks(text).try_for_each(|block| collect_values(block, &mut found));
    // A string of the answer may hold a fence itself.
    if fenced.is_err() || found.is_empty() {
        found.clear();
        collect_values(text, &mut found)?;
    }
    found.dedup();
    match found.len() {
        0 => Err(read_whole(text).err().unwrap_or_default()),
        1 => Ok(found.remove(0)),
        count => Err(format!("it holds {count} different JSON values, of which only one can be meant")),
    }
}

/// Removes the reasoning before an answer. The opening tag may be missing, as some templates write it themselves.
pub(crate) fn strip_reasoning(text: &str) -> &str {
    if text.starts_with(['{', '[', '`']) {
        return text;
    }
    if let Some((_, answer)) = text.rsplit_once(MESSAGE) {
        return answer.trim();
    }
    let first_close = |tag: &&str| Some((text.find(&format!("</{tag}>"))?, tag.len() + 3));
    match REASONING.iter().filter_map(first_close).min() {
        Some((at, length)) => text[at + length..].trim(),
        None => match REASONING.iter().any(|tag| text.starts_with(&format!("<{tag}>"))) {
            // Reasoning without an end has no answer after it.
            true => "",
            false => text,
        },
    }
}

/// Returns the bodies of code fences that begin with JSON.
fn fenced_blocks(text: &str) -> impl Iterator<Item = &str> {
    code_fences(text).into_iter().map(|fence| fence.body).filter(|body| body.starts_with(['{', '[']))
}

/// Reads a text that is one value.
fn read_whole(text: &str) -> Result<Value, String> {
    let strict = serde_json::from_str::<UniqueNames>(text);
    let fault = match strict {
        Ok(read) => return Ok(read.0),
        Err(fault) => fault,
    };
    serde_json::from_str::<UniqueNames>(&mend(text)).map(|read| read.0).map_err(|_| fault.to_string())
}

/// Adds the objects and lists of objects in a text to `found`. Fails if one of them cannot be read: a part of it
/// would be another answer than was meant.
fn collect_values(text: &str, found: &mut Vec<Value>) -> Result<(), String> {
    let mut rest = text.to_owned();
    let mut from = 0;
    while let Some(at) = rest[from..].find(['{', '[']) {
        from += at;
        if !begins_json(&rest[from..]) {
            from += 1;
            continue;
        }
        let (value, after) = first_value(&rest[from..])?;
        found.push(value);
        if found.len() > VALUES {
            return Err(String::from("it holds very many JSON values"));
        }
        (rest, from) = (after, 0);
    }
    Ok(())
}

/// Reads the value at the begin of a text, and returns the text after it.
fn first_value(text: &str) -> Result<(Value, String), String> {
    let read = |text: &str| {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<UniqueNames>();
        let value = values.next().transpose()?.map(|read| read.0);
        Ok((value.unwrap_or_default(), text[values.byte_offset()..].to_owned()))
    };
    read(text).or_else(|fault: serde_json::Error| read(&mend(text)).map_err(|_| fault.to_string()))
}

/// True if a bracket opens an object or a list of objects, not a placeholder or a reference such as `[29]`.
fn begins_json(text: &str) -> bool {
    let after = text[1..].trim_start();
    let name_end = after.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let has_name = name_end.len() < after.len() && name_end.trim_start().starts_with(':');
    match text.starts_with('{') {
        true => has_name || after.starts_with(['"', '\'', '{', '/']),
        false => after.starts_with('{'),
    }
}

/// Removes comments and trailing commas, escapes control characters within strings, and turns Python's words into
/// JSON's. Text without such slips stays as it is.
fn mend(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => copy_string(rest, &mut out),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '}' | ']' => {
                let kept = out.trim_end().len();
                if out[..kept].ends_with(',') {
                    out.truncate(kept - 1);
                }
                out.push(c);
                1
            }
            'T' | 'F' | 'N' => copy_word(rest, &mut out),
            _ => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    out
}

/// Copies a string with its quotes, and returns its length in `text`.
fn copy_string(text: &str, out: &mut String) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\n' if at > 0 => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {}
            c => out.push(c),
        }
        if c == '"' && at > 0 && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// Copies a word of Python as the word of JSON, or one character, and returns the length in `text`.
fn copy_word(text: &str, out: &mut String) -> usize {
    let words = [("True", "true"), ("False", "false"), ("None", "null")];
    let ends = |word: &str| !text[word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_value = out.trim_end().ends_with([':', ',', '[']);
    match words.iter().find(|(python, _)| is_value && text.starts_with(python) && ends(python)) {
        Some((python, json)) => {
            out.push_str(json);
            python.len()
        }
        None => {
            out.push_str(&text[..1]);
            1
        }
    }
}

/// A JSON value in which no object has a name twice with different values.
struct UniqueNames(Value);

impl<'de> Deserialize<'de> for UniqueNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = UniqueNames;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<UniqueNames, E> {
        Ok(UniqueNames(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<UniqueNames, E> {
        Ok(UniqueNames(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<UniqueNames, E> {
        Ok(UniqueNames(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<UniqueNames, E> {
        Ok(UniqueNames(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<UniqueNames, E> {
        Ok(UniqueNames(value.into()))
    }

    fn visit_unit<E>(self) -> Result<UniqueNames, E> {
        Ok(UniqueNames(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<UniqueNames, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element::<UniqueNames>()? {
            items.push(item.0);
        }
        Ok(UniqueNames(Value::Array(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<UniqueNames, A::Error> {
        let mut map = Map::new();
        while let Some((name, value)) = access.next_entry::<String, UniqueNames>()? {
            match map.get(&name) {
                Some(known) if *known != value.0 => {
                    return Err(A::Error::custom(format!("`{name}` stands twice in one object")));
                }
                _ => drop(map.insert(name, value.0)),
            }
        }
        Ok(UniqueNames(Value::Object(map)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn slips_are_mended_outside_of_strings_only() {
        for (text, value) in [
            ("{\"a\": 1,}", json!({"a": 1})),
            ("{\"a\": [1, 2, ], // two\n \"b\": /* none */ null}", json!({"a": [1, 2], "b": null})),
            ("{\"a\": \"x\ny\tz\"}", json!({"a": "x\ny\tz"})),
            ("{\"a\": True, \"b\": [None, False]}", json!({"a": true, "b": [null, false]})),
            ("{\"a\": \"True, // no, ]\"}", json!({"a": "True, // no, ]"})),
            ("{\"a\": \"say \\\"hi,\\\" ]\",}", json!({"a": "say \"hi,\" ]"})),
        ] {
            assert_eq!(read_answer(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn an_answer_that_is_broken_or_double_is_refused() {
        for (text, words) in [
            ("{\"actions\": [{\"action\": \"click\", \"params\": {\"eid\": 3}}, {\"action\": \"ty", "EOF"),
            ("I will do {\"actions\": [{\"action\": \"back\"}, {\"action\"", "EOF"),
            ("{'action': {\"action\": \"back\"}}", "key must be a string"),
            ("so {action: {\"action\": \"back\"}}", "key must be a string"),
            ("{\"a\": 1} or {\"a\": 2}", "2 different JSON values"),
            ("{\"a\": 1, \"a\": 2}", "`a` stands twice"),
            ("<think>{\"a\": 1}", "nothing after the reasoning"),
            ("I click [29].", "expected value"),
        ] {
            let fault = read_answer(text).expect_err(text);
            assert!(fault.contains(words), "{text}: {fault}");
        }
    }

    proptest::proptest! {
        // Any text can be searched, and an object between words without brackets is found as it is.
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,200}", before in "[^{\\[`<]{0,40}", number: i64) {
            let _ = read_answer(&text);
            let value = json!({ "a": number, "b": text });
            proptest::prop_assert_eq!(read_answer(&format!("{before}{value} and more")), Ok(value));
        }
    }
}
