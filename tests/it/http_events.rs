//! The facts of a run over HTTP: as a list and as a live stream without gaps.

use crate::support::service::{TestService, word};
use serde_json::{Value, json};

fn numbers(events: &[Value]) -> Vec<u64> {
    events.iter().map(|event| event["seq"].as_u64().unwrap()).collect()
}

async fn listed(app: &TestService, run: &str, query: &str) -> (Vec<Value>, Value) {
    let (status, list) = app.get(&format!("/api/runs/{run}/events{query}")).await;
    assert_eq!(status, 200);
    (list["items"].as_array().unwrap().clone(), list["cursor"].clone())
}

#[actix_web::test]
async fn the_list_has_every_event_in_order() {
    let app = TestService::start();
    let script: Vec<String> = (0..300).map(|n| format!("say:{n}")).collect();
    let (_, run) =
        app.post("/api/runs", json!({"agent": "script", "input": {"script": script}, "wait": true})).await;
    let run = word(&run, "run_id");
    let (events, cursor) = listed(&app, &run, "").await;
    assert!(events.len() > 600 && cursor.is_null());
    assert_eq!(numbers(&events), (1..=events.len() as u64).collect::<Vec<_>>());
    assert_eq!(
        (&events[0]["type"], &events[0]["run_id"], &events[0]["root_run_id"]),
        (&json!("run_started"), &json!(run), &json!(run))
    );
    assert_eq!(events.last().unwrap()["type"], "run_ended");
    assert!(events[0]["at"].as_str().unwrap().ends_with('Z'));

    let (some, _) = listed(&app, &run, "?after_seq=590").await;
    assert_eq!(some, events[590..]);
    assert_eq!(listed(&app, &run, "?after_seq=99999").await.0, Vec::<Value>::new());
    let (mut paged, mut after) = (Vec::new(), String::from("0"));
    loop {
        let (part, cursor) = listed(&app, &run, &format!("?limit=256&after_seq={after}")).await;
        paged.extend(part);
        match cursor.as_str() {
            Some(next) => after = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(paged, events);
    assert_eq!(app.get(&format!("/api/runs/{run}/events?after_seq=x")).await.0, 400);
    app.finish().await;
}

// Three readers begin at different moments, one after the end: all see the same, each fact once.
#[actix_web::test]
async fn a_stream_has_no_gaps_for_early_and_late_readers() {
    let app = TestService::start();
    let mut script: Vec<String> = (0..50).map(|n| format!("say:{n}")).collect();
    script.insert(20, String::from("hold"));
    script.insert(40, String::from("hold"));
    let run = app.begin(json!({"agent": "script", "input": {"script": script}})).await;
    let mut early = app.follow(&run, 0).await;
    let mut seen = vec![early.next().await.unwrap()];
    while seen.last().unwrap()["text"] != "19" {
        seen.push(early.next().await.unwrap());
    }
    let mut middle = app.follow(&run, 30).await;
    app.programs.release();
    app.programs.release();
    while seen.last().unwrap()["type"] != "run_ended" {
        seen.push(early.next().await.unwrap());
    }
    assert_eq!(numbers(&seen), (1..=seen.len() as u64).collect::<Vec<_>>());
    assert_eq!(seen, listed(&app, &run, "").await.0, "a replay is the same as the live stream");

    let mut late = app.follow(&run, 0).await;
    for event in &seen {
        assert_eq!(late.next().await.as_ref(), Some(event));
    }
    for event in &seen[30..] {
        assert_eq!(middle.next().await.as_ref(), Some(event));
    }
    app.finish().await;
}

#[actix_web::test]
async fn a_lost_event_reader_continues_and_the_run_is_unaffected() {
    let app = TestService::start();
    let run =
        app.begin(json!({"agent": "script", "input": {"script": ["say:one", "hold", "say:two"]}})).await;
    let mut first = app.follow(&run, 0).await;
    let mut last = first.next().await.unwrap();
    while last["text"] != "one" {
        last = first.next().await.unwrap();
    }
    drop(first);
    app.programs.release();
    app.until(&run, "succeeded").await;
    let path = format!("/api/runs/{run}/events?after_seq=0");
    let request = app.request(reqwest::Method::GET, &path).header("accept", "text/event-stream");
    let mut answer = request.header("last-event-id", last["seq"].to_string()).send().await.unwrap();
    let mut text = String::new();
    while !text.contains("\n\nid: ") {
        text.push_str(std::str::from_utf8(&answer.chunk().await.unwrap().unwrap()).unwrap());
    }
    assert!(text.contains(&format!("id: {}\n", last["seq"].as_u64().unwrap() + 1)));
    assert!(!text.contains("\"text\":\"one\""));
    let bad = app.request(reqwest::Method::GET, &path).header("last-event-id", "x").send().await.unwrap();
    assert_eq!(bad.status(), 400);
    // The largest number of an event: no event follows it.
    let request = app.request(reqwest::Method::GET, &format!("/api/runs/{run}/events"));
    let beyond = request.header("last-event-id", u64::MAX.to_string()).send().await.unwrap();
    assert_eq!(
        (beyond.status().as_u16(), beyond.text().await.unwrap().contains("\"items\":[]")),
        (200, true)
    );
    app.finish().await;
}
