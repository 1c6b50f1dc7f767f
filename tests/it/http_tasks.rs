//! Background tasks over HTTP: listed, read, and cancelled.

use crate::support::service::TestService;
use serde_json::{Value, json};

/// A run that has begun another one beside it and rests; its id, and that of the work.
async fn start_holding_run(app: &TestService) -> (String, String) {
    let body = json!({"agent": "script", "input": {"script": ["begin:endless", "rest", "go"]}, "wait": true});
    let (_, rests) = app.post("/api/runs", body).await;
    let run = rests["run_id"].as_str().unwrap().to_owned();
    let (status, tasks) = app.get(&format!("/api/tasks?run_id={run}")).await;
    assert_eq!((status, tasks["items"].as_array().unwrap().len()), (200, 1), "{tasks}");
    (run, tasks["items"][0]["task_id"].as_str().unwrap().to_owned())
}

// S4.16, S4.17, S4.12
#[actix_web::test]
async fn work_in_the_background_is_read_by_its_id() {
    let app = TestService::start();
    let (run, id) = start_holding_run(&app).await;
    let (status, task) = app.get(&format!("/api/tasks/{id}")).await;
    assert_eq!((status, &task["run_id"], &task["status"]), (200, &json!(run), &json!("running")));
    assert_eq!(task["display"]["type"], "progress_bar");
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    assert_eq!(whole["tasks"], json!([task]), "the snapshot has the same");
    let (_, all) = app.get("/api/tasks").await;
    assert_eq!(all["items"], json!([task]));
    for (path, code) in [("/api/tasks/nothing", "unknown_task"), ("/api/tasks?run_id=nobody", "unknown_run")]
    {
        let (status, problem) = app.get(path).await;
        assert_eq!((status, &problem["code"]), (404, &json!(code)));
    }
    let (_, document) = app.get("/api/openapi.json").await;
    let shape = &document["components"]["schemas"]["Task"]["required"];
    for name in shape.as_array().unwrap() {
        assert!(task.get(name.as_str().unwrap()).is_some(), "{name} of {task}");
    }
    app.finish().await;
}

// S4.17: the run that began it goes on and hears how it ended.
#[actix_web::test]
async fn work_in_the_background_is_ended_before_its_time() {
    let app = TestService::start();
    let (run, id) = start_holding_run(&app).await;
    let mut live = app.follow(&run, 0).await;
    let (status, task) = app.post(&format!("/api/tasks/{id}/cancel"), Value::Null).await;
    assert_eq!(status, 200, "{task}");
    while live.next().await.expect("a fact")["text"] != "one ended as cancelled" {}
    app.until(&run, "succeeded").await;
    let (status, problem) = app.post(&format!("/api/tasks/{id}/cancel"), Value::Null).await;
    assert_eq!((status, &problem["code"]), (409, &json!("busy")), "{problem}");
    let (status, _) = app.post("/api/tasks/nothing/cancel", Value::Null).await;
    assert_eq!(status, 404);
    app.finish().await;
}
