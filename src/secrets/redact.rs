//! Replaces secret values in texts and addresses.

use crate::text::truncate::{CUT, CUT_UNMARKED, HIDDEN};
use url::{Position, Url};

/// Values of at least this many characters are also replaced inside words; shorter ones only as whole words.
const LONG: usize = 6;
/// Shorter values are left alone: a single digit of a one-time code reveals nothing, and replacing it would
/// change unrelated texts such as `?page=7`.
const SHORT: usize = 3;
/// A prefix of at least this many characters of a value counts as the value where a text was truncated.
const TELLING: usize = 6;
/// A secret value and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    pub value: String,
    pub with: String,
}

/// Replaces all values in a text: in their plain form, HTML-escaped, with escaped quotes, percent-encoded,
/// with collapsed white space, and truncated.
pub fn redact_text(text: &str, known: &[Redaction]) -> String {
    let mut text = text.to_owned();
    for Redaction { value, with } in longest_first(known) {
        text = replace_value(&text, value, with, value.chars().count() >= SHORT);
        for written in [escape_html(value), escape_quotes(value)] {
            if written != *value {
                text = text.replace(&written, with);
            }
        }
        if !is_long(value) {
            continue;
        }
        if text.contains(['%', '+']) {
            text = redact_encoded(&text, value, with);
        }
        text = redact_collapsed(text, value, with);
        text = redact_truncated(text, value, with);
    }
    text
}

/// Replaces the values in the query of an address, absolute or relative, and the long ones anywhere in it.
pub fn redact_address(address: &str, known: &[Redaction]) -> String {
    let is_relative = Url::parse(address).is_err();
    let base = Url::parse("http://relative.invalid").ok();
    let url = base.and_then(|base| base.join(address).ok());
    let Some(mut url) = url.filter(|_| !known.is_empty()) else {
        return if known.is_empty() { address.to_owned() } else { redact_text(address, known) };
    };
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    let is_known =
        |value: &str| value.chars().count() >= SHORT && known.iter().any(|known| known.value == value);
    // Without a match in the query, the address keeps its original spelling.
    let mut address = address.to_owned();
    if pairs.iter().any(|(_, value)| is_known(value)) {
        let shown = pairs.iter().map(|(name, value)| (name, if is_known(value) { HIDDEN } else { value }));
        url.query_pairs_mut().clear().extend_pairs(shown);
        address = if is_relative { url[Position::BeforePath..].to_owned() } else { url.to_string() };
    }
    for known in longest_first(known).into_iter().filter(|known| is_long(&known.value)) {
        address = redact_encoded(&address, &known.value, HIDDEN);
    }
    address
}

/// Returns an address with the query values and the fragment that do not occur in `other` replaced by `…`.
pub fn redact_unknown_query(address: &str, other: &str) -> String {
    let (base, query, fragment) = split_address(address);
    let (_, known, known_fragment) = split_address(other);
    let known: Vec<&str> = known.unwrap_or_default().split('&').collect();
    let mut redacted = base.to_owned();
    if let Some(query) = query {
        let redact_pair = |pair: &str| match pair.split_once('=') {
            _ if pair.is_empty() || known.contains(&pair) => pair.to_owned(),
            Some((name, _)) => format!("{name}={CUT}"),
            None => CUT.to_string(),
        };
        redacted.push('?');
        redacted.push_str(&query.split('&').map(redact_pair).collect::<Vec<_>>().join("&"));
    }
    match fragment.filter(|fragment| !fragment.is_empty()) {
        Some(fragment) if known_fragment == Some(fragment) => format!("{redacted}#{fragment}"),
        Some(_) => format!("{redacted}#{CUT}"),
        None => redacted,
    }
}

/// Splits an address into the part before the query, the query and the fragment.
fn split_address(address: &str) -> (&str, Option<&str>, Option<&str>) {
    let (rest, fragment) = at_first(address, '#');
    let (base, query) = at_first(rest, '?');
    (base, query, fragment)
}

fn at_first(text: &str, letter: char) -> (&str, Option<&str>) {
    text.split_once(letter).map_or((text, None), |(before, after)| (before, Some(after)))
}

/// Sorts long values first: replacing a shorter one that is a prefix of a longer one would leave the rest of
/// the longer one readable.
fn longest_first(known: &[Redaction]) -> Vec<&Redaction> {
    let mut known: Vec<&Redaction> = known.iter().collect();
    known.sort_by_key(|known| std::cmp::Reverse(known.value.len()));
    known
}

