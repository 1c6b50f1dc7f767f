//! Routes of host names: connections to a host go to another address, as with `--connect-to` of curl. Test sites
//! and staging servers are reached under their real names so.

use serde::Deserialize;

/// A route in the format of curl, `HOST:PORT:TARGET:TARGET_PORT`; an empty host or port matches any.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct HostRoute {
    host: Option<String>,
    port: Option<u16>,
    target: String,
    target_port: u16,
}

impl TryFrom<String> for HostRoute {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or_else(|| format!("\"{text}\" is no route such as shop.test:80:127.0.0.1:9000"))
    }
}

impl HostRoute {
    /// Parses a route; `None` if it is not one. IPv6 addresses are not supported.
    pub fn read(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.trim().split(':').collect();
        let [host, port, target, target_port] = *parts.as_slice() else { return None };
        let port = if port.is_empty() { None } else { Some(port.parse().ok()?) };
        let host = Some(host.to_ascii_lowercase()).filter(|host| !host.is_empty());
        let target = Some(target.to_owned()).filter(|target| !target.is_empty())?;
        Some(Self { host, port, target, target_port: target_port.parse().ok()? })
    }

    /// Returns where a connection to this host and port goes, if the route matches.
    pub fn target(&self, host: &str, port: u16) -> Option<(&str, u16)> {
        let has_host = self.host.as_ref().is_none_or(|own| own.eq_ignore_ascii_case(host));
        let matches = has_host && self.port.is_none_or(|own| own == port);
        matches.then_some((&*self.target, self.target_port))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_parts_match_any_host_and_port() {
        for (route, host, port, expected) in [
            ("shop.test:80:127.0.0.1:9000", "SHOP.test", 80, Some(("127.0.0.1", 9000))),
            ("shop.test:80:127.0.0.1:9000", "shop.test", 443, None),
            ("shop.test:80:127.0.0.1:9000", "a.shop.test", 80, None),
            ("shop.test::inner:9000", "shop.test", 443, Some(("inner", 9000))),
            (":80:127.0.0.1:9000", "any.test", 80, Some(("127.0.0.1", 9000))),
        ] {
            assert_eq!(HostRoute::read(route).unwrap().target(host, port), expected, "{route} {host}:{port}");
        }
    }

    #[test]
    fn incomplete_routes_are_refused() {
        for text in
            ["", "shop.test", "a:80:b", "a:80::9000", "a:80:b:", "a:x:b:1", "a:80:b:70000", "a:80:[::1]:9"]
        {
            assert_eq!(HostRoute::read(text), None, "{text}");
        }
    }
}
