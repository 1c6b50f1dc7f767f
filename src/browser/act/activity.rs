//! What a page set going since an action began, as told by its events: pure, so that every order of
//! events can be tested without a browser.

use crate::browser::closed::{Closed, Failure};
use crate::browser::wire::Event;
use crate::clock::Stopwatch;
use serde_json::Value;
use std::collections::HashMap;

/// A request without an answer for so long is a long poll, not an answer to the action.
const LONG_POLL_MS: u64 = 2000;

/// A page that opens dialogs without end is told of with that many.
const MOST_NOTES: usize = 8;

/// How Chromium says that nobody gave the name and the password that a site asks for.
pub const AUTH: &str = "net::ERR_INVALID_AUTH_CREDENTIALS";
pub const ASKS_LOG_IN: &str = "it asks for a name and a password before it shows anything (HTTP log-in), and the \
    agent has none for that; tell the person, or go elsewhere";

/// Where the main frame stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Document {
    /// The same one as before the action.
    #[default]
    Kept,
    /// Another one was asked for and has not come yet.
    Asked,
    /// Another one is being read.
    Reading,
    /// Its elements are all there; pictures may be on their way.
    Parsed,
    Loaded,
}

#[derive(Debug)]
pub struct Activity {
    main: String,
    /// Session of the page itself; events of its frames come by others.
    session: Option<String>,
    closed: Closed,
    pub document: Document,
    /// Why the document that came is an error page.
    pub failed: Option<String>,
    /// The document was to come from a closed address.
    pub blocked: Option<String>,
    /// What a person would tell of: downloads, closed addresses.
    pub notes: Vec<String>,
    /// A window was opened that will become another tab.
    pub window_opened: bool,
    /// The address changed without another document.
    pub moved_within: bool,
    requests: HashMap<String, Stopwatch>,
    document_request: Option<String>,
    /// The document's site asks for an HTTP log-in.
    asks_log_in: bool,
}

impl Activity {
    pub fn new(main_frame: impl Into<String>, closed: Closed) -> Self {
        Self {
            main: main_frame.into(),
            session: None,
            closed,
            document: Document::Kept,
            failed: None,
            blocked: None,
            notes: Vec::new(),
            window_opened: false,
            moved_within: false,
            requests: HashMap::new(),
            document_request: None,
            asks_log_in: false,
        }
    }

    /// Of a page that has that session: events of its frames come along.
    pub fn of(session: &str, main_frame: impl Into<String>, closed: Closed) -> Self {
        Self { session: Some(session.to_owned()), ..Self::new(main_frame, closed) }
    }

    /// Is another document on its way, so that what is seen now means nothing?
    pub fn is_navigating(&self) -> bool {
        match self.document {
            Document::Asked | Document::Reading => true,
            Document::Kept | Document::Parsed | Document::Loaded => false,
        }
    }

    /// Is an answer from the network still to come?
    pub fn is_waiting(&self) -> bool {
        self.document == Document::Parsed || self.requests.values().any(|since| since.millis() < LONG_POLL_MS)
    }

    pub fn hear(&mut self, event: &Event) {
        if let Some(note) = note_of(event, &self.main, &self.closed) {
            take_note(&mut self.notes, note);
        }
        match event.method.as_str() {
            "Network.requestWillBeSent" => self.request(event),
            // Chromium opens none of these for a page, and says no more of it than that it was to go there.
            "Page.frameScheduledNavigation" if self.is_main(event) && is_no_place(event.text("/url")) => {
                self.blocked = self.closed.told_of_page(event.text("/url"));
            }
            // Refused: told also where the request itself was not.
            "Fetch.requestPaused" if self.is_main(event) => {
                self.blocked = self.closed.told_of_page(event.text("/request/url"));
            }
            "Network.loadingFinished" => self.request_over(event.text("/requestId")),
            "Network.loadingFailed" => self.request_failed(event),
            "Page.windowOpen" => self.window_opened = true,
            "Page.frameNavigated" if event.params.pointer("/frame/parentId").is_none() => self.arrived(event),
            "Page.domContentEventFired" | "Page.loadEventFired" if event.session != self.session => {}
            "Page.domContentEventFired" => self.progress(Document::Parsed),
            "Page.loadEventFired" => self.progress(Document::Loaded),
            "Page.navigatedWithinDocument" if self.is_main(event) => self.moved_within = true,
            "Page.frameStartedNavigating" if self.is_main(event) => self.asked(event),
            "Page.frameStoppedLoading" if self.is_main(event) => self.stopped(),
            _ => {}
        }
    }

