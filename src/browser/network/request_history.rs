//! History of the requests of a browser's pages: the kinds that a page sends by itself, and the last bodies. Pure.

use crate::browser::network::document_addresses::DocumentAddresses;
use crate::browser::network::request_judge::{EarlierBody, RequestTiming};
use crate::page::outgoing_request::OutgoingRequest;
use crate::page::outgoing_request::request_shape::{body_shape, query_shape};
use crate::page::site::{Site, site_of};
use crate::page::url::{path_pattern, strip_query};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet, VecDeque};
use url::Url;

/// Maximum number of kinds and of bodies that are remembered.
const MOST_KINDS: usize = 1000;
const MOST_BODIES: usize = 64;
/// Maximum number of sites that are remembered. Cookies bring at most [`MOST_KINDS`] at a time, so that there is room for those
/// that are opened.
const MOST_SITES: usize = 100_000;
/// Maximum number of requests whose sender is remembered.
const MOST_SENDERS: usize = 500;
/// Largest body that is remembered, or read for the kind of its request, in bytes.
const LARGEST_BODY: usize = 512 * 1024;
/// Maximum number of requests that are remembered as declined.
const MOST_DECLINED: usize = 1000;
/// Number of times after which a declined request is not asked about again.
const DECLINED_FOR_GOOD: u32 = 2;
/// Shortest last part of a path that names the same thing under another address, in bytes.
const SHORTEST_SPECIAL_NAME: usize = 10;

/// Sender of a request of a page's top document that does not tell its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenSender {
    Present,
    /// A document that the page has left.
    Left,
    /// Chromium has not told yet, and tells nothing about some requests of documents that are left.
    Unknown,
}

/// Place where Chromium keeps an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerPlace {
    /// CDP session of the document or worker that got it.
    pub session: String,
    /// Id of its request in CDP's network events.
    pub network_id: String,
}

/// History of the requests of all pages of one browser.
#[derive(Debug, Default)]
pub struct RequestHistory {
    /// Pages on whose document the agent has acted, by target id.
    acted: HashSet<String>,
    /// Pages among them on which it has acted itself: other windows only hear of that.
    acted_directly: HashSet<String>,
    /// Page that has opened the first window of those that can call each other, by target id of each.
    window_groups: HashMap<String, String>,
    /// Addresses of the documents that the agent has acted on and that pages have left, by target id.
    left: HashMap<String, DocumentAddresses>,
    /// Pages that the agent has acted on and that are gone.
    acted_and_gone: HashSet<String>,
    /// Origins of all documents that the agent has acted on: their workers may go on later than they.
    acted_origins: HashSet<String>,
    /// Addresses of the present documents, by target id.
    documents: HashMap<String, DocumentAddresses>,
    /// Sites of all top documents so far, and of the cookies that the browser was given.
    visited_sites: HashSet<Site>,
    /// Loaders of the present documents, by target id.
    loaders: HashMap<String, String>,
    /// Loaders of the documents that have sent the last requests, by the network ids of these, oldest first.
    senders: VecDeque<(String, String)>,
    /// Kinds of requests that pages sent before any action.
    own_kinds: HashSet<String>,
    /// Last bodies by method and address without query, oldest first.
    bodies: VecDeque<(String, EarlierBody)>,
    /// Last answers by address without query, oldest first.
    answers: VecDeque<(String, AnswerPlace)>,
    /// Kinds of requests that a person declined since the last action.
    declined_kinds: HashSet<String>,
    /// Requests that a person declined, by their hash, with the number of times.
    declined: HashMap<String, u32>,
}

