//! Runs over HTTP: starting, waiting, listing, and all that one leaves behind.

use crate::support::app::PATIENCE;
use crate::support::scripted_program::PICTURE;
use crate::support::service::{TestService, word};
use reqwest::Method;
use serde_json::{Value, json};

#[actix_web::test]
async fn a_run_is_started_and_read() {
    let app = TestService::start();
    let (status, started) =
        app.post("/api/runs", json!({"agent": "three", "input": {"text": "a lamp"}})).await;
    assert_eq!(status, 201);
    let run = word(&started, "run_id");
    assert_eq!(started, json!({"run_id": run, "status": started["status"]}), "exactly these two");
    app.until(&run, "succeeded").await;

    let (status, whole) = app.get(&format!("/api/runs/{run}")).await;
    assert_eq!(status, 200);
    for (name, value) in [
        ("run_id", json!(run)),
        ("root_run_id", json!(run)),
        ("parent_run_id", Value::Null),
        ("agent", json!("three")),
        ("title", json!("a lamp")),
        ("status", json!("succeeded")),
        ("outcome", json!("succeeded")),
        ("steps", json!(2)),
        ("tokens", json!(24)),
        ("final_response", json!("**succeeded**")),
        ("questions", json!([])),
    ] {
        assert_eq!(whole[name], value, "{name}");
    }
    assert_eq!(whole["vars"]["steps"], 2);
    assert_eq!(whole["usage"]["cached_tokens"], 8);
    app.finish().await;
}

// 200 when it ended, 202 when it asks or the time is up
#[actix_web::test]
async fn waiting_ends_with_the_run_with_a_question_or_with_the_time() {
    let app = TestService::start();
    let (status, ended) = app.post("/api/runs", json!({"agent": "three", "wait": true})).await;
    assert_eq!(
        (status, &ended["status"], &ended["final_response"]),
        (200, &json!("succeeded"), &json!("**succeeded**"))
    );

    let (status, waiting) = app.post("/api/runs", json!({"agent": "asks", "wait": true})).await;
    assert_eq!((status, &waiting["status"]), (202, &json!("waiting")));
    assert_eq!(waiting["questions"][0]["kind"], "confirm");
    assert_eq!(waiting["questions"][0]["reference"], waiting["question"]);

    let endless = json!({"agent": "endless", "wait": true, "timeout_ms": 50});
    let (status, late) = app.post("/api/runs", endless).await;
    assert_eq!((status, &late["questions"]), (202, &json!([])));
    // On a busy machine it has not begun by then.
    assert!(late["status"] == "running" || late["status"] == "queued", "{late}");
    app.finish().await;
}

#[actix_web::test]
async fn the_same_key_is_the_same_run() {
    let app = TestService::start();
    let body = json!({"agent": "endless", "input": {"text": "once"}, "idempotency_key": "k1"});
    let first = app.begin(body.clone()).await;
    let both = futures_util::future::join(app.begin(body.clone()), app.begin(body)).await;
    assert_eq!(both, (first.clone(), first.clone()));
    let other = json!({"agent": "endless", "input": {"text": "else"}, "idempotency_key": "k1"});
    let (status, problem) = app.post("/api/runs", other).await;
    assert_eq!((status, &problem["code"], &problem["run_id"]), (409, &json!("key_reused"), &json!(first)));
    // A key belongs to its agent.
    let agent =
        app.begin(json!({"agent": "three", "input": {"text": "once"}, "idempotency_key": "k1"})).await;
    assert_ne!(agent, first);
    assert_eq!(app.get("/api/runs").await.1["items"].as_array().unwrap().len(), 2);
    app.finish().await;
}

#[actix_web::test]
async fn the_list_is_paged_and_filtered() {
    let app = TestService::start();
    let mut made = Vec::new();
    for n in 0..7 {
        let agent = if n % 2 == 0 { "three" } else { "endless" };
        made.push(app.begin(json!({"agent": agent, "input": {"text": format!("order {n}")}})).await);
    }
    made.reverse();
    let (mut seen, mut path) = (Vec::new(), String::from("/api/runs?limit=3"));
    let mut pages = 0;
    loop {
        let (status, page) = app.get(&path).await;
        assert_eq!(status, 200);
        seen.extend(page["items"].as_array().unwrap().iter().map(|row| word(row, "run_id")));
        pages += 1;
        let Some(cursor) = page["cursor"].as_str() else { break };
        path = format!("/api/runs?limit=3&cursor={cursor}");
    }
    assert_eq!((seen, pages), (made.clone(), 3), "newest first, each once");

    app.until(&made[0], "succeeded").await;
    let count = async |query: &str| {
        let (_, page) = app.get(&format!("/api/runs?{query}")).await;
        page["items"].as_array().unwrap().len()
    };
    assert_eq!(count("agent=endless").await, 3);
    assert_eq!(count("q=ORDER%203").await, 1);
    assert_eq!(count("agent=nobody").await, 0);
    assert_eq!(count("status=&agent=&q=&cursor=").await, 7);
    let (status, odd) = app.get("/api/runs?cursor=zzz").await;
    assert_eq!((status, odd["code"].as_str()), (400, Some("bad_query")), "{odd}");
    assert!(count("status=succeeded").await >= 1);
    for run in &made {
        let (_, row) = app.get(&format!("/api/runs/{run}")).await;
        if row["agent"] == "three" {
            app.until(run, "succeeded").await;
        }
    }
    assert_eq!(count("status=succeeded&agent=three&limit=200").await, 4);
    assert_eq!(count("limit=0").await, 1, "at least one a page");
    let (status, problem) = app.get("/api/runs?status=happy").await;
    assert_eq!((status, &problem["code"]), (400, &json!("bad_query")));
    assert_eq!(app.get("/api/runs?limit=many").await.0, 400);
    app.finish().await;
}

