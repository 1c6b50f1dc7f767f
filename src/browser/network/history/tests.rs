//! Tests of the history as a whole.

use super::*;
use crate::browser::network::history::kind::request_kind;
use crate::browser::network::history::senders::{HiddenSender, MOST_SENDERS};
use crate::browser::network::history::sent_bodies::{AnswerPlace, MOST_BODIES};
use crate::browser::network::history::visited_sites::MOST_OF_COOKIES;
use crate::page::outgoing_request::{HIDDEN_DOCUMENT, OutgoingRequest};
use serde_json::{Value, json};

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
        (0..2 * MOST_OF_COOKIES).map(|n| json!({"domain": format!(".s{n}.test")})).collect();
    history.visited.record_cookies(&cookies);
    history.begin_document("T", "https://bank.test/");
    assert!(history.visited.contains_site_of("https://bank.test/pay"));
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
    history.reach.record_address("T", "http://frame.test/pay", false);
    history.begin_action("T", true);
    history.reach.record_address("T", "http://a.test/shop/cart", true);
    history.begin_document("T", "http://a.test/next");
    let mut timing = |document: &str, page: Option<&str>| {
        history.timing(&request_kind(&post("http://a.test/order", "{}")), page, document)
    };
    for document in ["http://a.test/next", "http://a.test/next?y=1", "http://b.test/", "http://a.test.b/", ""]
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
    assert_eq!(timing("http://a.test/worker.js", None), RequestTiming::AfterAction, "a worker of the site");
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
    history.reach.record_address("T", "http://a.test/cart", true);
    history.begin_document("T", "http://a.test/cart?again");
    assert_eq!(history.timing("kind", Some("T"), "http://a.test/cart"), RequestTiming::AfterAction);
}

