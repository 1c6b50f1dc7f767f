//! Dialogs that ask: they stay open until they are answered, and never hang anything.

use crate::browser_stage::{Stage, action, bounded, find, text};
use askfirst::browser::error::ErrorCode;
use askfirst::browser::input::ActionOptions;
use askfirst::browser::messages::{Crop, Examine, Perform, SnapshotNow};
use askfirst::browser::pool::messages::ReleaseBrowser;
use askfirst::browser::takeover::page_holder::{GiveToPerson, ReturnToRun};
use askfirst::ids::SessionId;
use serde_json::json;
use std::time::{Duration, Instant};

const ASKS: &str = "<title>Asks</title><button onclick=\"o.textContent=confirm('Delete it?')?'deleted':'kept'\">Delete</button>\
    <button onclick=\"o.textContent='name '+prompt('Who are you?','Ivan')\">Name</button><p id=o></p>";

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_dialog_stays_open_until_it_is_answered() {
    let stage = Stage::open().await;
    stage.show(ASKS).await;
    let seen = stage.observe().await;
    let delete = find(&seen, "Delete").eid.unwrap();
    let began = Instant::now();
    let done = stage.act("click", json!({"eid": delete})).await.unwrap();
    assert_eq!((done.settled.word(), done.title.as_str()), ("dialog", "Asks"), "{:?}", done.notes);
    let seen = stage.observe().await;
    assert!(
        text(&seen).starts_with("dialog Delete it?\nnote the page asks this and waits"),
        "{}",
        text(&seen)
    );
    assert_eq!(seen.title, "Asks");
    assert_eq!(seen.dialog.as_ref().unwrap().kind, "confirm");
    // Other actions are refused at once while the dialog is open.
    for (name, params) in
        [("click", json!({"eid": delete})), ("press", json!({"key": "Enter"})), ("scroll", json!({}))]
    {
        let fault = stage.act(name, params).await.unwrap_err();
        assert!(
            fault.code == ErrorCode::DialogOpen && fault.message.contains("Delete it?"),
            "{name}: {fault}"
        );
    }
    assert_eq!(
        bounded(stage.browser.send(Examine { eid: delete })).await.unwrap().unwrap_err().code,
        ErrorCode::DialogOpen
    );
    assert!(bounded(stage.browser.send(Crop { eid: Some(delete), bounds: None })).await.unwrap().is_err());
    assert!(bounded(stage.browser.send(SnapshotNow)).await.unwrap().is_err());
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    stage.act("dialog", json!({"accept": false})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("kept"));
    stage.click("Delete").await.unwrap();
    stage.act("dialog", json!({"accept": true})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("deleted"));
    let fault = stage.act("dialog", json!({"accept": true})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::NoDialog);
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_prompt_takes_a_text_or_its_default() {
    let stage = Stage::open().await;
    stage.show(ASKS).await;
    for (answer, shown) in [
        (json!({"accept": true, "text": "Олена"}), "name Олена"),
        (json!({"accept": true}), "name Ivan"),
        (json!({"accept": false, "text": "x"}), "name null"),
    ] {
        stage.click("Name").await.unwrap();
        let seen = stage.observe().await;
        assert_eq!(seen.lines[0].attributes.value.as_deref(), Some("Ivan"));
        stage.act("dialog", answer).await.unwrap();
        assert!(text(&*stage.observe().await).contains(shown), "{shown}: {}", text(&*stage.observe().await));
    }
    stage.finish().await;
}

// A page that asks while it loads, one that asks again and again, and one that asks by itself later.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn dialogs_can_open_at_any_moment() {
    let stage = Stage::open().await;
    let done = stage
        .show("<h1>Before</h1><script>document.title=confirm('Load it?')?'yes':'no'</script><h1>After</h1>")
        .await;
    assert_eq!(done.settled.word(), "dialog");
    assert!(text(&*stage.observe().await).contains("Load it?"));
    let done = stage.act("dialog", json!({"accept": true})).await.unwrap();
    assert_eq!(done.title, "yes");
    assert!(text(&*stage.observe().await).contains("After"), "the page goes on loading");

    stage.show("<button onclick=\"let n=0;while(confirm('Again '+n)&&n<5)n++;o.textContent='asked '+n\">Ask</button><p id=o>").await;
    stage.click("Ask").await.unwrap();
    let done = stage.act("dialog", json!({"accept": true})).await.unwrap();
    assert_eq!(done.settled.word(), "dialog");
    assert!(text(&*stage.observe().await).contains("Again 1"));
    stage.act("dialog", json!({"accept": false})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("asked 1"));

    stage
        .show("<h1>Later</h1><script>setTimeout(()=>document.title=confirm('Still there?'),700)</script>")
        .await;
    assert!(text(&*stage.observe().await).contains("Later"));
    stage.act("wait", json!({"text": "never shown", "seconds": 10})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("Still there?"), "the wait ends where the page asks");
    stage.act("dialog", json!({"accept": true})).await.unwrap();
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_take_over_dismisses_the_open_dialog() {
    let stage = Stage::open().await;
    stage.show(ASKS).await;
    stage.click("Delete").await.unwrap();
    let holder = SessionId::fresh();
    bounded(stage.browser.send(GiveToPerson { holder: holder.clone() })).await.unwrap().unwrap();
    bounded(stage.browser.send(ReturnToRun { holder: Some(holder) })).await.unwrap().unwrap();
    let seen = text(&*stage.observe().await);
    assert!(seen.contains("kept") && seen.contains("dismissed when the person took the page"), "{seen}");
    stage.finish().await;
}

// When the run is at its end nobody will answer.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_dialog_ends_with_the_run() {
    let stage = Stage::open().await;
    stage.show(ASKS).await;
    stage.click("Delete").await.unwrap();
    let release = ReleaseBrowser { owner: stage.owner.clone(), linger: Some(Duration::from_secs(60)) };
    bounded(stage.supervisor.send(release)).await.unwrap();
    let seen = text(&*stage.observe().await);
    assert!(seen.contains("kept") && seen.contains("dismissed when the run ended"), "{seen}");
    stage.finish().await;
}

