//! Patterns in scripts: plain text in which `*` matches any text.

/// True if the whole text matches the pattern.
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(middle) = last.replace(part) {
            let Some((_, after)) = rest.split_once(middle) else { return false };
            rest = after;
        }
    }
    match last {
        Some(last) => rest.ends_with(last),
        None => rest.is_empty(),
    }
}

/// Returns the text matched by the single `*`, in the first line that matches. The text after the star ends
/// the match, or else the end of the line.
pub fn capture_text<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
    let (before, after) = pattern.split_once('*')?;
    let (before, after) = (before.trim_start(), after.trim_end());
    text.lines().find_map(|line| {
        let rest = line.split_once(before)?.1;
        let taken = if after.is_empty() { rest } else { rest.split_once(after)?.0 };
        Some(taken.trim()).filter(|taken| !taken.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_text() {
        for (pattern, text, fitting) in [
            ("/demo/cart", "/demo/cart", true),
            ("/demo/cart", "/demo/cart/2", false),
            ("/demo/orders/*", "/demo/orders/1001/thanks", true),
            ("/demo/orders/*/thanks", "/demo/orders/1001/thanks", true),
            ("/demo/orders/*/thanks", "/demo/orders/1001", false),
            ("*", "", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c", false),
            ("*thanks", "thanks/thanks", true),
            ("ab*ba", "aba", false),
            ("", "x", false),
        ] {
            assert_eq!(matches_pattern(pattern, text), fitting, "{pattern} {text}");
        }
    }

    #[test]
    fn the_text_matched_by_a_star_is_captured() {
        let text = "# Thank you!\n# Order № 1001 is placed\nTotal: 1 290 ₴";
        for (pattern, taken_of) in [
            ("Order № *", Some("1001 is placed")),
            ("Order № * is", Some("1001")),
            ("Total: *", Some("1 290 ₴")),
            ("* is placed", Some("# Order № 1001")),
            ("Invoice *", None),
            ("no star", None),
        ] {
            assert_eq!(capture_text(pattern, text), taken_of, "{pattern}");
        }
    }
}
