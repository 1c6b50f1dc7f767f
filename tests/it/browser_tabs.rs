//! Tabs: opened, shown and closed by the action `tab`; those that pages open come to the front.

use crate::browser_stage::{Stage, text};
use askfirst::browser::error::ErrorCode;
use serde_json::json;
use std::time::Duration;

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn tabs_are_opened_shown_and_closed() {
    let stage = Stage::open().await;
    stage.show("<title>First</title><a target=_blank href='/html?<title>Popped</title>'>Pop</a>").await;
    let second = format!("{}/html?<title>Second</title>", stage.site);
    let done = stage.act("tab", json!({"operation": "new", "url": second})).await.unwrap();
    assert_eq!(done.title, "Second");
    let seen = stage.observe().await;
    assert_eq!((seen.title.as_str(), seen.tab), ("Second", (2, 2)));
    let done = stage.act("tab", json!({"operation": "switch", "tab": 1})).await.unwrap();
    assert_eq!(done.title, "First");
    assert_eq!(stage.observe().await.tab, (1, 2));
    // A page's own window is told of.
    stage.click("Pop").await.unwrap();
    let seen = stage.observe().await;
    assert_eq!((seen.title.as_str(), seen.tab), ("Popped", (3, 3)));
    assert!(text(&seen).contains("note a new tab opened and is in front now (3 of 3)"), "{}", text(&seen));
    stage.act("tab", json!({"operation": "close", "tab": 2})).await.unwrap();
    let seen = stage.observe().await;
    assert_eq!((seen.title.as_str(), seen.tab), ("Popped", (2, 2)));
    let fault = stage.act("tab", json!({"operation": "switch", "tab": 7})).await.unwrap_err();
    assert!(fault.code == ErrorCode::NoPage && fault.message.contains("there are 2"), "{fault}");
    stage.act("tab", json!({"operation": "close"})).await.unwrap();
    assert_eq!(stage.observe().await.title, "First");
    // The last one leaves a blank one.
    let done = stage.act("tab", json!({"operation": "close"})).await.unwrap();
    assert_eq!(done.url, "about:blank");
    assert_eq!(stage.observe().await.tab, (1, 1));
    let fault = stage.act("tab", json!({"operation": "new", "url": "file:///etc/passwd"})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::BadUrl);
    assert_eq!(stage.observe().await.tab, (1, 1), "nothing was opened for it");
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn with_the_maximum_of_tabs_a_page_can_be_left_and_a_tab_opened() {
    let stage = Stage::open_with(|config| config.load_timeout = Duration::from_secs(4)).await;
    let page = "<title>hung</title><button onclick=\"const x = new XMLHttpRequest(); x.open('GET', '/never', false); x.send()\">Wait</button>\
        <a target=_blank href='/html?<title>Popped</title>'>Pop</a>";
    stage.show(page).await;
    for _ in 1..20 {
        stage.act("tab", json!({"operation": "new"})).await.unwrap();
    }
    stage.act("tab", json!({"operation": "switch", "tab": 1})).await.unwrap();
    assert_eq!(stage.observe().await.tab, (1, 20));
    // A further tab that opens by itself is closed.
    stage.click("Pop").await.unwrap();
    assert_eq!(stage.observe().await.tab, (1, 20));
    let fault = stage.click("Wait").await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::Unresponsive, "{fault}");
    let done = stage.go("/html?<title>left</title>").await.unwrap();
    assert_eq!(done.title, "left");
    let url = format!("{}/html?<title>ordered</title>", stage.site);
    assert_eq!(stage.act("tab", json!({"operation": "new", "url": url})).await.unwrap().title, "ordered");
    let seen = stage.observe().await;
    assert_eq!((seen.title.as_str(), seen.tab), ("ordered", (21, 21)));
    stage.finish().await;
}
