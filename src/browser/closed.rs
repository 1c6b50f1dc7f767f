//! Addresses that no page may ask for, whoever makes it ask: a redirect, a script, a frame, a worker.
//!
//! Chromium pauses every request that could be for such an address, and the wire answers for it at
//! once (`link`), by a judgement that is given from above. Requests for other things than documents
//! pause only where their address looks as if it could be closed, so ordinary ones cost nothing.
//! That is for words, and for what is plain in an address. What no address tells (sockets, names that
//! lead inside) is held by the only way out, `proxy`.

mod pausing;

use super::fault::{Code, Fault};
use super::keyring::Keyring;
use super::wire::{Event, Raw};
use crate::clock::Stopwatch;
use crate::turn::blot;
use serde_json::json;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use url::Url;

pub use pausing::pausing;

/// As Chromium shows itself to the proxy.
pub const USER: &str = "askfirst";

/// What documents are called that a page made itself. No request for one can be paused.
pub const BLOB: &str = "blob:";

/// How much of an address is told.
const LONGEST: usize = 160;
/// The same of one that the planner may want to go to.
const LONGEST_GOAL: usize = 2000;
const MOST_FAILURES: usize = 64;
const LATELY_MS: u64 = 30_000;

/// Why an address is closed, in words for a planner, or none.
pub type Judge = dyn Fn(&str) -> Option<&'static str> + Send + Sync;

/// The same of an address that the name in a URL led to.
type JudgeAt = dyn Fn(&str, IpAddr) -> Option<&'static str> + Send + Sync;

/// The judgement. Clones are the same.
#[derive(Clone)]
pub struct Closed {
    judge: Arc<Judge>,
    at: Arc<JudgeAt>,
    /// What else pages of one run may not go to, as it stands now.
    bounds: Arc<Mutex<Option<Arc<Judge>>>>,
    failures: Arc<Mutex<VecDeque<Failed>>>,
    /// What may not be read in an address.
    keys: Keyring,
}

/// Why a connection was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no such name.
    Unknown,
    Refused,
    Silent,
    Closed(&'static str),
}

struct Failed {
    /// Host and port.
    place: String,
    failure: Failure,
    since: Stopwatch,
}

impl Failure {
    /// What it means, for a planner.
    pub fn words(self) -> &'static str {
        match self {
            Self::Unknown => "there is no such host; check the address",
            Self::Refused => "nothing answers there; check the address and the port",
            Self::Silent => "it did not answer",
            Self::Closed(why) => why,
        }
    }
}

impl Closed {
    pub fn by(judge: impl Fn(&str) -> Option<&'static str> + Send + Sync + 'static) -> Self {
        Self {
            judge: Arc::new(judge),
            at: Arc::new(|_, _| None),
            bounds: Arc::default(),
            failures: Arc::default(),
            keys: Keyring::default(),
        }
    }

    /// What names lead to is judged, too.
    pub fn and_at(
        mut self,
        judge: impl Fn(&str, IpAddr) -> Option<&'static str> + Send + Sync + 'static,
    ) -> Self {
        self.at = Arc::new(judge);
        self
    }

    /// The same, with bounds and secrets of its own.
    pub fn for_one_run(&self, keys: Keyring) -> Self {
        Self { bounds: Arc::default(), keys, ..self.clone() }
    }

    /// Where pages may go from now on; none: wherever it is not closed.
    pub fn bound(&self, judge: Option<Arc<Judge>>) {
        *self.bounds.lock().unwrap_or_else(PoisonError::into_inner) = judge;
    }

    /// What to tell of a page that is to go to this address, if it may not. What a page made itself (`blob:`)
    /// is of the origin that it names.
    pub fn told_of_page(&self, whole: &str) -> Option<String> {
        let url = whole.strip_prefix(BLOB).unwrap_or(whole);
        if let Some(told) = self.told(url) {
            return Some(told);
        }
        let scheme = url.split(':').next().unwrap_or_default();
        if !matches!(scheme, "http" | "https" | "about") {
            return Some(self.blocked(whole, "pages are only opened from http:// and https://"));
        }
        let bounds = self.bounds.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let why = bounds(url)?;
        // Whole, so that the planner can go there itself.
        let shown = self.shown(url, LONGEST_GOAL);
        Some(format!("held back: the way led to {shown} ({why})"))
    }

