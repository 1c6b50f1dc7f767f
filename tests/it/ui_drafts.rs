//! Drafts of messages through the real page in a real Chromium: words and files stay with the task that they were
//! written for, whichever is opened while they are on their way. Also lists and readings that are read again.

use crate::support::app::{Http, TestApp, spawn, spawn_in};
use crate::support::devtools::Page;
use crate::support::many_tasks::fill_folder;
use crate::support::talk::slot;
use crate::support::ui::{Ui, Words};
use serde_json::{Value, json};

/// Actions of a person at the composer, and a connection to the service that can be held back.
const TOOLS: &str = "(() => {
    const real = window.fetch;
    const drafts = window.drafts = { held: [], sent: [] };
    drafts.field = () => document.querySelector('#composer-input');
    drafts.names = () => [...document.querySelectorAll('.attached .file-name')].map((one) => one.textContent).join();
    drafts.write = (text) => { drafts.field().value = text; drafts.field().dispatchEvent(new Event('input', { bubbles: true })); };
    drafts.attach = (name) => {
        const given = new DataTransfer();
        given.items.add(new File(['x'], name));
        const field = document.querySelector('[data-testid=attach-input]');
        field.files = given.files;
        field.dispatchEvent(new Event('change'));
    };
    drafts.intent = (detail) => { document.body.dispatchEvent(new CustomEvent('intent', { bubbles: true, detail })); };
    drafts.hold = (wanted) => { drafts.wanted = wanted; };
    drafts.release = () => drafts.held.splice(0).forEach((one) => one.go());
    drafts.refuse = () => drafts.held.splice(0).forEach((one) => one.fail(new TypeError('offline')));
    window.fetch = async (path, options) => {
        const own = { ...options, signal: undefined };
        if (!drafts.wanted || !String(path).includes(drafts.wanted) || options?.method === 'DELETE') return real(path, own);
        // The service answers at once; the page hears of it later.
        const answer = options?.method === 'POST' ? null : await real(path, own);
        return new Promise((resolve, fail) => drafts.held.push({ go: () => resolve(answer ?? real(path, own)), fail }));
    };
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (text) {
        const frame = JSON.parse(text);
        drafts.sent.push(frame);
        drafts.socket = this;
        if (!(drafts.swallows && frame.type === 'user_message')) send.call(this, text);
    };
})()";

const DRAWN: &str = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

async fn start_run(app: &TestApp, text: &str) -> String {
    let order = json!({"agent": "browser", "input": {"text": text, "locale": "en"}, "wait": true});
    let (_, run) = Http::new().post(&format!("{}/api/runs", app.base), &order).await;
    run["run_id"].as_str().unwrap_or_else(|| panic!("{run}")).to_owned()
}

/// Opens the page there, ready to be written into.
async fn at(app: &TestApp, hash: &str) -> (Ui, Page) {
    let ui = Ui::open(&format!("{}/{hash}", app.base)).await;
    let mut page = ui.page_at(hash).await;
    page.until("document.querySelector('#composer-input') && document.body.dataset.route").await;
    page.run(TOOLS).await;
    (ui, page)
}

/// Opens a task by its row in the list, as a person does.
async fn opens(page: &mut Page, run: &str) {
    let row = format!("document.querySelector('a.run-row[href=\"#/runs/{run}\"]')");
    page.until(&row).await;
    page.run(&format!("{row}.click()")).await;
    page.until(&format!("{row}?.getAttribute('aria-current') === 'page'")).await;
}

async fn opens_new(page: &mut Page) {
    page.run("document.querySelector('a.new-task').click()").await;
    page.until("document.body.dataset.route === 'welcome'").await;
}

async fn writes(page: &mut Page, text: &str) {
    page.run(&format!("drafts.write({})", json!(text))).await;
}

async fn sends(page: &mut Page, text: &str) {
    writes(page, text).await;
    page.until("!document.querySelector('[data-testid=send]').disabled").await;
    page.run("document.querySelector('[data-testid=send]').click()").await;
}

/// Text and file names in the composer.
async fn read_composer(page: &mut Page) -> (Value, Value) {
    page.run(DRAWN).await;
    (page.run("drafts.field().value").await, page.run("drafts.names()").await)
}