impl RequestHistory {
    /// Records that the agent acts on the document of this page. What a person declined before is asked about again
    /// if the action may be meant to repeat it.
    pub fn begin_action(&mut self, page: &str, may_repeat: bool) {
        self.acted.insert(page.to_owned());
        self.acted_directly.insert(page.to_owned());
        // Other documents of the site may hear of it: by a broadcast channel, or by storage.
        let site = site_of(self.document_url(page));
        let is_beside = |url: &str| site.is_some() && site_of(url) == site;
        let beside =
            self.documents.iter().filter(|(_, of)| is_beside(&of.top)).map(|(page, _)| page.as_str());
        // Windows that scripts have opened may hear of it too, and their openers, of whatever site: they call each other.
        let groups: HashSet<&str> = beside.chain([page]).map(|page| self.window_group(page)).collect();
        let hearing = self
            .documents
            .iter()
            .filter(|(page, of)| is_beside(&of.top) || groups.contains(self.window_group(page)));
        let hearing: Vec<String> = hearing.map(|(page, _)| page.clone()).collect();
        for page in &hearing {
            self.acted_origins.extend(origin_of(self.document_url(page)));
        }
        self.acted.extend(hearing);
        if may_repeat {
            self.declined_kinds.clear();
        }
    }

    /// Forgets what a person declined.
    pub fn forget_declined(&mut self) {
        self.declined_kinds.clear();
        self.declined.clear();
    }

    /// Records that a person declined a request of which only the kind is known.
    pub fn record_declined_kind(&mut self, kind: &str) {
        self.declined_kinds.insert(kind.to_owned());
    }

    /// Records that a person declined a request.
    pub fn record_declined(&mut self, request: &OutgoingRequest, kind: &str) {
        self.record_declined_kind(kind);
        if self.declined.len() == MOST_DECLINED {
            self.declined.clear();
        }
        *self.declined.entry(hash_request(request)).or_default() += 1;
    }

    /// Reports whether a page repeats by itself what a person declined: a request of that kind before the next
    /// action, or the very request that was declined twice.
    pub fn is_declined(&self, request: &OutgoingRequest, kind: &str) -> bool {
        self.declined_kinds.contains(kind)
            || (!self.declined.is_empty()
                && self.declined.get(&hash_request(request)).is_some_and(|times| *times >= DECLINED_FOR_GOOD))
    }

    /// Records that a page has opened this one. An acted page may write into its empty document, and, if they are linked, call
    /// it later.
    pub fn record_opened(&mut self, page: &str, opener: &str, is_linked: bool) {
        if is_linked && !opener.is_empty() {
            let group = self.window_group(opener).to_owned();
            self.window_groups.insert(page.to_owned(), group);
        }
        if self.acted.contains(opener) {
            self.acted.insert(page.to_owned());
        }
    }

    /// Returns the page that has opened the first of the windows that can call this one.
    fn window_group<'a>(&'a self, page: &'a str) -> &'a str {
        self.window_groups.get(page).map_or(page, String::as_str)
    }

    /// Reports whether a document on which the agent has acted itself can call the documents of this page.
    fn is_driven(&self, page: &str) -> bool {
        let group = self.window_group(page);
        self.acted_directly.iter().any(|other| other != page && self.window_group(other) == group)
    }

    /// Records that the page has another document, on which nothing has acted; a document that loads itself again
    /// goes on with what the agent did there, and so does one that an acted document can call.
    pub fn begin_document(&mut self, page: &str, url: &str) {
        let is_again = strip_query(self.document_url(page)) == strip_query(url);
        if !is_again && !is_made_by_page(url) {
            self.acted_directly.remove(page);
        }
        if !is_again && !is_made_by_page(url) && !self.is_driven(page) {
            let left = self.documents.remove(page).filter(|_| self.acted.contains(page));
            self.acted.remove(page);
            match left {
                Some(left) => drop(self.left.insert(page.to_owned(), left)),
                None => drop(self.left.remove(page)),
            }
        }
        self.record_address(page, url, true);
        if self.visited_sites.len() < MOST_SITES {
            self.visited_sites.extend(site_of(url));
        }
    }

    /// Records an address of a page's present document, or of a frame in it.
    pub fn record_address(&mut self, page: &str, url: &str, is_top: bool) {
        let addresses = self.documents.entry(page.to_owned()).or_default();
        addresses.add(url);
        if is_top {
            url.clone_into(&mut addresses.top);
        }
    }

    /// Records the loader of a page's present document.
    pub fn record_loader(&mut self, page: &str, loader: &str) {
        self.loaders.insert(page.to_owned(), loader.to_owned());
    }

    /// Records the loader of the document that sends a request.
    pub fn record_sender(&mut self, network_id: &str, loader: &str) {
        if self.senders.len() == MOST_SENDERS {
            self.senders.pop_front();
        }
        self.senders.push_back((network_id.to_owned(), loader.to_owned()));
    }

