//! Children that work beside a run, and a run that rests while they do: what the engine keeps of both, whatever
//! comes when.

use crate::support::service::TestService;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::{Arc, Mutex};

async fn begin(app: &TestService, script: Value) -> String {
    app.begin(json!({"agent": "script", "input": {"script": script}})).await
}

/// Waits until this very run stands so, whatever becomes of those below it.
async fn until(app: &TestService, run: &str, status: &str) {
    let mut stream = app.follow(run, 0).await;
    loop {
        let event = stream.next().await.expect("a fact");
        if event["run_id"] == run && (event["status"] == status || event["outcome"] == status) {
            return;
        }
    }
}

async fn whole(app: &TestService, run: &str) -> Value {
    app.get(&format!("/api/runs/{run}")).await.1
}

async fn children(app: &TestService, run: &str) -> Vec<String> {
    let (_, rows) = app.get(&format!("/api/runs?parent={run}")).await;
    rows["items"].as_array().unwrap().iter().map(|row| row["run_id"].as_str().unwrap().to_owned()).collect()
}

/// Waits for a child of the run to stand so.
async fn until_child(app: &TestService, root: &str, status: &str) -> String {
    let mut stream = app.follow(root, 0).await;
    loop {
        let event = stream.next().await.expect("a fact");
        let stands = event["type"] == "status" && event["status"] == status
            || event["type"] == "run_ended" && event["outcome"] == status;
        if event["run_id"] != root && stands {
            return event["run_id"].as_str().unwrap().to_owned();
        }
    }
}

// S4.16, S4.21: it goes on at once, rests with nothing to ask, and is woken by the end of what it began.
#[actix_web::test]
async fn a_run_rests_beside_its_children_and_is_woken_by_their_ends() {
    let app = TestService::start();
    let body =
        json!({"agent": "script", "input": {"script": ["begin:endless", "go", "rest", "go"]}, "wait": true});
    let (status, rests) = app.post("/api/runs", body).await;
    assert_eq!(
        (status, &rests["status"], &rests["question"]),
        (202, &json!("waiting"), &Value::Null),
        "{rests}"
    );
    let run = rests["run_id"].as_str().unwrap().to_owned();
    assert_eq!(children(&app, &run).await.len(), 1);
    app.programs.release();
    until(&app, &run, "succeeded").await;
    let whole = whole(&app, &run).await;
    assert_eq!((&whole["vars"]["ends"], &whole["vars"]["steps"]), (&json!([[2, "succeeded"]]), &json!(2)));
    app.finish().await;
}

/// Log lines of this thread, as text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

// S3.31: a task that ends while its caller rests is a line of the log, too, and one.
#[actix_web::test]
async fn a_task_that_ends_beside_its_caller_is_logged_once() {
    let log = Log::default();
    let writer = log.clone();
    let lines = tracing_subscriber::fmt().json().with_writer(move || writer.clone()).finish();
    let _logging = tracing::subscriber::set_default(lines);
    let app = TestService::start();
    let run = begin(&app, json!(["begin:endless", "rest", "go"])).await;
    until(&app, &run, "waiting").await;
    app.programs.release();
    until(&app, &run, "succeeded").await;
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["fields"].clone());
    let finished: Vec<Value> = lines.filter(|fields| fields["message"] == "task finished").collect();
    let [line] = finished.as_slice() else { panic!("{text}") };
    assert_eq!(line["exec_id"], children(&app, &run).await[0], "{line}");
    assert_eq!((&line["tool"], &line["status"]), (&json!("script"), &json!("succeeded")), "{line}");
    app.finish().await;
}

// S4.16: the person is not blocked: what they say is heard at once, and what was begun goes on.
#[actix_web::test]
async fn a_resting_run_is_woken_by_a_message() {
    let app = TestService::start();
    let run = begin(&app, json!(["begin:endless", "rest", "say:heard you", "rest", "go"])).await;
    until(&app, &run, "waiting").await;
    assert_eq!(app.post(&format!("/api/runs/{run}/messages"), json!({"text": "hello"})).await.0, 202);
    let mut stream = app.follow(&run, 0).await;
    while stream.next().await.unwrap()["text"] != "heard you" {}
    app.programs.release();
    until(&app, &run, "succeeded").await;
    let whole = whole(&app, &run).await;
    assert_eq!(
        (&whole["vars"]["heard"], &whole["vars"]["ends"]),
        (&json!(["hello"]), &json!([[3, "succeeded"]]))
    );
    app.finish().await;
}

