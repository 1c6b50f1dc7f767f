//! Files of a run in the whole service: what a page lets the agent save is told and listed, what a person
//! gave goes to a page after a question that names it.

use crate::support::model::Reply;
use crate::support::talk::Talk;
use serde_json::json;

const PAGE: &str = "<title>Desk</title><a href='/file/report.txt?hello'>Report</a><a href='/file/tool.exe?x'>Tool</a>\
    <label>Your CV <input type=file onchange=\"document.title='got '+this.files[0].name\"></label>";

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn downloads_are_reported_listed_and_served() {
    let mut talk = Talk::start(&[]).await;
    talk.script([talk.shows(PAGE), Reply::click("link", "Report"), Reply::stop("Saved.")]);
    talk.say("save the report").await;
    talk.ends_as("succeeded").await;
    let done = talk.events("action_finished").pop().unwrap();
    assert_eq!(done["files"], json!([{"name": "report.txt", "size": 5}]), "{done}");
    let prompt = talk.model.requests().pop().unwrap().last_text();
    assert!(prompt.contains("note: files of this run: \"report.txt\" (5 B)"), "{prompt}");
    assert!(prompt.contains("downloaded report.txt (5 B)"), "{prompt}");
    let listed = talk.get(&format!("/api/runs/{}/files", talk.run)).await;
    assert_eq!((&listed["items"][0]["name"], &listed["items"][0]["size"]), (&json!("report.txt"), &json!(5)));
    let saved =
        reqwest::get(format!("{}/api/runs/{}/files/report.txt", talk.app.base, talk.run)).await.unwrap();
    assert_eq!(saved.text().await.unwrap(), "hello");
    talk.finish().await;
}

// A program is downloaded only after the person approves.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_downloaded_program_is_kept_after_a_question() {
    let mut talk = Talk::start(&[]).await;
    talk.script([talk.shows(PAGE), Reply::click("link", "Tool")]);
    talk.say("get the tool").await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["rule"], "download-program");
    talk.script([Reply::stop("Got it.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.events("action_finished").pop().unwrap()["files"][0]["name"], "tool.exe");
    talk.finish().await;
}

// A file that turns out to be a program when it arrives waits for the person, where no run sees it.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_program_that_only_its_content_shows_is_kept_after_a_question() {
    let page = "<title>Desk</title><a href='/file/table.csv?MZ-1'>Table</a>";
    for (answer, files) in
        [(json!({"confirmed": true}), 1), (json!({"confirmed": false, "comment": "Leave it."}), 0)]
    {
        let mut talk = Talk::start(&[]).await;
        talk.script([talk.shows(page), Reply::click("link", "Table")]);
        talk.say("get the table").await;
        let question = talk.wait_for_question().await;
        let payload = &question["payload"];
        assert_eq!(
            (&payload["rule"], &payload["effect_class"]),
            (&json!("download-program"), &json!("download"))
        );
        assert_eq!(payload["values"], json!({"file": "table.csv", "type": "Windows program", "size": "4 B"}));
        let path = format!("/api/runs/{}/files", talk.run);
        assert_eq!(talk.get(&path).await["items"], json!([]), "no run sees it before the answer");
        talk.script([Reply::stop("Done.")]);
        talk.answer(&question, answer).await;
        talk.ends_as("succeeded").await;
        assert_eq!(talk.get(&path).await["items"].as_array().unwrap().len(), files);
        let left = talk.app.data().join("runs").join(&talk.run).join("incoming");
        let left = std::fs::read_dir(left).map(|entries| entries.count()).unwrap_or_default();
        assert_eq!(left, 0, "nothing lies about");
        talk.finish().await;
    }
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_upload_is_done_after_a_question_that_names_the_file() {
    let mut talk = Talk::start(&[]).await;
    let cv = || Reply::on("upload", "file", "Your CV", json!({"file": "cv.txt"}));
    talk.script([talk.shows(PAGE), cv(), Reply::act("need_user", json!({"text": "Please attach cv.txt"}))]);
    talk.say("send my CV").await;
    let question = talk.wait_for_question().await;
    let refused = &talk.events("action_finished")[1];
    assert!(refused["error"]["message"].as_str().unwrap().contains("no file \"cv.txt\""), "{refused}");
    let given = reqwest::Client::new().post(format!("{}/api/runs/{}/files/cv.txt", talk.app.base, talk.run));
    assert_eq!(given.body("my life").send().await.unwrap().status(), 201);
    talk.script([cv()]);
    talk.answer(&question, json!({"done": true})).await;
    let question = talk.wait_for_question().await;
    let payload = &question["payload"];
    assert_eq!(
        (&payload["rule"], &payload["values"]),
        (&json!("upload"), &json!({"Your CV": "cv.txt (7 B)"}))
    );
    talk.script([Reply::stop("Sent.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.events("observation").pop().unwrap()["title"], "got cv.txt");
    talk.finish().await;
}
