//! Files that are given before their run begins: they are in its folder when its first step is taken.

use crate::support::agents::{ended, get, with_settings};
use crate::support::app::TestApp;
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::ws::Ws;
use reqwest::Method;
use serde_json::{Value, json};

async fn ask(app: &TestApp, method: Method, path: &str, body: impl Into<reqwest::Body>) -> (u16, Value) {
    let url = format!("{}{path}", app.base);
    let request = reqwest::Client::new().request(method, url).header("content-type", "application/json");
    let answer = request.body(body).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

async fn staged(app: &TestApp, name: &str, text: &str) -> String {
    let (status, given) = ask(app, Method::POST, &format!("/api/files/{name}"), text.to_owned()).await;
    assert_eq!((status, &given["size"]), (201, &json!(text.len())), "{given}");
    given["id"].as_str().unwrap().to_owned()
}

#[actix_web::test]
async fn files_uploaded_before_the_start_are_there_at_the_first_step() {
    let rules = Rules { several_runs: true, ..Rules::default() };
    let model = ScriptedModel::answering(rules, |_| Reply::stop("read"));
    let app = with_settings(&[], Some(&model), &[("ASKFIRST_FILES__MAX_MB", "2")]).await;
    let ids = [staged(&app, "cv.txt", "lamps").await, staged(&app, "cv.txt", "more lamps").await];
    let gone = staged(&app, "wrong.txt", "x").await;
    let path = format!("/api/files/{gone}");
    assert_eq!(ask(&app, Method::DELETE, &path, "").await.0, 204);
    assert_eq!(ask(&app, Method::DELETE, &path, "").await.0, 404);
    // Larger than any other request may be.
    let large = ask(&app, Method::POST, "/api/files/large", vec![0; 3 * 1024 * 1024 / 2]).await.1;
    let path = format!("/api/files/{}", large["id"].as_str().unwrap());
    assert_eq!(ask(&app, Method::DELETE, &path, "").await.0, 204);
    let (status, problem) = ask(&app, Method::POST, "/api/files/big", vec![0; 2 * 1024 * 1024 + 1]).await;
    assert_eq!((status, &problem["code"]), (413, &json!("too_large")));

    let start =
        json!({"agent": "assistant", "input": {"text": "read it"}, "files": ids, "idempotency_key": "k"});
    let unknown = json!({"agent": "assistant", "input": {"text": "read it"}, "files": [ids[0], gone]});
    let (status, problem) = ask(&app, Method::POST, "/api/runs", unknown.to_string()).await;
    assert_eq!((status, &problem["code"]), (422, &json!("unknown_file")), "all or none: {problem}");
    let (status, begun) = ask(&app, Method::POST, "/api/runs", start.to_string()).await;
    assert_eq!(status, 201, "{begun}");
    let run = begun["run_id"].as_str().unwrap().to_owned();
    ended(&app, &run).await;
    let request = model.requests()[0].body.to_string();
    assert!(request.contains("cv.txt") && request.contains("cv (2).txt"), "{request}");
    let listed = get(&app, &format!("/api/runs/{run}/files")).await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 2, "{listed}");
    // The same order once more, after an answer that was lost: the same run, and no fault.
    let (status, again) = ask(&app, Method::POST, "/api/runs", start.to_string()).await;
    assert_eq!((status, &again["run_id"]), (201, &json!(run)), "{again}");

    // Files can be given over a socket, too.
    let id = staged(&app, "photo.png", "light").await;
    let (mut viewer, _) = Ws::hello(&app.base, json!({})).await;
    viewer.send(json!({"type": "user_message", "text": "look", "agent": "assistant", "files": [id]})).await;
    let started = viewer.until("run_started").await;
    viewer.until("run_ended").await;
    let listed = get(&app, &format!("/api/runs/{}/files", started["run_id"].as_str().unwrap())).await;
    assert_eq!(listed["items"][0]["name"], "photo.png", "{listed}");
    viewer.send(json!({"type": "user_message", "text": "look", "agent": "assistant", "files": [id]})).await;
    assert_eq!(viewer.until("error").await["code"], "unknown_file");
    drop(viewer);
    model.finish();
    app.finish().await;
}
