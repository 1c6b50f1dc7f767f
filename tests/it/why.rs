//! Why a run stands as it does, over HTTP and from the command line.

use crate::support::app::{Http, TestApp, spawn};
use crate::support::cli::askfirst;
use crate::support::service::{TestService, word};
use crate::support::talk::slot;
use serde_json::{Value, json};

async fn why(app: &TestService, run: &str) -> Value {
    let (status, why) = app.get(&format!("/api/runs/{run}/why?locale=en")).await;
    assert_eq!((status, why["run_id"].as_str()), (200, Some(run)), "{why}");
    why
}

#[actix_web::test]
async fn a_run_explains_its_status_and_what_would_change_it() {
    let app = TestService::start();
    let waiting = app.begin(json!({"agent": "asks", "input": {"text": "x"}})).await;
    app.until(&waiting, "waiting").await;
    let explanation = why(&app, &waiting).await;
    let link = format!("/#/runs/{waiting}");
    let expected = json!({
        "run_id": waiting, "status": "waiting", "locale": "en", "reason": "asks_confirm", "because": "Asking for approval: May I?",
        "moves": [{"who": "person", "how": "Approve or decline", "link": link}],
    });
    assert_eq!(explanation, expected);
    let (_, uk) = app.get(&format!("/api/runs/{waiting}/why?locale=uk")).await;
    assert_eq!(uk["because"], "Просить дозволу: May I?");

    let (_, run) = app.get(&format!("/api/runs/{waiting}")).await;
    let path = format!("/api/questions/{}", word(&run, "question"));
    app.post(&path, json!({"confirmed": false})).await;
    app.until(&waiting, "cancelled").await;
    assert_eq!(why(&app, &waiting).await["reason"], "declined");

    let endless = app.begin(json!({"agent": "endless"})).await;
    app.until(&endless, "running").await;
    app.post(&format!("/api/runs/{endless}/pause"), json!({})).await;
    assert_eq!(why(&app, &endless).await["reason"], "paused");
    app.post(&format!("/api/runs/{endless}/stop"), json!({})).await;
    assert_eq!(why(&app, &endless).await["reason"], "stopped");

    let fails = app.begin(json!({"agent": "script", "input": {"script": ["fail"]}})).await;
    app.until(&fails, "failed").await;
    let explanation = why(&app, &fails).await;
    assert!(word(&explanation, "because").contains("this step always fails"), "{explanation}");
    assert_eq!(app.get("/api/runs/nothing/why").await.0, 404);
    app.finish().await;
}

#[actix_web::test]
async fn a_caller_names_the_agent_that_asks_for_it() {
    let app = TestService::start();
    let caller = app.begin(json!({"agent": "script", "input": {"script": ["begin:asks", "rest"]}})).await;
    let mut events = app.follow(&caller, 0).await;
    let child = loop {
        let event = events.next().await.unwrap();
        if event["type"] == "agent_question" {
            break word(&event, "run_id");
        }
    };
    let explanation = why(&app, &child).await;
    assert_eq!(explanation["moves"][0]["link"], format!("/#/runs/{caller}/{child}"));
    app.until(&caller, "waiting").await;
    assert_eq!(why(&app, &caller).await["reason"], "rests_with_tasks");
    app.finish().await;
}

#[actix_web::test]
async fn the_command_line_explains_the_status_too() {
    let folder = tempfile::tempdir().unwrap();
    let ran = askfirst(folder.path(), &["run", "echo_simple", "--input", "task=hello", "--json"], &[]).await;
    let run = word(&ran.json(), "run_id");
    let output = askfirst(folder.path(), &["why", &run, "--json"], &[]).await;
    assert_eq!(output.code, 0, "{output:?}");
    let found = output.json();
    assert_eq!((word(&found, "run_id"), &found["status"]), (run.clone(), &ran.json()["status"]));
    let lines = askfirst(folder.path(), &["why", &run, "--locale", "en"], &[]).await;
    assert!(lines.out.starts_with(found["status"].as_str().unwrap()), "{lines:?}");
    let lines = askfirst(folder.path(), &["why", &run, "--locale", "uk"], &[]).await;
    assert!(lines.out.starts_with("виконано  "), "{lines:?}");
    assert!(
        lines.out.lines().skip(1).all(|line| line.starts_with("  ніхто: ") || line.starts_with("  людина: "))
    );
    assert_eq!(askfirst(folder.path(), &["why", "nothing"], &[]).await.code, 2);
}

/// A run of the browsing agent with this order: its address.
async fn ordered(app: &TestApp, http: &Http, text: &str, wait: bool) -> String {
    let order = json!({"agent": "browser", "input": {"text": text, "locale": "en"}, "wait": wait});
    let (_, run) = http.post(&format!("{}/api/runs", app.base), &order).await;
    format!("{}/api/runs/{}", app.base, word(&run, "run_id"))
}

#[actix_web::test]
async fn a_run_whose_browser_never_opened_explains_that_and_ends() {
    let app = spawn(&[("ASKFIRST_BROWSER__EXECUTABLE", "/nowhere/chromium")]).await;
    let http = Http::new();
    let run = ordered(&app, &http, "open example.com", true).await;
    let reply = http.get(&format!("{run}/why?locale=en")).await;
    assert_eq!((&reply["status"], &reply["reason"]), (&json!("failed"), &json!("failed")), "{reply}");
    let because = word(&reply, "because");
    assert!(
        because.starts_with("Failed: browser.executable: cannot start /nowhere/chromium:"),
        "said once: {because}"
    );
    for command in ["stop", "pause", "resume"] {
        let (status, refused) = http.post(&format!("{run}/{command}"), &json!({})).await;
        assert_eq!((status, &refused["code"]), (409, &json!("busy")), "{command}: {refused}");
    }
    app.finish().await;
}

// The browser of the run is there, but no page was ever opened in it.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_run_without_a_page_is_paused_resumed_and_stopped() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let http = Http::new();
    let run = ordered(&app, &http, "wait 60 seconds", false).await;
    let why = async || word(&http.get(&format!("{run}/why?locale=en")).await, "reason");
    let paused = async || http.post(&format!("{run}/pause"), &json!({})).await;
    // The run may not have started yet.
    while paused().await.0 != 200 {}
    assert_eq!(why().await, "paused");
    assert_eq!(http.post(&format!("{run}/resume"), &json!({})).await.0, 200);
    assert_ne!(why().await, "paused");
    let (status, stopped) = http.post(&format!("{run}/stop"), &json!({})).await;
    assert_eq!((status, &stopped["status"]), (200, &json!("cancelled")), "{stopped}");
    assert_eq!(why().await, "stopped");
    app.finish().await;
}
