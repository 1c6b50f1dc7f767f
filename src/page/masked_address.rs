//! Masks secrets in addresses that are stored or shown: `user:password@`, and the values of parameters that carry
//! sessions, tokens, keys and signatures, in the query, the path and the fragment. The rest of an address keeps its
//! spelling.

use crate::turn::typed_secret::MASK;
use serde_json::Value;
use std::borrow::Cow;
use url::form_urlencoded;

/// Names of secret parameters, in lower case without separators.
const NAMES: &[&str] = &[
    "session",
    "sess",
    "sid",
    "phpsessid",
    "jsessionid",
    "jwt",
    "bearer",
    "pass",
    "pwd",
    "otp",
    "authorization",
    "assertion",
    "samlresponse",
    "samlrequest",
];
/// Ends of such names: `csrf_token`, `X-Amz-Signature`, `client_secret`.
const NAME_ENDS: &[&str] = &[
    "token",
    "sessionid",
    "sessionkey",
    "password",
    "passwd",
    "secret",
    "apikey",
    "accesskey",
    "secretkey",
    "authkey",
    "signature",
    "credential",
];
/// Names that are as often harmless; only a long value is secret.
const VAGUE_NAMES: &[&str] = &["key", "auth", "sig", "ticket"];
/// Least length of the secret value of a vague name.
const LONG: usize = 8;

/// Returns the address with its secrets masked.
pub fn mask_address(address: &str) -> Cow<'_, str> {
    let (rest, fragment) = split(address, '#');
    let (base, query) = split(rest, '?');
    let mut masked = mask_base(base);
    if let Some(query) = query {
        masked.push('?');
        masked.push_str(&mask_pairs(query));
    }
    if let Some(fragment) = fragment {
        // The part of `#/route?a=b` behind the question mark has the parameters.
        let (route, pairs) = fragment.split_once('?').map_or(("", fragment), |(route, pairs)| (route, pairs));
        masked.push('#');
        if pairs.len() < fragment.len() {
            masked.push_str(route);
            masked.push('?');
        }
        masked.push_str(&mask_pairs(pairs));
    }
    if masked == address { Cow::Borrowed(address) } else { Cow::Owned(masked) }
}

/// Returns the text with the secrets of all addresses in it masked.
pub fn mask_addresses(text: &str) -> Cow<'_, str> {
    let is_path = text.starts_with('/') && !text.contains(char::is_whitespace);
    if is_path {
        return mask_address(text);
    }
    let mut masked = String::new();
    let (mut rest, mut is_changed) = (text, false);
    while let Some(at) = rest.find("://") {
        let start =
            rest[..at].rfind(|c: char| !is_scheme_char(c)).map_or(0, |before| next_char(rest, before));
        let length = rest[start..].find(ends_address).unwrap_or(rest.len() - start);
        let address = rest[start..start + length].trim_end_matches(['.', ',', ';', ':', '!', ')', ']', '}']);
        let shown = mask_address(address);
        is_changed |= matches!(shown, Cow::Owned(_));
        masked.push_str(&rest[..start]);
        masked.push_str(&shown);
        // An address that ends before its authority leaves the search behind the separator.
        let end = (start + address.len()).max(at + "://".len());
        masked.push_str(&rest[start + address.len()..end]);
        rest = &rest[end..];
    }
    if !is_changed {
        return Cow::Borrowed(text);
    }
    masked.push_str(rest);
    Cow::Owned(masked)
}

