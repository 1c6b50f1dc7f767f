//! The list of tasks on the page, in a real Chromium: 2,000 of them searched, renamed, pinned, archived and deleted;
//! one that is open is left when it is deleted; an ended one is run again.

use crate::support::app::{Http, PATIENCE, spawn, spawn_in, until};
use crate::support::many_tasks::{fill_folder, title};
use crate::support::talk::slot;
use crate::support::ui::{Ui, lines};
use serde_json::{Value, json};

/// Opens the menu of a task, which shows under the pointer.
async fn open_menu(ui: &Ui, title: &str) {
    ui.hovers("link", title).await;
    ui.click("button", &format!("Actions for “{title}”")).await;
}

/// Waits until the page stands there.
async fn wait_for_route(ui: &Ui, hash: &str) {
    let there = async { while !ui.observe().await.url.ends_with(hash) {} };
    assert!(
        tokio::time::timeout(PATIENCE, there).await.is_ok(),
        "never at {hash}: {}",
        ui.observe().await.url
    );
}

/// Waits until no row is called so.
async fn lost(ui: &Ui, title: &str) {
    let gone = async { while ui.shows("link", title).await || ui.shows("checkbox", title).await {} };
    assert!(tokio::time::timeout(PATIENCE, gone).await.is_ok(), "{}", lines(&*ui.observe().await));
}

// Two thousand tasks are listed, searched and deleted from the page.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn two_thousand_tasks_are_searched_kept_and_deleted_from_the_page() {
    let _slot = slot().await;
    let folder = tempfile::tempdir().unwrap();
    let ids = fill_folder(&folder.path().join("data"), 2_000).await;
    let app = spawn_in(folder, &[]).await;
    let http = Http::new();
    let run = |n: usize| format!("{}/api/runs/{}", app.base, ids[n]);
    let ui = Ui::open(&format!("{}/#/runs/{}", app.base, ids[1234])).await;
    ui.there_is_a("link", &title(1999)).await;
    ui.searches("Search tasks", "number 1234").await;
    ui.there_is_a("link", &title(1234)).await;
    lost(&ui, &title(1999)).await;

    open_menu(&ui, &title(1234)).await;
    ui.click("menuitem", "Rename").await;
    ui.types(&format!("New title of “{}”", title(1234)), "Birthday lamp").await;
    ui.presses("Enter").await;
    ui.there_is_a("link", "Birthday lamp").await;
    ui.there_is_a("heading", "Birthday lamp").await;
    assert_eq!(http.get(&run(1234)).await["title"], "Birthday lamp");
    open_menu(&ui, "Birthday lamp").await;
    ui.click("menuitem", "Pin to the top").await;
    ui.searches("Search tasks", "").await;
    ui.there_is_a("link", "Pinned: Birthday lamp").await;

    // The one that is open is deleted, and left.
    open_menu(&ui, "Birthday lamp").await;
    ui.click("menuitem", "Delete").await;
    ui.sees("This cannot be undone.").await;
    ui.click("button", "Delete").await;
    wait_for_route(&ui, "#/new").await;
    lost(&ui, "Birthday lamp").await;
    assert_eq!(http.get(&run(1234)).await["code"], "unknown_run");

    // Several, of what a search has found.
    ui.searches("Search tasks", "shop7.test").await;
    let found: Vec<usize> = (0..2_000).rev().filter(|n| n % 50 == 7).collect();
    ui.there_is_a("link", &title(found[1])).await;
    ui.click("button", "Select several").await;
    for n in &found[..2] {
        ui.click("checkbox", &format!("Select “{}”", title(*n))).await;
    }
    ui.reads("2 tasks selected").await;
    ui.click("button", "Delete").await;
    ui.sees("Delete 2 tasks?").await;
    ui.click("button", "Delete").await;
    lost(&ui, &title(found[1])).await;
    for n in &found[..2] {
        assert_eq!(http.get(&run(*n)).await["code"], "unknown_run");
    }
    assert_eq!(http.get(&run(found[2])).await["title"], json!(title(found[2])));

    // The archive is out of sight until it is asked for.
    open_menu(&ui, &title(found[2])).await;
    ui.click("menuitem", "Archive").await;
    lost(&ui, &title(found[2])).await;
    // The search words include the site: the answer of another task has the same number.
    ui.searches("Search tasks", &format!("shop7.test {}", found[2])).await;
    ui.click("button", "Search the archive").await;
    ui.there_is_a("link", &title(found[2])).await;
    open_menu(&ui, &title(found[2])).await;
    ui.click("menuitem", "Unarchive").await;
    lost(&ui, &title(found[2])).await;
    ui.finish().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn viewers_of_a_deleted_task_are_informed_and_redirected() {
    let _slot = slot().await;
    let folder = tempfile::tempdir().unwrap();
    let ids = fill_folder(&folder.path().join("data"), 3).await;
    let app = spawn_in(folder, &[]).await;
    let ui = Ui::open(&format!("{}/#/runs/{}", app.base, ids[1])).await;
    ui.there_is_a("heading", &title(1)).await;
    ui.sees("Number 1 costs 3 hryvnias").await;
    assert_eq!(Http::new().delete(&format!("{}/api/runs/{}", app.base, ids[1])).await, 200);
    ui.sees("This task was deleted.").await;
    wait_for_route(&ui, "#/new").await;
    ui.finish().await;
    app.finish().await;
}

// 'Run again' on every run, and titles that say what a task is about.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_finished_task_is_run_again_with_its_title() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let http = Http::new();
    let text = format!("open {}/demo/?lang=en\nclick Zoria", app.base);
    let order = json!({"agent": "browser", "input": {"text": text, "locale": "en"}, "wait": true});
    let (_, done) = http.post(&format!("{}/api/runs", app.base), &order).await;
    let first = done["run_id"].as_str().unwrap().to_owned();
    let called = done["title"].as_str().unwrap().to_owned();
    assert!(called.contains("Zoria") && !called.contains("open"), "{called}");
    let ui = Ui::open(&format!("{}/#/runs/{first}", app.base)).await;
    ui.there_is_a("heading", &called).await;
    ui.click("button", "Run again").await;
    let another = async { while ui.observe().await.url.ends_with(&first) {} };
    tokio::time::timeout(PATIENCE, another).await.expect("another run opens");
    let second = ui.run().await;
    let row = |run: String| {
        let (http, url) = (Http::new(), format!("{}/api/runs/{run}", app.base));
        async move { http.get(&url).await }
    };
    assert_eq!(row(second.clone()).await["input"], done["input"]);
    ui.there_is_a("heading", &called).await;
    // Both tasks are gone at once, and nothing of them is left on the disk.
    let body: Value = json!({"ids": [first, second]});
    let (_, gone) = http.post(&format!("{}/api/runs/delete", app.base), &body).await;
    assert!(gone["items"].as_array().unwrap().iter().all(|item| item["deleted"] == true), "{gone}");
    let data = app.data();
    let empty = |folder: &str| std::fs::read_dir(data.join(folder)).into_iter().flatten().next().is_none();
    until("no folder of a run is left", PATIENCE, || empty("runs")).await;
    let picture_folders = || std::fs::read_dir(data.join("pictures")).into_iter().flatten().flatten();
    let files =
        || picture_folders().flat_map(|entry| std::fs::read_dir(entry.path()).into_iter().flatten()).count();
    until("no picture is left", PATIENCE, || files() == 0).await;
    ui.finish().await;
    app.finish().await;
}
