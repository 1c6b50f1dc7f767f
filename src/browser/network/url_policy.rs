//! URL policy: addresses that no page may request, be it by a redirect, a script, a frame or a worker.
//!
//! Chromium pauses every request that could be for such an address, and the connection (`link`) replies at
//! once with the verdict of a function that the caller supplies. Apart from documents, only requests whose
//! address looks as if it could be blocked pause, so ordinary ones cost nothing. This layer provides the
//! messages and covers what the address itself shows. Sockets and public names that resolve to internal
//! addresses are blocked by `proxy`, the only way out.

use crate::browser::cdp::message::{CdpEvent, RawCommand};
use crate::browser::error::{ErrorCode, PageError};
use crate::clock::Stopwatch;
use crate::secrets::named_secrets::NamedSecrets;
use crate::text::truncate;
use serde_json::json;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use url::Url;

/// User name with which Chromium signs in to the proxy.
pub const USER: &str = "askfirst";

/// Scheme of documents that a page created itself. Requests for them cannot be paused.
pub const BLOB: &str = "blob:";

/// Maximum length of an address in messages.
const LONGEST: usize = 160;
/// Maximum length of an address that the planner may want to open.
const LONGEST_GOAL: usize = 2000;
const MOST_FAILURES: usize = 64;
const LATELY_MS: u64 = 30_000;

/// Returns why an address is blocked, in words for the planner; `None` if it is allowed.
pub type UrlCheck = dyn Fn(&str) -> Option<&'static str> + Send + Sync;

/// Does the same for an address that the host of a URL resolved to.
type JudgeAt = dyn Fn(&str, IpAddr) -> Option<&'static str> + Send + Sync;

/// The URL policy. Clones share their state.
#[derive(Clone)]
pub struct UrlPolicy {
    judge: Arc<UrlCheck>,
    at: Arc<JudgeAt>,
    /// Further restrictions on the pages of one run; they may change during the run.
    bounds: Arc<Mutex<Option<Arc<UrlCheck>>>>,
    failures: Arc<Mutex<VecDeque<FailedConnection>>>,
    /// Secrets to hide in addresses.
    keys: NamedSecrets,
}

/// Reason why a connection failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectFailure {
    /// The host name does not exist.
    Unknown,
    Refused,
    Silent,
    Closed(&'static str),
}

struct FailedConnection {
    /// Host and port, as in "example.com:443".
    place: String,
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
            Self::Closed(why) => why,
        }
    }
}

impl UrlPolicy {
    pub fn new(judge: impl Fn(&str) -> Option<&'static str> + Send + Sync + 'static) -> Self {
        Self {
            judge: Arc::new(judge),
            at: Arc::new(|_, _| None),
            bounds: Arc::default(),
            failures: Arc::default(),
            keys: NamedSecrets::default(),
        }
    }

    /// Adds a check of the IP addresses that names resolve to.
    pub fn with_address_check(
        mut self,
        judge: impl Fn(&str, IpAddr) -> Option<&'static str> + Send + Sync + 'static,
    ) -> Self {
        self.at = Arc::new(judge);
        self
    }

    /// Returns the same policy with restrictions and secrets of its own.
    pub fn for_one_run(&self, keys: NamedSecrets) -> Self {
        Self { bounds: Arc::default(), keys, ..self.clone() }
    }

    /// Replaces the restrictions of the run; `None` removes them.
    pub fn restrict(&self, judge: Option<Arc<UrlCheck>>) {
        *self.bounds.lock().unwrap_or_else(PoisonError::into_inner) = judge;
    }

    /// Returns the message for a page that is about to open a blocked address. A document that a page created
    /// itself (`blob:`) belongs to the origin in its address.
    pub fn page_block_message(&self, whole: &str) -> Option<String> {
        let url = whole.strip_prefix(BLOB).unwrap_or(whole);
        if let Some(told) = self.block_message(url) {
            return Some(told);
        }
        let scheme = url.split(':').next().unwrap_or_default();
        if !matches!(scheme, "http" | "https" | "about") {
            return Some(self.blocked(whole, "pages are only opened from http:// and https://"));
        }
        let bounds = self.bounds.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let why = bounds(url)?;
        // Long enough for the planner to open the address itself.
        let shown = self.shorten_for_message(url, LONGEST_GOAL);
        Some(format!("held back: the way led to {shown} ({why})"))
    }

