//! Addresses of pages: as people type them, and the parts by which they are compared.

use std::net::Ipv4Addr;
use url::{ParseError, Url};

/// Reads a URL as a person would type it: `shop.test/cart` and `localhost:8080` are accepted too. A bare host gets
/// `https://`, this machine `http://`.
pub fn parse_typed_url(text: &str) -> Option<Url> {
    let text = text.trim();
    match Url::parse(text) {
        Ok(url) if !is_host_and_port(&url) => Some(url),
        Ok(_) | Err(ParseError::RelativeUrlWithoutBase) => {
            Url::parse(&format!("{}://{text}", scheme_for(text))).ok()
        }
        Err(_) => None,
    }
}

/// Returns the address without its fragment.
pub fn strip_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

/// Returns the address without its query and fragment.
pub fn strip_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// Returns the path of an address with `*` in place of what names one thing: numbers, UUIDs, hashes, long codes,
/// e-mail addresses. Two requests with the same pattern do the same to different things.
pub fn path_pattern(url: &Url) -> String {
    let Some(segments) = url.path_segments() else { return url.path().to_owned() };
    let parts: Vec<&str> =
        segments.map(|segment| if names_one_thing(segment) { "*" } else { segment }).collect();
    format!("/{}", parts.join("/"))
}

/// True if a path segment is an id rather than a word.
fn names_one_thing(segment: &str) -> bool {
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    let is_hex = |part: &str| part.len() >= 8 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_number = digits > 0 && digits == segment.len();
    let is_uuid =
        segment.len() >= 32 && segment.split('-').all(|part| part.bytes().all(|b| b.is_ascii_hexdigit()));
    let is_version = segment.starts_with('v') && segment.len() <= 4;
    let ends_in_number = segment
        .rsplit_once('-')
        .is_some_and(|(_, end)| end.len() >= 2 && end.bytes().all(|byte| byte.is_ascii_digit()));
    let is_code = segment.len() >= 8 && digits >= 2 && !segment.contains('.');
    let is_mail = segment.contains('@') || segment.contains("%40");
    is_number
        || ends_in_number
        || is_uuid
        || is_mail
        || (is_hex(segment) && digits > 0)
        || (is_code && !is_version)
}

/// Recognizes a host and port such as `localhost:8080`, which parses as a URL with the scheme `localhost`.
fn is_host_and_port(url: &Url) -> bool {
    let after = strip_query(&url.as_str()[url.scheme().len() + 1..]);
    let port = after.split('/').next().unwrap_or_default();
    !port.is_empty()
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && !matches!(url.scheme(), "tel" | "sms" | "data" | "about" | "javascript")
}

/// Returns the scheme for a bare host.
fn scheme_for(text: &str) -> &'static str {
    let host = text.split([':', '/', '?', '#']).next().unwrap_or_default();
    let is_local = host.eq_ignore_ascii_case("localhost")
        || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback());
    if is_local { "http" } else { "https" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_pattern_keeps_words_and_drops_ids() {
        for (path, pattern) in [
            ("/", "/"),
            ("/api/v2/users/123/posts", "/api/v2/users/*/posts"),
            ("/orders/6b1f5a3e-1d2c-4f6a-9a51-0c7d1f0b9e77/pay", "/orders/*/pay"),
            ("/p/deadbeef01", "/p/*"),
            ("/mail/ann@shop.test", "/mail/*"),
            ("/t/AbC12xYz90", "/t/*"),
            ("/checkout/confirm-order", "/checkout/confirm-order"),
            ("/oauth2/token", "/oauth2/token"),
            ("/products/blue-lamp-4711", "/products/*"),
        ] {
            let url = Url::parse(&format!("https://shop.test{path}?id=5")).unwrap();
            assert_eq!(path_pattern(&url), pattern);
        }
    }

    #[test]
    fn addresses_are_read_as_people_type_them() {
        for (text, url) in [
            ("shop.test/cart", Some("https://shop.test/cart")),
            ("localhost", Some("http://localhost/")),
            ("LOCALHOST:8080", Some("http://localhost:8080/")),
            ("localhost.shop.test", Some("https://localhost.shop.test/")),
            ("127.0.0.1/x", Some("http://127.0.0.1/x")),
            ("127.shop.test", Some("https://127.shop.test/")),
            (" shop.test:81/x ", Some("https://shop.test:81/x")),
            ("http://shop.test:81/x", Some("http://shop.test:81/x")),
            ("tel:112", Some("tel:112")),
            ("about:blank", Some("about:blank")),
            ("http://", None),
            ("hello world", None),
        ] {
            assert_eq!(parse_typed_url(text).map(String::from).as_deref(), url, "{text}");
        }
    }

    #[test]
    fn addresses_are_compared_without_their_last_parts() {
        for (url, page, path) in [
            ("https://a.b/c?d#e?f", "https://a.b/c?d", "https://a.b/c"),
            ("https://a.b/c#e?f", "https://a.b/c", "https://a.b/c"),
            ("https://a.b/c", "https://a.b/c", "https://a.b/c"),
            ("", "", ""),
        ] {
            assert_eq!((strip_fragment(url), strip_query(url)), (page, path), "{url}");
        }
    }
}
