//! URL policy: addresses that no page may request, be it by a redirect, a script, a frame or a worker.
//!
//! Chromium pauses every request that could be for such an address, and the connection replies at once
//! (`chromium_policy`) with the verdict of a function that the caller supplies. Apart from documents, only
//! requests whose address looks as if it could be blocked pause, so ordinary ones cost nothing. This layer
//! covers what the address itself shows. Sockets and public names that resolve to internal addresses are
//! blocked by `egress_proxy`, the only way out.
//!
//! A policy changes nothing. The limits of a run are a value that its browser actor publishes, the failed
//! connections one that the proxy of its Chromium publishes.

use crate::browser::error::{ErrorCode, PageError};
use crate::clock::Stopwatch;
use crate::config::host_routes::HostRoute;
use crate::secrets::named_secrets::NamedSecrets;
use crate::text::truncate;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::watch;
use url::Url;

/// Scheme of documents that a page created itself. Requests for them cannot be paused.
const BLOB: &str = "blob:";

/// Maximum length of an address in messages.
const LONGEST: usize = 160;
/// Maximum length of an address that the planner may want to open.
const LONGEST_GOAL: usize = 2000;
const MOST_FAILURES: usize = 64;
const LATELY_MS: u64 = 30_000;

/// Returns why an address is blocked, in words for the planner; `None` if it is allowed.
pub type UrlCheck = dyn Fn(&str) -> Option<&'static str> + Send + Sync;

/// Returns why an address that a URL's host resolved to is blocked.
type AddressCheck = dyn Fn(&str, IpAddr) -> Option<&'static str> + Send + Sync;

/// Reports whether fetching an address may have an effect, as its words say.
type EffectCheck = dyn Fn(&str) -> bool + Send + Sync;

/// Limits on the pages of one run, as last published by its browser.
pub type UrlLimits = watch::Receiver<Option<Arc<UrlCheck>>>;

/// The URL policy.
#[derive(Clone)]
pub struct UrlPolicy {
    check: Arc<UrlCheck>,
    address_check: Arc<AddressCheck>,
    effect_check: Arc<EffectCheck>,
    limits: UrlLimits,
    failures: watch::Receiver<FailedConnections>,
    /// Hosts whose connections go elsewhere, by the owner's settings.
    host_routes: Arc<[HostRoute]>,
    /// Secrets of the run, which are hidden in addresses.
    secrets: NamedSecrets,
}

/// Reason why a connection failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectFailure {
    /// The host name does not exist.
    Unknown,
    Refused,
    Silent,
    Blocked(&'static str),
}

/// The last failed connections of one Chromium, newest last.
#[derive(Debug, Default)]
pub struct FailedConnections(VecDeque<FailedConnection>);

#[derive(Debug)]
struct FailedConnection {
    /// Host and port, as in "example.com:443".
    host_and_port: String,
    failure: ConnectFailure,
    since: Stopwatch,
}

impl ConnectFailure {
    /// Returns the explanation for the planner.
    pub fn words(self) -> &'static str {
        match self {
            Self::Unknown => "there is no such host; check the address",
            Self::Refused => "nothing answers there; check the address and the port",
            Self::Silent => "it did not answer",
            Self::Blocked(why) => why,
        }
    }
}

impl FailedConnections {
    /// Records why a connection failed, because Chromium only knows that it did.
    pub fn add(&mut self, host_and_port: String, failure: ConnectFailure) {
        self.0.retain(|failed| failed.host_and_port != host_and_port);
        if self.0.len() == MOST_FAILURES {
            self.0.pop_front();
        }
        self.0.push_back(FailedConnection { host_and_port, failure, since: Stopwatch::start() });
    }
}

impl UrlPolicy {
    pub fn new(check: impl Fn(&str) -> Option<&'static str> + Send + Sync + 'static) -> Self {
        Self {
            check: Arc::new(check),
            address_check: Arc::new(|_, _| None),
            effect_check: Arc::new(|_| false),
            limits: watch::channel(None).1,
            failures: watch::channel(FailedConnections::default()).1,
            host_routes: Arc::default(),
            secrets: NamedSecrets::default(),
        }
    }

    /// Adds a check of the IP addresses that names resolve to.
    pub fn with_address_check(
        mut self,
        check: impl Fn(&str, IpAddr) -> Option<&'static str> + Send + Sync + 'static,
    ) -> Self {
        self.address_check = Arc::new(check);
        self
    }

