//! Classification of hosts in any spelling: public web, private network, cloud metadata service, the demo, or
//! this service itself, whose buttons approve actions. Judges the text alone; the resolver checks resolved
//! addresses with [`address_kind`].

use crate::files::StoredFile;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Kind of a destination host, by name or address. Rules can match on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostKind {
    Public,
    /// Private or loopback, but listed in `gate.private_hosts`.
    Listed,
    /// Private network, link-local or loopback address, or a name that only means something in a private
    /// network.
    Private,
    /// Metadata services, from which machines in a cloud get credentials.
    Metadata,
    /// The demo of this service.
    #[serde(rename = "own")]
    Demo,
    /// The rest of this service, whose buttons answer its own questions.
    Service,
}

/// Returns the URL of the page that created a `blob:` URL; other URLs as they are.
pub fn page_url(url: Url) -> Url {
    let made = (url.scheme() == "blob").then(|| Url::parse(url.path()).ok()).flatten();
    made.unwrap_or(url)
}

/// Returns the kind of the URL's host; `None` if it has no host on the network.
pub fn host_kind(url: &Url, context: &HostContext) -> Option<HostKind> {
    let host = url.host().filter(|_| url.is_special())?;
    if is_own_server(url, &context.own_origin) {
        let path = url.path();
        let demo = path == "/demo" || path.starts_with("/demo/");
        return Some(if demo { HostKind::Demo } else { HostKind::Service });
    }
    let kind = match host {
        Host::Ipv4(address) => address_kind(IpAddr::V4(address)),
        Host::Ipv6(address) => address_kind(IpAddr::V6(address)),
        Host::Domain(name) => classify_name(name),
    };
    let is_listed = kind == HostKind::Private && list_contains(&context.private_hosts, url);
    Some(if is_listed { HostKind::Listed } else { kind })
}

/// True if the agent has `allowed_hosts`, and neither these nor the person name the host. Hosts that the
/// configuration lists, and the demo, are never new.
pub fn is_new_host(url: &Url, kind: Option<HostKind>, context: &HostContext) -> bool {
    let may_be_new = match kind {
        Some(HostKind::Public | HostKind::Private | HostKind::Metadata | HostKind::Service) => true,
        Some(HostKind::Listed | HostKind::Demo) | None => false,
    };
    may_be_new
        && !context.allowed_hosts.is_empty()
        && !list_contains(&context.allowed_hosts, url)
        && !list_contains(&context.named_hosts, url)
}

/// True if a list of `host`, `host:port` or `*.host` contains the URL's host. A `www.` prefix is ignored.
pub fn list_contains(list: &[String], url: &Url) -> bool {
    let Some(host) = url.host_str().map(bare) else { return false };
    list.iter().any(|entry| {
        let (name, port) = split_host_port(entry.trim());
        if port.is_some() && port != url.port_or_known_default() {
            return false;
        }
        match name.strip_prefix("*.") {
            Some(parent) => is_under(&host, parent),
            None => {
                host == name
                    || host.strip_prefix("www.") == Some(&*name)
                    || name.strip_prefix("www.") == Some(&*host)
            }
        }
    })
}

/// Returns the origin of a URL, such as `http://shop.test:8080`; empty if it has none.
pub fn origin(url: &Url) -> String {
    let origin = url.origin();
    if origin.is_tuple() { origin.ascii_serialization() } else { String::new() }
}

/// Returns the host for display, with its port unless that is the default.
pub fn display_host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// Returns the kind of a resolved address.
pub fn address_kind(address: IpAddr) -> HostKind {
    match address {
        IpAddr::V4(v4) => ipv4_kind(v4),
        IpAddr::V6(v6) => ipv6_kind(v6),
    }
}

fn ipv4_kind(address: Ipv4Addr) -> HostKind {
    const METADATA: [[u8; 4]; 6] = [
        [169, 254, 169, 254],
        [169, 254, 170, 2],
        [169, 254, 170, 23],
        [100, 100, 100, 200],
        [192, 0, 0, 192],
        [168, 63, 129, 16],
    ];
    let bytes = address.octets();
    if METADATA.contains(&bytes) {
        return HostKind::Metadata;
    }
    let inner = match bytes {
        [0 | 10 | 127, ..] | [169, 254, ..] | [192, 168, ..] | [192, 0, 0, _] | [198, 18 | 19, ..] => true,
        [100, second, ..] => (64..128).contains(&second),
        [172, second, ..] => (16..32).contains(&second),
        [first, ..] => first >= 224,
    };
    if inner { HostKind::Private } else { HostKind::Public }
}

fn ipv6_kind(address: Ipv6Addr) -> HostKind {
    let parts = address.segments();
    if let Some(v4) = embedded_v4(address) {
        return ipv4_kind(v4);
    }
    let metadata =
        matches!(parts, [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254 | 0x23] | [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254]);
    if metadata {
        return HostKind::Metadata;
    }
    let inner = address.is_loopback()
        || address.is_unspecified()
        || parts[0] & 0xfe00 == 0xfc00
        || parts[0] & 0xff80 == 0xfe80
        || parts[0] & 0xff00 == 0xff00;
    if inner { HostKind::Private } else { HostKind::Public }
}

