//! A model with a small context window, in the whole service: what is sent fits it.

use crate::support::model::{Reply, Request, turn};
use crate::support::talk::Talk;
use serde_json::json;

/// Tokens of the window, and of the answer, which gets a quarter.
const WINDOW: usize = 8192;
const ANSWER: usize = WINDOW / 4;

/// Returns the length of all texts of a request in bytes.
fn length(request: &Request) -> usize {
    request.messages().iter().filter_map(|message| message["content"].as_str()).map(str::len).sum()
}

/// A turn that reads the page, with many words.
fn reads(n: usize) -> Reply {
    let mut reply = turn("extract", json!({}));
    reply["thoughts"] = json!(format!("thought {n} {}", "and so on ".repeat(80)));
    Reply::Turn(reply)
}

// `model.context_tokens`: the page has a third of the window at most, the person's
// first message stays.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn requests_fit_a_window_of_8192_tokens() {
    let settings = [("ASKFIRST_MODEL__CONTEXT_TOKENS", "8192"), ("ASKFIRST_OBSERVE__BUDGET_TOKENS", "20000")];
    let mut talk = Talk::start(&settings).await;
    let nodes = format!("{}/demo/lab/nodes?n=5000", talk.app.base);
    talk.script([Reply::act("navigate", json!({"url": nodes}))]);
    talk.script((1..=14).map(reads));
    talk.script([Reply::stop("Read.")]);
    talk.say("read the page of many buttons").await;
    talk.ends_as("succeeded").await;
    let requests = talk.model.requests();
    assert_eq!(requests.len(), 16);
    // The oldest turns have left, the newest are told.
    let newest = json!(requests[15].messages()).to_string();
    let told: Vec<usize> = (1..=14).filter(|n| newest.contains(&format!("thought {n} "))).collect();
    assert_eq!(told, (15 - told.len()..=14).collect::<Vec<_>>());
    assert!(!told.is_empty() && told.len() < 14, "{told:?}");
    for (at, request) in requests.iter().enumerate() {
        assert_eq!(request.body["max_tokens"], ANSWER, "request {at}");
        // At most four bytes a token, whatever the endpoint has counted; before it has, two and a half.
        let bytes_of_ten = if at == 0 { 25 } else { 40 };
        let most = (WINDOW - ANSWER) * bytes_of_ten / 10;
        assert!(length(request) <= most, "request {at}: {} bytes of {most}", length(request));
        let page = request.shown();
        assert!(page.len().div_ceil(4) <= WINDOW / 3 + 100, "request {at}: {} bytes of page", page.len());
        assert!(!page.contains(" since="), "request {at}: pages are sent whole");
        assert!(page.is_empty() || page.contains("</page nonce="), "request {at}: {page}");
        let all = json!(request.messages()).to_string();
        assert!(all.contains("read the page of many buttons"), "request {at} lost the order");
    }
    talk.finish().await;
}
