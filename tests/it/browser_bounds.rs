//! Hosts that an agent was not given: no page goes there, whatever leads it; its frames may.

use crate::browser_stage::{Stage, bounded, text};
use crate::browser_url_policy::listen;
use askfirst::browser::error::ErrorCode;
use askfirst::browser::messages::{BrowserEvent, RestrictUrls};
use askfirst::browser::network::url_policy::UrlCheck;
use askfirst::browser::takeover::input_state::HolderInput;
use askfirst::browser::takeover::page_holder::{GiveToPerson, ReturnToRun};
use askfirst::ids::SessionId;
use serde_json::json;
use std::sync::{Arc, Mutex};

/// A browser that was not given `localhost`, which is another site that writes down what it is asked.
async fn open() -> (Stage, String, Arc<Mutex<Vec<String>>>) {
    let stage = Stage::open().await;
    let (address, asked) = listen();
    let other = address.replace("127.0.0.1", "localhost");
    bound(&stage, true).await;
    (stage, other, asked)
}

async fn bound(stage: &Stage, bounded: bool) {
    let judge: Arc<UrlCheck> =
        Arc::new(|url: &str| url.starts_with("http://localhost").then_some("not given"));
    stage.browser.send(RestrictUrls { check: bounded.then_some(judge) }).await.unwrap();
}

// Opening a new host is a question, also when a click or a redirect leads there.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn no_page_leads_to_a_host_that_is_not_allowed() {
    let (stage, to, asked) = open().await;
    let led = stage.go(&format!("/to?{to}/redirected")).await.unwrap_err();
    assert_eq!(led.code, ErrorCode::Blocked, "{led}");
    let page = format!(
        "<h1>home</h1><a href='{to}/link?a=b'>Link</a><a href='/to?{to}/hop'>Hop</a>\
         <a href='{to}/popup' target=_blank>Popup</a><button onclick=\"location='{to}/script'\">Script</button>\
         <button onclick=\"window.open('{to}/window')\">Window</button>\
         <form method=post action='{to}/form'><input name=a value=1><button>Send</button></form>"
    );
    stage.show(&page).await;
    for (name, path) in [
        ("Link", "/link?a=b"),
        ("Hop", "/hop"),
        ("Popup", "/popup"),
        ("Script", "/script"),
        ("Window", "/window"),
        ("Send", "/form"),
    ] {
        let fault = stage.click(name).await.expect_err(name);
        assert_eq!(fault.code, ErrorCode::Blocked, "{name}: {fault}");
        let note = format!("blocked: this leads to {to}{path} (not given)");
        assert!(fault.message.contains(&note), "{name}: {fault}");
        let seen = stage.observe().await;
        assert_eq!(seen.tab, (1, 1), "{name}");
        let shown = text(&seen);
        assert!(shown.contains("home") && !shown.contains("a new tab"), "{name}: {shown}");
    }
    assert_eq!(*asked.lock().unwrap(), Vec::<String>::new());
    // Frames and pictures of a page may come from any host.
    stage
        .show(&format!(
            "<iframe src='{to}/frame' onload='o.textContent=\"framed\"'></iframe><p id=o></p><a href='{to}/after'>After</a>"
        ))
        .await;
    stage.act("wait", json!({"text": "framed", "seconds": 10})).await.unwrap();
    assert_eq!(*asked.lock().unwrap(), ["/frame"]);
    // From now on the host is allowed.
    bound(&stage, false).await;
    stage.click("After").await.unwrap();
    // Chromium itself may ask for the page's icon, too.
    assert_eq!(asked.lock().unwrap()[..2], ["/frame", "/after"]);
    stage.finish().await;
}

// The same for what is saved: nothing is asked of such a host, and nothing of it is kept.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn nothing_is_downloaded_from_a_host_that_is_not_allowed() {
    let (stage, to, asked) = open().await;
    // The stage's own site by another name would give the file.
    let gives = stage.site.replace("127.0.0.1", "localhost");
    let page = format!(
        "<h1>home</h1><a href='{gives}/file/a.txt?x'>Plain</a><a href='{gives}/file/b.txt?x' download>Saved</a>\
         <a href='{gives}/file/c.txt?x' target=_blank>Window</a><a href='/to?{gives}/file/d.txt?x'>Led</a>\
         <a href='/to?{gives}/file/e.txt?x' download=e.txt>Led and saved</a>\
         <a href='/to?{to}/f.txt' download=f.txt>Asked</a><a href='{to}/g.txt' download=g.txt>Asked at once</a>\
         <button onclick=\"location='{gives}/file/h.txt?x'\">Script</button><a href='/file/own.txt?x'>Own</a>"
    );
    stage.show(&page).await;
    for name in ["Plain", "Saved", "Window", "Led", "Led and saved", "Asked", "Asked at once", "Script"] {
        let says_why = |message: &str| message.contains("blocked: this leads to http://localhost");
        match stage.click(name).await {
            Err(fault) => {
                assert!(fault.code == ErrorCode::Blocked && says_why(&fault.message), "{name}: {fault}")
            }
            // The redirect of a download may come when the page is still already; then an observation says so.
            Ok(_) if matches!(name, "Led and saved" | "Asked") => {
                bounded(async { while !says_why(&text(&*stage.observe().await)) {} }).await;
            }
            Ok(done) => panic!("{name}: {done:?}"),
        }
        let seen = stage.observe().await;
        assert!(text(&seen).contains("home") && seen.tab == (1, 1), "{name}: {}", text(&seen));
        assert!(stage.files().list().is_empty(), "{name}");
    }
    assert_eq!(*asked.lock().unwrap(), Vec::<String>::new());
    let done = stage.click("Own").await.unwrap();
    assert_eq!(done.files[0].name, "own.txt");
    // The approved host may send files, too.
    bound(&stage, false).await;
    stage.click("Saved").await.unwrap();
    let names: Vec<String> = stage.files().list().into_iter().map(|file| file.name).collect();
    assert_eq!(names, ["b.txt", "own.txt"]);
    stage.finish().await;
}

