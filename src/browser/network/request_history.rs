//! History of the requests of a browser's pages: the kinds that a page sends by itself, and the last bodies. Pure.

use crate::browser::network::request_judge::{EarlierBody, RequestTiming};
use crate::page::outgoing_request::OutgoingRequest;
use crate::page::request_body::{names_stamp, tells_calls_apart};
use crate::page::socket_message::shape::message_shape;
use crate::page::url::path_pattern;
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};
use url::Url;

/// Maximum number of kinds and of bodies that are remembered.
const MOST_KINDS: usize = 1000;
const MOST_BODIES: usize = 64;
/// Largest body that is remembered, in bytes.
const LARGEST_BODY: usize = 512 * 1024;
/// Shortest last part of a path that names the same thing under another address, in bytes.
const SHORTEST_SPECIAL_NAME: usize = 10;

/// History of the requests of all pages of one browser.
#[derive(Debug, Default)]
pub struct RequestHistory {
    /// Pages on whose document the agent has acted, by target id.
    acted: HashSet<String>,
    /// Addresses of the top documents, by target id.
    documents: HashMap<String, String>,
    /// Kinds of requests that pages sent before any action.
    own_kinds: HashSet<String>,
    /// Last bodies by method and address without query, oldest first.
    bodies: VecDeque<(String, EarlierBody)>,
}

impl RequestHistory {
    /// Records that the agent acts on the document of this page.
    pub fn begin_action(&mut self, page: &str) {
        self.acted.insert(page.to_owned());
    }

    /// Records that the page has another document, on which nothing has acted.
    pub fn begin_document(&mut self, page: &str, url: &str) {
        self.acted.remove(page);
        self.documents.insert(page.to_owned(), url.to_owned());
    }

    /// Forgets a page that is gone.
    pub fn forget_page(&mut self, page: &str) {
        self.acted.remove(page);
        self.documents.remove(page);
    }

    /// Records that what follows is caused by a person, who has taken the pages over.
    pub fn begin_takeover(&mut self) {
        self.acted.clear();
    }

    /// Returns the address of the top document of a page; empty if unknown.
    pub fn document_url(&self, page: &str) -> &str {
        self.documents.get(page).map(String::as_str).unwrap_or_default()
    }

    /// Returns the relation of a request to the agent's actions, and remembers its kind if it came before any.
    /// A worker without a page counts as acted on as soon as any page is.
    pub fn timing(&mut self, request: &OutgoingRequest, page: Option<&str>) -> RequestTiming {
        let is_acted_on = page.map_or(!self.acted.is_empty(), |page| self.acted.contains(page));
        let kind = request_kind(request);
        if !is_acted_on {
            if self.own_kinds.len() < MOST_KINDS {
                self.own_kinds.insert(kind);
            }
            return RequestTiming::BeforeAction;
        }
        if self.own_kinds.contains(&kind) { RequestTiming::OfKnownKind } else { RequestTiming::AfterAction }
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

fn names_same_thing(one: &Url, other: &Url) -> bool {
    let name = |url: &Url| url.path_segments().and_then(|mut parts| parts.next_back()).map(str::to_owned);
    let is_special = |name: &String| name.len() >= SHORTEST_SPECIAL_NAME;
    let has_same_name = || name(one).filter(is_special).is_some_and(|own| name(other) == Some(own));
    one.origin() == other.origin() && (one.path() == other.path() || has_same_name())
}

fn body_key(request: &OutgoingRequest) -> String {
    format!("{} {}", request.method, crate::page::url::strip_query(&request.url))
}

/// Returns the kind of a request: method, destination, path pattern, and what tells calls to the same address
/// apart (the operation that a body names, and the names of its values).
pub fn request_kind(request: &OutgoingRequest) -> String {
    let address = Url::parse(&request.url).map_or_else(
        |_| request.url.clone(),
        |url| format!("{}{}", url.origin().ascii_serialization(), path_pattern(&url)),
    );
    let query = Url::parse(&request.url).ok().map(|url| call_of_pairs(url.query_pairs())).unwrap_or_default();
    format!("{} {address} {query} {}", request.method, body_call(request))
}

/// Returns what the body says about the operation, and the names of its values.
fn body_call(request: &OutgoingRequest) -> String {
    let Some(body) = request.body.as_deref() else { return String::new() };
    if request.is_message() {
        return message_shape(&request.content_type, body);
    }
    match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(object)) => call_of_object(&object),
        Ok(Value::Array(calls)) => {
            calls.iter().filter_map(Value::as_object).map(call_of_object).collect::<Vec<_>>().join("; ")
        }
        Ok(_) => String::new(),
        Err(_) if request.content_type.contains("x-www-form-urlencoded") => {
            call_of_pairs(url::form_urlencoded::parse(body))
        }
        Err(_) => String::new(),
    }
}

