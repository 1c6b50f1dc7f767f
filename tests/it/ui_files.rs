//! Files through the real page in a real Chromium: what the person attaches goes to the agent, and what the
//! agent downloads is offered to the person, in the entry of its action and in the list of the task.

use crate::browser_stage::site;
use crate::support::app::{Http, PATIENCE, spawn};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::talk::slot;
use crate::support::ui::Ui;
use crate::support::ws::Ws;
use serde_json::json;

const DESK: &str = "<title>Desk</title><button>Delete draft</button><a href='/file/receipt.txt?paid'>Receipt</a>\
    <label>Your CV <input type=file onchange=\"this.files[0].text().then((words)=>document.title=words)\"></label>";

const APPROVE: &str = "Approve";

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn attached_files_reach_the_agent_and_its_downloads_are_offered() {
    let _slot = slot().await;
    let (model, desk) = (ScriptedModel::with_rules(Rules::default(), Vec::new()), site());
    let hosts = json!([desk.trim_start_matches("http://")]).to_string();
    let app = spawn(&[
        ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
        ("ASKFIRST_MODEL__PLANNER", "scripted"),
        ("ASKFIRST_GATE__PRIVATE_HOSTS", hosts.as_str()),
    ])
    .await;
    let page = url::form_urlencoded::byte_serialize(DESK.as_bytes()).collect::<String>();
    model.push(Reply::act("navigate", json!({"url": format!("{desk}/html?{page}")})));
    model.push(Reply::click("button", "Delete draft"));
    model.push(Reply::click("link", "Receipt"));
    model.push(Reply::on("upload", "file", "Your CV", json!({"file": "cv.txt"})));
    model.push(Reply::stop("Handed in."));
    let ui = Ui::open(&app.base).await;
    ui.gives("Attach files", "cv.txt", "ten years of lamps").await;
    ui.sees("cv.txt").await;
    ui.types("Task or message", "Hand in my CV and fetch the receipt").await;
    ui.click("button", "Send").await;
    let run = ui.run().await;
    let (mut viewer, _) = Ws::hello(&app.base, json!({"run_id": run, "after_seq": 0})).await;
    // A control that sends nothing is pressed unasked, whatever its name says.
    let question = viewer.until("agent_question").await;
    assert_eq!(question["payload"]["values"], json!({"Your CV": "cv.txt (18 B)"}));
    // The attached file is counted at once, and the download when it has come: only the sum lasts.
    ui.sees("Files: 2").await;
    // Offered where it was downloaded, while the run still waits.
    ui.click("link", "Save receipt.txt, 4 bytes").await;
    assert_eq!(ui.saved("receipt.txt").await, "paid");
    ui.click("button", APPROVE).await;
    viewer.until("run_ended").await;
    let titles: Vec<_> = viewer.events.iter().filter(|event| event["event"] == "observation").collect();
    assert_eq!(titles.last().unwrap()["data"]["title"], "ten years of lamps");
    // The list of the task shows the receipt with the attached file.
    ui.click("button", "Files: 2").await;
    ui.click("link", "Save cv.txt, 18 bytes").await;
    assert_eq!(ui.saved("cv (2).txt").await, "ten years of lamps");
    let listed = Http::new().get(&format!("{}/api/runs/{run}/files", app.base)).await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 2, "{listed}");
    drop(viewer);
    ui.finish().await;
    app.finish().await;
    model.finish();
}

// Files attached before the run exists are uploaded by a plain order, without a model.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_attached_file_is_uploaded_by_an_order() {
    let _slot = slot().await;
    let desk = site();
    let hosts = json!([desk.trim_start_matches("http://")]).to_string();
    let app = spawn(&[("ASKFIRST_GATE__PRIVATE_HOSTS", hosts.as_str())]).await;
    let page = url::form_urlencoded::byte_serialize(DESK.as_bytes()).collect::<String>();
    let ui = Ui::open(&app.base).await;
    ui.gives("Attach files", "cv.txt", "ten years of lamps").await;
    ui.gives("Attach files", "wrong.txt", "no lamps").await;
    ui.click("button", "Remove wrong.txt").await;
    ui.is_gone("Remove wrong.txt").await;
    ui.types("Task or message", &format!("open {desk}/html?{page} then upload the file to Your CV")).await;
    ui.click("button", "Send").await;
    let run = ui.run().await;
    let (mut viewer, _) = Ws::hello(&app.base, json!({"run_id": run, "after_seq": 0})).await;
    let question = viewer.until("agent_question").await;
    assert_eq!(question["payload"]["values"], json!({"Your CV": "cv.txt (18 B)"}), "{question}");
    ui.sees("Files: 1").await;
    ui.click("button", APPROVE).await;
    let ended = viewer.until("run_ended").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    let titles: Vec<_> = viewer.events.iter().filter(|event| event["event"] == "observation").collect();
    assert_eq!(titles.last().unwrap()["data"]["title"], "ten years of lamps");
    drop(viewer);

    // "Run again" starts it with the same file.
    ui.click("button", "Run again").await;
    let another = async { while ui.observe().await.url.ends_with(&run) {} };
    tokio::time::timeout(PATIENCE, another).await.expect("another run opens");
    let second = ui.run().await;
    let (mut viewer, _) = Ws::hello(&app.base, json!({"run_id": second, "after_seq": 0})).await;
    let question = viewer.until("agent_question").await;
    assert_eq!(question["payload"]["values"], json!({"Your CV": "cv.txt (18 B)"}), "{question}");
    drop(viewer);
    ui.finish().await;
    app.finish().await;
}