    fn is_main(&self, event: &Event) -> bool {
        event.text("/frameId") == self.main
    }

    fn request(&mut self, event: &Event) {
        let id = event.text("/requestId").to_owned();
        match event.text("/type") {
            "Document" if self.is_main(event) => {
                self.blocked = self.closed.told_of_page(event.text("/request/url"));
                self.document = Document::Asked;
                self.document_request = Some(id);
                self.asks_log_in = false;
            }
            "Document" | "XHR" | "Fetch" | "Script" | "Stylesheet" => {
                self.requests.insert(id, Stopwatch::start());
            }
            // Pictures, fonts, media, beacons, event streams and sockets change no text.
            _ => {}
        }
    }

    fn request_over(&mut self, id: &str) {
        self.requests.remove(id);
    }

    fn request_failed(&mut self, event: &Event) {
        let id = event.text("/requestId");
        self.request_over(id);
        if self.document_request.as_deref() == Some(id) {
            self.asks_log_in = event.text("/errorText") == AUTH;
        }
        // A document that failed is followed by an error page, one that was refused (a download, no
        // content) by nothing at all.
        let refused = event.params.get("canceled").and_then(Value::as_bool).unwrap_or_default();
        if refused && self.document == Document::Asked && self.document_request.as_deref() == Some(id) {
            self.document = Document::Kept;
        }
    }

    fn asked(&mut self, event: &Event) {
        if !event.text("/navigationType").to_ascii_lowercase().contains("samedocument") {
            self.document = Document::Asked;
        }
    }

    fn arrived(&mut self, event: &Event) {
        self.requests.clear();
        self.failed = None;
        self.blocked = None;
        self.document = match event.text("/type") {
            // Comes back as it was left: nothing is loaded.
            "BackForwardCacheRestore" => Document::Loaded,
            _ => Document::Reading,
        };
        let unreachable = event.text("/frame/unreachableUrl");
        if !unreachable.is_empty() {
            self.failed = Some(match self.closed.failure(unreachable) {
                Some(Failure::Closed(why)) => self.closed.blocked(unreachable, why),
                Some(failure) => format!("{unreachable} cannot be reached: {}", failure.words()),
                None if self.asks_log_in => format!("{unreachable}: {}", ASKS_LOG_IN),
                None => format!("{unreachable} cannot be reached"),
            });
        }
        if let Some(told) = self.closed.made_by_closed(event.text("/frame/url")) {
            self.failed = Some(format!("{told}; the page is empty now"));
        }
    }

    fn progress(&mut self, to: Document) {
        if matches!((self.document, to), (Document::Reading | Document::Parsed, _)) {
            self.document = to;
        }
    }

    fn stopped(&mut self) {
        match self.document {
            Document::Asked => self.document = Document::Kept,
            Document::Reading | Document::Parsed => self.document = Document::Loaded,
            Document::Kept | Document::Loaded => {}
        }
    }
}

/// Documents without a place on the web.
fn is_no_place(url: &str) -> bool {
    ["data:", "file:", "filesystem:"].iter().any(|scheme| url.starts_with(scheme))
}

/// What a person would tell of, if this event is such a thing.
pub fn note_of(event: &Event, main: &str, closed: &Closed) -> Option<String> {
    match event.method.as_str() {
        // Chromium's own wish for a page's icon is nobody's news.
        "Network.requestWillBeSent" if event.text("/type") != "Other" => {
            let url = event.text("/request/url");
            let page = event.text("/type") == "Document" && event.text("/frameId") == main;
            if page { closed.told_of_page(url) } else { closed.told(url) }
        }
        _ => None,
    }
}

