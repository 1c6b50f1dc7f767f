//! Quoting: makes any string of a page fit for one quoted position in one line.

pub(crate) fn quote(out: &mut String, text: &str, limit: usize) {
    push_quoted(out, &fold(text, limit), false);
}

pub(crate) fn push_quoted(out: &mut String, text: &str, bar: bool) {
    out.push('"');
    escape(out, text, bar);
    out.push('"');
}

pub(crate) fn escape(out: &mut String, text: &str, bar: bool) {
    for letter in text.chars() {
        if matches!(letter, '"' | '\\') || (bar && letter == '|') {
            out.push('\\');
        }
        out.push(letter);
    }
}

/// Folds text into one line of at most `limit` characters: runs of white space become one space. Invisible
/// characters (controls, direction overrides, tag characters) are removed, because they can hide words from
/// the person that the model would read.
pub(crate) fn fold(text: &str, limit: usize) -> String {
    let mut folded = String::with_capacity(text.len().min(limit.saturating_mul(4)));
    let (mut count, mut gap) = (0usize, false);
    for letter in text.chars() {
        if letter.is_whitespace() {
            gap = count > 0;
            continue;
        }
        if is_unseen(letter) {
            continue;
        }
        let needed = usize::from(gap) + 1;
        if count + needed > limit {
            return end_with_ellipsis(folded, count, limit);
        }
        if gap {
            folded.push(' ');
        }
        folded.push(letter);
        count += needed;
        gap = false;
    }
    folded
}

/// Ends the text with `…` within `limit`.
fn end_with_ellipsis(mut folded: String, count: usize, limit: usize) -> String {
    if count >= limit {
        folded.pop();
    }
    folded.truncate(folded.trim_end().len());
    folded.push('…');
    folded
}

/// Reports whether a character is invisible. Joiners are kept, because emoji and Persian need them.
fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
