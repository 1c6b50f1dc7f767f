//! Two tasks in one window, through the real page in a real Chromium: whatever was asked for one and comes late, nothing
//! of it is shown in the other, beside an open approval too.

use crate::support::app::{Http, TestApp, spawn};
use crate::support::devtools::Page;
use crate::support::talk::slot;
use crate::support::ui::{Ui, Words};
use serde_json::{Value, json};

async fn start_run(app: &TestApp, text: &str) -> String {
    let order = json!({"agent": "browser", "input": {"text": text, "locale": "en"}, "wait": true});
    let (_, run) = Http::new().post(&format!("{}/api/runs", app.base), &order).await;
    run["run_id"].as_str().unwrap_or_else(|| panic!("{run}")).to_owned()
}

/// The pictures of a run, in order.
async fn pictures(app: &TestApp, run: &str) -> Vec<String> {
    let events = Http::new().get(&format!("{}/api/runs/{run}/events", app.base)).await;
    let observations = events["items"].as_array().unwrap().iter();
    let found =
        observations.filter(|event| event["event"] == "observation" && event["data"]["url"] != "about:blank");
    found.filter_map(|event| event["data"]["picture"].as_str()).map(str::to_owned).collect()
}

/// Opens a task by its row in the list, as a person does.
async fn opens(page: &mut Page, run: &str) {
    let row = format!("document.querySelector('a.run-row[href=\"#/runs/{run}\"]')");
    page.until(&row).await;
    page.run(&format!("{row}.click()")).await;
    page.until(&format!("{row}?.getAttribute('aria-current') === 'page'")).await;
}

const STRIP: &str = "JSON.stringify([...document.querySelectorAll('af-filmstrip .thumb img')].map((one) => one.getAttribute('src')))";

/// Holds every request about this run back until `release()`, also one that was called off.
fn hold(run: &str) -> String {
    format!(
        "(() => {{ const real = window.fetch; const held = []; \
         window.fetch = (path, options) => (String(path).includes('{run}') \
           ? new Promise((resolve, reject) => held.push(() => real(path, {{ ...options, signal: undefined }}).then(resolve, reject))) \
           : real(path, options)); \
         window.held = held; \
         window.release = () => Promise.all(held.splice(0).map((go) => go())); }})()"
    )
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn no_content_of_one_task_is_shown_in_another() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let shop = format!("{}/demo", app.base);
    let ended = start_run(&app, &format!("open {shop}/\nopen {shop}/cart\nopen {shop}/contact")).await;
    let asking = start_run(&app, &Words::load("en").with("demo.order", &[("origin", &app.base)])).await;
    let file = reqwest::Client::new().post(format!("{}/api/runs/{ended}/files/of-the-first.txt", app.base));
    let given = file.header("content-type", "application/octet-stream").body("x").send().await.unwrap();
    assert!(given.status().is_success(), "{given:?}");
    let (of_ended, of_asking) = (pictures(&app, &ended).await, pictures(&app, &asking).await);
    assert!(of_ended.len() > 1 && of_asking.len() > 1, "{of_ended:?} {of_asking:?}");

    let ui = Ui::open(&format!("{}/#/runs/{ended}", app.base)).await;
    let mut page = ui.page().await;
    page.until(&format!("{STRIP} === {}", json!(json!(of_ended).to_string()))).await;
    // The strip has the pictures of the open task alone, after each change of task.
    for (run, wanted) in
        [(&asking, &of_asking), (&ended, &of_ended), (&asking, &of_asking), (&ended, &of_ended)]
    {
        opens(&mut page, run).await;
        page.until(&format!("{STRIP} === {}", json!(json!(wanted).to_string()))).await;
    }

    // A replay that plays is of its task alone.
    page.run("document.querySelector('af-filmstrip .transport button:nth-child(2)').click()").await;
    opens(&mut page, &asking).await;
    page.until("document.querySelector('[data-testid=question-card] [data-testid=approve]:not(:disabled)')")
        .await;

    // A question about the first task that comes while another one is open waits, with its approval, in the first.
    opens(&mut page, &ended).await;
    page.until("document.querySelector('af-files [data-testid=file]')").await;
    page.run(&hold(&ended)).await;
    opens(&mut page, &asking).await;
    opens(&mut page, &ended).await;
    page.until("window.held.length > 0").await;
    opens(&mut page, &asking).await;
    page.until("document.querySelector('[data-testid=approve]:not(:disabled)')").await;
    page.run("window.release()").await;
    page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))").await;
    let shown = page.run("document.querySelector('.run').innerHTML").await;
    let Value::String(shown) = shown else { panic!("{shown}") };
    assert!(!shown.contains(&format!("/api/runs/{ended}/")), "pictures or files of the other task: {shown}");
    assert!(!shown.contains("of-the-first.txt"));
    let card = page.run("document.querySelector('[data-testid=question-card]').dataset.reference").await;
    let open = Http::new().get(&format!("{}/api/questions?run_id={asking}", app.base)).await;
    assert_eq!(open["items"][0]["reference"], card);
    ui.finish().await;
    app.finish().await;
}
