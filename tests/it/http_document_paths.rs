//! The documents' own paths: the same runs under other names (C14), and the agents.

use crate::support::service::{TestService, word};
use serde_json::{Value, json};

// S0.37, S0.49, C14
#[actix_web::test]
async fn running_an_agent_by_name_returns_its_result() {
    let app = TestService::start();
    for path in ["/api/run/three", "/api/agents/three/run"] {
        let (status, done) = app.post(path, json!({"input": {"original_task": "x", "locale": "en"}})).await;
        assert_eq!(
            (status, &done["ok"], &done["error"], &done["status"]),
            (200, &json!(true), &Value::Null, &json!("succeeded"))
        );
        assert_eq!((&done["vars"]["original_task"], &done["vars"]["steps"]), (&json!("x"), &json!(2)));
        let log: Vec<&str> =
            done["log"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        for part in ["started three", "agent: half way", "ended: succeeded"] {
            assert!(log.iter().any(|line| line.contains(part)), "{part} is missing in {log:?}");
        }
        let (status, whole) = app.get(&format!("/api/runs/{}", word(&done, "run_id"))).await;
        assert_eq!((status, &whole["agent"]), (200, &json!("three")), "an ordinary run");
    }
    let (_, done) = app.post("/api/run/three", json!({})).await;
    assert!(
        word(&json!({"line": done["log"][0]}), "line").contains("started three"),
        "English if not said otherwise"
    );

    let (status, failed) = app.post("/api/run/script", json!({"input": {"script": ["fail"]}})).await;
    assert_eq!((status, &failed["ok"], &failed["status"]), (200, &json!(false), &json!("failed")));
    assert!(word(&failed, "error").contains("this step always fails"));
    let (status, waiting) = app.post("/api/run/asks", json!({"input": {}})).await;
    assert_eq!(
        (status, &waiting["ok"], &waiting["error"], &waiting["status"]),
        (202, &json!(false), &Value::Null, &json!("waiting"))
    );
    assert_eq!(waiting["questions"][0]["kind"], "confirm");
    let (status, problem) = app.post("/api/run/nobody", json!({"input": {}})).await;
    assert_eq!((status, &problem["code"]), (404, &json!("unknown_agent")));
    app.finish().await;
}

// S3.3, S3.34, S3.39, C14
#[actix_web::test]
async fn executions_are_runs_under_other_names() {
    let app = TestService::start();
    let body = json!({"with": {"colour": "blue"}, "prompt": "a lamp"});
    let (status, done) = app.post("/agents/three/executions", body).await;
    assert_eq!(
        (status, &done["agent_id"], &done["status"], &done["success"]),
        (200, &json!("three"), &json!("succeeded"), &json!(true))
    );
    assert_eq!((&done["outputs"]["colour"], &done["outputs"]["text"]), (&json!("blue"), &json!("a lamp")));
    let exec_id = word(&done, "exec_id");
    assert_eq!(app.get(&format!("/executions/agents/{exec_id}")).await, (200, done));
    let (_, failed) =
        app.post("/agents/script/executions", json!({"input": {"script": ["end:blocked"]}})).await;
    assert_eq!(failed["error"], json!({"code": "blocked", "message": "**blocked**"}));
    assert_eq!(app.get("/executions/agents/nothing").await.0, 404);
    assert_eq!(app.post("/agents/nobody/executions", json!({})).await.0, 404);
    app.finish().await;
}

// S0.34, S0.35, S0.38
#[actix_web::test]
async fn agents_are_listed_and_read() {
    let app = TestService::start();
    let (status, list) = app.get("/api/agents").await;
    assert_eq!(status, 200);
    let rows = list.as_array().expect("a bare list");
    let row = rows.iter().find(|row| row["name"] == "browser").expect("it ships");
    assert_eq!(
        (&row["name"], &row["kind"], &row["executor"]),
        (&json!("browser"), &json!("atomic"), &json!("browser"))
    );
    for name in ["title_ua", "title_en", "description_ua", "description_en"] {
        assert!(!word(row, name).is_empty(), "{name}");
    }
    assert!(row["inputs"].is_array() && row["outputs"].is_array() && row["locals"].is_array());
    let (status, agent) = app.get("/api/agents/browser").await;
    assert_eq!((status, &agent["name"]), (200, &json!("browser")));
    assert!(agent["browser"].is_object(), "the whole file");
    assert_eq!(app.get("/api/agent/browser").await, (200, agent));
    let (status, problem) = app.get("/api/agent/nobody").await;
    assert_eq!((status, &problem["code"]), (404, &json!("unknown_agent")));
    app.finish().await;
}
