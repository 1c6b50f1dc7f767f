//! Placeholders for named secrets of the settings: `<secret:shop>` stands for the value everywhere except in
//! the field that it is typed into.

const OPEN: &str = "<secret:";

/// Returns the placeholder of a named secret.
pub fn placeholder(name: &str) -> String {
    format!("{OPEN}{name}>")
}

/// Returns the name if the text is exactly one placeholder, apart from surrounding white space.
pub fn name_in(text: &str) -> Option<&str> {
    let name = text.trim().strip_prefix(OPEN)?.strip_suffix('>')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

/// True if the text contains the beginning of a placeholder.
pub fn contains_placeholder(text: &str) -> bool {
    text.contains(OPEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_placeholder_has_a_name() {
        assert_eq!(name_in(&placeholder("shop-2")), Some("shop-2"));
        assert_eq!(name_in(" <secret:shop> "), Some("shop"));
        for text in ["<secret:>", "<secret:shop", "x<secret:shop>", "<secret:a><secret:b>", "shop"] {
            assert_eq!(name_in(text), None, "{text}");
        }
        assert!(contains_placeholder("my <secret:shop>!") && !contains_placeholder("secret"));
    }
}
