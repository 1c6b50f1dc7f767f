//! Files on real pages: what pages let a person save comes into the run's folder, what the run was given
//! goes into their fields.

use crate::browser_stage::{Stage, action, bounded, find, text};
use askfirst::browser::error::ErrorCode;
use askfirst::browser::input::ActionOptions;
use askfirst::browser::messages::Perform;
use serde_json::json;
use std::fs;

/// A click that may download a program.
fn program_click(eid: u32) -> Perform {
    let options = ActionOptions { programs: true, ..Default::default() };
    Perform { action: action("click", json!({"eid": eid})), options }
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn downloads_come_into_the_folder_of_the_run() {
    let stage = Stage::open().await;
    let page = "<a href='/file/report.txt?hello'>Report</a><a target=_blank href='/file/x?hi.as=../../evil.txt'>Away</a>\
        <a download=note.txt href='data:text/plain,written'>Note</a><a href='/file/big?zeros=2000000'>Big</a>";
    stage.show(page).await;
    let done = stage.click("Report").await.unwrap();
    assert_eq!(done.files.len(), 1, "{:?}", done.notes);
    let seen = text(&*stage.observe().await);
    assert!(seen.contains("note downloaded report.txt (5 B)") && seen.contains("link Report"), "{seen}");
    stage.click("Report").await.unwrap();
    stage.click("Away").await.unwrap();
    stage.act("navigate", json!({"url": format!("{}/file/direct.txt?d", stage.site)})).await.unwrap();
    stage.show(page).await;
    stage.click("Note").await.unwrap();
    stage.click("Big").await.unwrap();
    let seen = text(&*stage.observe().await);
    assert!(seen.contains("download of \"big\" refused: ") && seen.contains("is larger than 1"), "{seen}");
    let names: Vec<String> = stage.files().list().into_iter().map(|file| file.name).collect();
    assert_eq!(names, ["_.._evil.txt", "direct.txt", "note.txt", "report (2).txt", "report.txt"]);
    assert_eq!(fs::read_to_string(stage.files().find("report.txt").unwrap().0).unwrap(), "hello");
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_interrupted_download_is_noted() {
    let stage = Stage::open().await;
    stage.show("<a href='/broken/half.dat'>Half</a>").await;
    let done = stage.click("Half").await.unwrap();
    assert!(done.files.is_empty());
    let noted = async {
        while !text(&*stage.observe().await)
            .contains("download of \"half.dat\" broke off before it was whole")
        {}
    };
    bounded(noted).await;
    assert!(stage.files().list().is_empty());
    assert!(fs::read_dir(stage.files().incoming().unwrap()).unwrap().next().is_none(), "nothing lies about");
    stage.finish().await;
}

// Chromium's own viewer of them cannot be read.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_pdf_is_a_file_of_the_run() {
    let stage = Stage::open().await;
    stage.show("<h1>Papers</h1><a href='/paper/bill.pdf'>Bill</a><a target=_blank href='/paper/terms.pdf'>Terms</a>").await;
    for (name, file) in [("Bill", "bill.pdf"), ("Terms", "terms.pdf")] {
        let done = stage.click(name).await.unwrap();
        assert_eq!(
            done.files.iter().map(|stored| stored.name.as_str()).collect::<Vec<_>>(),
            [file],
            "{:?}",
            done.notes
        );
        let seen = stage.observe().await;
        let shown = text(&seen);
        assert!(
            shown.contains("heading Papers") && shown.contains(&format!("note downloaded {file}")),
            "{shown}"
        );
        assert!(!shown.contains("a new tab") && seen.tab == (1, 1), "{shown}");
    }
    let done =
        stage.act("navigate", json!({"url": format!("{}/paper/direct.pdf", stage.site)})).await.unwrap();
    assert_eq!(done.files[0].name, "direct.pdf");
    let (path, _) = stage.files().find("bill.pdf").unwrap();
    assert!(fs::read_to_string(path).unwrap().starts_with("%PDF-1.4"));
    stage.finish().await;
}

// Programs are held back until the person approves the download.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn programs_are_held_back_by_name_and_by_content() {
    let stage = Stage::open().await;
    let page = "<a href='/file/setup.exe?text'>Setup</a><a href='/file/data?%23!as=photo.jpg'>Photo</a><a href='/file/a.sh?x'>Tool</a>";
    stage.show(&page.replace("%23", "#")).await;
    for (name, file) in [("Setup", "setup.exe"), ("Tool", "a.sh")] {
        let done = stage.click(name).await.unwrap();
        assert!(done.files.is_empty());
        let seen = text(&*stage.observe().await);
        assert!(seen.contains(&format!("download of \"{file}\" refused: it is a program")), "{seen}");
    }
    assert!(stage.files().list().is_empty());
    assert!(fs::read_dir(stage.files().incoming().unwrap()).unwrap().next().is_none(), "nothing lies about");
    let eid = stage.eid("Setup").await;
    let allowed = program_click(eid);
    let done = bounded(stage.browser.send(allowed)).await.unwrap().unwrap();
    assert_eq!(done.files[0].name, "setup.exe");
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn only_the_allowed_program_is_downloaded() {
    let stage = Stage::open().await;
    let page = "<a href='/file/setup.exe?text'>Setup</a><a hidden id=evil href='/file/evil.exe?text'></a>\
        <script>later = () => evil.click()</script>";
    stage.show(page).await;
    let eid = stage.eid("Setup").await;
    let allowed = program_click(eid);
    assert_eq!(bounded(stage.browser.send(allowed)).await.unwrap().unwrap().files.len(), 1);
    let mut page = crate::support::devtools::Page::find(stage.data_dir.path(), "/html").await;
    page.run("later()").await;
    let refused = async {
        while !text(&*stage.observe().await).contains("download of \"evil.exe\" refused: it is a program") {}
    };
    bounded(refused).await;
    let names: Vec<String> = stage.files().list().into_iter().map(|file| file.name).collect();
    assert_eq!(names, ["setup.exe"]);
    stage.finish().await;
}

const FORM: &str = "<input type=file aria-label=One onchange=\"o.textContent='one '+this.files[0].name+' '+this.files[0].size\">\
    <input type=file multiple aria-label=Many onchange=\"o.textContent='many '+[...this.files].map(f=>f.name)\">\
    <input type=file hidden id=h onchange=\"o.textContent='hidden '+this.files[0].name\"><button onclick=h.click()>Choose</button>\
    <button>Nothing</button><p id=o></p><input type=file webkitdirectory aria-label=Folder>\
    <input type=file webkitdirectory hidden id=w><button onclick=w.click()>Pick</button>";

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn files_of_the_run_go_into_fields_and_choosers() {
    let stage = Stage::open().await;
    stage.give("cv.txt", "my life");
    stage.give("b.txt", "b");
    stage.show(FORM).await;
    let seen = stage.observe().await;
    let eid = |name: &str| find(&seen, name).eid.unwrap();
    for (name, file, shown) in [
        ("One", json!("cv.txt"), "one cv.txt 7"),
        ("Many", json!(["cv.txt", "b.txt"]), "many cv.txt,b.txt"),
        ("Choose", json!("b.txt"), "hidden b.txt"),
    ] {
        stage.act("upload", json!({"eid": eid(name), "file": file})).await.unwrap();
        let seen = text(&*stage.observe().await);
        assert!(seen.contains(shown) && !seen.contains("asks for a file"), "{name}: {seen}");
    }
    for (name, file, code) in [
        ("One", json!(["cv.txt", "b.txt"]), ErrorCode::OneFile),
        ("One", json!("none.txt"), ErrorCode::NoFile),
        ("One", json!("../../../etc/passwd"), ErrorCode::NoFile),
        ("Nothing", json!("cv.txt"), ErrorCode::NoFileField),
        ("Folder", json!("cv.txt"), ErrorCode::NoFileField),
        ("Pick", json!("cv.txt"), ErrorCode::NoFileField),
    ] {
        let fault = stage.act("upload", json!({"eid": eid(name), "file": file})).await.unwrap_err();
        assert_eq!(fault.code, code, "{name}: {fault}");
        assert_eq!(
            fault.message.contains("a whole folder"),
            matches!(name, "Folder" | "Pick"),
            "{name}: {fault}"
        );
    }
    // A click that opens a chooser hangs nothing, and says what to do.
    bounded(stage.act("click", json!({"eid": eid("Choose")}))).await.unwrap();
    let seen = text(&*stage.observe().await);
    assert!(seen.contains("note the page asks for a file: use upload"), "{seen}");
    stage.finish().await;
}
