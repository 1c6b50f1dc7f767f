//! Network and navigation activity of a page since an action began, derived from CDP events. The module does
//! no I/O, so tests can replay any sequence of events without a browser.

use crate::browser::cdp::message::CdpEvent;
use crate::browser::network::url_policy::{ConnectFailure, UrlPolicy};
use crate::browser::page::page_notes::{blocked_request_note, take_note};
use crate::clock::Stopwatch;
use serde_json::Value;
use std::collections::HashMap;

/// Age in milliseconds at which a pending request counts as a long poll and is no longer waited for.
const LONG_POLL_MS: u64 = 2000;

/// Most bodies of requests that are kept, and the longest, in bytes.
const MOST_BODIES: usize = 16;
const LONGEST_BODY: usize = 64 * 1024;

/// Milliseconds for which a request that a person has just let go is waited for.
const RELEASED_MS: u64 = 5_000;

/// Chromium's error text for an HTTP log-in that got no user name and password.
pub const AUTH: &str = "net::ERR_INVALID_AUTH_CREDENTIALS";
pub const ASKS_LOG_IN: &str = "it asks for a name and a password before it shows anything (HTTP log-in), and the \
    agent has none for that; tell the person, or go elsewhere";

/// Progress of the main frame towards another document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DocumentProgress {
    /// The document from before the action.
    #[default]
    Kept,
    /// Another document was requested and has not arrived.
    Asked,
    /// Another document has arrived and is being parsed.
    Reading,
    /// The document is parsed; images may still be loading.
    Parsed,
    Loaded,
}

#[derive(Debug)]
pub struct Activity {
    main: String,
    /// CDP session of the page itself. Frames in other processes send their events through other sessions.
    session: Option<String>,
    url_policy: UrlPolicy,
    pub document: DocumentProgress,
    /// Reason why the new document is an error page.
    pub failed: Option<String>,
    /// Set if the URL policy blocks the address of the requested document.
    pub blocked: Option<String>,
    /// Events worth reporting to the model: downloads and blocked addresses.
    pub notes: Vec<String>,
    /// True if the page opened a window, which becomes another tab.
    pub window_opened: bool,
    /// True if the address changed within the same document.
    pub moved_within: bool,
    /// Number of requests that the page and its frames sent.
    pub sent: usize,
    /// Bodies that Chromium reports, of requests of any method, at most `MOST_BODIES`.
    pub bodies: Vec<String>,
    requests: HashMap<String, Stopwatch>,
    /// Requests that were held until a person let them go.
    released: HashMap<String, Stopwatch>,
    document_request: Option<String>,
    /// True if the document's site requires an HTTP log-in.
    asks_log_in: bool,
}

impl Activity {
    pub fn new(main_frame: impl Into<String>, url_policy: UrlPolicy) -> Self {
        Self {
            main: main_frame.into(),
            session: None,
            url_policy,
            document: DocumentProgress::Kept,
            failed: None,
            blocked: None,
            notes: Vec::new(),
            window_opened: false,
            moved_within: false,
            sent: 0,
            bodies: Vec::new(),
            requests: HashMap::new(),
            released: HashMap::new(),
            document_request: None,
            asks_log_in: false,
        }
    }

    /// Creates the activity of a page with the given session. Load events of other sessions, those of its
    /// frames, are ignored.
    pub fn with_session(session: &str, main_frame: impl Into<String>, url_policy: UrlPolicy) -> Self {
        Self { session: Some(session.to_owned()), ..Self::new(main_frame, url_policy) }
    }

    /// Reports whether another document is on its way, which makes the current content meaningless.
    pub fn is_navigating(&self) -> bool {
        match self.document {
            DocumentProgress::Asked | DocumentProgress::Reading => true,
            DocumentProgress::Kept | DocumentProgress::Parsed | DocumentProgress::Loaded => false,
        }
    }

    /// Waits for the answer to a request that was held, and that the page sent before this activity began.
    pub fn expect_released(&mut self, network_id: &str) {
        self.released.insert(network_id.to_owned(), Stopwatch::start());
    }

    /// Reports whether the answer to a released request is still expected.
    pub fn awaits_released(&self) -> bool {
        self.released.values().any(|since| since.millis() < RELEASED_MS)
    }

    /// Reports whether a response from the network is still expected.
    pub fn is_waiting(&self) -> bool {
        self.document == DocumentProgress::Parsed
            || self.awaits_released()
            || self.requests.values().any(|since| since.millis() < LONG_POLL_MS)
    }

    /// Reports whether any response is outstanding, however long the request has been open.
    pub fn has_open_request(&self) -> bool {
        !self.requests.is_empty()
    }

