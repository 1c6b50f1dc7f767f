//! The client of a request and the address that it requested, behind the proxies that the settings trust.

use crate::config::proxies::{BasePath, Network};
use actix_web::http::header::{self, HeaderMap};
use std::net::IpAddr;

const FOR: &str = "x-forwarded-for";
const HOST: &str = "x-forwarded-host";
const PROTO: &str = "x-forwarded-proto";

/// Client and requested address of a request; in the extensions of every request that the guard lets in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// IP address of the client.
    pub client: Option<IpAddr>,
    /// The `Host` header.
    pub host: String,
    /// Host name that the client requested from a trusted proxy.
    pub forwarded_host: Option<String>,
    /// True if the client used TLS; `None` if no trusted proxy reports it.
    pub over_tls: Option<bool>,
    /// Base path of the request.
    pub base: BasePath,
}

impl Arrival {
    pub fn read(headers: &HeaderMap, peer: Option<IpAddr>, trusted: &[Network]) -> Self {
        let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
        let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let arrival =
            Self { client: peer.map(|peer| peer.to_canonical()), host: host.to_owned(), ..Self::default() };
        if !peer.is_some_and(is_trusted) {
            return arrival;
        }
        let client = header_values(headers, FOR).try_fold(peer, |nearer, hop| match read_address(hop) {
            Some(address) if nearer.is_some_and(is_trusted) => Ok(Some(address)),
            Some(_) | None => Err(nearer),
        });
        let (Ok(client) | Err(client)) = client;
        // The outermost proxy is the one that the client connected to.
        let first = |name: &'static str| header_values(headers, name).last().map(str::to_owned);
        Self {
            client: client.map(|client| client.to_canonical()),
            forwarded_host: first(HOST),
            // Proxies may report `wss` for a WebSocket.
            over_tls: first(PROTO)
                .map(|scheme| ["https", "wss"].iter().any(|secure| scheme.eq_ignore_ascii_case(secure))),
            ..arrival
        }
    }

    /// Returns the host and port in the client's address bar.
    pub fn asked_host(&self) -> &str {
        self.forwarded_host.as_deref().unwrap_or(&self.host)
    }

    /// Returns the address by which the client reached the service, such as
    /// `https://askfirst.example/askfirst`.
    pub fn address(&self) -> String {
        let scheme = if self.over_tls == Some(true) { "https" } else { "http" };
        format!("{scheme}://{}{}", self.asked_host(), self.base.as_str())
    }

    /// Returns the client's address for logs.
    pub fn client_text(&self) -> String {
        self.client.map_or_else(|| String::from("unknown"), |client| client.to_string())
    }
}

/// Returns the values of a header from all its lines, last first, so that the value of the nearest proxy
/// comes first.
fn header_values<'h>(headers: &'h HeaderMap, name: &'static str) -> impl Iterator<Item = &'h str> {
    // Decode each value by itself: a value from the client may be no text, while those added by proxies are.
    let values = headers.get_all(name).flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
    let values: Vec<&str> = values.map(|value| std::str::from_utf8(value).unwrap_or("?").trim()).collect();
    values.into_iter().filter(|value| !value.is_empty()).rev()
}

/// Parses `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1` or `[2001:db8::1]:4711`.
fn read_address(text: &str) -> Option<IpAddr> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(address);
    }
    if let Ok(address) = text.parse::<std::net::SocketAddr>() {
        return Some(address.ip());
    }
    text.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};

    fn arrive(peer: &str, trusted: &[&str], headers: &[(&str, &str)]) -> Arrival {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            map.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let trusted: Vec<_> = trusted.iter().map(|text| Network::read(text).unwrap()).collect();
        Arrival::read(&map, Some(peer.parse().unwrap()), &trusted)
    }

    #[test]
    fn the_client_is_the_first_from_the_right_that_is_no_trusted_proxy() {
        let loopback = ["127.0.0.0/8", "::1"];
        for (peer, trusted, hops, client) in [
            ("127.0.0.1", &loopback[..], &["203.0.113.7"][..], "203.0.113.7"),
            ("127.0.0.1", &loopback, &["6.6.6.6, 203.0.113.7"], "203.0.113.7"),
            ("127.0.0.1", &loopback, &["6.6.6.6", "203.0.113.7"], "203.0.113.7"),
            ("127.0.0.1", &["127.0.0.1", "10.0.0.0/8"], &["6.6.6.6, 203.0.113.7, 10.1.2.3"], "203.0.113.7"),
            ("127.0.0.1", &["127.0.0.1", "10.0.0.0/8"], &["10.9.9.9, 10.1.2.3"], "10.9.9.9"),
            ("127.0.0.1", &loopback, &["203.0.113.7:4711"], "203.0.113.7"),
            ("::1", &loopback, &["[2001:db8::1]:4711"], "2001:db8::1"),
            ("127.0.0.1", &loopback, &["[2001:db8::2]"], "2001:db8::2"),
            ("127.0.0.1", &loopback, &["6.6.6.6, unknown"], "127.0.0.1"),
            ("127.0.0.1", &loopback, &["é, 203.0.113.7"], "203.0.113.7"),
            ("127.0.0.1", &loopback, &[], "127.0.0.1"),
            ("::ffff:127.0.0.1", &loopback, &["203.0.113.7"], "203.0.113.7"),
            ("203.0.113.9", &loopback, &["6.6.6.6"], "203.0.113.9"),
            ("127.0.0.1", &[], &["6.6.6.6"], "127.0.0.1"),
        ] {
            let headers: Vec<_> = hops.iter().map(|hop| ("x-forwarded-for", *hop)).collect();
            assert_eq!(
                arrive(peer, trusted, &headers).client,
                Some(client.parse().unwrap()),
                "{peer} {hops:?}"
            );
        }
    }

    #[test]
    fn only_a_trusted_proxy_tells_of_the_name_and_of_tls() {
        let headers = [
            ("host", "127.0.0.1:8787"),
            ("x-forwarded-host", "askfirst.example"),
            ("x-forwarded-proto", "https"),
        ];
        let proxied =
            Arrival { base: BasePath::read("/a").unwrap(), ..arrive("127.0.0.1", &["127.0.0.1"], &headers) };
        assert_eq!((proxied.asked_host(), proxied.over_tls), ("askfirst.example", Some(true)));
        assert_eq!(
            (proxied.host.as_str(), proxied.address().as_str()),
            ("127.0.0.1:8787", "https://askfirst.example/a")
        );
        let direct = arrive("203.0.113.9", &["127.0.0.1"], &headers);
        assert_eq!((direct.asked_host(), direct.over_tls), ("127.0.0.1:8787", None));
        assert_eq!(direct.address(), "http://127.0.0.1:8787");
        let plain =
            arrive("127.0.0.1", &["127.0.0.1"], &[("host", "a.test"), ("x-forwarded-proto", "HTTPS, http")]);
        assert_eq!(plain.over_tls, Some(true));
        let forwarded_plain =
            arrive("127.0.0.1", &["127.0.0.1"], &[("host", "a.test"), ("x-forwarded-proto", "http")]);
        assert_eq!(forwarded_plain.over_tls, Some(false));
        // Proxies such as http-proxy name the scheme of a socket.
        let socket = arrive("127.0.0.1", &["127.0.0.1"], &[("host", "a.test"), ("x-forwarded-proto", "wss")]);
        assert_eq!(socket.over_tls, Some(true));
    }
}