/// Once each, and not without end: the newest stay. True if the oldest had to go.
pub fn take_note(notes: &mut Vec<String>, note: String) -> bool {
    if notes.contains(&note) {
        return false;
    }
    let full = notes.len() >= MOST_NOTES;
    if full {
        notes.remove(0);
    }
    notes.push(note);
    full
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn after(events: &[(&str, Value)]) -> Activity {
        let mut activity =
            Activity::new("MAIN", Closed::by(|url| url.contains("inner").then_some("it is inside")));
        for (method, params) in events {
            activity.hear(&Event { method: (*method).to_owned(), session: None, params: params.clone() });
        }
        activity
    }

    fn asked() -> (&'static str, Value) {
        ("Page.frameStartedNavigating", json!({"frameId": "MAIN", "navigationType": "differentDocument"}))
    }

    fn came() -> (&'static str, Value) {
        ("Page.frameNavigated", json!({"frame": {"id": "MAIN"}, "type": "Navigation"}))
    }

    #[test]
    fn a_document_is_asked_for_read_parsed_and_loaded() {
        let (dcl, load) = (("Page.domContentEventFired", json!({})), ("Page.loadEventFired", json!({})));
        let all = [asked(), came(), dcl, load];
        let stages = [Document::Asked, Document::Reading, Document::Parsed, Document::Loaded];
        for (count, stage) in (1..).zip(stages) {
            let activity = after(&all[..count]);
            assert_eq!(activity.document, stage);
            assert_eq!(activity.is_navigating(), count < 3, "{stage:?}");
        }
    }

    #[test]
    fn what_gives_no_document_leaves_the_old_one() {
        let request =
            ("Network.requestWillBeSent", json!({"requestId": "1", "frameId": "MAIN", "type": "Document"}));
        let refused = ("Network.loadingFailed", json!({"requestId": "1", "canceled": true}));
        assert_eq!(after(&[request.clone(), refused]).document, Document::Kept);
        let stopped = ("Page.frameStoppedLoading", json!({"frameId": "MAIN"}));
        assert_eq!(after(&[asked(), stopped]).document, Document::Kept);
        let within = json!({"frameId": "MAIN", "navigationType": "sameDocument"});
        assert_eq!(after(&[("Page.frameStartedNavigating", within)]).document, Document::Kept);
        let other = json!({"frameId": "CHILD", "navigationType": "differentDocument"});
        assert_eq!(after(&[("Page.frameStartedNavigating", other)]).document, Document::Kept);
    }

    #[test]
    fn only_requests_that_change_text_are_waited_for() {
        let sent = |kind: &str| {
            ("Network.requestWillBeSent", json!({"requestId": "7", "frameId": "MAIN", "type": kind}))
        };
        for (kind, waits) in
            [("Fetch", true), ("XHR", true), ("Script", true), ("Image", false), ("EventSource", false)]
        {
            assert_eq!(after(&[sent(kind)]).is_waiting(), waits, "{kind}");
        }
        let over = ("Network.loadingFinished", json!({"requestId": "7"}));
        assert!(!after(&[sent("Fetch"), over]).is_waiting());
        assert!(
            !after(&[sent("Fetch"), asked(), came()]).requests.contains_key("7"),
            "it was the old page's"
        );
    }

    #[test]
    fn a_document_of_a_closed_address_is_told_and_leaves_the_old_one() {
        let sent = |url: &str, kind: &str| {
            let params = json!({"requestId": "1", "frameId": "MAIN", "type": kind, "request": {"url": url}});
            ("Network.requestWillBeSent", params)
        };
        let refused = ("Network.loadingFailed", json!({"requestId": "1", "canceled": true}));
        let to = [sent("http://open.test/", "Document"), sent("http://inner.test/", "Document"), refused];
        let activity = after(&to);
        assert_eq!(activity.document, Document::Kept);
        assert!(activity.blocked.is_some_and(|told| told.contains("http://inner.test/")));
        let notes =
            after(&[sent("http://inner.test/a", "Fetch"), sent("http://inner.test/a", "Fetch")]).notes;
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(after(&[sent("http://inner.test/favicon.ico", "Other")]).notes.is_empty());
    }

    #[test]
    fn error_pages_are_told_of() {
        let error = json!({"frame": {"id": "MAIN", "unreachableUrl": "http://x/"}});
        assert!(after(&[("Page.frameNavigated", error)]).failed.is_some_and(|why| why.contains("http://x/")));
    }
}