fn is_long(value: &str) -> bool {
    value.chars().count() >= LONG
}

/// Replaces the value where its white space is collapsed and trimmed, as pages show it.
fn redact_collapsed(text: String, value: &str, with: &str) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    let Some((first, further)) = words.split_first().filter(|_| value.contains(char::is_whitespace)) else {
        return text;
    };
    if !is_long(&words.join(" ")) {
        return text;
    }
    let end_of = |from: usize| {
        further.iter().try_fold(from, |at, word| {
            let rest = text.get(at..)?;
            let next = rest.trim_start();
            (next.len() < rest.len() && next.starts_with(word)).then(|| text.len() - next.len() + word.len())
        })
    };
    let (mut out, mut kept) = (String::with_capacity(text.len()), 0);
    for (begin, first) in text.match_indices(first) {
        let Some(end) = end_of(begin + first.len()).filter(|_| begin >= kept) else { continue };
        out.push_str(&text[kept..begin]);
        out.push_str(with);
        kept = end;
    }
    out.push_str(&text[kept..]);
    out
}

/// Replaces truncated prefixes of the value.
fn redact_truncated(text: String, value: &str, with: &str) -> String {
    let mut ends: Vec<usize> = text.match_indices(CUT).map(|(at, _)| at).collect();
    ends.extend(Some(text.len()).filter(|length| *length >= CUT_UNMARKED && !text.ends_with(CUT)));
    let folded = value.split_whitespace().collect::<Vec<_>>().join(" ");
    let left = |end: usize| {
        let before = &text[..end];
        let telling = |form: &str| {
            let beginnings = form.char_indices().map(|(at, _)| &form[..at]).skip(TELLING);
            beginnings.filter(|part| before.ends_with(part)).map(str::len).max()
        };
        telling(value).max(telling(&folded))
    };
    let found: Vec<(usize, usize)> = ends.into_iter().filter_map(|end| Some((end, left(end)?))).collect();
    let mut text = text.clone();
    for (end, length) in found.into_iter().rev() {
        text.replace_range(end - length..end, with);
    }
    text
}

/// Replaces every text that decodes to the value, with any part of it percent-encoded.
fn redact_encoded(text: &str, value: &str, with: &str) -> String {
    let once = redact_decoded_with(text, value, with, b'+');
    if once.contains('+') { redact_decoded_with(&once, value, with, b' ') } else { once }
}

/// Replaces every text that decodes to the value, where `+` decodes to `plus`.
fn redact_decoded_with(text: &str, value: &str, with: &str, plus: u8) -> String {
    let (bytes, sought) = (text.as_bytes(), value.as_bytes());
    let mut read = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escape = (*byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        let (byte, length) = match escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => (byte, 3),
            None => (if *byte == b'+' { plus } else { *byte }, 1),
        };
        read.push((byte, at));
        at += length;
    }
    let matches_at = |from: usize| sought.iter().zip(&read[from..]).all(|(sought, (byte, _))| sought == byte);
    let (mut out, mut kept, mut from) = (String::with_capacity(text.len()), 0, 0);
    while from + sought.len() <= read.len() {
        if !matches_at(from) {
            from += 1;
            continue;
        }
        out.push_str(&text[kept..read[from].1]);
        out.push_str(with);
        from += sought.len();
        kept = read.get(from).map_or(text.len(), |(_, at)| *at);
    }
    out.push_str(&text[kept..]);
    out
}

/// Replaces `value` in a text, a short value only as a whole word. With `at_all` false the text stays as it
/// is.
pub fn replace_value(text: &str, value: &str, with: &str, at_all: bool) -> String {
    if !at_all || value.is_empty() || !text.contains(value) {
        return text.to_owned();
    }
    if value.chars().count() >= LONG {
        return text.replace(value, with);
    }
    let pieces: Vec<&str> = text.split(value).collect();
    let mut out = String::with_capacity(text.len());
    for (index, piece) in pieces.iter().enumerate() {
        out.push_str(piece);
        if let Some(next) = pieces.get(index + 1) {
            let joined = piece.ends_with(char::is_alphanumeric) || next.starts_with(char::is_alphanumeric);
            out.push_str(if joined { value } else { with });
        }
    }
    out
}