    pub fn handle_event(&mut self, event: &CdpEvent) {
        if let Some(note) = blocked_request_note(event, &self.main, &self.url_policy) {
            take_note(&mut self.notes, note);
        }
        match event.method.as_str() {
            "Network.requestWillBeSent" => self.request(event),
            // Chromium never opens these schemes for a page; this event is the only one it sends.
            "Page.frameScheduledNavigation"
                if self.is_main(event) && is_unaddressable(event.text("/url")) =>
            {
                self.blocked = self.url_policy.page_block_message(event.text("/url"));
            }
            // A refused request may appear only here, without `Network.requestWillBeSent`.
            "Fetch.requestPaused" if self.is_main(event) => {
                self.blocked = self.url_policy.page_block_message(event.text("/request/url"));
            }
            "Network.loadingFinished" => self.end_request(event.text("/requestId")),
            "Network.loadingFailed" => self.request_failed(event),
            "Page.windowOpen" => self.window_opened = true,
            _ if Self::is_new_document(event) => self.handle_navigated(event),
            "Page.domContentEventFired" | "Page.loadEventFired" if event.session != self.session => {}
            "Page.domContentEventFired" => self.progress(DocumentProgress::Parsed),
            "Page.loadEventFired" => self.progress(DocumentProgress::Loaded),
            "Page.navigatedWithinDocument" if self.is_main(event) => self.moved_within = true,
            "Page.frameStartedNavigating" if self.is_main(event) => self.handle_navigation_request(event),
            "Page.frameStoppedLoading" if self.is_main(event) => self.handle_stopped_loading(),
            _ => {}
        }
    }

    /// Reports whether another document has taken the place of the page's.
    pub fn is_new_document(event: &CdpEvent) -> bool {
        event.method == "Page.frameNavigated" && event.params.pointer("/frame/parentId").is_none()
    }

    fn is_main(&self, event: &CdpEvent) -> bool {
        event.text("/frameId") == self.main
    }

    fn request(&mut self, event: &CdpEvent) {
        let id = event.text("/requestId").to_owned();
        self.sent += 1;
        let body = event.text("/request/postData");
        if !body.is_empty() && body.len() <= LONGEST_BODY && self.bodies.len() < MOST_BODIES {
            self.bodies.push(body.to_owned());
        }
        match event.text("/type") {
            "Document" if self.is_main(event) => {
                self.blocked = self.url_policy.page_block_message(event.text("/request/url"));
                self.document = DocumentProgress::Asked;
                self.document_request = Some(id);
                self.asks_log_in = false;
            }
            "Document" | "XHR" | "Fetch" | "Script" | "Stylesheet" => {
                self.requests.insert(id, Stopwatch::start());
            }
            // Images, fonts, media, beacons, event streams and sockets do not change the text.
            _ => {}
        }
    }

    fn end_request(&mut self, id: &str) {
        self.requests.remove(id);
        self.released.remove(id);
    }

    fn request_failed(&mut self, event: &CdpEvent) {
        let id = event.text("/requestId");
        self.end_request(id);
        if self.document_request.as_deref() == Some(id) {
            self.asks_log_in = event.text("/errorText") == AUTH;
        }
        // An error page follows a failed document. Nothing follows a refused one (a download, no content).
        let refused = event.params.get("canceled").and_then(Value::as_bool).unwrap_or_default();
        if refused && self.document == DocumentProgress::Asked && self.document_request.as_deref() == Some(id)
        {
            self.document = DocumentProgress::Kept;
        }
    }

    fn handle_navigation_request(&mut self, event: &CdpEvent) {
        if !event.text("/navigationType").to_ascii_lowercase().contains("samedocument") {
            self.document = DocumentProgress::Asked;
        }
    }

    fn handle_navigated(&mut self, event: &CdpEvent) {
        self.requests.clear();
        self.released.clear();
        self.failed = None;
        self.blocked = None;
        self.document = match event.text("/type") {
            // Restored as it was: nothing is loaded.
            "BackForwardCacheRestore" => DocumentProgress::Loaded,
            _ => DocumentProgress::Reading,
        };
        let unreachable = event.text("/frame/unreachableUrl");
        if !unreachable.is_empty() {
            self.failed = Some(match self.url_policy.failure(unreachable) {
                Some(ConnectFailure::Blocked(why)) => self.url_policy.blocked(unreachable, why),
                Some(failure) => format!("{unreachable} cannot be reached: {}", failure.words()),
                None if self.asks_log_in => format!("{unreachable}: {}", ASKS_LOG_IN),
                None => format!("{unreachable} cannot be reached"),
            });
        }
        if let Some(message) = self.url_policy.blob_block_message(event.text("/frame/url")) {
            self.failed = Some(format!("{message}; the page is empty now"));
        }
    }

    fn progress(&mut self, to: DocumentProgress) {
        if matches!((self.document, to), (DocumentProgress::Reading | DocumentProgress::Parsed, _)) {
            self.document = to;
        }
    }

    fn handle_stopped_loading(&mut self) {
        match self.document {
            DocumentProgress::Asked => self.document = DocumentProgress::Kept,
            DocumentProgress::Reading | DocumentProgress::Parsed => self.document = DocumentProgress::Loaded,
            DocumentProgress::Kept | DocumentProgress::Loaded => {}
        }
    }
}