/// Returns the IPv4 address embedded in an IPv6 address: mapped, compatible, translated, NAT64, 6to4.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let parts = address.segments();
    let last = || Some(join(parts[6], parts[7]));
    match parts {
        [0, 0, 0, 0, 0, 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => last(),
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] | [0x64, 0xff9b, 1, ..] => last(),
        [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}

fn join(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))
}

/// Public names that resolve to the local machine.
const LOOPBACK_NAMES: [&str; 5] = ["localtest.me", "lvh.me", "vcap.me", "lacolhost.com", "local.gd"];

fn classify_name(name: &str) -> HostKind {
    const METADATA: [&str; 8] = [
        "metadata",
        "instance-data",
        "metadata.google.internal",
        "metadata.goog",
        "instance-data.ec2.internal",
        "metadata.azure.internal",
        "metadata.tencentyun.com",
        "metadata.platformequinix.com",
    ];
    /// Names that mean something only within a network.
    const PRIVATE: [&str; 11] = [
        "localhost",
        "local",
        "localdomain",
        "internal",
        "intranet",
        "lan",
        "home",
        "home.arpa",
        "corp",
        "private",
        "svc",
    ];
    let name = bare(name);
    if METADATA.contains(&&*name) {
        return HostKind::Metadata;
    }
    if let Some(address) = address_in_name(&name) {
        return ipv4_kind(address);
    }
    let inner =
        !name.contains('.') || PRIVATE.iter().chain(&LOOPBACK_NAMES).any(|parent| is_under(&name, parent));
    if inner {
        return HostKind::Private;
    }
    HostKind::Public
}

/// Returns the address spelled out in the name of a service such as `10-0-0-1.nip.io` or
/// `app.127.0.0.1.sslip.io`.
fn address_in_name(name: &str) -> Option<Ipv4Addr> {
    const SERVICES: [&str; 4] = [".nip.io", ".sslip.io", ".xip.io", ".traefik.me"];
    let front = SERVICES.iter().find_map(|service| name.strip_suffix(service))?;
    let parts: Vec<&str> = front.split(['.', '-']).collect();
    let dotted = parts.windows(4).rev().find_map(|four| four.join(".").parse::<Ipv4Addr>().ok());
    let hex = || {
        let last = parts.last().filter(|part| part.len() == 8)?;
        u32::from_str_radix(last, 16).ok().map(Ipv4Addr::from)
    };
    dotted.or_else(hex)
}

/// True if the URL leads to this server, under any name of this machine.
fn is_own_server(url: &Url, own_origin: &str) -> bool {
    let Ok(own) = Url::parse(own_origin) else { return false };
    if url.port_or_known_default() != own.port_or_known_default() {
        return false;
    }
    url.host() == own.host()
        || (is_this_machine(url) && (is_this_machine(&own) || own.host_str() == Some("0.0.0.0")))
}

fn is_this_machine(url: &Url) -> bool {
    let loopback = |v4: Ipv4Addr| v4.is_loopback() || v4.octets()[0] == 0;
    match url.host() {
        Some(Host::Ipv4(v4)) => loopback(v4),
        Some(Host::Ipv6(v6)) => {
            v6.is_loopback() || v6.is_unspecified() || embedded_v4(v6).is_some_and(loopback)
        }
        Some(Host::Domain(name)) => {
            let name = bare(name);
            name == "localhost"
                || name.ends_with(".localhost")
                || name.starts_with("localhost.")
                || LOOPBACK_NAMES.iter().any(|alias| is_under(&name, alias))
                || address_in_name(&name).is_some_and(loopback)
        }
        None => false,
    }
}

pub(crate) fn is_under(name: &str, parent: &str) -> bool {
    name == parent || name.strip_suffix(parent).is_some_and(|sub| sub.ends_with('.'))
}

/// Returns the name in lower case without a trailing dot.
fn bare(name: &str) -> String {
    name.trim_end_matches('.').to_lowercase()
}

pub(crate) fn split_host_port(entry: &str) -> (String, Option<u16>) {
    let (name, port) = match entry.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => (name, port.parse().ok()),
        Some(_) | None => (entry, None),
    };
    let bracketed = name.contains(':') && !name.starts_with('[');
    (bare(&if bracketed { format!("[{name}]") } else { name.to_owned() }), port)
}

/// Hosts and files that the run may use without asking.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostContext {
    /// `allowed_hosts` of the agent; empty allows every public host.
    pub allowed_hosts: Vec<String>,
    /// Hosts named by the person (`flow::named_hosts` reads their messages), or approved.
    pub named_hosts: Vec<String>,
    /// Hosts that the person has only approved to be opened. An address with values of its own is asked about.
    pub approved_hosts: Vec<String>,
    /// `gate.private_hosts`.
    pub private_hosts: Vec<String>,
    /// Origin of this service, such as `http://127.0.0.1:8787`.
    pub own_origin: String,
    /// Files that may be uploaded to pages.
    pub files: Vec<StoredFile>,
}
