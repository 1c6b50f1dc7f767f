//! The keyboard in the editor of an agent: what is added has the focus, and keeps it while the page draws itself anew.

use crate::support::app::{TestApp, spawn_in};
use crate::support::talk::slot;
use crate::support::ui::Ui;

const BARE: &str = "name: bare\nkind: atomic\npython: {code: 'x = 1', files: true}\n";
const LANES: &str = "name: lanes\nkind: composite\ngraph:\n  lanes:\n    - items: [{id: one, agent: bare}]\n";

/// A service with one agent of each kind to edit.
async fn with_agents() -> TestApp {
    let folder = tempfile::tempdir().unwrap();
    let agents = folder.path().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    for (name, text) in [("bare", BARE), ("lanes", LANES)] {
        std::fs::write(agents.join(format!("{name}.yaml")), text).unwrap();
    }
    spawn_in(folder, &[]).await
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_added_row_gets_and_keeps_the_focus() {
    let _slot = slot().await;
    let app = with_agents().await;
    for agent in ["bare", "lanes"] {
        let ui = Ui::open(&format!("{}/#/agents/{agent}", app.base)).await;
        let local = ("Add a local value", "Name of the local value");
        let adders = [("Add an input", "Name of the input"), ("Add an output", "Name of the output")];
        // On the board it lies below what the window shows.
        for (add, name) in adders.into_iter().chain((agent == "bare").then_some(local)) {
            ui.click("button", add).await;
            ui.has_focus("textbox", name).await;
            // The words that stand there are to be written over.
            for key in ["q", "t", "y"] {
                ui.presses(key).await;
            }
            ui.has_focus("textbox", name).await;
            ui.presses("Enter").await;
            assert_eq!(ui.values(name).await, ["qty"], "{agent}: {add}");
            ui.click("button", "Remove qty").await;
            ui.has_focus("button", add).await;
        }
        ui.click("button", "Add an input").await;
        ui.has_focus("textbox", "Name of the input").await;
        ui.click("button", "Add an input").await;
        // The second row has the focus, as each addition moves it.
        ui.has_focus("textbox", "Name of the input").await;
        ui.presses("z").await;
        ui.presses("Enter").await;
        assert_eq!(ui.values("Name of the input").await, ["input", "z"], "{agent}");
        ui.finish().await;
    }
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_condition_that_is_added_has_the_focus() {
    let _slot = slot().await;
    let app = with_agents().await;
    let ui = Ui::open(&format!("{}/#/agents/lanes", app.base)).await;
    ui.click("button", "Add a condition: bare").await;
    ui.has_focus("combobox", "Variable").await;
    ui.click("button", "Remove the condition: bare").await;
    ui.has_focus("button", "Add a condition: bare").await;
    ui.finish().await;
    app.finish().await;
}
