//! Sites: the parties between which texts flow. Pages of one site share what they know, whatever the host
//! below the registrable domain, so a text may go back to the site on which it was read.

use serde::{Deserialize, Serialize};
use std::fmt;
use url::{Host, Url};

/// A registrable domain such as `shop.test`, or the host itself where there is none. Addresses and
/// `localhost` bear their port, because each port of one machine is a service of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Site(String);

impl Site {
    /// Returns the site as it is shown.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the site of an address; `None` if it leads to no host (`data:`, `javascript:`, `about:`).
pub fn site_of(url: &str) -> Option<Site> {
    site_of_url(&Url::parse(url.trim()).ok()?)
}

/// Returns the site of a parsed address, for `blob:` and `view-source:` that of the page behind it.
pub fn site_of_url(url: &Url) -> Option<Site> {
    match url.scheme() {
        "http" | "https" | "ws" | "wss" | "ftp" => {}
        "blob" | "view-source" | "filesystem" => return site_of_url(&Url::parse(url.path()).ok()?),
        _ => return None,
    }
    let with_port = |host: String| match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host,
    };
    Some(Site(match url.host()? {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.').to_lowercase();
            if name == "localhost" || name.ends_with(".localhost") {
                with_port(name)
            } else {
                psl::domain_str(&name).unwrap_or(&name).to_owned()
            }
        }
        address @ (Host::Ipv4(_) | Host::Ipv6(_)) => with_port(address.to_string()),
    }))
}

/// True if two addresses belong to the same site.
pub fn is_same_site(one: &Url, other: &Url) -> bool {
    site_of_url(one).is_some_and(|site| site_of_url(other) == Some(site))
}

/// Returns the site of a bare host such as `www.shop.test` or `127.0.0.1:8001`.
pub fn site_of_host(host: &str) -> Option<Site> {
    site_of(&format!("http://{host}/"))
}

/// True if the name ends in a suffix under which domains are registered, or in one kept for tests and private
/// networks.
pub fn has_known_suffix(host: &str) -> bool {
    const KEPT: [&str; 8] = ["example", "test", "localhost", "local", "internal", "lan", "home", "corp"];
    let end = host.rsplit('.').next().unwrap_or_default();
    KEPT.contains(&end) || psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known())
}

#[cfg(test)]
mod tests {
    use super::*;

    // A pair of sites is asked about once, so hosts of one owner must be one site, and others must not.
    #[test]
    fn hosts_of_one_owner_are_one_site() {
        for (url, site) in [
            ("https://www.shop.test/cart", Some("shop.test")),
            ("http://alpha.example:8080/", Some("alpha.example")),
            ("http://a.b.alpha.example/", Some("alpha.example")),
            ("https://news.bbc.co.uk/x", Some("bbc.co.uk")),
            ("https://SHOP.COM.UA./", Some("shop.com.ua")),
            ("https://olena.github.io/", Some("olena.github.io")),
            ("https://taras.github.io/", Some("taras.github.io")),
            ("http://127.0.0.1:8001/", Some("127.0.0.1:8001")),
            ("http://127.0.0.1/", Some("127.0.0.1")),
            ("http://[::1]:8001/", Some("[::1]:8001")),
            ("http://localhost:3000/", Some("localhost:3000")),
            ("http://a.localhost:3000/", Some("a.localhost:3000")),
            ("http://intranet/x", Some("intranet")),
            ("ws://live.shop.test/", Some("shop.test")),
            ("blob:https://www.shop.test/0c1b", Some("shop.test")),
            ("view-source:https://www.shop.test/", Some("shop.test")),
            ("https://приклад.укр/", Some("xn--80aikifvh.xn--j1amh")),
            ("data:text/html,x", None),
            ("javascript:alert(1)", None),
            ("about:blank", None),
            ("not an address", None),
            ("", None),
        ] {
            assert_eq!(site_of(url).as_ref().map(Site::as_str), site, "{url}");
        }
    }

    #[test]
    fn suffixes_of_files_are_told_from_those_of_domains() {
        for (host, known) in [
            ("shop.com", true),
            ("xn--80aikifvh.xn--j1amh", true),
            ("beta.example", true),
            ("notes.zip", true),
            ("notes.txt", false),
            ("node.js", false),
        ] {
            assert_eq!(has_known_suffix(host), known, "{host}");
        }
    }
}
