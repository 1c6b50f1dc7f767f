//! Words of pages and people inside of an answer: kept short, and kept from being Markdown.

/// What a page says, kept from being Markdown: a title must not become a link in an answer.
pub fn plain(text: &str) -> String {
    literal(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The same characters, spaces included, kept from being Markdown.
pub fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '[' | ']' | '<' | '*' | '`' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// At most so many characters, the last of them `…` if there were more.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Text as it is, in a fence that no run of backticks in it can close.
pub fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}\n{fence}")
}
