//! Steering runs over HTTP: stop, pause, resume, messages.

use crate::support::agents::{run, with_agents};
use crate::support::lanes::LEAF;
use crate::support::service::{TestService, answer, word};
use reqwest::Method;
use serde_json::{Value, json};

async fn standing(app: &TestService, run: &str) -> String {
    word(&app.get(&format!("/api/runs/{run}")).await.1, "status")
}

#[actix_web::test]
async fn stop_ends_a_run_in_any_state() {
    let app = TestService::start();
    let held = app.begin(json!({"agent": "endless"})).await;
    app.until(&held, "running").await;
    let waiting = app.begin(json!({"agent": "asks"})).await;
    app.until(&waiting, "waiting").await;
    let effect = app.begin(json!({"agent": "script", "input": {"script": ["effect"]}})).await;
    app.until(&effect, "running").await;
    for run in [held, waiting.clone(), effect] {
        let (status, answer) = app.post(&format!("/api/runs/{run}/stop"), Value::Null).await;
        assert_eq!((status, &answer["status"]), (200, &json!("cancelled")), "{answer}");
        assert_eq!(standing(&app, &run).await, "cancelled");
        let (status, problem) = app.post(&format!("/api/runs/{run}/stop"), Value::Null).await;
        assert_eq!((status, &problem["code"]), (409, &json!("busy")));
    }
    let (_, questions) = app.get("/api/questions").await;
    assert_eq!(questions["items"], json!([]), "a stopped run asks nothing any more");
    app.finish().await;
}

#[actix_web::test]
async fn a_run_is_paused_and_resumed() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "endless"})).await;
    app.until(&run, "running").await;
    let (status, answer) = app.post(&format!("/api/runs/{run}/pause"), Value::Null).await;
    assert_eq!((status, &answer["status"]), (200, &json!("paused")));
    let (status, problem) = app.post(&format!("/api/runs/{run}/pause"), Value::Null).await;
    assert_eq!((status, &problem["code"]), (409, &json!("busy")));
    app.programs.release();
    let (status, answer) = app.post(&format!("/api/runs/{run}/resume"), Value::Null).await;
    assert_eq!(status, 200, "{answer}");
    app.until(&run, "succeeded").await;
    let (status, _) = app.post(&format!("/api/runs/{run}/resume"), Value::Null).await;
    assert_eq!(status, 409);
    app.finish().await;
}

// An effect under way is never cut short by a pause.
#[actix_web::test]
async fn a_pause_waits_for_the_end_of_an_effect() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "script", "input": {"script": ["effect", "go"]}})).await;
    let mut live = app.follow(&run, 0).await;
    while live.next().await.unwrap()["text"] != "now" {}
    let (status, answer) = app.post(&format!("/api/runs/{run}/pause"), Value::Null).await;
    assert_eq!((status, &answer["status"]), (202, &json!("running")));
    app.programs.release();
    app.until(&run, "paused").await;
    app.finish().await;
}

#[actix_web::test]
async fn messages_are_read_while_running_and_open_an_ended_run_again() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "script", "input": {"script": ["hold", "go"]}})).await;
    app.until(&run, "running").await;
    let path = format!("/api/runs/{run}/messages");
    let (status, answer) = app.post(&path, json!({"text": "and a shade"})).await;
    assert_eq!((status, &answer["status"]), (202, &json!("running")));
    app.programs.release();
    app.until(&run, "succeeded").await;
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    assert_eq!(whole["vars"]["heard"], json!(["and a shade"]));

    let mut live = app.follow(&run, whole["last_seq"].as_u64().unwrap()).await;
    let (status, answer) = app.post(&path, json!({"text": "once more"})).await;
    assert_eq!((status, &answer["status"]), (202, &json!("running")), "opened again");
    app.programs.release();
    let mut seen = Vec::new();
    while let Some(event) = live.next().await {
        seen.push(word(&event, "type"));
        if event["type"] == "run_ended" {
            break;
        }
    }
    assert_eq!(seen.first().map(String::as_str), Some("status"), "opened again");
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    assert_eq!(whole["vars"]["heard"], json!(["and a shade", "once more"]));
    let (status, problem) = app.post(&path, json!({"text": "  "})).await;
    assert_eq!((status, &problem["code"]), (422, &json!("bad_message")));
    app.finish().await;
}

// A paused run does not continue by itself: a request that waits for it is answered.
#[actix_web::test]
async fn a_request_that_waits_is_answered_when_its_run_is_paused() {
    let app = TestService::start();
    let body = json!({"agent": "endless", "input": {}, "wait": true});
    let waits = actix_web::rt::spawn(app.request(Method::POST, "/api/runs").json(&body).send());
    let run = loop {
        let (_, listed) = app.get("/api/runs").await;
        if let Some(run) = listed["items"][0]["run_id"].as_str() {
            break run.to_owned();
        }
    };
    app.until(&run, "running").await;
    assert!(app.post(&format!("/api/runs/{run}/pause"), Value::Null).await.0 < 300);
    let response = waits.await.unwrap().unwrap();
    assert_eq!(response.status().as_u16(), 202);
    assert_eq!(response.json::<Value>().await.unwrap()["status"], "paused");
    app.finish().await;
}

#[actix_web::test]
async fn a_run_that_is_no_conversation_takes_no_messages() {
    let app = with_agents(&[("leaf", LEAF)], None).await;
    let done = run(&app, "leaf", json!({})).await;
    let path = format!("{}/api/runs/{}/messages", app.base, word(&done, "run_id"));
    let message = reqwest::Client::new().post(&path).json(&json!({"text": "and more"}));
    let (status, problem) = answer(message).await;
    assert_eq!((status, &problem["code"]), (409, &json!("busy")), "{problem}");
    app.finish().await;
}
