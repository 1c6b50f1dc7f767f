//! Fields of forms: URL-encoded bodies, queries, and the lines of `text/plain` forms.

use crate::page::request_body::value_list::ValueList;
use url::form_urlencoded;

/// Returns the fields of an URL-encoded text. Invalid UTF-8 becomes replacement characters.
pub fn split_fields(body: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(body).map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

pub fn push_fields(list: &mut ValueList, fields: &[(String, String)]) {
    for (name, value) in fields {
        list.push_text(name, value);
        if !list.has_room() {
            list.read.is_truncated |= list.read.values.len() < fields.len();
            return;
        }
    }
}

/// Reports whether a text without a media type is URL-encoded: fields with names, joined by `&`, and nothing that
/// such an encoding escapes.
pub fn is_encoded_form(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "%+-_.*~[]!'()@:,/;$".contains(c);
    let is_field = |field: &str| {
        field
            .split_once('=')
            .is_some_and(|(name, value)| !name.is_empty() && name.chars().chain(value.chars()).all(is_plain))
    };
    !text.is_empty() && text.split('&').all(is_field)
}

/// Returns the fields of a form with `enctype="text/plain"`: a line each, the last one ended too.
pub fn split_plain_lines(text: &str) -> Option<Vec<(String, String)>> {
    let lines = text.strip_suffix("\r\n")?.split("\r\n");
    lines.map(|line| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))).collect()
}
