//! Values that say nothing to a person: tokens against forgery, ids of requests, times of sending, and what a
//! server or an application counts and stamps by itself.

use crate::page::request_body::name_words::{contains_words, last_words, split_keys, split_words};

/// Words of names of tokens, of which each is enough.
const TOKEN_WORDS: &[&str] = &[
    "csrf",
    "xsrf",
    "csrfmiddlewaretoken",
    "csrftoken",
    "nonce",
    "wpnonce",
    "viewstate",
    "viewstategenerator",
    "eventvalidation",
    "requestverificationtoken",
    "requesttoken",
    "formtoken",
    "formhash",
    "sesskey",
    "traceparent",
    "tracestate",
    "recaptcha",
    "hcaptcha",
    "turnstile",
    "captchatoken",
    "honeypot",
    "logintoken",
];

/// Words of names that stand next to each other.
const TOKEN_PHRASES: &[&[&str]] = &[
    &["authenticity", "token"],
    &["anti", "forgery"],
    &["form", "build", "id"],
    &["form", "token"],
    &["request", "token"],
    &["view", "state"],
    &["event", "validation"],
    &["request", "id"],
    &["correlation", "id"],
    &["trace", "id"],
    &["span", "id"],
    &["client", "mutation", "id"],
    &["client", "request", "id"],
    &["idempotency", "key"],
    &["cache", "buster"],
    &["captcha", "response"],
    &["pending", "post", "id"],
    &["client", "nonce"],
    &["message", "nonce"],
    &["page", "load", "id"],
    &["batch", "id"],
    &["event", "id"],
    &["insert", "id"],
    &["anonymous", "id"],
    &["device", "id"],
    &["version", "nonce"],
];

/// Names of times of sending.
const SENDING_TIMES: &[&[&str]] = &[
    &["timestamp"],
    &["ts"],
    &["sent", "at"],
    &["client", "time"],
    &["client", "timestamp"],
    &["local", "time"],
    &["original", "timestamp"],
    &["request", "time"],
    &["event", "time"],
    &["cb"],
    &["t"],
    &["now"],
];

/// Names that an application stamps at each change.
const CHANGE_TIMES: &[&[&str]] = &[
    &["updated"],
    &["updated", "at"],
    &["update", "at"],
    &["updated", "on"],
    &["update", "time"],
    &["updated", "time"],
    &["modified"],
    &["modified", "at"],
    &["modified", "on"],
    &["modified", "time"],
    &["date", "modified"],
    &["date", "updated"],
    &["last", "modified"],
    &["last", "modified", "at"],
    &["last", "updated"],
    &["last", "updated", "at"],
    &["last", "update"],
    &["last", "saved"],
    &["last", "saved", "at"],
    &["last", "changed"],
    &["saved", "at"],
    &["changed", "at"],
    &["mtime"],
    &["modification", "date"],
    &["modify", "at"],
    &["edited", "at"],
    &["edit", "at"],
    &["touched", "at"],
    &["synced", "at"],
    &["last", "sync"],
];

/// Names of revisions that are text, as hashes.
const REVISIONS: &[&[&str]] = &[
    &["rev"],
    &["revision"],
    &["revision", "id"],
    &["etag"],
    &["change", "key"],
    &["sync", "token"],
    &["concurrency", "stamp"],
    &["row", "version"],
    &["version", "nonce"],
    &["resource", "version"],
    &["lock", "version"],
    &["v"],
    &["change", "token"],
    &["last", "known", "version"],
];

