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
    &["insert", "id"],
    &["anonymous", "id"],
];

/// Names of ids of requests. With further words they may be things: a friend request, a pull request.
const REQUEST_IDS: &[&[&str]] = &[
    &["request", "id"],
    &["x", "request", "id"],
    &["req", "id"],
    &["client", "request", "id"],
    &["message", "uuid"],
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
    &["nocache"],
    &["no", "cache"],
    &["cachebuster"],
    &["cachebust"],
    &["cache", "bust"],
    &["rnd"],
    &["rand"],
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

/// Names of times of creation.
const CREATION_TIMES: &[&[&str]] =
    &[&["created"], &["created", "at"], &["created", "on"], &["date", "created"]];

/// Words of the names of tokens against forgery.
const FORGERY_WORDS: [&str; 4] = ["csrf", "xsrf", "csrftoken", "csrfmiddlewaretoken"];

/// Names of revisions that no person chooses.
const STAMPS: &[&[&str]] = &[
    &["etag"],
    &["change", "key"],
    &["change", "token"],
    &["sync", "token"],
    &["concurrency", "stamp"],
    &["row", "version"],
    &["version", "nonce"],
    &["resource", "version"],
    &["lock", "version"],
];

/// Names of versions. Somebody may choose one to deploy or to go back to.
const VERSIONS: &[&[&str]] = &[
    &["version"],
    &["version", "number"],
    &["rev"],
    &["revision"],
    &["revision", "id"],
    &["revision", "number"],
];

/// Names of numbers that count what was sent, or the time that has passed.
const COUNTERS: &[&[&str]] = &[
    &["seq"],
    &["sequence"],
    &["sequence", "number"],
    &["seqno"],
    &["tick"],
    &["ticks"],
    &["counter"],
    &["uptime"],
    &["elapsed"],
    &["latency"],
    &["rtt"],
    &["ack"],
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
    // Such a value only proves that the page itself sends the request, whatever its form.
    if words.iter().any(|word| FORGERY_WORDS.contains(&word.as_str())) && is_token_text(value) {
        return true;
    }
    let is_named = is_bare_token
        || words.iter().any(|word| TOKEN_WORDS.contains(&word.as_str()))
        || TOKEN_WORDS.contains(&words.concat().as_str())
        || TOKEN_PHRASES.iter().any(|phrase| contains_words(&words, phrase));
    let is_request_id = is_any(&words, REQUEST_IDS) && value.contains(|c: char| c.is_ascii_alphabetic());
    (is_named || is_request_id) && (looks_generated(value) || is_time(value))
        || is_any(&words, SENDING_TIMES) && is_time(value)
}

/// True for names of times and revisions that an application stamps on what it sends.
pub fn names_stamp(name: &str) -> bool {
    let words = last_words(name);
    [SENDING_TIMES, CHANGE_TIMES, STAMPS, VERSIONS, CREATION_TIMES].iter().any(|names| is_any(&words, names))
}

fn is_any(words: &[String], names: &[&[&str]]) -> bool {
    names.iter().any(|name| words.iter().eq(name.iter()))
}

/// Reports whether the change of a value counts for nothing: an opaque token, or a stamp of the change itself. An
/// empty text stands for a value that is not there.
pub fn is_bookkeeping(name: &str, before: &str, now: &str) -> bool {
    if before.is_empty() && now.is_empty() {
        return false;
    }
    let words = last_words(name);
    let last = split_keys(name).last().copied().unwrap_or_default();
    let are_both =
        |looks: &dyn Fn(&str) -> bool| (before.is_empty() || looks(before)) && (now.is_empty() || looks(now));
    if is_any(&words, CHANGE_TIMES) || is_any(&words, SENDING_TIMES) {
        return are_both(&is_time);
    }
    if is_any(&words, STAMPS) || matches!(last, "_rev" | "__v" | "_etag" | "_version") {
        return are_both(&is_revision);
    }
    // Many pages send the time as `at`, which may also be an appointment.
    if words == ["at"] && is_moment_later(before, now) {
        return true;
    }
    if is_any(&words, COUNTERS) {
        return are_both(&|value| value.parse::<f64>().is_ok());
    }
    are_both(&|value| is_opaque_token(name, value))
}

/// True for two times in milliseconds, the second at most a day after the first and not at a full minute.
fn is_moment_later(before: &str, now: &str) -> bool {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    const MINUTE: u64 = 60 * 1000;
    const SINCE: u64 = 1_500_000_000_000;
    match (before.parse::<u64>(), now.parse::<u64>()) {
        (Ok(before), Ok(now)) => {
            before > SINCE && (before..=before + DAY).contains(&now) && now % MINUTE != 0
        }
        _ => false,
    }
}

/// Reports whether a version was only counted up, or a revision exchanged by the next. The name alone is no proof,
/// so `is_stateful` tells that it stands in a record with an id and many other values.
pub fn is_version_step(name: &str, before: &str, now: &str, is_stateful: bool) -> bool {
    const FURTHEST: u64 = 10_000;
    if !is_stateful || !is_any(&last_words(name), VERSIONS) {
        return false;
    }
    match (before.parse::<u64>(), now.parse::<u64>()) {
        (Ok(before), Ok(now)) => now > before && now - before <= FURTHEST,
        // A text such as `2.0` is the version of something else.
        (Err(_), Err(_)) => looks_generated(before) && looks_generated(now) && !before.contains('.'),
        _ => false,
    }
}

/// Reports whether a value is a version of its record, of whatever number.
pub fn is_version(name: &str, value: &str, is_stateful: bool) -> bool {
    let is_number = value.parse::<u64>().is_ok();
    if is_number {
        is_stateful && is_any(&last_words(name), VERSIONS)
    } else {
        is_version_step(name, value, value, is_stateful)
    }
}

/// True for a text of the letters of tokens alone: no words and no address.
fn is_token_text(value: &str) -> bool {
    let is_token_letter = |c: char| c.is_ascii_alphanumeric() || "-_=+/.:~|%".contains(c);
    value.chars().all(is_token_letter) && !value.contains("://") && value != "null"
}

/// Recognizes tokens, hashes and ids: no words and no address, and either long or mixed.
fn looks_generated(value: &str) -> bool {
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    is_token_text(value) && (value.len() >= 20 || value.len() >= 6 && has_digit || value.len() >= 16)
}

/// Recognizes revisions such as `12`, `1-a3f` and `W/"12"`.
fn is_revision(value: &str) -> bool {
    value.len() <= 128
        && value.contains(|c: char| c.is_ascii_digit())
        && value.chars().all(|c| c.is_ascii_alphanumeric() || "-_\"/=.".contains(c))
}

/// Recognizes times: seconds or milliseconds since 1970, and dates of RFC 3339 or RFC 2822 with a time of day.
pub fn is_time(value: &str) -> bool {
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
    is_count_of_time(value) || is_iso || is_http
}

/// Recognizes seconds or milliseconds since 1970.
pub(in crate::page::request_body) fn is_count_of_time(value: &str) -> bool {
    let digits = value.split('.').next().unwrap_or_default();
    matches!(digits.len(), 10 | 13 | 16 | 19)
        && digits.starts_with(['1', '2'])
        && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}
