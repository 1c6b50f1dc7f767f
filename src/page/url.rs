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