/// Reports whether the URL has a scheme that does not address a resource on the web.
fn is_unaddressable(url: &str) -> bool {
    ["data:", "file:", "filesystem:"].iter().any(|scheme| url.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn activity_after(events: &[(&str, Value)]) -> Activity {
        let mut activity =
            Activity::new("MAIN", UrlPolicy::new(|url| url.contains("inner").then_some("it is inside")));
        for (method, params) in events {
            activity.handle_event(&CdpEvent {
                method: (*method).to_owned(),
                session: None,
                params: params.clone(),
            });
        }
        activity
    }

    fn navigation_request() -> (&'static str, Value) {
        ("Page.frameStartedNavigating", json!({"frameId": "MAIN", "navigationType": "differentDocument"}))
    }

    fn response_received() -> (&'static str, Value) {
        ("Page.frameNavigated", json!({"frame": {"id": "MAIN"}, "type": "Navigation"}))
    }

    #[test]
    fn a_document_is_asked_for_read_parsed_and_loaded() {
        let (dcl, load) = (("Page.domContentEventFired", json!({})), ("Page.loadEventFired", json!({})));
        let all = [navigation_request(), response_received(), dcl, load];
        let stages = [
            DocumentProgress::Asked,
            DocumentProgress::Reading,
            DocumentProgress::Parsed,
            DocumentProgress::Loaded,
        ];
        for (count, stage) in (1..).zip(stages) {
            let activity = activity_after(&all[..count]);
            assert_eq!(activity.document, stage);
            assert_eq!(activity.is_navigating(), count < 3, "{stage:?}");
        }
    }

    #[test]
    fn a_load_without_a_document_leaves_the_old_one() {
        let request =
            ("Network.requestWillBeSent", json!({"requestId": "1", "frameId": "MAIN", "type": "Document"}));
        let refused = ("Network.loadingFailed", json!({"requestId": "1", "canceled": true}));
        assert_eq!(activity_after(&[request.clone(), refused]).document, DocumentProgress::Kept);
        let stopped = ("Page.frameStoppedLoading", json!({"frameId": "MAIN"}));
        assert_eq!(activity_after(&[navigation_request(), stopped]).document, DocumentProgress::Kept);
        let within = json!({"frameId": "MAIN", "navigationType": "sameDocument"});
        assert_eq!(
            activity_after(&[("Page.frameStartedNavigating", within)]).document,
            DocumentProgress::Kept
        );
        let other = json!({"frameId": "CHILD", "navigationType": "differentDocument"});
        assert_eq!(
            activity_after(&[("Page.frameStartedNavigating", other)]).document,
            DocumentProgress::Kept
        );
    }

    #[test]
    fn only_requests_that_change_text_are_waited_for() {
        let sent = |kind: &str| {
            ("Network.requestWillBeSent", json!({"requestId": "7", "frameId": "MAIN", "type": kind}))
        };
        for (kind, waits) in
            [("Fetch", true), ("XHR", true), ("Script", true), ("Image", false), ("EventSource", false)]
        {
            assert_eq!(activity_after(&[sent(kind)]).is_waiting(), waits, "{kind}");
        }
        let over = ("Network.loadingFinished", json!({"requestId": "7"}));
        assert!(!activity_after(&[sent("Fetch"), over]).is_waiting());
        assert!(
            !activity_after(&[sent("Fetch"), navigation_request(), response_received()])
                .requests
                .contains_key("7"),
            "it was the old page's"
        );
    }

    #[test]
    fn a_released_request_is_waited_for_until_it_ends() {
        for end in ["Network.loadingFinished", "Network.loadingFailed"] {
            let mut activity = activity_after(&[]);
            activity.expect_released("9");
            assert!(activity.is_waiting() && activity.awaits_released());
            let params = json!({"requestId": "9"});
            activity.handle_event(&CdpEvent { method: end.to_owned(), session: None, params });
            assert!(!activity.is_waiting(), "{end}");
        }
    }

    #[test]
    fn a_blocked_document_is_reported_and_leaves_the_old_one() {
        let sent = |url: &str, kind: &str| {
            let params = json!({"requestId": "1", "frameId": "MAIN", "type": kind, "request": {"url": url}});
            ("Network.requestWillBeSent", params)
        };
        let refused = ("Network.loadingFailed", json!({"requestId": "1", "canceled": true}));
        let to = [sent("http://open.test/", "Document"), sent("http://inner.test/", "Document"), refused];
        let activity = activity_after(&to);
        assert_eq!(activity.document, DocumentProgress::Kept);
        assert!(activity.blocked.is_some_and(|message| message.contains("http://inner.test/")));
        let notes =
            activity_after(&[sent("http://inner.test/a", "Fetch"), sent("http://inner.test/a", "Fetch")])
                .notes;
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(activity_after(&[sent("http://inner.test/favicon.ico", "Other")]).notes.is_empty());
    }

    #[test]
    fn error_pages_are_failed_loads() {
        let error = json!({"frame": {"id": "MAIN", "unreachableUrl": "http://x/"}});
        assert!(
            activity_after(&[("Page.frameNavigated", error)])
                .failed
                .is_some_and(|why| why.contains("http://x/"))
        );
    }
}
