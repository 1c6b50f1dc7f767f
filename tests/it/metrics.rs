//! Metrics, as Prometheus reads them.

use crate::support::app::Process;
use crate::support::clients;
use crate::support::lanes::{LEAF, composite, item};
use crate::support::service::TestService;
use reqwest::Method;
use serde_json::{Value, json};

/// The samples of this name with these labels, added up.
fn value(families: &Value, family: &str, sample: &str, labels: &[(&str, &str)]) -> f64 {
    let samples =
        families[family]["samples"].as_array().unwrap_or_else(|| panic!("no {family} in {families}"));
    let fits = |one: &&Value| one[0] == sample && labels.iter().all(|(name, word)| one[1][*name] == *word);
    samples.iter().filter(fits).map(|one| one[2].as_f64().unwrap()).sum()
}

/// Ends as named.
async fn ended(app: &TestService, script: Value, status: &str) {
    let run = app.begin(json!({"agent": "script", "input": {"script": script}})).await;
    app.until(&run, status).await;
}

async fn start_asking(app: &TestService) -> (String, String) {
    let run = app.begin(json!({"agent": "asks"})).await;
    app.until(&run, "waiting").await;
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    (run, whole["question"].as_str().unwrap().to_owned())
}

// docs/observability.md: ended runs are counted by agent and outcome.
#[actix_web::test]
async fn ended_runs_are_counted_by_agent_and_outcome() {
    let app = TestService::start();
    for (script, outcome) in [("go", "succeeded"), ("fail", "failed"), ("brief", "cancelled")] {
        ended(&app, json!([script]), outcome).await;
    }
    let text = app.request(Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
    for outcome in ["succeeded", "failed", "cancelled"] {
        let line = format!("askfirst_runs_total{{agent=\"script\",outcome=\"{outcome}\"}} ");
        assert!(text.lines().any(|found| found.starts_with(&line)), "{outcome}: {text}");
    }
    app.finish().await;
}

// docs/observability.md, S3.30, S3.32, S3.33: every family is true, and its text is what Prometheus's own parser reads.
#[actix_web::test]
#[ignore = "needs packages from PyPI; make test runs it"]
async fn a_scrape_is_read_by_prometheus_own_parser() {
    let app = TestService::start();
    ended(&app, json!(["go", "go"]), "succeeded").await;
    ended(&app, json!(["fail"]), "failed").await;
    ended(&app, json!(["brief"]), "cancelled").await;
    let (run, question) = start_asking(&app).await;
    app.post(&format!("/api/questions/{question}"), json!({"confirmed": true})).await;
    app.until(&run, "succeeded").await;
    let (stopped, _) = start_asking(&app).await;
    app.post(&format!("/api/runs/{stopped}/stop"), json!({})).await;
    start_asking(&app).await;

    let answer = app.request(Method::GET, "/metrics").send().await.unwrap();
    let text = answer.text().await.unwrap();
    let families = clients::run_client("metrics.py", &[], &text).await;
    for (family, kind, labels) in [
        ("askfirst_runs", "gauge", &["status"][..]),
        ("askfirst_steps_total", "counter", &["node"]),
        ("askfirst_store_seconds", "histogram", &["operation"]),
        ("askfirst_questions_total", "counter", &["kind", "outcome"]),
        ("askfirst_invocation_seconds", "histogram", &["tool", "status"]),
        ("askfirst_invocation_response_bytes", "histogram", &["tool"]),
    ] {
        assert_eq!(families[family]["type"], kind, "{family}");
        for sample in families[family]["samples"].as_array().unwrap() {
            assert!(labels.iter().all(|label| sample[1][label].is_string()), "{sample}");
        }
    }
    for (family, sample, labels, expected) in [
        ("askfirst_steps_total", "askfirst_steps_total", &[("node", "go")][..], 2.0),
        (
            "askfirst_questions_total",
            "askfirst_questions_total",
            &[("kind", "confirm"), ("outcome", "asked")],
            4.0,
        ),
        ("askfirst_questions_total", "askfirst_questions_total", &[("outcome", "user")], 1.0),
        ("askfirst_questions_total", "askfirst_questions_total", &[("outcome", "expired")], 1.0),
        ("askfirst_questions_total", "askfirst_questions_total", &[("outcome", "stopped")], 1.0),
        ("askfirst_question_wait_seconds", "askfirst_question_wait_seconds_count", &[], 3.0),
        ("askfirst_runs", "askfirst_runs", &[("status", "waiting")], 1.0),
        (
            "askfirst_invocation_seconds",
            "askfirst_invocation_seconds_count",
            &[("tool", "script"), ("status", "failed")],
            1.0,
        ),
        (
            "askfirst_invocation_response_bytes",
            "askfirst_invocation_response_bytes_count",
            &[("tool", "script")],
            3.0,
        ),
        ("askfirst_browsers", "askfirst_browsers", &[], 1.0),
    ] {
        let found = value(&families, family, sample, labels);
        // Tests of one process count together where they are run so.
        assert!(found >= expected, "{sample} {labels:?}: {found}");
    }
    for operation in ["create", "commit", "resolve", "read"] {
        let count = "askfirst_store_seconds_count";
        assert!(
            value(&families, "askfirst_store_seconds", count, &[("operation", operation)]) > 0.0,
            "{operation}"
        );
    }
    app.finish().await;
}

/// Log lines with this message.
fn lines<'l>(log: &'l [Value], message: &str) -> Vec<&'l Value> {
    log.iter().filter(|line| line["message"] == message).collect()
}

// S3.31: each call and each end is a line with the same keys.
#[actix_web::test]
async fn each_call_and_each_end_is_a_line_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let agents = folder.path().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join("leaf.yaml"), format!("name: leaf\n{LEAF}")).unwrap();
    let one = composite(&[], &[], "", &[item("a", "leaf", "")]);
    std::fs::write(agents.join("one.yaml"), format!("name: one\n{one}")).unwrap();
    let path = folder.path().join("log");
    let settings = [("ASKFIRST_TELEMETRY__LOG", "json"), ("ASKFIRST_TELEMETRY__LEVEL", "info")];
    let app = Process::logged(folder.path(), &settings, &path).await;
    let answer = reqwest::Client::new().post(format!("{}/api/run/one", app.base)).json(&json!({"input": {}}));
    let done: Value = answer.send().await.unwrap().json().await.unwrap();
    let root = done["run_id"].as_str().unwrap();
    assert!(app.terminate().await.success());

    let text = std::fs::read_to_string(path).unwrap();
    let log: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ends = lines(&log, "run ended");
    assert_eq!(ends.len(), 2, "{text}");
    for end in &ends {
        for key in
            ["tool", "agent_id", "exec_id", "run_id", "root_run_id", "latency_ms", "status", "response_bytes"]
        {
            assert!(!end[key].is_null(), "{key} in {end}");
        }
        assert_eq!((&end["root_run_id"], &end["status"]), (&json!(root), &json!("succeeded")));
    }
    let child = ends.iter().find(|end| end["tool"] == "leaf").unwrap();
    assert_eq!(child["parent_exec_id"], root);
    let calls = lines(&log, "item finished");
    let [call] = calls.as_slice() else { panic!("{text}") };
    for (key, value) in [("tool", "one"), ("agent_id", "leaf"), ("step_id", "a"), ("status", "succeeded")] {
        assert_eq!(call[key], value, "{call}");
    }
    assert_eq!((&call["exec_id"], &call["action_id"]), (&child["exec_id"], &json!("a")));
}