// S0.50, S2.30, C10: one shape, and the same number for the same state.
#[actix_web::test]
async fn state_and_trace_are_those_of_the_files() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "asks", "input": {"text": "x"}})).await;
    app.until(&run, "waiting").await;
    let resting = read_as_in_files(&app, &run).await;
    let state = &resting[0];
    assert_eq!(
        (&state["run_id"], &state["session_id"], &state["_schema"]),
        (&json!(run), &json!(run), &json!(1))
    );
    assert_eq!((&state["state_data"]["at"], &state["state_data"]["steps"]), (&json!(1), &json!(1)));
    let nodes: Vec<_> =
        resting[1]["steps"].as_array().unwrap().iter().map(|step| word(step, "node")).collect();
    assert_eq!(nodes, ["go", "ask"]);

    let (_, question) = app.get("/api/questions").await;
    let reference = word(&question["items"][0], "reference");
    app.post(&format!("/api/questions/{reference}"), json!({"confirmed": true})).await;
    app.until(&run, "succeeded").await;
    app.programs.ended(&run).await;
    let ended = read_as_in_files(&app, &run).await;
    assert_eq!(ended[1]["steps"].as_array().unwrap().len(), 5);
    for (before, now) in resting.iter().zip(&ended) {
        assert!(before["_version"].as_u64() < now["_version"].as_u64(), "{before} {now}");
    }

    // State that the files lack is returned as the next save would write it.
    let folder = app.folder.path().join("runs").join(&run);
    let old: Value = resting[0].clone();
    std::fs::write(folder.join("state.json"), format!("{old:#}")).unwrap();
    let (_, reply) = app.get(&format!("/api/runs/{run}/state")).await;
    assert_eq!(reply["_version"].as_u64(), old["_version"].as_u64().map(|version| version + 1));
    assert_eq!(reply["state_data"], ended[0]["state_data"]);
    app.finish().await;
}

/// State and trace over HTTP, when the files hold the same.
async fn read_as_in_files(app: &TestService, run: &str) -> [Value; 2] {
    let mut documents = [Value::Null, Value::Null];
    for (document, name) in documents.iter_mut().zip(["state", "trace"]) {
        let path = app.folder.path().join("runs").join(run).join(format!("{name}.json"));
        let same = async {
            loop {
                app.written().await;
                let file = std::fs::read(&path).unwrap_or_default();
                let (_, document) = app.get(&format!("/api/runs/{run}/{name}")).await;
                if serde_json::from_slice::<Value>(&file).is_ok_and(|file| file == document) {
                    return document;
                }
            }
        };
        *document = tokio::time::timeout(PATIENCE, same).await.unwrap_or_else(|_| panic!("{name} differs"));
    }
    documents
}

#[actix_web::test]
async fn pictures_may_be_cached_for_ever() {
    let app = TestService::start();
    let body = json!({"agent": "script", "input": {"script": ["picture"]}, "wait": true});
    let (_, run) = app.post("/api/runs", body).await;
    let run = word(&run, "run_id");
    let picture = app.request(Method::GET, &format!("/api/runs/{run}/pictures/1")).send().await.unwrap();
    assert_eq!(picture.status(), 200);
    assert_eq!(picture.headers()["content-type"], "image/jpeg");
    assert!(picture.headers()["cache-control"].to_str().unwrap().contains("immutable"));
    assert_eq!(picture.bytes().await.unwrap(), PICTURE);
    for path in [format!("/api/runs/{run}/pictures/2"), format!("/api/runs/{run}/pictures/x")] {
        let (status, problem) = app.get(&path).await;
        assert_eq!((status, &problem["code"]), (404, &json!("not_found")), "{path}");
    }
    app.finish().await;
}

#[actix_web::test]
async fn faults_are_problems_that_say_what_is_wrong() {
    let app = TestService::start();
    for (body, status, code) in [
        (json!({"agent": "nobody"}), 404, "unknown_agent"),
        (json!({"agent": "script"}), 422, "bad_input"),
        (json!({"agent": 7}), 400, "bad_json"),
        (json!({"agent": "three", "input": "text"}), 400, "bad_json"),
    ] {
        let (seen, problem) = app.post("/api/runs", body.clone()).await;
        assert_eq!((seen, &problem["code"]), (status, &json!(code)), "{body}");
    }
    let unknown = ["", "/state", "/trace", "/events", "/stop", "/pause", "/resume", "/messages"];
    for path in unknown.map(|tail| format!("/api/runs/nothing{tail}")) {
        let post = ["stop", "pause", "resume", "messages"].iter().any(|tail| path.ends_with(tail));
        let (status, problem) =
            if post { app.post(&path, json!({"text": "hello"})).await } else { app.get(&path).await };
        assert_eq!((status, &problem["code"]), (404, &json!("unknown_run")), "{path}");
    }
    for path in ["/api/nothing", "/nothing", "/static/nothing.js", "/static/../Cargo.toml", "/api/runs/a/b/c"]
    {
        let (status, problem) = app.get(path).await;
        assert_eq!((status, &problem["code"]), (404, &json!("not_found")), "{path}");
    }
    let refused = app.request(Method::PATCH, "/api/runs").send().await.unwrap();
    assert_eq!(
        (refused.status().as_u16(), &refused.headers()["allow"]),
        (405, &"GET, POST".parse().unwrap())
    );
    let (status, problem) = app.delete("/api/settings").await;
    assert_eq!((status, &problem["code"]), (405, &json!("method_not_allowed")));
    app.finish().await;
}
