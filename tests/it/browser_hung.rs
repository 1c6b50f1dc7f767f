//! Pages whose scripts never yield: every step ends, and they can be left.

use crate::browser_stage::{Stage, text};
use askfirst::browser::error::ErrorCode;
use serde_json::json;
use std::time::Duration;

const LOOP: &str = "<title>hung</title><h1>hung</h1><button onclick=\"while (true) {}\">Loop</button>\
    <button onclick=\"setTimeout(() => { while (true) {} })\">Later</button>\
    <button onclick=\"while (true) alert('again')\">Alerts</button>\
    <button onclick=\"setInterval(() => { while (true) {} }, 0)\">Always</button>";

async fn stage() -> Stage {
    Stage::open_with(|config| config.load_timeout = Duration::from_secs(4)).await
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_that_never_yields_fails_the_action_and_is_seen_again() {
    let stage = stage().await;
    stage.show(LOOP).await;
    for name in ["Loop", "Later"] {
        let fault = stage.click(name).await.expect_err(name);
        assert_eq!(fault.code, ErrorCode::Unresponsive, "{name}: {fault}");
        assert!(fault.message.contains("does not answer"), "{fault}");
        let seen = stage.observe().await;
        assert!(text(&seen).contains("hung"), "{name}: {}", text(&seen));
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_that_hangs_between_actions_fails_the_observation() {
    let stage = stage().await;
    stage.show("<h1>hung</h1><script>onmousemove = () => setTimeout(() => { while (true) {} }, 150)</script><button>B</button>").await;
    let eid = stage.eid("B").await;
    // Whichever step meets it first.
    let _ = stage.act("hover", json!({"eid": eid})).await;
    let _ = stage.act("wait", json!({"seconds": 0.5})).await;
    let seen = stage.observe().await;
    assert!(text(&seen).contains("hung"), "{}", text(&seen));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_that_never_yields_can_be_left() {
    let stage = stage().await;
    stage.show("<title>before</title><h1>before</h1>").await;
    let leave = [
        ("navigate", json!({"url": format!("{}/html?<title>next", stage.site)}), "next"),
        ("back", json!({}), "before"),
        ("reload", json!({}), "hung"),
    ];
    for (name, params, title) in leave {
        stage.show("<title>before</title><h1>before</h1>").await;
        stage.show(LOOP).await;
        stage.click("Always").await.expect_err(name);
        let done = stage.act(name, params).await.unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert_eq!(done.title, title, "{name}");
        let seen = stage.observe().await;
        assert_eq!((seen.title.as_str(), seen.tab), (title, (1, 1)), "{name}");
    }
    stage.finish().await;
}

/// Stopping scripts is no help against one that waits for an answer from the network.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_in_an_endless_request_is_replaced_when_it_is_left() {
    let stage = stage().await;
    stage.show("<title>before</title><h1>before</h1>").await;
    let page = "<title>hung</title><button onclick=\"const x = new XMLHttpRequest(); x.open('GET', '/never', false); x.send()\">Wait</button>";
    stage.show(page).await;
    let fault = stage.click("Wait").await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::Unresponsive, "{fault}");
    assert_eq!(stage.act("back", json!({})).await.unwrap().title, "before");
    let seen = stage.observe().await;
    assert_eq!((seen.title.as_str(), seen.tab), ("before", (1, 1)));
    stage.finish().await;
}

// Going to the same address again only moves within the document, which shows nothing and never will.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_whose_load_was_stopped_is_loaded_when_it_is_opened_again() {
    let stage = stage().await;
    let path = "/html?<script>if (sessionStorage.seen) document.title = 'loaded'; \
        else { sessionStorage.seen = 1; document.write('<script src=/never><\\/script>'); }</script>#part";
    assert_eq!(stage.go(path).await.unwrap_err().code, ErrorCode::Timeout);
    assert_eq!(stage.go(path).await.unwrap().title, "loaded");
    stage.finish().await;
}

// A page that asks to stay must not block the run: the first attempt reports its dialog, the second leaves.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn leaving_a_page_that_asks_to_stay_is_not_held_up() {
    let stage = stage().await;
    stage.show("<title>stay</title><input aria-label=Name><script>onbeforeunload = (e) => { e.preventDefault(); return 'stay'; }</script>").await;
    let eid = stage.eid("Name").await;
    stage.act("click", json!({"eid": eid})).await.unwrap();
    stage.act("press", json!({"key": "x"})).await.unwrap();
    // Asked about first; who means it goes.
    assert_eq!(stage.go("/html?<title>next").await.unwrap().settled.word(), "dialog");
    assert_eq!(stage.go("/html?<title>next").await.unwrap().title, "next");
    let seen = stage.observe().await;
    assert!(
        text(&seen).contains("note dialog (beforeunload), dismissed because the page was left"),
        "{}",
        text(&seen)
    );
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_of_fifty_thousand_nodes_is_observed_and_clicked() {
    let stage = Stage::open_with(|config| config.load_timeout = Duration::from_secs(20)).await;
    let site = crate::browser_stage::shop();
    stage.act("navigate", json!({"url": format!("{site}/lab/nodes?n=50000")})).await.unwrap();
    let seen = stage.observe().await;
    let button = seen.lines.iter().find(|line| line.role == "button" && line.eid.is_some());
    let eid = button.unwrap_or_else(|| panic!("no button in {}", text(&seen))).eid;
    stage.act("click", json!({"eid": eid})).await.unwrap();
    assert!(stage.observe().await.lines.len() > 20);
    stage.finish().await;
}
