//! Normalizes values before a comparison. Ids, fence nonces, placeholders and times are different in each
//! replay, costs depend on the current prices, and pictures are stored elsewhere.

use serde_json::{Map, Value};

/// Unix milliseconds between 2001 and 2100. No other numbers are as large.
const MOMENTS: std::ops::Range<i64> = 978_307_200_000..4_102_444_800_000;

/// Returns the value without the parts that may differ.
pub fn normalize_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(normalize_text(text)),
        Value::Number(number) if number.as_i64().is_some_and(|number| MOMENTS.contains(&number)) => {
            Value::from(0)
        }
        Value::Array(items) => items.iter().map(normalize_value).collect(),
        Value::Object(members) => Value::Object(members.iter().map(member).collect::<Map<_, _>>()),
        other => other.clone(),
    }
}

fn member((name, value): (&String, &Value)) -> (String, Value) {
    let normalized = match name.as_str() {
        "took_ms" | "money" => Value::from(0),
        _ => normalize_value(value),
    };
    (normalize_text(name), normalized)
}

/// Replaces each id, placeholder, time and picture in a text with a fixed word.
pub fn normalize_text(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        let word = from.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(from.len());
        let (length, named) = KINDS
            .iter()
            .find_map(|(length, is, named)| {
                Some((*length, from.get(..*length).filter(|text| is(text)).map(|_| *named)?))
            })
            .or_else(|| mark(&from[..word]).then_some((word, "‹mark›")))
            .unwrap_or((word, &from[..word]));
        plain.push_str(named);
        rest = &from[length..];
    }
    plain.push_str(rest);
    plain
}

type Kind = (usize, fn(&str) -> bool, &'static str);

/// Length, test and replacement of each fixed-length form.
const KINDS: [Kind; 3] = [
    (36, |text| has_shape(text, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh"), "‹id›"),
    (24, |text| has_shape(text, "dddd-dd-ddTdd:dd:dd.dddZ"), "‹moment›"),
    (71, |text| text.strip_prefix("sha256:").is_some_and(|rest| rest.bytes().all(hex)), "‹picture›"),
];

/// Reports whether the text has the shape: `h` is a hexadecimal digit, `d` a decimal one, and other
/// characters stand for themselves.
fn has_shape(text: &str, shape: &str) -> bool {
    text.bytes().zip(shape.bytes()).all(|(c, shape)| match shape {
        b'h' => hex(c),
        b'd' => c.is_ascii_digit(),
        other => c == other,
    })
}

/// Reports whether the word has the form of a fence nonce, a secret's placeholder, or a process name.
fn mark(word: &str) -> bool {
    matches!(word.len(), 12 | 16 | 32) && word.bytes().all(hex) && word.bytes().any(|c| c.is_ascii_digit())
}

fn hex(c: u8) -> bool {
    c.is_ascii_digit() || (b'a'..=b'f').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_placeholders_and_times_compare_equal_and_nothing_else_does() {
        let id = "0198f3a0-1234-7abc-8def-0123456789ab";
        for (one, other) in [
            (id.to_owned(), id.replace("0198", "0199")),
            (
                format!("/api/runs/{id}/pictures/1"),
                format!("/api/runs/{}/pictures/1", id.replace("ab", "cd")),
            ),
            ("<<<PAGE 0123456789abcdef>>>".into(), "<<<PAGE fedcba9876543210>>>".into()),
            ("<typed:0123456789ab>".into(), "<typed:a1aaaaaaaaaa>".into()),
            ("at 2026-01-31T12:00:00.123Z.".into(), "at 2027-01-31T12:00:00.001Z.".into()),
        ] {
            assert_eq!(normalize_text(&one), normalize_text(&other));
        }
        for (one, other) in [("a lamp for 20", "a lamp for 21"), ("12:30", "12:31"), ("face", "cafe")] {
            assert_ne!(normalize_text(one), normalize_text(other));
            assert_eq!(normalize_text(one), one);
        }
        assert_eq!(normalize_value(&json!({"at": 1_700_000_000_000_i64, "n": 7})), json!({"at": 0, "n": 7}));
    }
}