#[test]
fn what_a_person_declined_is_not_asked_about_until_the_next_action() {
    let mut history = RequestHistory::default();
    let [one, other] =
        ["one", "other"].map(|text| post("http://a.test/send", &format!(r#"{{"text":"{text}"}}"#)));
    let kind = request_kind(&one);
    assert!(!history.declined.contains(&one, &kind));
    history.declined.record(&one, &kind);
    assert!(history.declined.contains(&one, &kind) && history.declined.contains(&other, &kind));
    assert!(!history.declined.contains(&post("http://a.test/else", "{}"), "another kind"));
    history.begin_action("T", false);
    assert!(history.declined.contains(&one, &kind), "only scrolled");
    history.begin_action("T", true);
    assert!(!history.declined.contains(&one, &kind));
    history.declined.record(&one, &kind);
    history.begin_action("T", true);
    assert!(history.declined.contains(&one, &kind), "the very same, declined twice");
    assert!(!history.declined.contains(&other, &kind));
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
    let message =
        |text: &str| OutgoingRequest { method: String::from("MESSAGE"), ..post("ws://a.test/live", text) };
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
    history.bodies.record_sent(&message("{}"));
    assert_eq!(history.bodies.find_earlier(&message("{}")), None);
}

#[test]
fn things_that_the_page_stored_itself_are_known() {
    let delete = |url: &str| OutgoingRequest { method: String::from("DELETE"), body: None, ..post(url, "") };
    let mut history = RequestHistory::default();
    for path in ["recipes/Draft%20of%20'Sun'", "drafts/5"] {
        let stored = post(&format!("http://a.test/{path}"), "{}");
        history.bodies.record_sent(&OutgoingRequest { method: String::from("PUT"), ..stored });
    }
    for (url, is_known) in [
        ("http://a.test/bags/Draft%20of%20'Sun'", true),
        ("http://a.test/drafts/5", true),
        ("http://a.test/notes/5", false),
        ("http://a.test/drafts/6", false),
        ("http://b.test/drafts/5", false),
    ] {
        assert_eq!(history.bodies.has_stored(&delete(url)), is_known, "{url}");
    }
    assert!(!history.bodies.has_stored(&post("http://a.test/drafts/5", "{}")));
}

#[test]
fn the_last_body_of_the_same_path_is_kept() {
    let mut history = RequestHistory::default();
    for n in 0..2 * MOST_BODIES {
        history.bodies.record_sent(&post(&format!("http://a.test/{n}"), "{}"));
    }
    history.bodies.record_sent(&post("http://a.test/board?v=1", r#"{"a":1}"#));
    history.bodies.record_sent(&post("http://a.test/board?v=2", r#"{"a":2}"#));
    let earlier = history.bodies.find_earlier(&post("http://a.test/board?v=3", "{}")).unwrap();
    assert_eq!(earlier.body, br#"{"a":2}"#);
    assert_eq!(history.bodies.find_earlier(&post("http://a.test/0", "{}")), None, "the oldest is dropped");
    assert_eq!(history.bodies.len(), MOST_BODIES);
}

#[test]
fn a_page_goes_on_after_an_action_in_its_windows_and_when_it_loads_again() {
    let timing =
        |history: &mut RequestHistory, page: &str| history.timing("POST http://a.test/x", Some(page), "");
    let mut history = RequestHistory::default();
    history.begin_document("T", "http://a.test/desk");
    history.begin_action("T", true);
    history.reach.record_opened("W", "T", true);
    history.begin_document("W", "about:blank");
    history.reach.record_opened("X", "elsewhere", true);
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
    history.reach.record_opened("W", "T", true);
    history.reach.record_opened("Alone", "T", false);
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
    history.senders.record_loader("T", "L1");
    history.begin_action("T", true);
    history.begin_document("T", "http://a.test/next");
    history.senders.record_loader("T", "L2");
    history.senders.record_sender("2", "L1");
    history.senders.record_sender("3", "L2");
    for (id, sender) in
        [("1", HiddenSender::Unknown), ("2", HiddenSender::Left), ("3", HiddenSender::Present)]
    {
        assert_eq!(history.senders.find_sender("T", id), sender, "{id}");
    }
    (0..2 * MOST_SENDERS).for_each(|number| history.senders.record_sender(&format!("more{number}"), "L2"));
    assert_eq!(history.senders.len(), MOST_SENDERS);
}

#[test]
fn sites_with_pages_or_cookies_count_as_visited() {
    let mut history = RequestHistory::default();
    history.begin_document("T", "https://www.bank.test/start");
    history.visited.record_cookies(&[json!({"domain": ".mail.test", "name": "s"})]);
    for (url, is_visited) in [
        ("https://api.bank.test/pay", true),
        ("https://in.mail.test/send", true),
        ("https://cdn.elsewhere.test/x", false),
    ] {
        assert_eq!(history.visited.contains_site_of(url), is_visited, "{url}");
    }
}

#[test]
fn a_stored_state_is_compared_with_the_last_answer_from_its_address() {
    let mut history = RequestHistory::default();
    let place = |id: &str| AnswerPlace { session: String::from("S"), network_id: id.to_owned() };
    history.bodies.record_answer("http://a.test/will?v=1", place("1"));
    history.bodies.record_answer("http://a.test/will?v=2", place("2"));
    let mut put = post("http://a.test/will", "{}");
    assert_eq!(history.bodies.find_answer(&put), None, "a POST stores no state at its address");
    put.method = String::from("PUT");
    assert_eq!(history.bodies.find_answer(&put), Some(place("2")));
}

#[test]
fn a_document_that_is_left_may_still_send() {
    let mut history = RequestHistory::default();
    history.begin_document("T", "http://a.test/desk");
    history.begin_action("T", true);
    history.begin_document("T", "http://a.test/next");
    let timing = |history: &mut RequestHistory, document: &str| history.timing("POST x", Some("T"), document);
    assert_eq!(timing(&mut history, "http://a.test/desk?a=1"), RequestTiming::AfterAction);
    assert_eq!(timing(&mut history, "http://a.test/next"), RequestTiming::BeforeAction);
    history.begin_document("T", "http://a.test/desk");
    assert_eq!(timing(&mut history, "http://a.test/desk"), RequestTiming::BeforeAction, "it is open again");
}
