//! Work on an agent that is not saved, in a real Chromium: it outlives the page, writes over nobody
//! unasked, and takes no comment of the file with it unasked.

use crate::support::app::{Http, PATIENCE, TestApp, spawn_in};
use crate::support::talk::slot;
use crate::support::ui::{Ui, lines};
use serde_json::json;

const FILE: &str = "name: greeter\ntitle_ua: Вітання\ntitle_en: Greeter\nkind: composite\n\
    locals:\n  # warm, but short\n  - {name: tone, value: warm}\n\
    graph:\n  lanes:\n    - items: []\n";

async fn service() -> TestApp {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("agents")).unwrap();
    let app = spawn_in(folder, &[]).await;
    write(&app, FILE);
    app
}

fn write(app: &TestApp, text: &str) {
    std::fs::write(app.folder.path().join("agents/greeter.yaml"), text).unwrap();
}

fn file(app: &TestApp) -> String {
    std::fs::read_to_string(app.folder.path().join("agents/greeter.yaml")).unwrap()
}

/// Waits until the field of this name holds this.
async fn holds(ui: &Ui, name: &str, value: &str) {
    let held = async { while !ui.values(name).await.iter().any(|found| found == value) {} };
    if tokio::time::timeout(PATIENCE, held).await.is_err() {
        panic!(
            "no {name:?} holds {value:?} but {:?} in {}",
            ui.values(name).await,
            lines(&*ui.observe().await)
        );
    }
}

async fn open(app: &TestApp) -> Ui {
    Ui::open(&format!("{}/#/agents/greeter", app.base)).await
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn unsaved_edits_survive_leaving_the_page() {
    let _slot = slot().await;
    let app = service().await;
    let ui = open(&app).await;
    ui.click("button", "Add an input").await;
    ui.types("Name of the input", "guest").await;
    // The page says that something is not saved, and is left all the same.
    ui.leaves("reload", json!({})).await;
    ui.sees("Restored unsaved changes").await;
    holds(&ui, "Name of the input", "guest").await;
    assert_eq!(file(&app), FILE);

    // Away to another page and back, and over a shut window.
    ui.click("link", "Agents").await;
    ui.sees("Unsaved changes").await;
    ui.goes(&format!("{}/#/agents/greeter", app.base)).await;
    holds(&ui, "Name of the input", "guest").await;

    ui.click("button", "Discard").await;
    ui.sees("No inputs.").await;
    ui.click("button", "Add an input").await;
    ui.types("Name of the input", "host").await;
    ui.click("button", "Save").await;
    ui.reads("Saved").await;
    assert!(file(&app).contains("host") && !file(&app).contains("guest"), "{}", file(&app));
    assert!(file(&app).contains("# warm, but short"), "{}", file(&app));
    ui.leaves("reload", json!({})).await;
    holds(&ui, "Name of the input", "host").await;
    assert!(!ui.observe().await.lines.iter().any(|line| line.name.contains("Restored unsaved changes")));
    ui.finish().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn another_persons_version_is_not_overwritten_without_a_question() {
    let _slot = slot().await;
    let app = service().await;
    let ui = open(&app).await;
    ui.click("button", "Add an input").await;
    ui.types("Name of the input", "guest").await;
    let theirs = FILE.replace("Greeter", "Welcome");
    write(&app, &theirs);
    ui.click("button", "Save").await;
    ui.sees("someone else changed the file").await;
    assert_eq!(file(&app), theirs);
    // The work is still there, and the person decides: theirs first.
    holds(&ui, "Name of the input", "guest").await;
    ui.click("button", "Use the changed file").await;
    ui.sees("No inputs.").await;
    ui.sees("Welcome").await;

    ui.click("button", "Add an input").await;
    ui.types("Name of the input", "host").await;
    write(&app, FILE);
    ui.click("button", "Save").await;
    ui.click("button", "Overwrite with mine").await;
    ui.reads("Saved").await;
    let saved = Http::new().get(&format!("{}/api/agents/greeter", app.base)).await;
    assert_eq!((&saved["inputs"][0]["name"], &saved["title_en"]), (&json!("host"), &json!("Welcome")));
    ui.finish().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn lost_comments_are_announced_before_saving() {
    let _slot = slot().await;
    let app = service().await;
    let ui = open(&app).await;
    ui.click("button", "Remove tone").await;
    ui.click("button", "Save").await;
    ui.sees("Save without some comments?").await;
    ui.sees("line 6").await;
    assert_eq!(file(&app), FILE);
    ui.click("button", "Cancel").await;
    ui.reads("Not saved").await;
    assert_eq!(file(&app), FILE);
    ui.click("button", "Save").await;
    ui.click("button", "Save anyway").await;
    ui.reads("Saved").await;
    let text = file(&app);
    assert!(
        !text.contains("tone") && !text.contains("# warm") && text.contains("title_en: Greeter"),
        "{text}"
    );
    ui.finish().await;
    app.finish().await;
}
