//! The assistant that ships, with the agents that ship beside it: what it is asked for is done, once it is approved.

use crate::support::agents::{get, with_settings};
use crate::support::app::TestApp;
use crate::support::model::{Reply, Request, ScriptedModel, turn};
use crate::support::model_checks::Rules;
use crate::support::tasks::wait_for_run;
use crate::support::ws::Ws;
use serde_json::{Value, json};

const ORDER: &str = "Create hello.txt with 'Hello World'";

/// Has the file written, and then reports the result.
fn writes(request: &Request) -> Reply {
    let prompt = request.last_text();
    let offered = request.body["response_format"].to_string();
    assert!(offered.contains("write_file") && offered.contains("content"), "it may be called: {offered}");
    if prompt.contains("result w ok") {
        assert!(
            prompt.contains("\"success\":true") && prompt.contains("\"tool\":\"write_file\""),
            "{prompt}"
        );
        return Reply::stop("The file hello.txt is there.");
    }
    if prompt.contains("result w failed") {
        return Reply::stop("You did not want it written.");
    }
    assert!(prompt.contains(ORDER), "{prompt}");
    let mut reply = turn("write_file", json!({"name": "hello.txt", "content": "Hello World"}));
    reply["actions"][0]["action_id"] = json!("w");
    Reply::Turn(reply)
}

/// The order is given and the question whether it may be written is answered so; the run's end, and its events.
async fn ordered(app: &TestApp, confirmed: bool) -> (Value, Vec<Value>) {
    let (mut ws, _) = Ws::hello(&app.base, json!({"locale": "en"})).await;
    ws.send(json!({"type": "user_message", "text": ORDER})).await;
    let run = ws.until("run_started").await["run_id"].as_str().unwrap().to_owned();
    let question = ws.until("agent_question").await;
    assert_eq!((&question["kind"], &question["root_run_id"]), (&json!("confirm"), &json!(run)), "{question}");
    // The file does not exist before the approval.
    assert_eq!(get(app, &format!("/api/runs/{run}/files")).await["items"], json!([]));
    ws.send(json!({"type": "answer", "reference": question["reference"], "confirmed": confirmed})).await;
    let ended = loop {
        let frame = ws.next().await;
        if frame["type"] == "run_ended" && frame["run_id"] == *run {
            break frame;
        }
    };
    wait_for_run(&app.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    (ended, ws.events.clone())
}

async fn service(model: &ScriptedModel) -> TestApp {
    with_settings(&[], Some(model), &[("ASKFIRST_CHAT__DEFAULT_AGENT", "assistant")]).await
}

fn model() -> ScriptedModel {
    ScriptedModel::answering(Rules { several_runs: true, ..Rules::default() }, writes)
}

// S2.35, S2.36: the end is seen, and the file is there with what was asked for, byte for byte.
#[actix_web::test]
async fn a_file_is_created_when_the_person_agrees() {
    let model = model();
    let app = service(&model).await;
    let (ended, events) = ordered(&app, true).await;
    assert_eq!(
        (&ended["outcome"], &ended["final_response"]),
        (&json!("succeeded"), &json!("The file hello.txt is there."))
    );
    let files = format!("/api/runs/{}/files", ended["run_id"].as_str().unwrap());
    let listed = get(&app, &files).await;
    assert_eq!(
        (&listed["items"][0]["name"], listed["items"].as_array().unwrap().len()),
        (&json!("hello.txt"), 1)
    );
    let file = reqwest::get(format!("{}{files}/hello.txt", app.base)).await.unwrap();
    assert_eq!((file.status().as_u16(), file.text().await.unwrap().as_str()), (200, "Hello World"));
    for name in ["thought", "action_started", "action_finished"] {
        assert!(
            events.iter().any(|event| event["event"] == name && event["run_id"] == ended["run_id"]),
            "{name}"
        );
    }
    app.finish().await;
    model.finish();
}

// S2.35: what is denied leaves nothing behind, and is not tried again.
#[actix_web::test]
async fn no_file_is_created_when_the_person_declines() {
    let model = model();
    let app = service(&model).await;
    let (ended, events) = ordered(&app, false).await;
    assert_eq!(ended["final_response"], "You did not want it written.", "{ended}");
    let run = ended["run_id"].as_str().unwrap();
    assert_eq!(get(&app, &format!("/api/runs/{run}/files")).await["items"], json!([]));
    let file = reqwest::get(format!("{}/api/runs/{run}/files/hello.txt", app.base)).await.unwrap();
    assert_eq!(file.status().as_u16(), 404);
    let children = get(&app, &format!("/api/runs?parent={run}")).await;
    assert_eq!(children["items"].as_array().unwrap().len(), 1, "{children}");
    let finished =
        events.iter().find(|event| event["event"] == "action_finished" && event["run_id"] == *run).unwrap();
    assert_eq!(finished["data"]["ok"], false, "{finished}");
    app.finish().await;
    model.finish();
}