// Leaving a page dismisses its dialog, and the next page asks again for itself.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn leaving_a_page_dismisses_its_dialog() {
    let stage = Stage::open().await;
    let next = "<title>Left</title><script>o=confirm('Stay?')</script><h1>calm</h1>";
    for onclick in [
        "confirm('Again?')",
        "confirm('Again?')||confirm('Again?')",
        "for(;;)confirm('Again?')",
        "setInterval(()=>confirm('Again?'),5)",
        "for(;;)prompt('Again?')",
    ] {
        stage.show(&format!("<button onclick=\"{onclick}\">Ask</button>")).await;
        stage.click("Ask").await.unwrap();
        stage.observe().await;
        let done = stage.show(next).await;
        assert_eq!(done.settled.word(), "dialog", "{onclick}: {:?}", done.notes);
        let seen = text(&*stage.observe().await);
        let note = "dismissed because the page was left";
        assert!(seen.contains("dialog Stay?") && seen.contains(note), "{onclick}: {seen}");
        stage.act("dialog", json!({"accept": true})).await.unwrap();
        assert!(text(&*stage.observe().await).contains("calm"), "{onclick}");
    }
    // A page that asks no more keeps its tab, and with it the way back.
    stage.show(ASKS).await;
    stage.click("Delete").await.unwrap();
    stage.show("<h1>calm</h1>").await;
    stage.act("back", json!({})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("Delete"));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_tab_that_opens_dialogs_without_end_can_be_closed() {
    let stage = Stage::open().await;
    stage.act("tab", json!({"operation": "new"})).await.unwrap();
    stage.show("<button onclick=\"for(;;)confirm('Again?')\">Ask</button>").await;
    stage.click("Ask").await.unwrap();
    stage.act("tab", json!({"operation": "close"})).await.unwrap();
    let seen = stage.observe().await;
    assert!(seen.tab == (1, 1) && seen.dialog.is_none(), "{}", text(&seen));
    stage.show("<h1>calm</h1>").await;
    stage.finish().await;
}

// The page never pauses: this is reported within the time allowed for such pages, and the page can be left.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_that_opens_alerts_without_end_can_be_left() {
    let stage = Stage::open().await;
    stage.show("<button onclick=\"for(;;)alert('more')\">Storm</button>").await;
    let fault = stage.click("Storm").await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::Unresponsive, "{fault}");
    let done = stage.show("<title>Left</title><h1>calm</h1>").await;
    assert_eq!(done.title, "Left");
    assert!(text(&*stage.observe().await).contains("calm"));
    stage.finish().await;
}