fn call_of_object(object: &serde_json::Map<String, Value>) -> String {
    let telling = object.iter().filter(|(name, _)| !names_stamp(name));
    let named = telling.map(|(name, value)| {
        let value = value.as_str().unwrap_or_default();
        let words = name == "query" && value.trim_start().contains('{');
        let tells = tells_calls_apart(name) || words;
        if tells { format!("{name}={value}") } else { name.clone() }
    });
    named.collect::<Vec<_>>().join(",")
}

fn call_of_pairs<'a>(
    pairs: impl Iterator<Item = (std::borrow::Cow<'a, str>, std::borrow::Cow<'a, str>)>,
) -> String {
    let mut named: Vec<String> = pairs
        .filter(|(name, _)| !names_stamp(name))
        .map(
            |(name, value)| {
                if tells_calls_apart(&name) { format!("{name}={value}") } else { name.into_owned() }
            },
        )
        .collect();
    named.sort();
    named.dedup();
    named.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(url: &str, body: &str) -> OutgoingRequest {
        OutgoingRequest {
            method: String::from("POST"),
            url: url.to_owned(),
            content_type: String::from("application/json"),
            body: Some(body.as_bytes().to_vec()),
            ..OutgoingRequest::default()
        }
    }

    #[test]
    fn what_a_page_sent_before_any_action_stays_its_own() {
        let mut history = RequestHistory::default();
        let (beat, query) = (
            post("http://a.test/beat/1", r#"{"at":1}"#),
            post("http://a.test/graphql", r#"{"operationName":"List","variables":{}}"#),
        );
        assert_eq!(history.timing(&beat, Some("T")), RequestTiming::BeforeAction);
        assert_eq!(history.timing(&query, Some("T")), RequestTiming::BeforeAction);
        history.begin_action("T");
        let later = post("http://a.test/beat/2", r#"{"at":7,"modified":"20261127"}"#);
        assert_eq!(history.timing(&later, Some("T")), RequestTiming::OfKnownKind);
        assert_eq!(history.timing(&query, None), RequestTiming::OfKnownKind);
        for other in [
            post("http://a.test/graphql", r#"{"operationName":"Pay","variables":{}}"#),
            post("http://a.test/beat/2", r#"{"at":7,"to":"x"}"#),
            post("http://b.test/beat/1", r#"{"at":1}"#),
            OutgoingRequest { method: String::from("DELETE"), ..later.clone() },
        ] {
            assert_eq!(history.timing(&other, Some("T")), RequestTiming::AfterAction, "{other:?}");
        }
        history.begin_document("T", "http://a.test/next");
        assert_eq!(history.timing(&post("http://a.test/new", "{}"), Some("T")), RequestTiming::BeforeAction);
    }

    // A socket has one address for all that is sent by it.
    #[test]
    fn messages_are_told_apart_by_their_shape() {
        let message = |text: &str| OutgoingRequest {
            method: String::from("MESSAGE"),
            ..post("ws://a.test/live", text)
        };
        let mut history = RequestHistory::default();
        history.timing(&message(r#"{"type":"cursor","at":{"x":1}}"#), Some("T"));
        history.begin_action("T");
        for (text, timing) in [
            (r#"{"type":"cursor","at":{"x":9}}"#, RequestTiming::OfKnownKind),
            (r#"{"type":"order","at":{"x":9}}"#, RequestTiming::AfterAction),
            (r#"{"type":"cursor","at":{"op":"erase"}}"#, RequestTiming::AfterAction),
        ] {
            assert_eq!(history.timing(&message(text), Some("T")), timing, "{text}");
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
}
