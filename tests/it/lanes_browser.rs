//! Lanes whose items work in the browser: one browser for the tree, one item at a time, and a person's hands
//! on it through the run that they watch.

use crate::support::agents::{ended, get, with_agents};
use crate::support::talk;
use crate::support::ws::Ws;
use serde_json::{Value, json};

const LANES: &str = "
kind: composite
inputs: [{name: first}, {name: second}]
outputs: [{name: answer}]
graph:
  lanes:
    - items:
        - id: a
          agent: browser
          bindings: [{from_agent_item_id: __CTX__, from_var: first, to_agent_item_id: a, to_var: text}]
        - id: b
          agent: browser
          bindings: [{from_agent_item_id: __CTX__, from_var: second, to_agent_item_id: b, to_var: text}]
";

fn item<'f>(events: &'f [Value], id: &str, status: &str) -> Option<&'f Value> {
    events.iter().find(|event| {
        event["event"] == "item" && event["data"]["item_id"] == id && event["data"]["status"] == status
    })
}

// S0.23: a run tree has one browser, so that browsing items of a lane take turns; a take-over of the root's page holds
// up the item that is in it.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn browsing_items_take_turns_and_a_take_over_holds_up_the_running_one() {
    let _slot = talk::slot().await;
    let app = with_agents(&[("lanes", LANES)], None).await;
    let (mut ws, _) = Ws::hello(&app.base, json!({})).await;
    let input = json!({
        "first": format!("open {0}/demo/?lang=en then let me", app.base),
        "second": format!("open {0}/demo/cart?lang=en", app.base),
        "locale": "en",
    });
    let started: Value = reqwest::Client::new()
        .post(format!("{}/api/runs", app.base))
        .json(&json!({"agent": "lanes", "input": input}))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let root = started["run_id"].as_str().unwrap().to_owned();
    ws.close().await;
    (ws, _) = Ws::hello(&app.base, json!({"run_id": root, "after_seq": 0})).await;
    let question = ws.until("agent_question").await;
    assert_eq!(question["kind"], "manual", "{question}");
    assert_ne!(question["run_id"], json!(root), "the item's own question");
    ws.send(json!({"type": "control", "run_id": root, "command": "take_over"})).await;
    let lease = ws.until_that("the page", |event| event["event"] == "lease").await;
    assert!(lease["data"]["holder"].is_string(), "{lease}");
    assert_eq!(lease["run_id"], question["run_id"], "the item that is in the browser stands still");
    ws.send(json!({"type": "control", "run_id": root, "command": "hand_back"})).await;
    let whole = ended(&app, &root).await;
    assert_eq!(whole["status"], "succeeded", "{whole}");
    assert!(whole["vars"]["answer"].as_str().is_some_and(|answer| !answer.is_empty()), "{whole}");
    let events = get(&app, &format!("/api/runs/{root}/events?limit=1000")).await;
    let events = events["items"].as_array().unwrap();
    let (done, begun) = (item(events, "a", "succeeded"), item(events, "b", "running"));
    assert!(done.unwrap()["seq"].as_u64() < begun.unwrap()["seq"].as_u64(), "one after the other");
    ws.close().await;
    app.finish().await;
}
