//! Cuts text at a length without splitting a character; marks of cut and hidden text.

/// Truncates a text to `most` characters and appends an ellipsis, by which `text` recognizes a truncated
/// value.
pub fn truncate(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}{CUT}", &text[..end]),
        None => text.to_owned(),
    }
}

/// Truncates a text to `most` characters, the ellipsis among them.
pub fn truncate_within(text: &str, most: usize) -> String {
    if text.char_indices().nth(most).is_some() {
        truncate(text, most.saturating_sub(1))
    } else {
        text.to_owned()
    }
}

/// Truncates a text to `most` characters without a mark.
pub fn truncate_unmarked(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// Joins the words of a text with single spaces, on one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Texts of at least this many bytes may have been truncated without an ellipsis.
pub(crate) const CUT_UNMARKED: usize = 150;

pub(crate) const CUT: char = '…';

/// Replacement of a value in an address.
pub(crate) const HIDDEN: &str = "****";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ellipsis_follows_the_length_or_is_part_of_it() {
        for (text, after, within, unmarked) in
            [("льон", "льон", "льон", "льон"), ("льони", "льон…", "льо…", "льон"), ("", "", "", "")]
        {
            assert_eq!(truncate(text, 4), after);
            assert_eq!(truncate_within(text, 4), within);
            assert_eq!(truncate_unmarked(text, 4), unmarked);
        }
        assert_eq!((truncate_within("a", 0), truncate_within("", 0)), (String::from("…"), String::new()));
        assert_eq!(one_line(" a\n\tb  c "), "a b c");
    }
}
