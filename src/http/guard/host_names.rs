//! Host names of the service. A page of another site can make its own name resolve to this machine (DNS
//! rebinding), but it cannot change the `Host` header that the browser then sends.

use crate::config::Server;
use std::net::IpAddr;

/// The names, and whether the service can be reached from other machines.
pub struct HostNames {
    port: u16,
    host: String,
    /// `server.allowed_hosts`, and `server.host` if that is not loopback.
    named: Vec<(String, Option<u16>)>,
    beyond: bool,
    proxied: bool,
}

impl HostNames {
    pub fn new(server: &Server, port: u16) -> Self {
        let host = server.host.trim_matches(['[', ']']).to_ascii_lowercase();
        let mut named: Vec<_> = server.allowed_hosts.iter().filter_map(|name| split(name)).collect();
        let proxied = named.iter().any(|(name, _)| !is_loopback(name));
        let beyond = !is_loopback(&host);
        if beyond {
            named.push((host.clone(), None));
        }
        Self { port, host, named, beyond, proxied }
    }

    /// True if the service can be reached from other machines, so that a token is required.
    pub fn beyond_this_machine(&self) -> bool {
        self.beyond || self.proxied
    }

    /// True if a `Host` header names this service.
    pub fn allows(&self, header: &str) -> bool {
        let Some((name, port)) = split(header) else { return false };
        let is_listed = |(known, at): &(String, Option<u16>)| *known == name && (at.is_none() || *at == port);
        if self.named.iter().any(is_listed) {
            return true;
        }
        // Rebinding needs a name; a literal address cannot be rebound.
        if self.beyond && name.parse::<IpAddr>().is_ok() {
            return true;
        }
        is_loopback(&name) && (self.beyond || port.unwrap_or(80) == self.port)
    }

    /// True if the name and port of an origin are in the settings; a proxy may serve that origin.
    pub fn names(&self, authority: &str) -> bool {
        split(authority).is_some_and(|there| self.named.contains(&there))
    }

    /// Returns the address for a browser on this machine.
    pub fn base(&self) -> String {
        let name = match self.host.parse::<IpAddr>() {
            Ok(ip) if ip.is_unspecified() => "127.0.0.1".to_owned(),
            Ok(IpAddr::V6(ip)) => format!("[{ip}]"),
            Ok(IpAddr::V4(_)) | Err(_) => self.host.clone(),
        };
        format!("http://{name}:{}", self.port)
    }
}

/// Splits `host[:port]` into name (lower case, without brackets or final dot) and port.
fn split(host: &str) -> Option<(String, Option<u16>)> {
    let host = host.trim();
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let (name, after) = rest.split_once(']')?;
            (name, if after.is_empty() { None } else { Some(after.strip_prefix(':')?) })
        }
        None => match host.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (host, None),
        },
    };
    let port = match port {
        Some(digits) => Some(digits.parse().ok()?),
        None => None,
    };
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    (!name.is_empty()).then_some((name, port))
}

fn is_loopback(name: &str) -> bool {
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(host: &str, allowed: &[&str]) -> HostNames {
        let allowed_hosts = allowed.iter().map(|name| (*name).to_owned()).collect();
        let server = Server { host: host.to_owned(), allowed_hosts, ..Server::default() };
        HostNames::new(&server, 8787)
    }

    #[test]
    fn only_our_host_names_with_our_port_are_accepted() {
        let local = hosts("127.0.0.1", &[]);
        for good in ["127.0.0.1:8787", "localhost:8787", "LOCALHOST.:8787", "[::1]:8787", "127.9.9.9:8787"] {
            assert!(local.allows(good), "{good}");
        }
        for bad in [
            "",
            "localhost",
            "localhost:1",
            "evil.test:8787",
            "127.0.0.1.evil.test:8787",
            "192.168.0.2:8787",
            "localhost:8787:1",
            "localhost:x",
            "[::1",
            "[::1]8787",
            "user@localhost:8787",
            "localhost:",
        ] {
            assert!(!local.allows(bad), "{bad}");
        }
        assert!(!local.beyond_this_machine());
        assert_eq!(local.base(), "http://127.0.0.1:8787");
    }

    #[test]
    fn names_behind_a_proxy_are_listed_and_need_a_token() {
        let proxied = hosts("127.0.0.1", &["askfirst.example", "tunnel.test:444"]);
        assert!(proxied.allows("askfirst.example") && proxied.allows("AskFirst.example:9"));
        assert!(proxied.allows("tunnel.test:444") && !proxied.allows("tunnel.test"));
        assert!(proxied.beyond_this_machine());
        assert!(!hosts("127.0.0.1", &["localhost:9999"]).beyond_this_machine());
    }

    #[test]
    fn beyond_loopback_literal_addresses_are_ours_but_names_are_not() {
        let open = hosts("0.0.0.0", &[]);
        assert!(open.beyond_this_machine());
        assert!(open.allows("192.168.0.2:8787") && open.allows("localhost:9000") && open.allows("[fe80::1]"));
        assert!(!open.allows("evil.test:8787"));
        assert_eq!(open.base(), "http://127.0.0.1:8787");
        assert_eq!(hosts("::1", &[]).base(), "http://[::1]:8787");
        assert!(hosts("box.lan", &[]).allows("box.lan:8787"));
    }
}
