//! Texts of pages and people within answers: shortened, and escaped for Markdown.

use crate::text::truncate::one_line;

/// Collapses white space and escapes Markdown, so that a page title cannot become a link in an answer.
pub fn plain(text: &str) -> String {
    literal(&one_line(text))
}

/// Escapes Markdown and keeps white space.
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

/// Wraps a text in a fence that is longer than any run of backticks in it.
pub fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}\n{fence}")
}
