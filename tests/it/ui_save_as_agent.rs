//! A finished run is kept as an agent through the real page: by a button of the run, with what the file
//! will be in front of the person, and the agent opens where it can be changed and run.

use crate::support::app::{Http, spawn, until};
use crate::support::talk::slot;
use crate::support::ui::Ui;
use serde_json::json;
use std::time::Duration;

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_finished_run_is_saved_as_an_agent_and_runs_again() {
    let _slot = slot().await;
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
    ui.sees("repeats these steps without a model").await;
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

// The button stands by what the service says of the run, not by the moment of it that is shown.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn saving_as_an_agent_is_offered_only_where_it_works() {
    let _slot = slot().await;
    let app = spawn(&[("ASKFIRST_GATE__PRIVATE_HOSTS", "[\"127.0.0.1:9\"]")]).await;
    let http = Http::new();
    let runs = format!("{}/api/runs", app.base);
    let start = async |text: String| {
        let order = json!({"agent": "browser", "input": {"text": text, "locale": "en"}, "wait": true});
        http.post(&runs, &order).await.1["run_id"].as_str().unwrap().to_owned()
    };
    let useful = start(format!("open {}/demo/?lang=en\ntype Zoria into Search\nclick Show", app.base)).await;
    // The run took a step, which opened no page.
    let useless = start(String::from("open http://127.0.0.1:9/")).await;
    for (run, savable, code) in [(&useful, true, json!(null)), (&useless, false, json!("nothing_to_save"))] {
        let reply = http.get(&format!("{runs}/{run}/agent/check")).await;
        assert_eq!((&reply["savable"], &reply["code"]), (&json!(savable), &code), "{reply}");
    }
    let ui = Ui::open(&format!("{}/#/runs/{useful}", app.base)).await;
    ui.there_is("Save as an agent").await;
    let mut page = ui.page().await;
    let slide =
        "(() => { const slider = document.querySelector('af-filmstrip input[type=range]'); slider.value = 0;
        slider.dispatchEvent(new Event('input', { bubbles: true })); return true; })()";
    page.run(slide).await;
    page.until("document.querySelector('[data-testid=status]').dataset.status === 'replay'").await;
    assert!(ui.shows("button", "Save as an agent").await, "at the first moment of the run, too");

    let asked = |run: &str| {
        format!(
            "performance.getEntriesByType('resource').some((one) => one.name.endsWith('{run}/agent/check') && one.responseEnd > 0)"
        )
    };
    page.run(&format!("location.hash = '#/runs/{useless}'; true")).await;
    page.until(&asked(&useless)).await;
    // Drawn after the answer.
    page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))").await;
    ui.sees("is stuck and cannot continue").await;
    assert!(!ui.shows("button", "Save as an agent").await, "what is refused is not offered");
    ui.finish().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_question_lists_the_inputs_and_stays_until_the_agent_is_saved() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let http = Http::new();
    let text = format!("open {}/demo/?lang=en\ntype Zoria into Search\nclick Show", app.base);
    let order = json!({"agent": "browser", "input": {"text": text, "locale": "en"}, "wait": true});
    let (_, done) = http.post(&format!("{}/api/runs", app.base), &order).await;
    let run = done["run_id"].as_str().unwrap();
    let ui = Ui::open(&format!("{}/#/runs/{run}", app.base)).await;
    ui.click("button", "Save as an agent").await;
    ui.sees("Found in what you wrote.").await;
    assert_eq!(ui.values("Search (q)").await, ["Zoria"]);
    ui.types("Search (q)", "Maiak").await;
    // Somebody saves an agent of that name meanwhile: the service refuses, and nothing that was written is lost.
    let taken = app.folder.path().join("agents/lamps.yaml");
    std::fs::write(&taken, "name: lamps\nkind: atomic\nllm: {prompt: hi}\n").unwrap();
    ui.types("Name", "lamps").await;
    ui.click("button", "Save").await;
    ui.sees("An agent with this name already exists. Choose another name.").await;
    assert_eq!(ui.values("Search (q)").await, ["Maiak"]);
    ui.types("Name", "maiaks").await;
    ui.click("button", "Save").await;
    let file = app.folder.path().join("agents/maiaks.yaml");
    until("the file", Duration::from_secs(20), || file.is_file()).await;
    let spec = http.get(&format!("{}/api/agents/maiaks", app.base)).await;
    assert_eq!(spec["inputs"][0]["default"], "Maiak", "{spec}");
    ui.finish().await;
    app.finish().await;
}
