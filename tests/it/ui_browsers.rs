//! The page of browsers through the real page in a real Chromium, and the line for places as people see it.

use crate::support::app::{Http, PATIENCE, TestApp, spawn};
use crate::support::talk::slot;
use crate::support::ui::Ui;
use crate::support::ws::Ws;
use serde_json::{Value, json};

async fn begin(app: &TestApp, text: &str) -> (String, Ws) {
    let order = json!({"agent": "browser", "input": {"text": text, "locale": "en"}});
    let (status, started) = Http::new().post(&format!("{}/api/runs", app.base), &order).await;
    assert_eq!(status, 201, "{started}");
    let run = started["run_id"].as_str().unwrap().to_owned();
    let (ws, _) = Ws::hello(&app.base, json!({"run_id": run, "after_seq": 0})).await;
    (run, ws)
}

async fn listed(app: &TestApp) -> Value {
    Http::new().get(&format!("{}/api/browsers", app.base)).await
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_page_of_browsers_lists_them_and_closes_one_whose_run_waits() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let ui = Ui::open(&format!("{}/#/browsers", app.base)).await;
    ui.sees("No browser is running").await;
    let (run, mut viewer) = begin(&app, &format!("open {}/demo/login; let me log in", app.base)).await;
    viewer.until("agent_question").await;
    for text in ["Shared Chromium", "Welcome back", "/demo/login", "waiting", "MB"] {
        ui.sees(text).await;
    }
    let shared = &listed(&app).await["items"][0];
    assert_eq!((&shared["id"], &shared["contexts"][0]["run_id"]), (&json!("shared"), &json!(run)));
    assert!(shared["pid"].as_u64().unwrap() > 1 && shared["memory_mb"].as_u64().unwrap() > 20, "{shared}");
    // No run uses the instance now: closing it loses nothing, and a new holder finds the page there.
    ui.click("button", "Close: Shared Chromium").await;
    ui.sees("No browser is running").await;
    viewer.send(json!({"type": "control", "run_id": run, "command": "take_over"})).await;
    assert!(viewer.until("lease").await["data"]["holder"].is_string());
    let held = &listed(&app).await["items"][0]["contexts"][0];
    assert_eq!((&held["state"], &held["run_id"]), (&json!("held"), &json!(run)));
    assert!(held["url"].as_str().unwrap().ends_with("/demo/login"), "{held}");
    ui.sees("someone is in control").await;
    viewer.send(json!({"type": "control", "run_id": run, "command": "stop"})).await;
    viewer.until_that("the end", |frame| frame["type"] == "run_ended").await;
    drop(viewer);
    ui.finish().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_run_without_a_browser_slot_waits_in_line() {
    let _slot = slot().await;
    let app = spawn(&[("ASKFIRST_BROWSER__MAX", "1")]).await;
    let wait = format!("open {}/demo/; wait 60 seconds", app.base);
    let (first, mut one) = begin(&app, &wait).await;
    one.until_that("it waits in its browser", |frame| {
        frame["event"] == "action_started" && frame["data"]["action"] == "wait"
    })
    .await;
    let (second, mut two) = begin(&app, &format!("open {}/demo/cart", app.base)).await;
    let message = two.until("agent_message").await;
    assert_eq!(message["final"], false);
    assert!(message["text"].as_str().unwrap().starts_with("Waiting for a free browser"), "{message}");
    let waiting = listed(&app).await;
    assert_eq!((&waiting["waiting"][0]["run_id"], &waiting["working"]), (&json!(second), &json!(1)));
    let ui = Ui::open(&format!("{}/#/browsers", app.base)).await;
    ui.sees("Waiting for a slot").await;
    Http::new().post(&format!("{}/api/runs/{first}/stop", app.base), &json!({})).await;
    let ended = two.until_that("the end", |frame| frame["type"] == "run_ended");
    let ended = tokio::time::timeout(PATIENCE, ended).await.unwrap();
    assert_eq!(ended["outcome"], "succeeded");
    drop((one, two));
    ui.finish().await;
    app.finish().await;
}