fn held(words: &str, files: &str) -> (Value, Value) {
    (json!(words), json!(files))
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_draft_reaches_no_other_task_while_its_files_upload() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let order = format!("open {}/demo/?lang=en", app.base);
    let other = start_run(&app, &order).await;
    let (ui, mut page) = at(&app, "#/new").await;

    // An upload that hangs, and then fails.
    page.run("(drafts.hold('/api/files/'), drafts.attach('a.txt'))").await;
    page.until("drafts.held.length === 1").await;
    sends(&mut page, &order).await;
    writes(&mut page, "and more of it").await;
    opens(&mut page, &other).await;
    assert_eq!(read_composer(&mut page).await, held("", ""), "the other task has nothing of it");
    writes(&mut page, "half a reply").await;
    page.run("drafts.refuse()").await;
    page.until("document.querySelector('af-notices').textContent.trim() !== ''").await;
    assert_eq!(
        read_composer(&mut page).await,
        held("half a reply", ""),
        "nothing is put into the other task"
    );
    opens_new(&mut page).await;
    assert_eq!(read_composer(&mut page).await, held(&format!("{order}\nand more of it"), "a.txt"));

    // A late answer: text and files added meanwhile belong to the task that it starts.
    page.run("document.querySelector('.attached button').click()").await;
    page.run("drafts.attach('b.txt')").await;
    page.until("drafts.held.length === 1").await;
    sends(&mut page, &order).await;
    writes(&mut page, "and more of it").await;
    opens(&mut page, &other).await;
    page.run("(drafts.hold(null), drafts.release())").await;
    page.until("document.querySelectorAll('a.run-row').length === 2").await;
    assert_eq!(read_composer(&mut page).await, held("half a reply", ""));
    opens_new(&mut page).await;
    assert_eq!(read_composer(&mut page).await, held("", ""));
    let runs = Http::new().get(&format!("{}/api/runs", app.base)).await;
    let ids: Vec<&str> =
        runs["items"].as_array().unwrap().iter().filter_map(|run| run["run_id"].as_str()).collect();
    let new = ids.iter().find(|id| **id != other).unwrap_or_else(|| panic!("{runs}"));
    opens(&mut page, new).await;
    assert_eq!(read_composer(&mut page).await, held("and more of it", ""));
    let files = Http::new().get(&format!("{}/api/runs/{new}/files", app.base)).await;
    assert_eq!(files["items"][0]["name"], "b.txt", "{files}");
    ui.finish().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_demo_takes_neither_words_nor_files_of_a_new_task() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let (ui, mut page) = at(&app, "#/new").await;
    page.run("drafts.attach('cv.txt')").await;
    page.until("document.querySelector('.attached li[data-state=ready]')").await;
    writes(&mut page, "words of mine").await;
    page.until("!document.querySelector('[data-testid=demo]').disabled").await;
    page.run("document.querySelector('[data-testid=demo]').click()").await;
    page.until("document.body.dataset.route === 'run'").await;
    assert_eq!(read_composer(&mut page).await, held("", ""));
    opens_new(&mut page).await;
    assert_eq!(read_composer(&mut page).await, held("words of mine", "cv.txt"));
    ui.finish().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_run_with_a_lost_secret_is_written_again_beside_other_drafts() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let order = format!("open {}/demo/?lang=en&code=••••", app.base);
    let run = start_run(&app, &order).await;
    let (ui, mut page) = at(&app, "#/new").await;
    writes(&mut page, "half a wish").await;
    opens(&mut page, &run).await;
    writes(&mut page, "half a reply").await;
    let again = "document.querySelector('[data-testid=again]')";
    page.until(&format!("{again} && !{again}.hidden")).await;
    page.run(&format!("{again}.click()")).await;
    page.until("document.body.dataset.route === 'welcome'").await;
    assert_eq!(read_composer(&mut page).await, held(&order, ""));
    opens(&mut page, &run).await;
    assert_eq!(read_composer(&mut page).await, held("half a reply", ""));
    // The older one comes back when this one is not wanted.
    opens_new(&mut page).await;
    assert_eq!(read_composer(&mut page).await, held(&order, ""));
    writes(&mut page, "").await;
    opens(&mut page, &run).await;
    opens_new(&mut page).await;
    assert_eq!(read_composer(&mut page).await, held("half a wish", ""));
    ui.finish().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn files_chosen_during_a_take_over_go_to_their_own_task() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let order = format!("open {}/demo/?lang=en", app.base);
    let (asking, other) = (start_run(&app, &order).await, start_run(&app, &order).await);
    let (ui, mut page) = at(&app, &format!("#/runs/{asking}")).await;
    page.until("document.querySelector('a.run-row[aria-current=page]')").await;
    page.run("(drafts.hold('/files/'), drafts.intent({ name: 'choose', number: 1, files: [new File(['x'], 'x.txt')] }))").await;
    page.until("drafts.held.length > 0").await;
    opens(&mut page, &other).await;
    page.run("(drafts.hold(null), drafts.release())").await;
    let input = "drafts.sent.find(({ type }) => type === 'input')";
    page.until(input).await;
    assert_eq!(page.run(&format!("{input}.run_id")).await, json!(asking));
    ui.finish().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_unsent_message_returns_when_the_connection_is_lost() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let other = start_run(&app, &format!("open {}/demo/?lang=en", app.base)).await;
    let (ui, mut page) = at(&app, "#/new").await;
    page.run("drafts.swallows = true").await;
    sends(&mut page, "an order").await;
    page.until("drafts.sent.some(({ type }) => type === 'user_message')").await;
    writes(&mut page, "and more of it").await;
    opens(&mut page, &other).await;
    writes(&mut page, "half a reply").await;
    page.run("(drafts.sent = [], drafts.socket.close())").await;
    // The page has said hello on another line.
    page.until("drafts.sent.some(({ type }) => type === 'hello')").await;
    assert_eq!(read_composer(&mut page).await, held("half a reply", ""));
    opens_new(&mut page).await;
    assert_eq!(read_composer(&mut page).await, held("an order\nand more of it", ""));
    page.until("!document.querySelector('[data-testid=send]').disabled").await;
    ui.finish().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_task_list_that_was_made_longer_stays_so() {
    let _slot = slot().await;
    let folder = tempfile::tempdir().unwrap();
    let ids = fill_folder(&folder.path().join("data"), 70).await;
    let app = spawn_in(folder, &[]).await;
    let (ui, mut page) = at(&app, "#/new").await;
    let rows = "document.querySelectorAll('a.run-row').length";
    page.until(&format!("{rows} === 30")).await;
    page.run("document.querySelector('af-runs .more').click()").await;
    page.until(&format!("{rows} === 60")).await;
    // Drawn anew with what another window has changed.
    let change = reqwest::Client::new().patch(format!("{}/api/runs/{}", app.base, ids[69]));
    let changed = change.json(&json!({"title": "Birthday lamp"})).send().await.unwrap();
    assert!(changed.status().is_success(), "{changed:?}");
    page.run("dispatchEvent(new Event('focus'))").await;
    page.until("document.querySelector('af-runs').textContent.includes('Birthday lamp')").await;
    assert_eq!(page.run(rows).await, json!(60));
    ui.finish().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_inspection_page_shows_an_end_that_comes_during_a_request() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let run = start_run(&app, &Words::load("en").with("demo.order", &[("origin", &app.base)])).await;
    let (ui, mut page) = at(&app, &format!("#/inside/{run}")).await;
    let status = "document.querySelector('[data-testid=inside-totals] .status-pill')?.dataset.status";
    page.until(&format!("{status} === 'waiting'")).await;
    page.run("(drafts.hold('/timeline'), drafts.intent({ name: 'inRetry' }))").await;
    page.until("drafts.held.length === 1").await;
    let (code, stopped) = Http::new().post(&format!("{}/api/runs/{run}/stop", app.base), &json!({})).await;
    assert_eq!(code, 200, "{stopped}");
    page.until(&format!(
        "document.querySelector('a.run-row[href=\"#/runs/{run}\"]')?.dataset.status === 'cancelled'"
    ))
    .await;
    // Facts ask for a reading after 700 ms.
    page.run("new Promise((done) => setTimeout(done, 1000))").await;
    page.run("(drafts.hold(null), drafts.release())").await;
    page.until(&format!("{status} === 'cancelled'")).await;
    ui.finish().await;
    app.finish().await;
}