    /// The same of a document that a page made, which comes without a request that could be refused.
    pub fn made_by_closed(&self, url: &str) -> Option<String> {
        Some(url).filter(|url| url.starts_with(BLOB)).and_then(|url| self.told_of_page(url))
    }

    pub fn why(&self, url: &str) -> Option<&'static str> {
        (self.judge)(url)
    }

    pub fn why_at(&self, url: &str, address: IpAddr) -> Option<&'static str> {
        (self.at)(url, address)
    }

    /// No connection came of it; Chromium only knows that there is none.
    pub fn failed(&self, place: &str, failure: Failure) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|failed| failed.place != place);
        if failures.len() == MOST_FAILURES {
            failures.pop_front();
        }
        failures.push_back(Failed { place: place.to_owned(), failure, since: Stopwatch::start() });
    }

    /// Why there was no connection to that address lately.
    pub fn failure(&self, url: &str) -> Option<Failure> {
        let url = Url::parse(url).ok()?;
        let place = format!("{}:{}", url.host_str()?, url.port_or_known_default()?);
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = failures.iter().find(|failed| failed.place == place)?;
        (failed.since.millis() < LATELY_MS).then_some(failed.failure)
    }

    /// Every address is open.
    pub fn nothing() -> Self {
        Self::by(|_| None)
    }

    /// What to tell of a request for this address if it is closed.
    pub fn told(&self, url: &str) -> Option<String> {
        (self.judge)(url).map(|why| self.blocked(url, why))
    }

    /// What is told of an address that is closed for this reason.
    pub fn blocked(&self, url: &str, why: &str) -> String {
        format!("blocked: {} is closed to the agent ({why})", self.shown(url, LONGEST))
    }

    /// An address as it may be told. Of a secret that was cut in two a half could be read.
    fn shown(&self, url: &str, most: usize) -> String {
        let (url, _) = self.keys.hidden_in((url.to_owned(), String::new()));
        blot::cut(&url, most)
    }

    pub fn fault(&self, url: &str) -> Option<Fault> {
        self.told(url).map(fault)
    }

    /// What is done with a request that Chromium paused, of a page itself (`whole`) or within one. A
    /// document that is refused leaves the page where it is, instead of an error page in its place.
    /// True if it goes its way.
    pub fn answer(&self, paused: &Event, whole: bool) -> (Raw, bool) {
        let id = paused.text("/requestId");
        let url = paused.text("/request/url");
        let document = paused.text("/resourceType") == "Document";
        let open = if whole && document { self.told_of_page(url).is_none() } else { self.why(url).is_none() };
        if open {
            return (Raw::new("Fetch.continueRequest", json!({"requestId": id})), true);
        }
        let reason = if document { "Aborted" } else { "BlockedByClient" };
        // Without what follows the host: there a page puts what it likes.
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        tracing::info!(host, kind = paused.text("/resourceType"), "request blocked");
        (Raw::new("Fetch.failRequest", json!({"requestId": id, "errorReason": reason})), false)
    }
}

impl std::fmt::Debug for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Closed")
    }
}

/// What is answered where a password is asked for: our proxy knows it, every other asker gets none.
pub fn sign_in(asked: &Event, password: Option<&str>) -> Raw {
    let id = asked.text("/requestId");
    let ours = password.filter(|_| asked.text("/authChallenge/source") == "Proxy");
    let response = match ours {
        Some(password) => {
            json!({"response": "ProvideCredentials", "username": USER, "password": password})
        }
        None => json!({"response": "Default"}),
    };
    Raw::new("Fetch.continueWithAuth", json!({"requestId": id, "authChallengeResponse": response}))
}

/// A page that was to go to a closed address, and stayed.
pub fn fault(told: String) -> Fault {
    Fault::new(Code::Blocked, format!("{told}; the page stayed where it was"))
}