    /// True if the page has left a document on which the agent has acted, which may still send something.
    pub fn has_left(&self, page: &str) -> bool {
        self.left.contains_key(page)
    }

    /// Returns the document of a page that sends a request without telling its address.
    pub fn hidden_sender(&self, page: &str, network_id: &str) -> HiddenSender {
        match self.senders.iter().rev().find(|(id, _)| id == network_id) {
            Some((_, loader)) if self.loaders.get(page) == Some(loader) => HiddenSender::Present,
            Some(_) => HiddenSender::Left,
            None => HiddenSender::Unknown,
        }
    }

    /// Records sites whose cookies the browser was given.
    pub fn record_cookies(&mut self, cookies: &[Value]) {
        let domains = cookies.iter().filter_map(|cookie| cookie["domain"].as_str());
        let sites =
            domains.filter_map(|domain| site_of(&format!("https://{}", domain.trim_start_matches('.'))));
        self.visited_sites.extend(sites.take(MOST_KINDS));
    }

    /// Reports whether a page of the site of this address was opened.
    pub fn has_visited_site_of(&self, url: &str) -> bool {
        site_of(url).is_some_and(|site| self.visited_sites.contains(&site))
    }

    /// Forgets a page that is gone, except that the agent has acted on it: its last requests may still come.
    pub fn forget_page(&mut self, page: &str) {
        if self.acted.remove(page) && self.acted_and_gone.len() < MOST_KINDS {
            self.acted_and_gone.insert(page.to_owned());
        }
        self.acted_directly.remove(page);
        self.window_groups.remove(page);
        self.loaders.remove(page);
        self.documents.remove(page);
        self.left.remove(page);
    }

    /// Records that what follows is caused by a person, who has taken the pages over.
    pub fn begin_takeover(&mut self) {
        self.acted.clear();
        self.acted_directly.clear();
        self.acted_origins.clear();
    }

    /// Returns the address of the top document of a page; empty if unknown.
    pub fn document_url(&self, page: &str) -> &str {
        self.documents.get(page).map(|addresses| addresses.top.as_str()).unwrap_or_default()
    }

    /// Returns the relation of a request to the agent's actions, and remembers its kind if it came before any.
    /// A worker without a page counts as acted on once any page is. `document` is the sender's address; it may be that of
    /// the page's previous document.
    pub fn timing(&mut self, kind: &str, page: Option<&str>, document: &str) -> RequestTiming {
        let is_acted_on = self.is_acted_on(page, document);
        if !is_acted_on {
            if self.own_kinds.len() < MOST_KINDS {
                self.own_kinds.insert(kind.to_owned());
            }
            return RequestTiming::BeforeAction;
        }
        if self.own_kinds.contains(kind) { RequestTiming::OfKnownKind } else { RequestTiming::AfterAction }
    }

    /// Returns the timing of a request of unknown kind, which never counts as one of the page's own.
    pub fn timing_of_unknown(&self) -> RequestTiming {
        if self.is_acted_on(None, "") { RequestTiming::AfterAction } else { RequestTiming::BeforeAction }
    }

    fn is_acted_on(&self, page: Option<&str>, document: &str) -> bool {
        let Some(page) = page else {
            // A worker without a page goes on with what a document of its site told it, also when that is left.
            let is_present =
                self.documents.values().any(|present| strip_query(&present.top) == strip_query(document));
            let is_of_left =
                || self.left.values().any(|left| left.may_be(document) || left.share_origin(document));
            let is_told = || origin_of(document).is_some_and(|origin| self.acted_origins.contains(&origin));
            return !self.acted.is_empty() || (!is_present && (is_of_left() || is_told()));
        };
        // The present document at the root of its site gives the same address as one that tells only its origin.
        let is_present = strip_query(self.document_url(page)) == strip_query(document);
        let is_of_left = || !is_present && self.left.get(page).is_some_and(|left| left.may_be(document));
        self.acted.contains(page) || self.acted_and_gone.contains(page) || is_of_left()
    }

