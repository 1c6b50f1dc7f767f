//! Patterns of the requests that Chromium pauses: documents, and every address that the URL policy could
//! block.

use chromiumoxide::cdp::browser_protocol::fetch::{EnableParams, RequestPattern};
use chromiumoxide::cdp::browser_protocol::network::ResourceType;

/// Host patterns that the policy could block, in Chromium's spelling, which normalizes all IP notations. They
/// match more than the policy blocks, never less.
const HOSTS: [&str; 21] = [
    "localhost*",
    "*.localhost*",
    "0.*",
    "10.*",
    "100.*",
    "127.*",
    "168.63.*",
    "169.254.*",
    "172.*",
    "192.*",
    "198.1*",
    "22*",
    "23*",
    "24*",
    "25*",
    "[*",
    // With a user name or a password before the host.
    "*@*",
    "metadata*",
    "instance-data*",
    "intranet*",
    "*.svc.*",
];

/// Suffixes of names that are only valid within a network, or that resolve to addresses in it.
const ENDS: [&str; 20] = [
    ".local",
    ".localdomain",
    ".internal",
    ".intranet",
    ".lan",
    ".home",
    ".home.arpa",
    ".corp",
    ".private",
    ".svc",
    "localtest.me",
    "lvh.me",
    "vcap.me",
    "lacolhost.com",
    "local.gd",
    ".nip.io",
    ".sslip.io",
    ".xip.io",
    ".traefik.me",
    "metadata.goog",
];

/// Builds the command that tells Chromium which requests to pause.
pub fn pause_requests_command() -> EnableParams {
    let pattern = |url: String, kind: Option<ResourceType>| RequestPattern {
        url_pattern: Some(url),
        resource_type: kind,
        request_stage: None,
    };
    let mut patterns = vec![pattern(String::from("*"), Some(ResourceType::Document))];
    patterns.extend(HOSTS.iter().map(|host| pattern(format!("*://{host}"), None)));
    // A name may end in a dot, and a port may follow.
    let ends = ENDS.iter().flat_map(|end| ["/*", ":*", "./*", ".:*"].map(|after| format!("*{end}{after}")));
    patterns.extend(ends.map(|url| pattern(url, None)));
    patterns.push(pattern(String::from("file:*"), None));
    EnableParams { patterns: Some(patterns), handle_auth_requests: Some(true) }
}
