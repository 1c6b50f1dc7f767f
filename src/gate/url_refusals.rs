//! Reasons why a URL, or an address that its host resolved to, may not be requested, in words for planners.
//! Pure.

use crate::gate::host_kinds::{self, HostContext, HostKind};
use std::net::IpAddr;
use url::Url;

/// Returns the reason why the URL may not be requested, in words for a planner; `None` if it may.
pub fn refusal(url: &str, context: &HostContext) -> Option<&'static str> {
    let url = Url::parse(url).ok()?;
    if url.scheme() == "file" {
        return Some("it is a file of this machine");
    }
    match host_kinds::host_kind(&url, context)? {
        HostKind::Public | HostKind::Listed | HostKind::Demo => None,
        HostKind::Private => Some("it is in a private network"),
        HostKind::Metadata => {
            Some("it is a cloud metadata service, which hands out this server's credentials")
        }
        HostKind::Service => Some("it is this service itself"),
    }
}

/// Returns the reason why a page may not go to the URL by itself, for an agent with `allowed_hosts`; `None`
/// if it may.
pub fn new_host_refusal(url: &str, context: &HostContext) -> Option<&'static str> {
    let url = Url::parse(url).ok()?;
    host_kinds::is_new_host(&url, host_kinds::host_kind(&url, context), context)
        .then_some("this host is not in the agent's `allowed_hosts`; navigate to it, and the person is asked")
}

/// Returns the reason why the address that the URL's host resolved to may not be connected to; `None` if it
/// may.
pub fn address_refusal(url: &str, address: IpAddr, context: &HostContext) -> Option<&'static str> {
    let url = Url::parse(url).ok()?;
    let is_allowed = matches!(host_kinds::host_kind(&url, context), Some(HostKind::Listed | HostKind::Demo))
        || host_kinds::list_contains(&context.private_hosts, &url);
    match host_kinds::address_kind(address) {
        HostKind::Metadata => {
            Some("it is a cloud metadata service, which hands out this server's credentials")
        }
        HostKind::Private if !is_allowed => Some("its host name resolves to an address in a private network"),
        HostKind::Private | HostKind::Public | HostKind::Listed | HostKind::Demo | HostKind::Service => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_neither_allowed_nor_named_are_new() {
        let context = HostContext {
            allowed_hosts: vec![String::from("shop.test")],
            named_hosts: vec![String::from("pay.test:8443")],
            private_hosts: vec![String::from("127.0.0.1:9000")],
            own_origin: String::from("http://127.0.0.1:8787"),
            ..HostContext::default()
        };
        for (url, new) in [
            ("https://shop.test/a", false),
            ("https://www.shop.test/a", false),
            ("https://pay.test:8443/", false),
            ("https://pay.test/", true),
            ("https://evil.test/?shop.test", true),
            ("http://127.0.0.1:9000/", false),
            ("http://127.0.0.1:8787/demo/", false),
            ("about:blank", false),
        ] {
            assert_eq!(new_host_refusal(url, &context).is_some(), new, "{url}");
            assert_eq!(
                new_host_refusal(url, &HostContext { allowed_hosts: Vec::new(), ..context.clone() }),
                None
            );
        }
    }

    // A public name that resolves to a private address is as closed as that address.
    #[test]
    fn the_resolved_address_of_a_host_is_judged_too() {
        let context = HostContext {
            private_hosts: vec![String::from("127.0.0.1:9000"), String::from("intra.test")],
            own_origin: String::from("http://127.0.0.1:8787"),
            ..HostContext::default()
        };
        for (url, address, open) in [
            ("http://shop.test/", "203.0.113.7", true),
            ("http://rebound.test/", "127.0.0.1", false),
            ("http://rebound.test/", "10.1.2.3", false),
            ("http://rebound.test/", "::1", false),
            ("http://rebound.test/", "169.254.169.254", false),
            ("http://intra.test/", "10.1.2.3", true),
            ("http://intra.test/", "169.254.169.254", false),
            ("http://127.0.0.1:9000/", "127.0.0.1", true),
            ("http://127.0.0.1:8787/demo/", "127.0.0.1", true),
        ] {
            let found = address_refusal(url, address.parse().unwrap(), &context);
            assert_eq!(found.is_none(), open, "{url} at {address}: {found:?}");
        }
    }
}