/// Escapes a text as the Markdown renderer does for HTML.
fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escapes a text for a double-quoted string.
fn escape_quotes(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::truncate::truncate;

    fn one_redaction(value: &str) -> [Redaction; 1] {
        [Redaction { value: value.to_owned(), with: String::from("<x>") }]
    }

    #[test]
    fn values_are_found_however_they_were_encoded() {
        let known = one_redaction("Tr0ub & три");
        for written in [
            "Tr0ub & три",
            "Tr0ub+%26+%D1%82%D1%80%D0%B8",
            "Tr0ub%20&%20%d1%82%d1%80%d0%b8",
            "%54r0ub%20%26 три",
            "Tr0ub &amp; три",
        ] {
            assert_eq!(redact_text(&format!("a {written}!"), &known), "a <x>!", "{written}");
        }
        for (at, hidden) in [
            ("http://a/?p=Tr0ub%20%26%20%D1%82%D1%80%D0%B8#Tr0ub%20&%20три", "http://a/?p=****#****"),
            ("http://a/Tr0ub%20&%20три/x?q=1+2%25", "http://a/****/x?q=1+2%25"),
            ("http://a/?q=Tr0ub", "http://a/?q=Tr0ub"),
            ("/x?p=Tr0ub%20%26%20%D1%82%D1%80%D0%B8#Tr0ub%20&%20три", "/x?p=****#****"),
            ("Tr0ub & три", "****"),
            ("/item/123?q=1", "/item/123?q=1"),
        ] {
            assert_eq!(redact_address(at, &known), hidden);
        }
    }

    #[test]
    fn the_longest_of_overlapping_secrets_is_replaced_first() {
        let known = ["abcdef", "abcdef99!", "9!"]
            .map(|value| Redaction { value: value.to_owned(), with: format!("<{}>", value.len()) });
        assert_eq!(redact_text("abcdef, abcdef99! and abcdef+99!", &known), "<6>, <9> and <6>+99!");
        assert_eq!(redact_text("abcdef99%21", &known), "<9>");
        assert_eq!(redact_address("http://a/abcdef99!/x#abcdef99%21", &known), "http://a/****/x#****");
    }

    #[test]
    fn values_are_found_with_their_white_space_folded_and_in_quotes() {
        let spaced = one_redaction("Zq  Double  space 9 ");
        for shown in ["Zq Double space 9", "Zq\nDouble\u{a0}space 9", "Zq  Double  space 9"] {
            assert_eq!(
                redact_text(&format!("Zq {shown}, Zq Double {shown}"), &spaced),
                "Zq <x>, Zq Double <x>"
            );
        }
        assert_eq!(redact_text("ZqDouble space 9", &spaced), "ZqDouble space 9");
        assert_eq!(redact_text(r#"said "op\"en\\me""#, &one_redaction(r#"op"en\me"#)), r#"said "<x>""#);
    }

    #[test]
    fn truncated_prefixes_of_a_secret_are_replaced() {
        let known = one_redaction("opensesame  now");
        assert_eq!(redact_text("it is opensesa…", &known), "it is <x>…");
        assert_eq!(redact_text("it is opensesame n… and opense… here", &known), "it is <x>… and <x>… here");
        assert_eq!(redact_text("it is opens… here", &known), "it is opens… here");
        let long = "w ".repeat(100);
        assert_eq!(redact_text(&format!("{long}opensesa"), &known), format!("{long}<x>"));
        assert_eq!(truncate("öpen", 4), "öpen");
        assert_eq!(truncate("öpens", 4), "öpen…");
    }

    #[test]
    fn unknown_parts_of_an_address_are_left_out() {
        for (address, expected) in [
            ("http://a/in?token=x%26y&page=2", "http://a/in?token=…&page=2"),
            ("http://b/?raw#inbox", "http://b/?…#inbox"),
            ("http://a/#t?x=1", "http://a/#…"),
            ("http://a/?", "http://a/?"),
            ("http://a/#", "http://a/"),
            ("", ""),
        ] {
            assert_eq!(redact_unknown_query(address, "http://a/?page=2&u=1#inbox"), expected);
        }
    }

    #[test]
    fn texts_without_secrets_are_unchanged() {
        let known = one_redaction("opensesame");
        for text in ["100 % sure + more", "%", "a%2", "%D1%8", "при%в+іт", "opensesam"] {
            assert_eq!(redact_text(text, &known), text);
        }
        assert_eq!(redact_text("+opensesame%", &known), "+<x>%");
    }
}
