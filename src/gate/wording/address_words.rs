//! Words of addresses: decoded path segments in words, ids among them, and the verbs of `address_verbs.txt`.

use crate::gate::meaning::intent::Intent;
use crate::gate::wording::normalize;
use std::collections::HashMap;
use std::sync::LazyLock;
use url::Url;

/// Condition under which a word of an address counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerbKind {
    Always,
    Named,
    After,
    Valued,
}

type Verbs = HashMap<String, Vec<(Intent, VerbKind)>>;

static VERBS: LazyLock<Verbs> = LazyLock::new(|| read_verbs(include_str!("tables/address_verbs.txt")));

fn read_verbs(text: &str) -> Verbs {
    let mut verbs = Verbs::new();
    let mut section = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(head) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = head
                .split_once(' ')
                .and_then(|(intent, kind)| Some((Intent::from_name(intent)?, kind_from_name(kind)?)));
        } else if let Some(section) = section {
            for word in line.split_whitespace() {
                verbs.entry(split_words(word).join(" ")).or_default().push(section);
            }
        }
    }
    verbs
}

fn kind_from_name(name: &str) -> Option<VerbKind> {
    Some(match name {
        "always" => VerbKind::Always,
        "named" => VerbKind::Named,
        "after" => VerbKind::After,
        "valued" => VerbKind::Valued,
        _ => return None,
    })
}

/// Returns the meanings of words that together are one verb of the table.
pub(crate) fn find_verb(words: &[String]) -> &'static [(Intent, VerbKind)] {
    VERBS.get(&words.join(" ")).map(Vec::as_slice).unwrap_or_default()
}

/// Returns the decoded segments of a path, without empty ones.
pub(crate) fn decode_segments(url: &Url) -> Vec<String> {
    let parts = url.path_segments().into_iter().flatten();
    parts.map(decode_segment).filter(|part| !part.is_empty()).collect()
}

fn decode_segment(part: &str) -> String {
    let query = format!("p={}", part.replace('+', "%2B").replace('&', "%26"));
    url::form_urlencoded::parse(query.as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

/// Splits a segment into lower-case words without accents, at punctuation and at the humps of camel case.
pub(crate) fn split_words(segment: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(segment.len() + 8);
    let mut before = ' ';
    for letter in segment.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(if letter.is_alphanumeric() { letter } else { ' ' });
        before = letter;
    }
    let plain = |word: &str| normalize::normalize_name(word).replace(' ', "");
    spaced.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect()
}

/// True if the segment identifies one thing: a number, a UUID, a hash, a token, an e-mail address, or a slug
/// that ends with such.
pub(crate) fn is_id(segment: &str) -> bool {
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    if segment.contains('@') || (digits > 0 && segment.bytes().all(|byte| byte.is_ascii_digit())) {
        return true;
    }
    if is_version(segment) || segment.is_empty() {
        return false;
    }
    if is_random(segment) {
        return true;
    }
    let parts = segment.split(['-', '_', '.', ':', ',', '~']).filter(|part| !part.is_empty());
    parts.into_iter().any(is_id_part)
}

/// True for "v2", "v1.1", "3.2" and words of technology with one digit ("oauth2").
fn is_version(segment: &str) -> bool {
    let bare = segment.strip_prefix(['v', 'V']).unwrap_or(segment);
    let numbers =
        bare.split('.').all(|part| part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit()));
    let version = !bare.is_empty() && numbers && (bare.len() < segment.len() || bare.contains('.'));
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    version || (digits == 1 && segment.len() <= 8 && segment.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn is_id_part(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let letters = part.chars().filter(|letter| letter.is_alphabetic()).count();
    let number = digits > 1 && letters == 0;
    number || (digits > 1 && letters > 0) || is_random(part)
}

/// True for text that no word looks like: long and mixed of digits and letters, or of short runs of case.
fn is_random(part: &str) -> bool {
    let plain = part.trim_end_matches('=');
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if plain.len() < 8 || !plain.bytes().all(known) {
        return false;
    }
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    let separated = plain.contains(['-', '_']);
    if digits > 1 && !separated {
        return true;
    }
    let upper = plain.bytes().filter(u8::is_ascii_uppercase).count();
    let lower = plain.bytes().filter(u8::is_ascii_lowercase).count();
    plain.len() >= 16 && upper * 3 > plain.len() && lower > 3
}
