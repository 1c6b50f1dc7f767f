//! What of a text a person can see: letters that draw nothing, and those that only steer what is shown.

/// What draws nothing, so that one text looks like another, or like none.
pub fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// What does something to a screen, or turns the order of what stands after it.
pub fn is_steering(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether there is anything to be seen.
pub fn is_seen(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !c.is_control() && !is_unseen(c))
}

/// Whether a name has something to be seen, and nothing that steers.
pub fn is_plain(text: &str) -> bool {
    is_seen(text) && !text.chars().any(is_steering)
}

/// The same of words that may have several lines.
pub fn is_plain_words(text: &str) -> bool {
    is_seen(text) && !text.chars().any(|c| is_steering(c) && !is_layout(c))
}

/// Words without what steers.
pub fn plain_words(text: &str) -> String {
    text.chars().filter(|c| !is_steering(*c) || is_layout(*c)).collect()
}

fn is_layout(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_or_steers_is_told_apart() {
        for (text, name, words) in [
            ("a", true, true),
            ("купи лампу 👩\u{200d}👧", true, true),
            ("a\n\tb", false, true),
            ("", false, false),
            (" \n ", false, false),
            ("\u{200b}", false, false),
            ("\u{3164}\u{2800}\u{fe0f}", false, false),
            ("a\0", false, false),
            ("a\u{1b}[2J", false, false),
            ("a\u{202e}b", false, false),
        ] {
            assert_eq!((is_plain(text), is_plain_words(text)), (name, words), "{text:?}");
        }
        assert_eq!(plain_words("a\0\n\u{1b}[2J\u{202e}b"), "a\n[2Jb");
    }
}