/// Reports whether a value is opaque: it is named as a token, a request's id or a time of sending, and looks so.
pub fn is_opaque_token(name: &str, value: &str) -> bool {
    let words = last_words(name);
    let keys = split_keys(name);
    let last = keys.last().copied().unwrap_or_default();
    if value.is_empty() || last.is_empty() {
        return false;
    }
    // The check mark by which old browsers were made to send UTF-8.
    if last == "utf8" && value == "✓" || last == "_charset_" {
        return true;
    }
    let is_bare_token = matches!(last, "_token" | "token" | "_csrf" | "__RequestVerificationToken" | "_");
    let is_named = is_bare_token
        || words.iter().any(|word| TOKEN_WORDS.contains(&word.as_str()))
        || TOKEN_WORDS.contains(&words.concat().as_str())
        || TOKEN_PHRASES.iter().any(|phrase| contains_words(&words, phrase));
    (is_named && (looks_generated(value) || is_time(value))) || (is_sending_time(&words) && is_time(value))
}

fn is_sending_time(words: &[String]) -> bool {
    SENDING_TIMES.iter().any(|phrase| words.iter().eq(phrase.iter()))
}

/// Reports whether the change of a value counts for nothing: an opaque token, a stamp of the change itself, or a
/// counter of versions that went on.
pub fn is_bookkeeping(name: &str, before: &str, now: &str) -> bool {
    let words = last_words(name);
    let is_named = |names: &[&[&str]]| names.iter().any(|phrase| words.iter().eq(phrase.iter()));
    let are_both =
        |looks: fn(&str) -> bool| (before.is_empty() || looks(before)) && (now.is_empty() || looks(now));
    if is_named(CHANGE_TIMES) {
        return are_both(is_time);
    }
    if is_named(REVISIONS) {
        return are_both(|value| is_number(value) || looks_generated(value) || is_revision(value));
    }
    are_both(is_time) && is_sending_time(&words)
        || (is_opaque_token(name, now) || now.is_empty())
            && (is_opaque_token(name, before) || before.is_empty())
            && !(before.is_empty() && now.is_empty())
}

/// Reports whether a number named `version` was only counted up. The name alone is no proof: somebody may choose
/// the version that is deployed, so `is_stateful` tells that it stands in a record with an id and other values.
pub fn is_version_step(name: &str, before: &str, now: &str, is_stateful: bool) -> bool {
    const FURTHEST: u64 = 10_000;
    let words = last_words(name);
    let is_named = words.iter().eq(["version"].iter()) || words.iter().eq(["version", "number"].iter());
    match (before.parse::<u64>(), now.parse::<u64>()) {
        (Ok(before), Ok(now)) => is_named && is_stateful && now > before && now - before <= FURTHEST,
        _ => false,
    }
}

/// Recognizes tokens, hashes and ids: no words and no address, and either long or mixed.
fn looks_generated(value: &str) -> bool {
    let is_token_letter = |c: char| c.is_ascii_alphanumeric() || "-_=+/.:~|%".contains(c);
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let is_token = value.chars().all(is_token_letter) && !value.contains("://") && value != "null";
    is_token && (value.len() >= 20 || value.len() >= 6 && has_digit || value.len() >= 16)
}

fn is_number(value: &str) -> bool {
    !value.is_empty() && value.len() <= 20 && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Recognizes short revisions such as `1-a3f` and `W/"12"`.
fn is_revision(value: &str) -> bool {
    value.len() <= 64
        && value.contains(|c: char| c.is_ascii_digit())
        && value.chars().all(|c| c.is_ascii_alphanumeric() || "-_\"/=.".contains(c))
}

/// Recognizes times: seconds or milliseconds since 1970, and dates of RFC 3339 or RFC 2822 with a time of day.
pub fn is_time(value: &str) -> bool {
    let digits = value.split('.').next().unwrap_or_default();
    let is_count = matches!(digits.len(), 10 | 13 | 16 | 19)
        && digits.starts_with(['1', '2'])
        && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let bytes = value.as_bytes();
    let is_iso = bytes.len() >= 16
        && bytes.len() <= 40
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && matches!(bytes[10], b'T' | b' ')
        && bytes[13] == b':';
    let words: Vec<String> = split_words(value.get(..3).unwrap_or_default());
    let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let is_http = value.len() <= 64
        && words.first().is_some_and(|word| days.contains(&word.as_str()))
        && value.contains(':');
    is_count || is_iso || is_http
}
