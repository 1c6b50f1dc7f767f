//! Addresses that no page may ask for, whoever makes it ask: a redirect, a script, a frame, a worker.
//!
//! Chromium pauses every request that could be for such an address, and the wire answers for it at
//! once (`link`), by a judgement that is given from above. Requests for other things than documents
//! pause only where their address looks as if it could be closed, so ordinary ones cost nothing.
//! Sockets do not pass here: those of public pages to this machine or its network are refused by
//! Chromium itself ("local network access").

use super::fault::{Code, Fault};
use super::link::Event;
use super::tab::Raw;
use chromiumoxide::cdp::browser_protocol::fetch::{EnableParams, RequestPattern};
use chromiumoxide::cdp::browser_protocol::network::ResourceType;
use serde_json::json;
use std::sync::Arc;

/// How much of an address is told.
const LONGEST: usize = 160;

/// Why an address is closed, in words for a planner, or none.
type Judge = dyn Fn(&str) -> Option<&'static str> + Send + Sync;

/// The judgement. Clones are the same.
#[derive(Clone)]
pub struct Closed(Arc<Judge>);

impl Closed {
    pub fn by(judge: impl Fn(&str) -> Option<&'static str> + Send + Sync + 'static) -> Self {
        Self(Arc::new(judge))
    }

    /// Every address is open.
    pub fn nothing() -> Self {
        Self::by(|_| None)
    }

    /// What to tell of a request for this address if it is closed.
    pub fn told(&self, url: &str) -> Option<String> {
        let why = (self.0)(url)?;
        let shown: String = url.chars().take(LONGEST).collect();
        Some(format!("blocked: {shown} is closed to the agent ({why})"))
    }

    pub fn fault(&self, url: &str) -> Option<Fault> {
        self.told(url).map(fault)
    }

    /// What is done with a request that Chromium paused. A document that is refused leaves the page
    /// where it is, instead of an error page in its place.
    pub fn answer(&self, paused: &Event) -> Raw {
        let id = paused.text("/requestId");
        let url = paused.text("/request/url");
        if (self.0)(url).is_none() {
            return Raw::new("Fetch.continueRequest", json!({"requestId": id}));
        }
        let reason = if paused.text("/resourceType") == "Document" { "Aborted" } else { "BlockedByClient" };
        tracing::info!(url, kind = paused.text("/resourceType"), "request blocked");
        Raw::new("Fetch.failRequest", json!({"requestId": id, "errorReason": reason}))
    }
}

impl std::fmt::Debug for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Closed")
    }
}

/// A page that was to go to a closed address, and stayed.
pub fn fault(told: String) -> Fault {
    Fault::new(Code::Blocked, format!("{told}; the page stayed where it was"))
}

/// Hosts that could be closed, as Chromium writes them: it has made one spelling of all numbers.
/// Wider than the judgement, never narrower.
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
    // With a name or a password before the host.
    "*@*",
    "metadata*",
    "instance-data*",
    "intranet*",
    "*.svc.*",
];

/// Ends of names that mean something only within a network, or that lead back to it.
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

/// Tells Chromium which requests to pause.
pub fn pausing() -> EnableParams {
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
    EnableParams { patterns: Some(patterns), handle_auth_requests: None }
}
