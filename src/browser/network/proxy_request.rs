//! Parser of the requests that Chromium sends to the proxy. Reads the head only; apart from `read` it does no
//! I/O.

use std::fmt::Write;
use tokio::io::{AsyncRead, AsyncReadExt};
use url::Url;

/// Maximum length of a head in bytes. Large cookies make heads of several thousand bytes.
const LONGEST: usize = 256 * 1024;
/// Headers that concern the connection to the proxy, not the request.
const OURS: [&str; 6] =
    ["connection", "proxy-connection", "proxy-authorization", "keep-alive", "te", "upgrade"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// Tunnel for bytes in both directions (`CONNECT`).
    Tunnel,
    /// An unencrypted request.
    Plain,
}

#[derive(Debug)]
pub struct RequestHead<'a> {
    pub kind: RequestKind,
    method: &'a str,
    pub url: Url,
    /// Host as in the address, with the brackets of IPv6.
    pub host: String,
    pub port: u16,
    pub password: Option<&'a str>,
    headers: Vec<&'a str>,
    /// Length in bytes of the body that follows.
    pub body: u64,
}

/// Reads until a head is complete and returns its length; `None` if the peer closes first or the head is too
/// long.
pub async fn read(from: &mut (impl AsyncRead + Unpin), held: &mut Vec<u8>) -> std::io::Result<Option<usize>> {
    loop {
        if let Some(end) = held.windows(4).position(|four| four == b"\r\n\r\n") {
            return Ok(Some(end + 4));
        }
        if held.len() > LONGEST || from.read_buf(held).await? == 0 {
            return Ok(None);
        }
    }
}

impl<'a> RequestHead<'a> {
    /// Parses a complete head, including the empty line at its end.
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut lines = text.split("\r\n").filter(|line| !line.is_empty());
        let mut first = lines.next()?.split(' ');
        let (method, target, version) = (first.next()?, first.next()?, first.next()?);
        if !version.starts_with("HTTP/1.") || first.next().is_some() {
            return None;
        }
        let headers: Vec<&str> = lines.collect();
        let value = |name: &str| headers.iter().find_map(|line| read_header_value(line, name));
        // Chromium sends neither; a request whose length is unclear is not forwarded.
        if value("transfer-encoding").is_some() || headers.iter().any(|line| line.starts_with([' ', '\t'])) {
            return None;
        }
        let kind = if method == "CONNECT" { RequestKind::Tunnel } else { RequestKind::Plain };
        let url = match kind {
            RequestKind::Tunnel => Url::parse(&format!("http://{target}/")).ok()?,
            // A request to the proxy itself has no host and gets no reply.
            RequestKind::Plain => Url::parse(target).ok().filter(|url| url.scheme() == "http")?,
        };
        let body = value("content-length").map_or(Some(0), |length| length.parse().ok())?;
        let (host, port) = (url.host_str()?.to_owned(), url.port_or_known_default()?);
        let password = value("proxy-authorization");
        Some(Self { kind, method, host, port, url, password, headers, body })
    }

    pub fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Returns the head to send to the server.
    pub fn forwarded_head(&self) -> String {
        let query = self.url.query().map_or_else(String::new, |query| format!("?{query}"));
        let mut out = format!("{} {}{query} HTTP/1.1\r\n", self.method, self.url.path());
        for line in &self.headers {
            if !OURS.iter().any(|name| read_header_value(line, name).is_some()) {
                let _ = write!(out, "{line}\r\n");
            }
        }
        out.push_str("Connection: close\r\n\r\n");
        out
    }
}

fn read_header_value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (key, value) = line.split_once(':')?;
    key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_forwarded_without_the_headers_for_the_proxy() {
        let text = "POST http://shop.test:8080/a/b?c=d%20e HTTP/1.1\r\nHost: shop.test:8080\r\nProxy-Connection: \
            keep-alive\r\nProxy-Authorization: Basic abc\r\nContent-Length: 12\r\nCookie: a=b\r\n\r\n";
        let head = RequestHead::parse(text).unwrap();
        assert_eq!(
            (head.kind, head.authority().as_str(), head.body),
            (RequestKind::Plain, "shop.test:8080", 12)
        );
        assert_eq!(head.password, Some("Basic abc"));
        assert_eq!(
            head.forwarded_head(),
            "POST /a/b?c=d%20e HTTP/1.1\r\nHost: shop.test:8080\r\nContent-Length: 12\r\nCookie: a=b\r\n\
             Connection: close\r\n\r\n"
        );
    }

    #[test]
    fn tunnels_have_a_host_and_a_port() {
        for (target, authority) in [
            ("shop.test:443", "shop.test:443"),
            ("[::1]:8080", "[::1]:8080"),
            ("127.0.0.1:80", "127.0.0.1:80"),
        ] {
            let text = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n");
            let head = RequestHead::parse(&text).unwrap();
            assert_eq!((head.kind, head.authority().as_str()), (RequestKind::Tunnel, authority));
        }
    }

    #[test]
    fn a_request_that_is_not_for_a_proxy_is_not_answered() {
        for text in [
            "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            "GET ftp://a.test/ HTTP/1.1\r\n\r\n",
            "GET http://a.test/ x HTTP/1.1\r\n\r\n",
            "GET http://a.test/ HTTP/2\r\n\r\n",
            "POST http://a.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST http://a.test/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "GET http://a.test/ HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
            "CONNECT a.test HTTP/1.1 \r\n\r\n",
            "\r\n\r\n",
        ] {
            assert!(RequestHead::parse(text).is_none(), "{text}");
        }
    }
}
