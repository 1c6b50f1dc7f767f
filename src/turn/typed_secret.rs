//! Placeholders such as `<typed:3fa9c1>` for a secret that a person gave or a planner types. The value itself
//! exists in memory only and is inserted at the last moment; the placeholder is stored, sent to models and
//! read in commands, and people see `••••`.

use serde_json::{Map, Value};

/// Text that people see in place of a secret.
pub const MASK: &str = "••••";
const OPEN: &str = "<typed:";

/// Returns the placeholder of a name, which consists of ASCII letters and digits.
pub fn placeholder(name: &str) -> String {
    format!("{OPEN}{name}>")
}

/// Returns all placeholders in a text, in order.
pub fn placeholders(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(OPEN) {
        rest = &rest[start..];
        let name = rest[OPEN.len()..].bytes().take_while(u8::is_ascii_alphanumeric).count();
        let end = OPEN.len() + name;
        if name > 0 && rest[end..].starts_with('>') {
            found.push(&rest[..=end]);
        }
        rest = &rest[OPEN.len()..];
    }
    found
}

/// Replaces the placeholders in a text by `MASK`.
pub fn mask_placeholders(text: &str) -> String {
    placeholders(text).into_iter().fold(text.to_owned(), |text, mark| text.replace(mark, MASK))
}

/// Replaces the placeholders in the texts of an input by `MASK`.
pub fn mask_input(mut input: Map<String, Value>) -> Map<String, Value> {
    for value in input.values_mut() {
        if let Value::String(text) = value {
            *text = mask_placeholders(text);
        }
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_and_masked() {
        let text = "type <typed:3fa9c1> into Password, <typed:> and <typed:a b>, <typed:x1>";
        assert_eq!(placeholders(text), ["<typed:3fa9c1>", "<typed:x1>"]);
        assert_eq!(mask_placeholders(text), "type •••• into Password, <typed:> and <typed:a b>, ••••");
        assert_eq!(placeholders(&placeholder("ab12")), ["<typed:ab12>"]);
    }
}
