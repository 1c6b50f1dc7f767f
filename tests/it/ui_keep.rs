//! A finished run is kept as an agent through the real page: by a button of the run, with what the file
//! will be in front of the person, and the agent opens where it can be changed and run.
// The "From a run to an agent".

use crate::support::app::{Http, spawn, until};
use crate::support::talk::slot;
use crate::support::ui::Ui;
use serde_json::json;
use std::time::Duration;

#[actix_web::test]
async fn a_finished_run_is_kept_by_its_button_and_runs_again() {
    let Some(_slot) = slot().await else { return };
    let app = spawn(&[]).await;
    let http = Http::new();
    let text = format!(
        "open {}/demo/?lang=en\ntype Zoria into Search\nclick Show\nclick “There is no such button” ",
        app.base
    );
    let order = |agent: &str, input| json!({"agent": agent, "input": input, "wait": true});
    let runs = format!("{}/api/runs", app.base);
    let (_, done) = http.post(&runs, &order("browser", json!({"text": text, "locale": "en"}))).await;
    let run = done["run_id"].as_str().unwrap();
    let ui = Ui::open(&format!("{}/#/runs/{run}", app.base)).await;
    ui.click("button", "Save as an agent").await;
    ui.sees("does these steps again without a model").await;
    ui.types("Name", "../lamps").await;
    ui.click("button", "Save").await;
    assert!(!app.folder.path().join("lamps.yaml").exists());
    ui.types("Name", "lamps").await;
    ui.click("button", "Save").await;
    let file = app.folder.path().join("agents/lamps.yaml");
    until("the file", Duration::from_secs(20), || file.is_file()).await;
    ui.sees("lamps").await;
    let (_, played) = http.post(&runs, &order("lamps", json!({"q": "Maiak"}))).await;
    assert_eq!(played["status"], "succeeded", "{played}");
    assert!(played["url"].as_str().unwrap().contains("q=Maiak"), "{played}");
    ui.finish().await;
    app.finish().await;
}