const WRITTEN: &str = "<title>Written</title><input aria-label=Note><a href='/html?<title>Away</title>'>Go</a>\
    <script>onbeforeunload=(e)=>{if(document.querySelector('input').value)e.preventDefault()}</script>";

/// Every way out of a page, what it is about, and the page that it leads to.
async fn ways(stage: &Stage) -> Vec<(&'static str, serde_json::Value, &'static str)> {
    stage.show("<title>Before</title>").await;
    stage.show(WRITTEN).await;
    stage.act("type", json!({"eid": stage.eid("Note").await, "text": "dear Olena"})).await.unwrap();
    vec![
        ("navigate", json!({"url": format!("{}/html?<title>Away</title>", stage.site)}), "Away"),
        ("click", json!({"eid": stage.eid("Go").await}), "Away"),
        ("back", json!({}), "Before"),
        ("reload", json!({}), "Written"),
        ("tab", json!({"operation": "close"}), ""),
    ]
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_with_unsaved_input_is_not_left_before_its_dialog_is_answered() {
    let stage = Stage::open().await;
    for (name, params, _) in ways(&stage).await {
        let done = stage.act(name, params).await.unwrap();
        assert_eq!(done.settled.word(), "dialog", "{name}: {done:?}");
        let seen = stage.observe().await;
        let shown = text(&seen);
        assert!(
            shown.starts_with("dialog Leave this page? What was typed here and not saved will be lost."),
            "{name}: {shown}"
        );
        assert!(shown.contains("dialog {accept: true} to leave it"), "{name}: {shown}");
        stage.act("dialog", json!({"accept": false})).await.unwrap();
        let seen = stage.observe().await;
        assert_eq!((seen.title.as_str(), seen.tab), ("Written", (1, 1)), "{name}");
        assert_eq!(find(&seen, "Note").attributes.value.as_deref(), Some("dear Olena"), "{name}");
    }
    for at in 0..5 {
        let (name, params, title) = ways(&stage).await.swap_remove(at);
        stage.act(name, params).await.unwrap();
        let done = stage.act("dialog", json!({"accept": true})).await.unwrap();
        assert_eq!(done.title, title, "{name}");
        let seen = stage.observe().await;
        assert_eq!((seen.title.as_str(), seen.tab), (title, (1, 1)), "{name}");
        let note = seen.lines.iter().find(|line| line.name == "Note");
        assert!(note.is_none_or(|line| line.attributes.value.is_none()), "{name}: {}", text(&seen));
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_tab_with_unsaved_input_is_not_closed_before_its_dialog_is_answered() {
    let stage = Stage::open().await;
    ways(&stage).await;
    let other = json!({"operation": "new", "url": format!("{}/html?<title>Other</title>", stage.site)});
    stage.act("tab", other).await.unwrap();
    let close = || stage.act("tab", json!({"operation": "close", "tab": 1}));
    assert_eq!(close().await.unwrap().settled.word(), "dialog");
    assert_eq!(stage.observe().await.tab, (1, 2), "what asks is in front");
    stage.act("dialog", json!({"accept": false})).await.unwrap();
    assert_eq!(find(&*stage.observe().await, "Note").attributes.value.as_deref(), Some("dear Olena"));
    close().await.unwrap();
    stage.act("dialog", json!({"accept": true})).await.unwrap();
    let seen = stage.observe().await;
    assert_eq!((seen.title.as_str(), seen.tab), ("Other", (1, 1)));
    stage.finish().await;
}

// Said twice it is meant, and what must be left is.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_that_is_left_for_good_opens_no_leave_dialog() {
    let stage = Stage::open().await;
    let (name, params, _) = ways(&stage).await.swap_remove(0);
    stage.act(name, params.clone()).await.unwrap();
    assert_eq!(stage.act(name, params).await.unwrap().title, "Away");
    ways(&stage).await;
    let blank = action("navigate", json!({"url": "about:blank"}));
    let options = ActionOptions { skip_leave_dialog: true, ..Default::default() };
    let blank = Perform { action: blank, options };
    let done = bounded(stage.browser.send(blank)).await.unwrap().unwrap();
    assert_eq!((done.url.as_str(), done.settled.word()), ("about:blank", "loaded"));
    stage.finish().await;
}
