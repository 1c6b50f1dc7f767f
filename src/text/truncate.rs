//! Cuts text at a length without splitting a character; marks of cut and hidden text.

/// Truncates a text to `most` characters and appends an ellipsis, by which `text` recognises a truncated
/// value.
pub fn truncate(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}{CUT}", &text[..end]),
        None => text.to_owned(),
    }
}

/// Texts of at least this many bytes may have been truncated without an ellipsis.
pub(crate) const CUT_UNMARKED: usize = 150;

pub(crate) const CUT: char = '…';

/// Replacement of a value in an address.
pub(crate) const HIDDEN: &str = "****";