    /// Returns the message for a blocked `blob:` document, which sends no request that could be refused.
    pub fn blob_block_message(&self, url: &str) -> Option<String> {
        Some(url).filter(|url| url.starts_with(BLOB)).and_then(|url| self.page_block_message(url))
    }

    pub fn block_reason(&self, url: &str) -> Option<&'static str> {
        (self.judge)(url)
    }

    pub fn address_block_reason(&self, url: &str, address: IpAddr) -> Option<&'static str> {
        (self.at)(url, address)
    }

    /// Records why a connection failed, because Chromium only knows that it did.
    pub fn record_failure(&self, place: &str, failure: ConnectFailure) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|failed| failed.place != place);
        if failures.len() == MOST_FAILURES {
            failures.pop_front();
        }
        failures.push_back(FailedConnection { place: place.to_owned(), failure, since: Stopwatch::start() });
    }

    /// Returns why a connection to this address failed within the last 30 seconds.
    pub fn failure(&self, url: &str) -> Option<ConnectFailure> {
        let url = Url::parse(url).ok()?;
        let place = format!("{}:{}", url.host_str()?, url.port_or_known_default()?);
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = failures.iter().find(|failed| failed.place == place)?;
        (failed.since.millis() < LATELY_MS).then_some(failed.failure)
    }

    /// Returns a policy that blocks nothing.
    pub fn allow_all() -> Self {
        Self::new(|_| None)
    }

    /// Returns the message for a request to this address if it is blocked.
    pub fn block_message(&self, url: &str) -> Option<String> {
        (self.judge)(url).map(|why| self.blocked(url, why))
    }

    /// Returns the message for an address that is blocked for this reason.
    pub fn blocked(&self, url: &str, why: &str) -> String {
        format!("blocked: {} is closed to the agent ({why})", self.shorten_for_message(url, LONGEST))
    }

    /// Returns the address for a message. Secrets are hidden before it is cut, since half a secret would not
    /// be recognised.
    fn shorten_for_message(&self, url: &str, most: usize) -> String {
        let (url, _) = self.keys.hide_secrets((url.to_owned(), String::new()));
        truncate::truncate(&url, most)
    }

    pub fn fault(&self, url: &str) -> Option<PageError> {
        self.block_message(url).map(fault)
    }

    /// Returns the reply to a request that Chromium paused, and whether the request is allowed. `whole` is
    /// true for a request of the page itself, false for one of a frame. Aborting a document request leaves
    /// the page where it is; other reasons would show an error page.
    pub fn decide_paused_request(&self, paused: &CdpEvent, whole: bool) -> (RawCommand, bool) {
        let id = paused.text("/requestId");
        let url = paused.text("/request/url");
        let document = paused.text("/resourceType") == "Document";
        let open = if whole && document {
            self.page_block_message(url).is_none()
        } else {
            self.block_reason(url).is_none()
        };
        if open {
            return (RawCommand::new("Fetch.continueRequest", json!({"requestId": id})), true);
        }
        let reason = if document { "Aborted" } else { "BlockedByClient" };
        // Only the host is logged: a page can put anything into the rest.
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        tracing::info!(host, kind = paused.text("/resourceType"), "request blocked");
        (RawCommand::new("Fetch.failRequest", json!({"requestId": id, "errorReason": reason})), false)
    }
}

impl std::fmt::Debug for UrlPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Closed")
    }
}

/// Returns the reply to an authentication challenge: the password for our proxy, no credentials for anyone
/// else.
pub fn sign_in(asked: &CdpEvent, password: Option<&str>) -> RawCommand {
    let id = asked.text("/requestId");
    let ours = password.filter(|_| asked.text("/authChallenge/source") == "Proxy");
    let response = match ours {
        Some(password) => {
            json!({"response": "ProvideCredentials", "username": USER, "password": password})
        }
        None => json!({"response": "Default"}),
    };
    RawCommand::new("Fetch.continueWithAuth", json!({"requestId": id, "authChallengeResponse": response}))
}

/// Builds the error for a page that was to open a blocked address and stayed.
pub fn fault(told: String) -> PageError {
    PageError::new(ErrorCode::Blocked, format!("{told}; the page stayed where it was"))
}
