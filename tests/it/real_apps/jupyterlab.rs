//! JupyterLab: a large single-page application with menus, dialogs, tabs and editors of its own.
//! What was written in it is read through its contents interface.

use super::application::Application;
use super::report;
use crate::planner::Solved;
use crate::planner::driver::Driver;
use crate::planner::harness::Harness;
use serde_json::{Value, json};

const SERVE: &[&str] = &[
    "--no-browser",
    "--allow-root",
    "--port={port}",
    "--ip=127.0.0.1",
    "--IdentityProvider.token=",
    "--ServerApp.password=",
    "--LabApp.news_url=",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--KernelSpecManager.ensure_native_kernel=True",
];

#[actix_web::test]
#[ignore = "needs Chromium and packages from PyPI; make test runs it"]
async fn jupyterlab_is_worked_in_and_its_files_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let lab = Application::start("jupyter-lab", SERVE, folder.path(), "/api/contents").await;
    let harness = Harness::open(&[], &[&lab.host]).await;
    let url = lab.url("/lab");

    let words = format!("write a text file in {url}");
    let wrote = harness.run(&words, async |driver: &mut Driver| text_file(driver, &url).await).await;
    let text =
        assert_file_contains(&contents(&lab, "letter.txt").await, "Grüße from the agent\\nand a second line");

    let words = format!("work out six times seven in a notebook in {url}");
    let computed = harness.run(&words, async |driver: &mut Driver| notebook(driver, &url).await).await;
    let answer = contents(&lab, "sums.ipynb").await;
    let answer = assert_file_contains(&answer, "print(6 * 7)").and(assert_file_contains(&answer, "42\\n"));

    let words = format!("put a new file into a new folder in {url}");
    let sorted = harness.run(&words, async |driver: &mut Driver| folders(driver, &url).await).await;
    let names = assert_file_contains(&contents(&lab, "papers").await, "plan.md");

    harness.finish().await;
    drop(lab);
    report(vec![("a text file", wrote, text), ("a notebook", computed, answer), ("a folder", sorted, names)]);
}

async fn contents(lab: &Application, path: &str) -> Value {
    let answer = reqwest::get(lab.url(&format!("/api/contents/{path}"))).await.unwrap();
    answer.json().await.unwrap_or(json!(null))
}

fn assert_file_contains(file: &Value, text: &str) -> Solved {
    let content = file["content"].to_string();
    if content.contains(text) { Ok(()) } else { Err(format!("{text:?} is not in {file}")) }
}

/// Opens the application anew, and closes what it asks at first.
async fn begin(driver: &mut Driver, url: &str) -> Solved {
    driver.open(&format!("{url}?reset")).await?;
    driver.wait_for("Text File").await?;
    if driver.view.find("button", "No").is_ok() {
        driver.click("button", "No").await?;
    }
    Ok(())
}

/// Field for text in the shown editor: the last one of the page's main part.
fn editor(driver: &Driver) -> Solved<u32> {
    let main = driver.view.lines.iter().find(|line| line.role == "main").ok_or_else(|| driver.view.text())?;
    let mut inside = driver.view.inside(main).iter().rev();
    let field = inside.find(|line| line.role == "textbox" && line.eid.is_some());
    field.ok_or_else(|| format!("nothing to write in\n{}", driver.view.text()))?.eid()
}

/// Saves; the first time it asks for a name.
async fn save_as(driver: &mut Driver, name: &str) -> Solved {
    driver.key("Control+S").await?;
    driver.wait_for("Rename").await?;
    let field = driver
        .view
        .all("textbox")
        .into_iter()
        .find(|line| line.value().starts_with("untitled") || line.value().starts_with("Untitled"));
    let field = field.ok_or_else(|| driver.view.text())?.eid()?;
    driver.write_into(field, name).await?;
    let button = driver.view.all("button").into_iter().rev().find(|line| line.name.starts_with("Rename"));
    let button = button.ok_or_else(|| driver.view.text())?.eid()?;
    driver.click_on(button).await?;
    driver.wait_for(name).await?;
    driver.act("wait", json!({"seconds": 1})).await
}

async fn text_file(driver: &mut Driver, url: &str) -> Solved {
    begin(driver, url).await?;
    driver.click("button", "Text File").await?;
    driver.wait_for("untitled.txt").await?;
    let field = editor(driver)?;
    driver.write_into(field, "Grüße from the agent\nand a second line").await?;
    save_as(driver, "letter.txt").await
}

async fn notebook(driver: &mut Driver, url: &str) -> Solved {
    begin(driver, url).await?;
    let kernel =
        driver.view.all("button").into_iter().find(|line| line.name.starts_with("Python 3 (ipykernel)"));
    let kernel = kernel.ok_or_else(|| driver.view.text())?.eid()?;
    driver.click_on(kernel).await?;
    driver.wait_for("Untitled.ipynb").await?;
    let field = editor(driver)?;
    driver.write_into(field, "print(6 * 7)").await?;
    driver.key("Shift+Enter").await?;
    for _ in 0..20 {
        if driver.view.lines.iter().any(|line| line.name == "42") {
            return save_as(driver, "sums.ipynb").await;
        }
        driver.act("wait", json!({"seconds": 1})).await?;
    }
    Err(format!("the kernel does not answer\n{}", driver.view.text()))
}

async fn folders(driver: &mut Driver, url: &str) -> Solved {
    begin(driver, url).await?;
    driver.click("button", "New Folder").await?;
    let name = driver.view.lines.iter().find(|line| line.value() == "Untitled Folder" && line.eid.is_some());
    let name = name.ok_or_else(|| driver.view.text())?.eid()?;
    driver.act("type", json!({"eid": name, "text": "papers", "submit": true})).await?;
    let folder = driver.view.named("papers")?.eid()?;
    driver.act("click", json!({"eid": folder, "count": 2})).await?;
    driver.click("button", "Markdown File").await?;
    driver.wait_for("untitled.md").await?;
    let file = driver.view.named("untitled.md")?.eid()?;
    driver.act("click", json!({"eid": file, "button": "right"})).await?;
    let rename =
        driver.view.lines.iter().find(|line| line.role == "menuitem" && line.name.starts_with("Rename"));
    let rename = rename.ok_or_else(|| driver.view.text())?.eid()?;
    driver.click_on(rename).await?;
    let name = driver.view.lines.iter().find(|line| line.value() == "untitled.md" && line.eid.is_some());
    let name = name.ok_or_else(|| driver.view.text())?.eid()?;
    driver.act("type", json!({"eid": name, "text": "plan.md", "submit": true})).await?;
    driver.wait_for("plan.md").await
}