// S4.16: a child that ends while a question is open is heard of at once, and the question stays.
#[actix_web::test]
async fn the_end_of_a_child_is_handled_while_a_question_is_open() {
    let app = TestService::start();
    let run = begin(&app, json!(["begin:endless", "ask:confirm", "go"])).await;
    until(&app, &run, "waiting").await;
    app.programs.release();
    let mut stream = app.follow(&run, 0).await;
    while stream.next().await.unwrap()["text"] != "one ended as succeeded" {}
    let waits = whole(&app, &run).await;
    assert_eq!((&waits["status"], waits["questions"].as_array().unwrap().len()), (&json!("waiting"), 1));
    let reference = waits["questions"][0]["reference"].as_str().unwrap();
    assert_eq!(app.post(&format!("/api/questions/{reference}"), json!({"confirmed": true})).await.0, 200);
    until(&app, &run, "succeeded").await;
    assert_eq!(whole(&app, &run).await["vars"]["ends"], json!([[1, "succeeded"]]));
    app.finish().await;
}

// Stop, pause and resume reach a run that rests, and all that works beside it.
#[actix_web::test]
async fn a_resting_run_is_paused_resumed_and_stopped_with_its_children() {
    let app = TestService::start();
    let run = begin(&app, json!(["begin:endless", "rest", "go"])).await;
    until(&app, &run, "waiting").await;
    let child = until_child(&app, &run, "running").await;
    assert_eq!(app.post(&format!("/api/runs/{run}/pause"), Value::Null).await.0, 200);
    until(&app, &child, "paused").await;
    assert_eq!(whole(&app, &run).await["status"], "paused");
    assert_eq!(app.post(&format!("/api/runs/{run}/resume"), Value::Null).await.0, 200);
    let standing = |event: &Value, run: &str, word: &str| event["run_id"] == run && event["status"] == word;
    let mut stream = app.follow(&run, 0).await;
    let mut paused = false;
    loop {
        let event = stream.next().await.unwrap();
        paused |= standing(&event, &run, "paused");
        if paused && standing(&event, &run, "waiting") {
            break;
        }
    }
    let (status, answer) = app.post(&format!("/api/runs/{run}/stop"), Value::Null).await;
    assert_eq!((status, &answer["status"]), (200, &json!("cancelled")));
    until(&app, &child, "cancelled").await;
    app.finish().await;
}

// S4.17: a child that is given up is stopped, and its end is heard of.
#[actix_web::test]
async fn an_abandoned_child_is_stopped() {
    let app = TestService::start();
    let run = begin(&app, json!(["begin:endless", "drop", "rest", "go"])).await;
    until(&app, &run, "succeeded").await;
    assert_eq!(whole(&app, &run).await["vars"]["ends"][0][1], "cancelled");
    app.finish().await;
}

// S2.23: a child that is not due yet waits for its time, and is stopped at once all the same.
#[actix_web::test]
async fn a_child_starts_at_its_set_time() {
    let app = TestService::start();
    let run = begin(&app, json!(["later:three", "rest", "go"])).await;
    until(&app, &run, "succeeded").await;
    let child = &children(&app, &run).await[0];
    let (_, events) = app.get(&format!("/api/runs/{run}/events")).await;
    let at = |kind: &str, run: &str| {
        let event =
            events["items"].as_array().unwrap().iter().find(|f| f["type"] == kind && f["run_id"] == run);
        event.unwrap()["at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_millisecond()
    };
    // The time counts from the call, which is stored a little later.
    assert!(at("status", child) - at("run_started", &run) >= 300);
    let run = begin(&app, json!(["later:three", "drop", "rest"])).await;
    until(&app, &run, "succeeded").await;
    assert_eq!(whole(&app, &run).await["vars"]["ends"][0][1], "cancelled");
    app.finish().await;
}
