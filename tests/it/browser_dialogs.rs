//! Dialogs that ask: they stay open until they are answered, and never hang anything.

use crate::browser_stage::{Stage, bounded, find, text};
use askfirst::browser::fault::Code;
use askfirst::browser::lease::{HandBack, Take};
use askfirst::browser::supervisor::Release;
use askfirst::browser::{Crop, Examine, SnapshotNow};
use askfirst::ids::SessionId;
use serde_json::json;
use std::time::{Duration, Instant};

const ASKS: &str = "<title>Asks</title><button onclick=\"o.textContent=confirm('Delete it?')?'deleted':'kept'\">Delete</button>\
    <button onclick=\"o.textContent='name '+prompt('Who are you?','Ivan')\">Name</button><p id=o></p>";

#[actix_web::test]
async fn a_question_of_the_page_stays_open_until_it_is_answered() {
    let Some(stage) = Stage::open().await else { return };
    stage.show(ASKS).await;
    let seen = stage.look().await;
    let delete = find(&seen, "Delete").eid.unwrap();
    let began = Instant::now();
    let done = stage.act("click", json!({"eid": delete})).await.unwrap();
    assert_eq!((done.settled.word(), done.title.as_str()), ("dialog", "Asks"), "{:?}", done.notes);
    let seen = stage.look().await;
    assert!(
        text(&seen).starts_with("dialog Delete it?\nnote the page asks this and waits"),
        "{}",
        text(&seen)
    );
    assert_eq!(seen.title, "Asks");
    assert_eq!(seen.dialog.as_ref().unwrap().kind, "confirm");
    // Nothing else can be done, and it says so at once.
    for (name, params) in
        [("click", json!({"eid": delete})), ("press", json!({"key": "Enter"})), ("scroll", json!({}))]
    {
        let fault = stage.act(name, params).await.unwrap_err();
        assert!(fault.code == Code::DialogOpen && fault.message.contains("Delete it?"), "{name}: {fault}");
    }
    assert_eq!(
        bounded(stage.browser.send(Examine { eid: delete })).await.unwrap().unwrap_err().code,
        Code::DialogOpen
    );
    assert!(bounded(stage.browser.send(Crop { eid: Some(delete) })).await.unwrap().is_err());
    assert!(bounded(stage.browser.send(SnapshotNow)).await.unwrap().is_err());
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    stage.act("dialog", json!({"accept": false})).await.unwrap();
    assert!(text(&*stage.look().await).contains("kept"));
    stage.click("Delete").await.unwrap();
    stage.act("dialog", json!({"accept": true})).await.unwrap();
    assert!(text(&*stage.look().await).contains("deleted"));
    let fault = stage.act("dialog", json!({"accept": true})).await.unwrap_err();
    assert_eq!(fault.code, Code::NoDialog);
    stage.finish().await;
}

#[actix_web::test]
async fn a_prompt_takes_words_or_what_stands_there() {
    let Some(stage) = Stage::open().await else { return };
    stage.show(ASKS).await;
    for (answer, shown) in [
        (json!({"accept": true, "text": "Олена"}), "name Олена"),
        (json!({"accept": true}), "name Ivan"),
        (json!({"accept": false, "text": "x"}), "name null"),
    ] {
        stage.click("Name").await.unwrap();
        let seen = stage.look().await;
        assert_eq!(seen.lines[0].attributes.value.as_deref(), Some("Ivan"));
        stage.act("dialog", answer).await.unwrap();
        assert!(text(&*stage.look().await).contains(shown), "{shown}: {}", text(&*stage.look().await));
    }
    stage.finish().await;
}

// A page that asks while it loads, one that asks again and again, and one that asks by itself later.
#[actix_web::test]
async fn questions_come_at_any_moment() {
    let Some(stage) = Stage::open().await else { return };
    let done = stage
        .show("<h1>Before</h1><script>document.title=confirm('Load it?')?'yes':'no'</script><h1>After</h1>")
        .await;
    assert_eq!(done.settled.word(), "dialog");
    assert!(text(&*stage.look().await).contains("Load it?"));
    let done = stage.act("dialog", json!({"accept": true})).await.unwrap();
    assert_eq!(done.title, "yes");
    assert!(text(&*stage.look().await).contains("After"), "the page goes on loading");

    stage.show("<button onclick=\"let n=0;while(confirm('Again '+n)&&n<5)n++;o.textContent='asked '+n\">Ask</button><p id=o>").await;
    stage.click("Ask").await.unwrap();
    let done = stage.act("dialog", json!({"accept": true})).await.unwrap();
    assert_eq!(done.settled.word(), "dialog");
    assert!(text(&*stage.look().await).contains("Again 1"));
    stage.act("dialog", json!({"accept": false})).await.unwrap();
    assert!(text(&*stage.look().await).contains("asked 1"));

    stage
        .show("<h1>Later</h1><script>setTimeout(()=>document.title=confirm('Still there?'),700)</script>")
        .await;
    assert!(text(&*stage.look().await).contains("Later"));
    stage.act("wait", json!({"text": "never shown", "seconds": 10})).await.unwrap();
    assert!(text(&*stage.look().await).contains("Still there?"), "the wait ends where the page asks");
    stage.act("dialog", json!({"accept": true})).await.unwrap();
    stage.finish().await;
}

#[actix_web::test]
async fn a_person_who_takes_the_page_finds_it_free() {
    let Some(stage) = Stage::open().await else { return };
    stage.show(ASKS).await;
    stage.click("Delete").await.unwrap();
    let holder = SessionId::fresh();
    bounded(stage.browser.send(Take { holder: holder.clone() })).await.unwrap().unwrap();
    bounded(stage.browser.send(HandBack { holder: Some(holder) })).await.unwrap().unwrap();
    let seen = text(&*stage.look().await);
    assert!(seen.contains("kept") && seen.contains("dismissed when the person took the page"), "{seen}");
    stage.finish().await;
}

// When the run is at its end nobody will answer.
#[actix_web::test]
async fn a_question_of_the_page_ends_with_the_run() {
    let Some(stage) = Stage::open().await else { return };
    stage.show(ASKS).await;
    stage.click("Delete").await.unwrap();
    let release = Release { owner: stage.owner.clone(), linger: Some(Duration::from_secs(60)) };
    bounded(stage.supervisor.send(release)).await.unwrap();
    let seen = text(&*stage.look().await);
    assert!(seen.contains("kept") && seen.contains("dismissed when the run ended"), "{seen}");
    stage.finish().await;
}

// It never pauses: that is told within the patience for such pages, and it can be left.
#[actix_web::test]
async fn a_storm_of_alerts_is_left() {
    let Some(stage) = Stage::open().await else { return };
    stage.show("<button onclick=\"for(;;)alert('more')\">Storm</button>").await;
    let fault = stage.click("Storm").await.unwrap_err();
    assert_eq!(fault.code, Code::Unresponsive, "{fault}");
    let done = stage.show("<title>Left</title><h1>calm</h1>").await;
    assert_eq!(done.title, "Left");
    assert!(text(&*stage.look().await).contains("calm"));
    stage.finish().await;
}
