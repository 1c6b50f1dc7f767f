//! What stands in place of a secret that a person gave or a planner types: `<typed:3fa9c1>`. The
//! value itself is kept in memory only and put in at the last moment; the mark is what is stored,
//! sent to models and read in orders, and people see `••••`.

use serde_json::{Map, Value};

/// What people see in place of a secret.
pub const MASK: &str = "••••";
const OPEN: &str = "<typed:";

/// The mark of this name: letters and digits.
pub fn mark(name: &str) -> String {
    format!("{OPEN}{name}>")
}

/// All marks in a text, in order.
pub fn marks(text: &str) -> Vec<&str> {
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

/// The text as people may read it.
pub fn shown(text: &str) -> String {
    marks(text).into_iter().fold(text.to_owned(), |text, mark| text.replace(mark, MASK))
}

/// The same for the texts of an input.
pub fn shown_in(mut input: Map<String, Value>) -> Map<String, Value> {
    for value in input.values_mut() {
        if let Value::String(text) = value {
            *text = shown(text);
        }
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_and_masked() {
        let text = "type <typed:3fa9c1> into Password, <typed:> and <typed:a b>, <typed:x1>";
        assert_eq!(marks(text), ["<typed:3fa9c1>", "<typed:x1>"]);
        assert_eq!(shown(text), "type •••• into Password, <typed:> and <typed:a b>, ••••");
        assert_eq!(marks(&mark("ab12")), ["<typed:ab12>"]);
    }
}