// A person goes where they like.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn host_restrictions_do_not_apply_to_a_person_by_hand() {
    let (stage, to, asked) = open().await;
    stage.show(&format!("<a href='{to}/mine' style='position:fixed;inset:0'>Go</a>")).await;
    let holder = SessionId::fresh();
    bounded(stage.browser.send(GiveToPerson { holder: holder.clone() })).await.unwrap().unwrap();
    for event in ["down", "up"] {
        let hands =
            json!({"kind": "mouse", "event": event, "x": 0.5, "y": 0.5, "button": "left", "count": 1});
        let input = HolderInput { holder: holder.clone(), input: serde_json::from_value(hands).unwrap() };
        bounded(stage.browser.send(input)).await.unwrap().unwrap();
    }
    stage.event(|event| matches!(event, BrowserEvent::Navigated { url, .. } if url.ends_with("/mine"))).await;
    assert!(asked.lock().unwrap().contains(&String::from("/mine")));
    bounded(stage.browser.send(ReturnToRun { holder: Some(holder) })).await.unwrap().unwrap();
    // The agent's own way there is none.
    stage.show(&format!("<a href='{to}/again'>Again</a>")).await;
    assert_eq!(stage.click("Again").await.unwrap_err().code, ErrorCode::Blocked);
    stage.finish().await;
}

// Documents without a place on the web.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn pages_open_with_http_and_https_only() {
    let stage = Stage::open().await;
    for url in [
        "data:text/html,<h1>x",
        "blob:null/1",
        "file:///etc/passwd",
        "chrome://version",
        "view-source:http://a.test",
        "javascript:alert(1)",
    ] {
        let fault = stage.act("navigate", json!({"url": url})).await.unwrap_err();
        assert_eq!(fault.code, ErrorCode::BadUrl, "{url}: {fault}");
        assert!(fault.message.contains("use http"), "{url}: {fault}");
    }
    let page = "<h1>home</h1><button onclick=\"location='data:text/html,<h1>gone'\">Data</button>\
        <a href='data:text/html,<h1>gone'>Link</a>\
        <button onclick=\"location='file:///etc/passwd'\">File</button>\
        <button onclick=\"location='chrome://version'\">Chrome</button>\
        <button onclick=\"location='view-source:http://a.test'\">Source</button>\
        <a href='/to?file:///etc/passwd'>Hop</a><a href='/to?data:text/html,<h1>gone'>Leap</a>";
    for name in ["Data", "Link", "File", "Chrome", "Source", "Hop", "Leap"] {
        stage.show(page).await;
        let clicked = stage.click(name).await;
        let seen = stage.observe().await;
        assert!(
            !text(&seen).contains("heading gone") && !text(&seen).contains("root:"),
            "{name}: {}",
            text(&seen)
        );
        let scheme = seen.url.split(':').next().unwrap();
        assert!(matches!(scheme, "http" | "chrome-error"), "{name}: {} {clicked:?}", seen.url);
        if matches!(name, "Data" | "Link") {
            let fault = clicked.unwrap_err();
            assert_eq!(fault.code, ErrorCode::Blocked, "{name}: {fault}");
            assert!(fault.message.contains("pages are only opened from http"), "{name}: {fault}");
        }
    }
    stage.finish().await;
}

/// Leads the page in front to a document made by a script.
const MADE: &str = "window.URL.createObjectURL(new Blob(['<title>Made</title><h1>made here</h1><button onclick=this.textContent=1>Press</button>'],{type:'text/html'}))";

// A preview or a report that a page makes itself lies where the page lies.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_blob_document_is_judged_by_its_origin() {
    let (stage, ..) = open().await;
    let page = format!(
        "<h1>home</h1><button onclick=\"location={MADE}\">Blob</button><button onclick=\"window.open({MADE})\">Window</button>"
    );
    for (name, tab) in [("Blob", (1, 1)), ("Window", (2, 2))] {
        stage.show(&page).await;
        stage.click(name).await.unwrap();
        let seen = stage.observe().await;
        let shown = text(&seen);
        assert!(seen.url.starts_with(&format!("blob:{}/", stage.site)), "{name}: {}", seen.url);
        assert!(shown.contains("heading made here") && !shown.contains("blocked"), "{name}: {shown}");
        assert_eq!(seen.tab, tab, "{name}");
        stage.click("Press").await.unwrap();
        assert!(text(&*stage.observe().await).contains("button 1"), "{name}: it can be used");
    }
    // A frame of a host that was not given does not bring its own to the front.
    let other = stage.site.replace("127.0.0.1", "localhost");
    let inner = format!("<button onclick=\"top.location={MADE}\">Lead</button>");
    let inner = url::form_urlencoded::byte_serialize(inner.as_bytes()).collect::<String>();
    stage.show(&format!("<h1>home</h1><iframe src='{other}/html?{inner}'></iframe>")).await;
    let clicked = stage.click("Lead").await;
    let seen = stage.observe().await;
    assert!(
        !text(&seen).contains("made here") && !seen.url.starts_with("blob:"),
        "{clicked:?} {}",
        text(&seen)
    );
    stage.finish().await;
}
