//! Invisible characters, and control characters that change how the text after them is displayed.

/// Reports whether the character is invisible. With such characters, different texts look the same or empty.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Reports whether the character controls a terminal or changes the direction of the text after it.
pub fn is_display_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Reports whether the text has a visible character.
pub fn has_visible_char(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !c.is_control() && !is_invisible(c))
}

/// Reports whether the text has a visible character and no character that affects the display.
pub fn is_safe_name(text: &str) -> bool {
    has_visible_char(text) && !text.chars().any(is_display_control)
}

/// Like [`is_plain`], but allows line breaks and tabs.
pub fn is_safe_text(text: &str) -> bool {
    has_visible_char(text) && !text.chars().any(|c| is_display_control(c) && !is_layout(c))
}

/// Removes the characters that affect the display, except line breaks and tabs.
pub fn strip_display_controls(text: &str) -> String {
    text.chars().filter(|c| !is_display_control(*c) || is_layout(*c)).collect()
}

fn is_layout(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_and_control_characters_are_recognized() {
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
            assert_eq!((is_safe_name(text), is_safe_text(text)), (name, words), "{text:?}");
        }
        assert_eq!(strip_display_controls("a\0\n\u{1b}[2J\u{202e}b"), "a\n[2Jb");
    }
}
