//! Reverse proxies: which ones are trusted, and the base path below which they publish the service.

use serde::Deserialize;
use std::net::IpAddr;

/// The path below which everything is served: empty, or for example `/askfirst`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct BasePath(String);

impl TryFrom<String> for BasePath {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or_else(|| format!("\"{text}\" is no path such as /askfirst"))
    }
}

impl BasePath {
    /// Parses a path and drops its final slash. Returns `None` if it is not a path, or contains characters
    /// that proxies may encode differently.
    pub fn read(text: &str) -> Option<Self> {
        let path = text.trim().trim_end_matches('/');
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~');
        let is_segment = |segment: &str| {
            !segment.is_empty() && segment.chars().any(|c| c != '.') && segment.chars().all(plain)
        };
        let fits =
            path.is_empty() || path.strip_prefix('/').is_some_and(|rest| rest.split('/').all(is_segment));
        fits.then(|| Self(path.to_owned()))
    }

    /// Returns the path without a slash at its end; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if the service is served at the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes the base path from `path`; `None` if `path` does not lie below it.
    pub fn strip<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.as_str()).filter(|rest| rest.starts_with('/'))
    }

    /// Puts the base path before a path of the service.
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}

/// An IP address, or a network such as `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or_else(|| format!("\"{text}\" is no address and no network"))
    }
}

impl Network {
    /// Parses an address or a network, as in `10.0.0.0/8`; `None` if it is neither.
    pub fn read(text: &str) -> Option<Self> {
        let (address, bits) = match text.trim().split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().ok()?)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().ok()?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(most);
        (bits <= most).then_some(Self { address, bits })
    }

    /// True if an address belongs to the network. An address such as `::ffff:127.0.0.1` counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(ours), IpAddr::V4(theirs)) => {
                same_prefix(u32::from(ours).into(), u32::from(theirs).into(), self.bits, 32)
            }
            (IpAddr::V6(ours), IpAddr::V6(theirs)) => same_prefix(ours.into(), theirs.into(), self.bits, 128),
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

fn same_prefix(one: u128, two: u128, bits: u8, width: u8) -> bool {
    let beyond = u32::from(width - bits);
    one.checked_shr(beyond).unwrap_or(0) == two.checked_shr(beyond).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_path_is_plain_and_strips_itself_only() {
        for (text, read) in
            [("", ""), ("/", ""), ("/askfirst", "/askfirst"), ("/a/b/", "/a/b"), ("/v1.0", "/v1.0")]
        {
            assert_eq!(BasePath::read(text).unwrap().as_str(), read, "{text}");
        }
        for text in
            ["askfirst", "//a", "/a//b", "/a b", "/a?b", "/a#b", "/..", "/./a", "/%61", "/é", "http://x/a"]
        {
            assert_eq!(BasePath::read(text), None, "{text}");
        }
        let base = BasePath::read("/askfirst").unwrap();
        for (path, inner) in [
            ("/askfirst/", Some("/")),
            ("/askfirst/api/runs", Some("/api/runs")),
            ("/askfirst//evil.test", Some("//evil.test")),
            ("/askfirst", None),
            ("/askfirstly/", None),
            ("/", None),
        ] {
            assert_eq!(base.strip(path), inner, "{path}");
        }
        assert_eq!(BasePath::default().strip("/x"), Some("/x"));
        assert_eq!(base.join("/x"), "/askfirst/x");
    }

    #[test]
    fn networks_hold_their_addresses() {
        for (network, inside, outside) in [
            ("127.0.0.0/8", "127.9.9.9", "128.0.0.1"),
            ("10.1.2.3", "10.1.2.3", "10.1.2.4"),
            ("0.0.0.0/0", "203.0.113.7", "::1"),
            ("127.0.0.0/8", "::ffff:127.0.0.1", "::1"),
            ("::1", "::1", "::2"),
            ("fd00::/8", "fd12::1", "fe80::1"),
            ("192.168.16.0/20", "192.168.31.255", "192.168.32.0"),
        ] {
            let network = Network::read(network).unwrap();
            assert!(network.contains(inside.parse().unwrap()), "{network:?} {inside}");
            assert!(!network.contains(outside.parse().unwrap()), "{network:?} {outside}");
        }
        for text in ["", "localhost", "10.0.0.0/33", "::/129", "10.0.0.0/x", "10.0.0/8"] {
            assert_eq!(Network::read(text), None, "{text}");
        }
    }
}