/// Masks the addresses in all texts of a value.
pub fn mask_json_addresses(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(masked) = mask_addresses(text) {
                *text = masked;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask_json_addresses),
        Value::Object(map) => map.values_mut().for_each(mask_json_addresses),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Masks the user, the password and the parameters of the path (`;jsessionid=…`, `/(S(…))/`).
fn mask_base(base: &str) -> String {
    let authority = base.find("//").map_or(0, |at| at + 2);
    let path = base[authority..].find(['/', '\\']).map_or(base.len(), |at| authority + at);
    let mut masked = base[..authority].to_owned();
    match base[authority..path].rsplit_once('@').filter(|_| authority > 0) {
        Some((_, host)) => masked.push_str(&format!("{MASK}@{host}")),
        None => masked.push_str(&base[authority..path]),
    }
    let segments = base[path..].split('/').map(|segment| {
        if segment.starts_with("(S(") && segment.ends_with("))") {
            return format!("(S({MASK}))");
        }
        let (name, parameters) = split(segment, ';');
        let parameters = parameters.map(|pairs| format!(";{}", mask_pairs(pairs)));
        format!("{name}{}", parameters.unwrap_or_default())
    });
    masked.push_str(&segments.collect::<Vec<_>>().join("/"));
    masked
}

/// Masks the secret values of pairs that are joined by `&` or `;`.
fn mask_pairs(pairs: &str) -> String {
    let names = || pairs.split(['&', ';']).map(|pair| normalize(pair.split('=').next().unwrap_or_default()));
    let is_sign_in = names().any(|name| name == "code") && names().any(|name| name == "state");
    let mut masked = String::new();
    for pair in pairs.split_inclusive(['&', ';']) {
        let (pair, separator) = match pair.strip_suffix(['&', ';']) {
            Some(bare) => (bare, &pair[bare.len()..]),
            None => (pair, ""),
        };
        match pair.split_once('=') {
            Some((name, value)) if is_secret(name, value, is_sign_in) => {
                masked.push_str(&format!("{name}={MASK}"));
            }
            Some(_) | None => masked.push_str(pair),
        }
        masked.push_str(separator);
    }
    masked
}

/// True if the value of a parameter is secret: by its name, or as an address with a secret of its own.
fn is_secret(name: &str, value: &str, is_sign_in: bool) -> bool {
    if value.is_empty() || value == MASK {
        return false;
    }
    let name = normalize(name);
    let is_named = NAMES.contains(&name.as_str())
        || NAME_ENDS.iter().any(|end| name.ends_with(end))
        || (VAGUE_NAMES.contains(&name.as_str()) && value.chars().count() >= LONG)
        || (is_sign_in && name == "code");
    is_named || {
        let decoded = percent_decode(value);
        let is_address = decoded.contains("://") || decoded.starts_with('/');
        is_address && decoded.len() < value.len() && matches!(mask_address(&decoded), Cow::Owned(_))
    }
}

fn normalize(name: &str) -> String {
    percent_decode(name).chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn percent_decode(text: &str) -> String {
    let pair = format!("x={text}");
    let decoded = form_urlencoded::parse(pair.as_bytes()).next();
    decoded.map_or_else(String::new, |(_, value)| value.into_owned())
}

fn split(text: &str, separator: char) -> (&str, Option<&str>) {
    text.split_once(separator).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn is_scheme_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')
}

fn ends_address(c: char) -> bool {
    c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | '`' | '«' | '»' | '“' | '”' | '|')
}

/// Returns the position behind the character at `at`.
fn next_char(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // Secrets in addresses (`user:pass@`, session tokens) are masked in what is stored and shown.
    #[test]
    fn secrets_in_addresses_are_masked() {
        for (address, expected) in [
            ("https://ann:pa55@a.test/x", "https://••••@a.test/x"),
            ("https://ann@a.test:81", "https://••••@a.test:81"),
            ("https://a@b:c@a.test/", "https://••••@a.test/"),
            ("ftp://u:p@a.test/f?x=1", "ftp://••••@a.test/f?x=1"),
            ("//u:p@a.test/", "//••••@a.test/"),
            ("https://a.test/?session=s3&page=2", "https://a.test/?session=••••&page=2"),
            ("https://a.test/?PHPSESSID=1&x", "https://a.test/?PHPSESSID=••••&x"),
            ("https://a.test/p;jsessionid=9A/q;v=1?x=1", "https://a.test/p;jsessionid=••••/q;v=1?x=1"),
            ("https://a.test/(S(lit3py55t))/x", "https://a.test/(S(••••))/x"),
            (
                "https://a.test/cb#access_token=e.y.J&token_type=b",
                "https://a.test/cb#access_token=••••&token_type=b",
            ),
            ("https://a.test/#/cb?id_token=x&a=1", "https://a.test/#/cb?id_token=••••&a=1"),
            ("https://a.test/cb?code=4/0A&state=xyz", "https://a.test/cb?code=••••&state=xyz"),
            ("https://a.test/x?code=UA-12", "https://a.test/x?code=UA-12"),
            ("https://a.test/x?key=AIzaSyD-1", "https://a.test/x?key=••••"),
            ("https://a.test/x?key=name&sig=ab", "https://a.test/x?key=name&sig=ab"),
            (
                "https://a.test/x?X-Amz-Signature=ab&X-Amz-Date=1",
                "https://a.test/x?X-Amz-Signature=••••&X-Amz-Date=1",
            ),
            ("https://a.test/x?user%5Bpassword%5D=1", "https://a.test/x?user%5Bpassword%5D=••••"),
            ("https://a.test/x?api-key=1;b=2", "https://a.test/x?api-key=••••;b=2"),
            ("https://a.test/in?next=%2Fx%3Ftoken%3Dabc", "https://a.test/in?next=••••"),
            (
                "https://a.test/in?next=https%3A%2F%2Fb.test%2Fx",
                "https://a.test/in?next=https%3A%2F%2Fb.test%2Fx",
            ),
            ("/reset?token=abc", "/reset?token=••••"),
        ] {
            assert_eq!(mask_address(address), expected, "{address}");
            assert_eq!(mask_address(expected), expected, "masked twice: {expected}");
        }
    }

    #[test]
    fn other_addresses_stay_as_they_are() {
        for address in [
            "https://a.test/",
            "https://a.test/x?page=7&sort=token&q=session#part",
            "https://a.test/x?token=&session",
            "https://a.test/@ann/x@y?mail=a@b.test",
            "mailto:ann@a.test",
            "about:blank",
            "data:text/html,<p>a=b;c",
            "",
        ] {
            assert!(matches!(mask_address(address), Cow::Borrowed(same) if same == address), "{address}");
        }
    }

    #[test]
    fn addresses_inside_texts_are_masked() {
        for (text, expected) in [
            ("Go to https://a.test/?sid=1, then stop.", "Go to https://a.test/?sid=••••, then stop."),
            ("(see «https://u:p@a.test/»)", "(see «https://••••@a.test/»)"),
            (
                "два: http://a.test/?token=1 і http://b.test/?token=2",
                "два: http://a.test/?token=•••• і http://b.test/?token=••••",
            ),
            (r#"{"url":"https://a.test/?token=1","b":2}"#, r#"{"url":"https://a.test/?token=••••","b":2}"#),
            (":// http://a.test/?jwt=x", ":// http://a.test/?jwt=••••"),
            ("token=1 is no address", "token=1 is no address"),
            ("/a/b?session=1 is a sentence", "/a/b?session=1 is a sentence"),
        ] {
            assert_eq!(mask_addresses(text), expected, "{text}");
        }
        let mut value =
            json!({"url": "http://a.test/?sid=1", "n": 1, "all": [{"text": "at http://u:p@b.test"}]});
        mask_json_addresses(&mut value);
        assert_eq!(
            value,
            json!({"url": "http://a.test/?sid=••••", "n": 1, "all": [{"text": "at http://••••@b.test"}]})
        );
    }
}
