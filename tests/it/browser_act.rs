//! Every action on real pages in a real Chromium.

use crate::browser_stage::{Stage, find, text};
use askfirst::browser::fault::Code;
use serde_json::json;

// S1.13, S1.38
#[actix_web::test]
async fn look_click_and_look_again() {
    let Some(stage) = Stage::open().await else { return };
    stage.show("<title>One</title><h1>Hello</h1><button onclick=\"out.textContent='clicked'\">Go</button><p id=out>").await;
    let seen = stage.look().await;
    assert_eq!((seen.look, seen.title.as_str(), seen.tab, seen.viewport), (1, "One", (1, 1), (1280, 720)));
    let eid = find(&seen, "Go").eid.unwrap();
    let done = stage.act("click", json!({"eid": eid})).await.unwrap();
    assert_eq!((done.title.as_str(), done.settled.word()), ("One", "still"));
    let seen = stage.look().await;
    assert!(text(&seen).contains("clicked"), "{}", text(&seen));
    assert_eq!(find(&seen, "Go").eid, Some(eid), "an eid belongs to its node");
    stage.finish().await;
}

#[actix_web::test]
async fn an_address_that_does_not_answer_is_a_failed_action_with_its_cause() {
    let Some(stage) = Stage::open().await else { return };
    let fault = stage.act("navigate", json!({"url": "http://127.0.0.1:1/"})).await.unwrap_err();
    assert_eq!(fault.code, Code::NavigationFailed, "{fault}");
    let fault = stage.act("navigate", json!({"url": "file:///etc/passwd"})).await.unwrap_err();
    assert_eq!(fault.code, Code::BadUrl);
    let fault = stage.go("/never").await.unwrap_err();
    assert_eq!(fault.code, Code::Timeout, "{fault}");
    // It stands where it stood, and works.
    stage.show("<h1>alive</h1>").await;
    assert!(text(&*stage.look().await).contains("alive"));
    stage.finish().await;
}
