//! Patterns of the requests that Chromium pauses: documents, whatever may have an effect, and every address that
//! the URL policy could block. Pictures, scripts and the like pause only if their address may say that it does
//! something, so that ordinary pages load as fast as without. Our own Chromium reaches servers only through the
//! proxy, which checks their addresses, so that parts of pages in the network of the owner need not pause either.

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

/// Kinds of requests that may have an effect by their method or body, and so always pause. What is fetched ahead
/// (`rel=prefetch`) counts as `Other`.
const PAUSED_KINDS: [ResourceType; 7] = [
    ResourceType::Document,
    ResourceType::Xhr,
    ResourceType::Fetch,
    ResourceType::Ping,
    ResourceType::EventSource,
    ResourceType::CspViolationReport,
    ResourceType::Other,
];

/// Parts of the words by which an address says that it does something, in lower case. The judge reads the address
/// exactly.
const EFFECT_WORDS: [&str; 48] = [
    "accept",
    "action",
    "activate",
    "approve",
    "archive",
    "block",
    "book",
    "buy",
    "cancel",
    "checkout",
    "close",
    "confirm",
    "delete",
    "deploy",
    "destroy",
    "disable",
    "donate",
    "enable",
    "erase",
    "follow",
    "grant",
    "invite",
    "like",
    "logoff",
    "logout",
    "order",
    "pay",
    "post",
    "publish",
    "purchase",
    "purge",
    "redeem",
    "reject",
    "remove",
    "reserve",
    "revoke",
    "send",
    "share",
    "sign",
    "spend",
    "start",
    "stop",
    "subscribe",
    "switch",
    "toggle",
    "transfer",
    "vote",
    "withdraw",
];
/// Further such words, which count as a whole part of the path: they begin or end names of many files.
const WHOLE_PARTS: [&str; 54] = [
    "abort",
    "acknowledge",
    "ban",
    "boost",
    "build",
    "charge",
    "clear",
    "complete",
    "decline",
    "del",
    "demote",
    "discard",
    "drop",
    "empty",
    "endorse",
    "evict",
    "execute",
    "finish",
    "flag",
    "flush",
    "join",
    "kick",
    "leave",
    "lock",
    "merge",
    "mute",
    "optout",
    "opt-out",
    "pin",
    "promote",
    "react",
    "reboot",
    "reblog",
    "refund",
    "regenerate",
    "report",
    "requeue",
    "rerun",
    "reset",
    "resume",
    "retry",
    "retweet",
    "rollback",
    "rotate",
    "rsvp",
    "run",
    "shutdown",
    "star",
    "terminate",
    "trigger",
    "uninstall",
    "unlock",
    "unsub",
    "wipe",
];
/// Further parts of addresses that the judge must see: queries, letters of other alphabets, words in two parts.
const JUDGED_PARTS: [&str; 7] = ["\\?", "%", "log-out", "log-off", "log_out", "trash", "turn"];

/// Kinds of requests that fetch parts of a page.
const PART_KINDS: [ResourceType; 5] = [
    ResourceType::Image,
    ResourceType::Script,
    ResourceType::Stylesheet,
    ResourceType::Media,
    ResourceType::Font,
];

/// Check of the servers that parts of pages come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerCheck {
    /// The proxy connects to no server that the policy blocks.
    ByProxy,
    /// Requests pause whose host could be blocked.
    ByPause,
}

/// Builds the command that tells Chromium which requests to pause.
pub fn pause_requests_command(server_check: ServerCheck) -> EnableParams {
    let pattern = |url: String, kind: Option<ResourceType>| RequestPattern {
        url_pattern: Some(url),
        resource_type: kind,
        request_stage: None,
    };
    let mut patterns: Vec<RequestPattern> =
        PAUSED_KINDS.map(|kind| pattern(String::from("*"), Some(kind))).into();
    let capitals = EFFECT_WORDS.map(|word| format!("{}{}", word[..1].to_uppercase(), &word[1..]));
    let parts = EFFECT_WORDS.iter().chain(&JUDGED_PARTS).map(|part| (*part).to_owned()).chain(capitals);
    for part in parts {
        patterns.extend(PART_KINDS.map(|kind| pattern(format!("*{part}*"), Some(kind))));
    }
    let whole = WHOLE_PARTS.iter().flat_map(|part| [format!("*/{part}"), format!("*/{part}/*")]);
    patterns.extend(whole.map(|url| pattern(url, None)));
    if server_check == ServerCheck::ByPause {
        patterns.extend(list_host_patterns().map(|url| pattern(url, None)));
    }
    patterns.push(pattern(String::from("file:*"), None));
    EnableParams { patterns: Some(patterns), handle_auth_requests: Some(true) }
}

/// Lists patterns of all addresses whose host the policy could block.
fn list_host_patterns() -> impl Iterator<Item = String> {
    // A name may end in a dot, and a port may follow.
    let ends = ENDS.iter().flat_map(|end| ["/*", ":*", "./*", ".:*"].map(|after| format!("*{end}{after}")));
    HOSTS.iter().map(|host| format!("*://{host}")).chain(ends)
}