    /// Returns the last body that was sent by the same method to the same path.
    pub fn earlier_body(&self, request: &OutgoingRequest) -> Option<EarlierBody> {
        // All messages of a socket have one address: the last one says nothing about the next.
        if request.is_message() {
            return None;
        }
        let key = body_key(request);
        self.bodies.iter().rev().find(|(of, _)| *of == key).map(|(_, body)| body.clone())
    }

    /// Returns true if a request deletes a thing that the page has stored itself, by a body that left: at the same
    /// address, or under the same name, if that is too special to be another thing's.
    pub fn stored_before(&self, request: &OutgoingRequest) -> bool {
        let Some(deleted) = Url::parse(&request.url).ok().filter(|_| request.method == "DELETE") else {
            return false;
        };
        self.bodies.iter().any(|(key, _)| {
            let stored =
                key.split_once(' ').filter(|(method, _)| matches!(*method, "PUT" | "PATCH" | "POST"));
            stored
                .and_then(|(_, url)| Url::parse(url).ok())
                .is_some_and(|url| names_same_thing(&url, &deleted))
        })
    }

    /// Remembers where the answer from an address is kept.
    pub fn record_answer(&mut self, url: &str, place: AnswerPlace) {
        let url = strip_query(url);
        self.answers.retain(|(of, _)| of != url);
        if self.answers.len() == MOST_BODIES {
            self.answers.pop_front();
        }
        self.answers.push_back((url.to_owned(), place));
    }

    /// Returns the place of the last answer from the address at which a request stores a state.
    pub fn find_answer(&self, request: &OutgoingRequest) -> Option<AnswerPlace> {
        let url = strip_query(&request.url);
        let stores = matches!(request.method.as_str(), "PUT" | "PATCH");
        self.answers.iter().find(|(of, _)| stores && of == url).map(|(_, place)| place.clone())
    }

    /// Remembers the body of a request that left.
    pub fn record_sent(&mut self, request: &OutgoingRequest) {
        let body = request.body.as_ref().filter(|body| body.len() <= LARGEST_BODY && !request.is_message());
        let Some(body) = body else { return };
        let key = body_key(request);
        self.bodies.retain(|(of, _)| *of != key);
        if self.bodies.len() == MOST_BODIES {
            self.bodies.pop_front();
        }
        let content_type = request.content_type.clone();
        self.bodies.push_back((key, EarlierBody { content_type, body: body.clone() }));
    }
}

fn origin_of(url: &str) -> Option<String> {
    let origin = Url::parse(url).ok()?.origin();
    origin.is_tuple().then(|| origin.ascii_serialization())
}

/// True for documents that another page writes itself: what it was told goes on in them.
fn is_made_by_page(url: &str) -> bool {
    ["about:", "blob:", "data:"].iter().any(|scheme| url.starts_with(scheme))
}

fn hash_request(request: &OutgoingRequest) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{} {}\n", request.method, request.url));
    hash.update(request.body.as_deref().unwrap_or_default());
    format!("{:x}", hash.finalize())
}

fn names_same_thing(one: &Url, other: &Url) -> bool {
    let name = |url: &Url| url.path_segments().and_then(|mut parts| parts.next_back()).map(str::to_owned);
    let is_special = |name: &String| name.len() >= SHORTEST_SPECIAL_NAME;
    let has_same_name = || name(one).filter(is_special).is_some_and(|own| name(other) == Some(own));
    one.origin() == other.origin() && (one.path() == other.path() || has_same_name())
}

fn body_key(request: &OutgoingRequest) -> String {
    format!("{} {}", request.method, strip_query(&request.url))
}