    /// Adds a check of the addresses that are fetched: true if fetching one may have an effect.
    pub fn with_effect_check(mut self, check: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.effect_check = Arc::new(check);
        self
    }

    /// Reports whether a request may have an effect, by its method and the words of its address.
    pub fn may_have_effect(&self, method: &str, url: &str) -> bool {
        !matches!(method, "GET" | "HEAD" | "OPTIONS") || (self.effect_check)(url)
    }

    /// Adds routes of host names.
    pub fn with_host_routes(mut self, routes: &[HostRoute]) -> Self {
        self.host_routes = routes.into();
        self
    }

    /// Returns where connections to this host and port go by the owner's settings, if not to itself.
    pub fn route_target(&self, host: &str, port: u16) -> Option<(&str, u16)> {
        self.host_routes.iter().find_map(|route| route.target(host, port))
    }

    /// Returns the same policy with the failed connections of a Chromium.
    pub fn with_failures(&self, failures: watch::Receiver<FailedConnections>) -> Self {
        Self { failures, ..self.clone() }
    }

    /// Returns the same policy with the limits and secrets of a run.
    pub fn for_context(&self, secrets: NamedSecrets, limits: UrlLimits) -> Self {
        Self { limits, secrets, ..self.clone() }
    }

    pub fn secrets(&self) -> &NamedSecrets {
        &self.secrets
    }

    /// Returns the message for a page that is about to open a blocked address. A document that a page created
    /// itself (`blob:`) belongs to the origin in its address.
    pub fn page_block_message(&self, whole: &str) -> Option<String> {
        let url = whole.strip_prefix(BLOB).unwrap_or(whole);
        if let Some(message) = self.block_message(url) {
            return Some(message);
        }
        let scheme = url.split(':').next().unwrap_or_default();
        if !matches!(scheme, "http" | "https" | "about") {
            return Some(self.blocked(whole, "pages are only opened from http:// and https://"));
        }
        let limits = self.limits.borrow().clone()?;
        let why = limits(url)?;
        // Long enough for the planner to open the address itself.
        let shown = self.shorten_for_message(url, LONGEST_GOAL);
        Some(format!("blocked: this leads to {shown} ({why})"))
    }

    /// Returns the message for a blocked `blob:` document, which sends no request that could be refused.
    pub fn blob_block_message(&self, url: &str) -> Option<String> {
        Some(url).filter(|url| url.starts_with(BLOB)).and_then(|url| self.page_block_message(url))
    }

    pub fn block_reason(&self, url: &str) -> Option<&'static str> {
        (self.check)(url)
    }

    pub fn address_block_reason(&self, url: &str, address: IpAddr) -> Option<&'static str> {
        (self.address_check)(url, address)
    }

    /// Returns why a connection to this address failed within the last 30 seconds.
    pub fn failure(&self, url: &str) -> Option<ConnectFailure> {
        let url = Url::parse(url).ok()?;
        let host_and_port = format!("{}:{}", url.host_str()?, url.port_or_known_default()?);
        let failures = self.failures.borrow();
        let failed = failures.0.iter().find(|failed| failed.host_and_port == host_and_port)?;
        (failed.since.millis() < LATELY_MS).then_some(failed.failure)
    }

    /// Returns the message for a request to this address if it is blocked.
    pub fn block_message(&self, url: &str) -> Option<String> {
        (self.check)(url).map(|why| self.blocked(url, why))
    }

    /// Returns the message for an address that is blocked for this reason.
    pub fn blocked(&self, url: &str, why: &str) -> String {
        format!("blocked: {} is closed to the agent ({why})", self.shorten_for_message(url, LONGEST))
    }

    /// Returns the address for a message. Secrets are hidden before it is cut, since half a secret would not
    /// be recognized.
    fn shorten_for_message(&self, url: &str, most: usize) -> String {
        let (url, _) = self.secrets.hide_secrets((url.to_owned(), String::new()));
        truncate::truncate(&url, most)
    }

    pub fn fault(&self, url: &str) -> Option<PageError> {
        self.block_message(url).map(fault)
    }
}

impl std::fmt::Debug for UrlPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UrlPolicy")
    }
}

/// Builds the error for a page that was to open a blocked address and stayed.
pub fn fault(message: String) -> PageError {
    PageError::new(ErrorCode::Blocked, format!("{message}; the page stayed where it was"))
}