/// Returns the kind of a request: method, destination, path pattern, and the shape of what it carries.
pub fn request_kind(request: &OutgoingRequest) -> String {
    let url = Url::parse(&request.url).ok();
    let address = url.as_ref().map_or_else(
        || request.url.clone(),
        |url| format!("{}{} {}", url.origin().ascii_serialization(), path_pattern(url), query_shape(url)),
    );
    let body = match request.body.as_deref() {
        Some(body) if body.len() > LARGEST_BODY => hash_request(request),
        Some(body) => body_shape(&request.content_type, body),
        None => String::new(),
    };
    format!("{} {address} {body}", request.method)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::outgoing_request::HIDDEN_DOCUMENT;
    use serde_json::json;

    fn post(url: &str, body: &str) -> OutgoingRequest {
        OutgoingRequest {
            method: String::from("POST"),
            url: url.to_owned(),
            content_type: String::from("application/json"),
            body: Some(body.as_bytes().to_vec()),
            ..OutgoingRequest::default()
        }
    }

    // A document that hides its address is not taken for an empty tab, and cookies leave room for the sites that are opened.
    #[test]
    fn an_empty_tab_and_many_cookies_hide_nothing() {
        let mut history = RequestHistory::default();
        history.begin_document("T", "http://a.test/desk");
        history.begin_action("T", true);
        history.begin_document("T", "http://b.test/");
        history.begin_document("N", "about:blank");
        assert_eq!(history.timing("kind", None, HIDDEN_DOCUMENT), RequestTiming::AfterAction);
        let cookies: Vec<Value> =
            (0..2 * MOST_KINDS).map(|n| json!({"domain": format!(".s{n}.test")})).collect();
        history.record_cookies(&cookies);
        history.begin_document("T", "https://bank.test/");
        assert!(history.has_visited_site_of("https://bank.test/pay"));
    }

    #[test]
    fn what_a_page_sent_before_any_action_stays_its_own() {
        let mut history = RequestHistory::default();
        let timing = |history: &mut RequestHistory, request: &OutgoingRequest, page: Option<&str>| {
            history.timing(&request_kind(request), page, "")
        };
        let (beat, query) = (
            post("http://a.test/beat/1", r#"{"at":1}"#),
            post("http://a.test/graphql", r#"{"operationName":"List","variables":{}}"#),
        );
        assert_eq!(timing(&mut history, &beat, Some("T")), RequestTiming::BeforeAction);
        assert_eq!(timing(&mut history, &query, Some("T")), RequestTiming::BeforeAction);
        history.begin_action("T", true);
        let later = post("http://a.test/beat/2", r#"{"at":7,"modified":"20261127"}"#);
        assert_eq!(timing(&mut history, &later, Some("T")), RequestTiming::OfKnownKind);
        assert_eq!(timing(&mut history, &query, None), RequestTiming::OfKnownKind);
        for other in [
            post("http://a.test/graphql", r#"{"operationName":"Pay","variables":{}}"#),
            post("http://a.test/beat/2", r#"{"at":7,"to":"x"}"#),
            post("http://b.test/beat/1", r#"{"at":1}"#),
            OutgoingRequest { method: String::from("DELETE"), ..later.clone() },
        ] {
            assert_eq!(timing(&mut history, &other, Some("T")), RequestTiming::AfterAction, "{other:?}");
        }
        history.begin_document("T", "blob:http://a.test/7");
        let new = post("http://a.test/new", "{}");
        assert_eq!(timing(&mut history, &new, Some("T")), RequestTiming::AfterAction, "written by a page");
        history.begin_document("T", "http://a.test/next");
        assert_eq!(
            timing(&mut history, &post("http://a.test/new", "{}"), Some("T")),
            RequestTiming::BeforeAction
        );
    }

    // S1.25: what a document sends as it is left belongs to the agent's action there, whatever address it has by then.
    #[test]
    fn requests_of_a_left_document_belong_to_the_action() {
        let mut history = RequestHistory::default();
        history.begin_document("T", "http://a.test/shop?x=1");
        history.record_address("T", "http://frame.test/pay", false);
        history.begin_action("T", true);
        history.record_address("T", "http://a.test/shop/cart", true);
        history.begin_document("T", "http://a.test/next");
        let mut timing = |document: &str, page: Option<&str>| {
            history.timing(&request_kind(&post("http://a.test/order", "{}")), page, document)
        };
        for document in
            ["http://a.test/next", "http://a.test/next?y=1", "http://b.test/", "http://a.test.b/", ""]
        {
            assert_eq!(timing(document, Some("T")), RequestTiming::BeforeAction, "{document}");
        }
        let mut timing = |document: &str, page: Option<&str>| {
            history.timing(&request_kind(&post("http://a.test/late", "{}")), page, document)
        };
        for document in [
            "http://a.test/shop",
            "http://a.test/shop/cart?z=2",
            "http://frame.test/pay",
            "http://frame.test",
            "http://a.test/",
            HIDDEN_DOCUMENT,
        ] {
            assert_eq!(timing(document, Some("T")), RequestTiming::AfterAction, "{document}");
            assert_eq!(timing(document, None), RequestTiming::AfterAction, "{document}");
        }
        assert_eq!(
            timing("http://a.test/worker.js", None),
            RequestTiming::AfterAction,
            "a worker of the site"
        );
        assert_eq!(timing("http://b.test/worker.js", None), RequestTiming::BeforeAction);
        assert_eq!(timing("http://a.test/next", None), RequestTiming::BeforeAction);
        history.begin_document("T", "http://a.test/next/again");
        assert_eq!(history.timing("kind", Some("T"), "http://a.test/shop"), RequestTiming::BeforeAction);
    }

    // S1.25: a service worker lives longer than the pages that told it something.
    #[test]
    fn a_worker_of_a_site_that_was_acted_on_stays_acted_on() {
        let mut history = RequestHistory::default();
        history.begin_document("T", "http://a.test/desk");
        history.begin_action("T", true);
        for url in ["http://b.test/1", "http://b.test/2"] {
            history.begin_document("T", url);
        }
        let mut timing = |document: &str| history.timing("kind", None, document);
        assert_eq!(timing("http://a.test/worker.js"), RequestTiming::AfterAction);
        assert_eq!(timing("http://b.test/worker.js"), RequestTiming::BeforeAction);
    }

    #[test]
    fn a_document_that_loads_itself_under_a_new_address_stays_acted_on() {
        let mut history = RequestHistory::default();
        history.begin_document("T", "http://a.test/shop");
        history.begin_action("T", true);
        history.record_address("T", "http://a.test/cart", true);
        history.begin_document("T", "http://a.test/cart?again");
        assert_eq!(history.timing("kind", Some("T"), "http://a.test/cart"), RequestTiming::AfterAction);
    }

    #[test]
    fn what_a_person_declined_is_not_asked_about_until_the_next_action() {
        let mut history = RequestHistory::default();
        let [one, other] =
            ["one", "other"].map(|text| post("http://a.test/send", &format!(r#"{{"text":"{text}"}}"#)));
        let kind = request_kind(&one);
        assert!(!history.is_declined(&one, &kind));
        history.record_declined(&one, &kind);
        assert!(history.is_declined(&one, &kind) && history.is_declined(&other, &kind));
        assert!(!history.is_declined(&post("http://a.test/else", "{}"), "another kind"));
        history.begin_action("T", false);
        assert!(history.is_declined(&one, &kind), "only scrolled");
        history.begin_action("T", true);
        assert!(!history.is_declined(&one, &kind));
        history.record_declined(&one, &kind);
        history.begin_action("T", true);
        assert!(history.is_declined(&one, &kind), "the very same, declined twice");
        assert!(!history.is_declined(&other, &kind));
    }

    #[test]
    fn what_is_of_unknown_kind_is_never_the_pages_own() {
        let mut history = RequestHistory::default();
        assert_eq!(history.timing_of_unknown(), RequestTiming::BeforeAction);
        history.timing("", None, "");
        history.begin_action("T", true);
        assert_eq!(history.timing_of_unknown(), RequestTiming::AfterAction);
    }

    #[test]
    fn an_action_reaches_the_other_documents_of_the_site() {
        let mut history = RequestHistory::default();
        for (page, url) in [("T", "http://a.test/1"), ("U", "http://a.test/2"), ("V", "http://b.test/3")] {
            history.begin_document(page, url);
        }
        history.begin_action("T", true);
        assert_eq!(history.timing("kind", Some("U"), ""), RequestTiming::AfterAction);
        assert_eq!(history.timing("kind", Some("V"), ""), RequestTiming::BeforeAction);
    }

    #[test]
    fn a_page_that_is_gone_stays_acted_on() {
        let mut history = RequestHistory::default();
        history.begin_action("T", true);
        history.forget_page("T");
        history.forget_page("U");
        assert_eq!(history.timing("kind", Some("T"), ""), RequestTiming::AfterAction);
        assert_eq!(history.timing("kind", Some("U"), ""), RequestTiming::BeforeAction);
    }

    // A socket has one address for all that is sent by it.
    #[test]
    fn messages_are_told_apart_by_their_shape() {
        let message = |text: &str| OutgoingRequest {
            method: String::from("MESSAGE"),
            ..post("ws://a.test/live", text)
        };
        let mut history = RequestHistory::default();
        history.timing(&request_kind(&message(r#"{"type":"cursor","at":{"x":1}}"#)), Some("T"), "");
        history.begin_action("T", true);
        for (text, timing) in [
            (r#"{"type":"cursor","at":{"x":9}}"#, RequestTiming::OfKnownKind),
            (r#"{"type":"order","at":{"x":9}}"#, RequestTiming::AfterAction),
            (r#"{"type":"cursor","at":{"op":"erase"}}"#, RequestTiming::AfterAction),
        ] {
            assert_eq!(history.timing(&request_kind(&message(text)), Some("T"), ""), timing, "{text}");
        }
        history.record_sent(&message("{}"));
        assert_eq!(history.earlier_body(&message("{}")), None);
    }

    #[test]
    fn things_that_the_page_stored_itself_are_known() {
        let delete =
            |url: &str| OutgoingRequest { method: String::from("DELETE"), body: None, ..post(url, "") };
        let mut history = RequestHistory::default();
        for path in ["recipes/Draft%20of%20'Sun'", "drafts/5"] {
            let stored = post(&format!("http://a.test/{path}"), "{}");
            history.record_sent(&OutgoingRequest { method: String::from("PUT"), ..stored });
        }
        for (url, is_known) in [
            ("http://a.test/bags/Draft%20of%20'Sun'", true),
            ("http://a.test/drafts/5", true),
            ("http://a.test/notes/5", false),
            ("http://a.test/drafts/6", false),
            ("http://b.test/drafts/5", false),
        ] {
            assert_eq!(history.stored_before(&delete(url)), is_known, "{url}");
        }
        assert!(!history.stored_before(&post("http://a.test/drafts/5", "{}")));
    }

    #[test]
    fn the_last_body_of_the_same_path_is_kept() {
        let mut history = RequestHistory::default();
        for n in 0..2 * MOST_BODIES {
            history.record_sent(&post(&format!("http://a.test/{n}"), "{}"));
        }
        history.record_sent(&post("http://a.test/board?v=1", r#"{"a":1}"#));
        history.record_sent(&post("http://a.test/board?v=2", r#"{"a":2}"#));
        let earlier = history.earlier_body(&post("http://a.test/board?v=3", "{}")).unwrap();
        assert_eq!(earlier.body, br#"{"a":2}"#);
        assert_eq!(history.earlier_body(&post("http://a.test/0", "{}")), None, "the oldest is dropped");
        assert_eq!(history.bodies.len(), MOST_BODIES);
    }

    #[test]
    fn a_page_goes_on_after_an_action_in_its_windows_and_when_it_loads_again() {
        let timing =
            |history: &mut RequestHistory, page: &str| history.timing("POST http://a.test/x", Some(page), "");
        let mut history = RequestHistory::default();
        history.begin_document("T", "http://a.test/desk");
        history.begin_action("T", true);
        history.record_opened("W", "T", true);
        history.begin_document("W", "about:blank");
        history.record_opened("X", "elsewhere", true);
        history.begin_document("T", "http://a.test/desk?again=1");
        assert_eq!(timing(&mut history, "T"), RequestTiming::AfterAction, "it loaded itself again");
        assert_eq!(timing(&mut history, "W"), RequestTiming::AfterAction, "its opener writes into it");
        history.begin_document("T", "http://a.test/next");
        history.begin_document("W", "http://a.test/print");
        for page in ["T", "W", "X"] {
            assert_eq!(timing(&mut history, page), RequestTiming::BeforeAction, "{page}");
        }
    }

    // S1.25: an opener calls its windows at any time later, and they call it.
    #[test]
    fn windows_that_can_call_an_acted_document_go_on_with_the_action() {
        // Each request is of another kind: one that was sent before the action is a page's own.
        let mut asked = 0;
        let mut timing = |history: &mut RequestHistory, page: &str| {
            asked += 1;
            history.timing(&format!("POST http://a.test/{asked}"), Some(page), "")
        };
        let mut history = RequestHistory::default();
        history.begin_document("T", "http://a.test/desk");
        history.begin_action("T", true);
        history.record_opened("W", "T", true);
        history.record_opened("Alone", "T", false);
        history.begin_document("Alone", "http://a.test/alone");
        for url in ["http://b.test/print", "http://b.test/print/2"] {
            history.begin_document("W", url);
            assert_eq!(timing(&mut history, "W"), RequestTiming::AfterAction, "its opener calls it");
        }
        assert_eq!(timing(&mut history, "Alone"), RequestTiming::BeforeAction, "nobody can call it");
        history.begin_document("T", "http://a.test/next");
        assert_eq!(timing(&mut history, "T"), RequestTiming::BeforeAction);
        history.begin_action("W", true);
        assert_eq!(timing(&mut history, "T"), RequestTiming::AfterAction, "its window calls it");
        history.begin_document("T", "http://a.test/last");
        assert_eq!(timing(&mut history, "T"), RequestTiming::AfterAction, "also on its next page");
        history.forget_page("W");
        history.begin_document("T", "http://a.test/alone");
        assert_eq!(timing(&mut history, "T"), RequestTiming::BeforeAction, "the window is closed");
    }

    // S1.25: a document may hide its address in its last requests; so may the next one, of which Chromium tells.
    #[test]
    fn requests_that_tell_no_address_belong_to_the_document_that_sent_them() {
        let mut history = RequestHistory::default();
        history.begin_document("T", "http://a.test/desk");
        history.record_loader("T", "L1");
        history.begin_action("T", true);
        history.begin_document("T", "http://a.test/next");
        history.record_loader("T", "L2");
        history.record_sender("2", "L1");
        history.record_sender("3", "L2");
        for (id, sender) in
            [("1", HiddenSender::Unknown), ("2", HiddenSender::Left), ("3", HiddenSender::Present)]
        {
            assert_eq!(history.hidden_sender("T", id), sender, "{id}");
        }
        (0..2 * MOST_SENDERS).for_each(|number| history.record_sender(&format!("more{number}"), "L2"));
        assert_eq!(history.senders.len(), MOST_SENDERS);
    }

    #[test]
    fn sites_with_pages_or_cookies_count_as_visited() {
        let mut history = RequestHistory::default();
        history.begin_document("T", "https://www.bank.test/start");
        history.record_cookies(&[serde_json::json!({"domain": ".mail.test", "name": "s"})]);
        for (url, is_visited) in [
            ("https://api.bank.test/pay", true),
            ("https://in.mail.test/send", true),
            ("https://cdn.elsewhere.test/x", false),
        ] {
            assert_eq!(history.has_visited_site_of(url), is_visited, "{url}");
        }
    }

    #[test]
    fn a_stored_state_is_compared_with_the_last_answer_from_its_address() {
        let mut history = RequestHistory::default();
        let place = |id: &str| AnswerPlace { session: String::from("S"), network_id: id.to_owned() };
        history.record_answer("http://a.test/will?v=1", place("1"));
        history.record_answer("http://a.test/will?v=2", place("2"));
        let mut put = post("http://a.test/will", "{}");
        assert_eq!(history.find_answer(&put), None, "a POST stores no state at its address");
        put.method = String::from("PUT");
        assert_eq!(history.find_answer(&put), Some(place("2")));
    }

    #[test]
    fn a_document_that_is_left_may_still_send() {
        let mut history = RequestHistory::default();
        history.begin_document("T", "http://a.test/desk");
        history.begin_action("T", true);
        history.begin_document("T", "http://a.test/next");
        let timing =
            |history: &mut RequestHistory, document: &str| history.timing("POST x", Some("T"), document);
        assert_eq!(timing(&mut history, "http://a.test/desk?a=1"), RequestTiming::AfterAction);
        assert_eq!(timing(&mut history, "http://a.test/next"), RequestTiming::BeforeAction);
        history.begin_document("T", "http://a.test/desk");
        assert_eq!(
            timing(&mut history, "http://a.test/desk"),
            RequestTiming::BeforeAction,
            "it is open again"
        );
    }
}
