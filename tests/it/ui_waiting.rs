//! Questions that wait, through the real page in a real Chromium: however many newer tasks there are, each is counted,
//! seen, and one press away.

use crate::support::agents::with_agents;
use crate::support::app::{Http, TestApp};
use crate::support::devtools::Page;
use crate::support::talk::slot;
use crate::support::ui::Ui;
use askfirst::ids::RunId;
use rusqlite::params;
use serde_json::{Value, json};

/// Agent that asks before it runs.
const ENV: &str = "title_en: Environment\nkind: atomic\noutputs: [{name: home}]\nshell: {command: printenv, args: [CARGO_PKG_NAME], env: [CARGO_PKG_NAME]}\n";
/// Composite whose child asks.
const LANES: &str = "title_en: Lanes\nkind: composite\noutputs: [{name: home}]\ngraph: {lanes: [{items: [{id: a, agent: env}]}]}\n";

/// Starts a run and gives its id when it asks.
async fn start_asking_run(app: &TestApp, agent: &str) -> String {
    let run = json!({"agent": agent, "input": {"locale": "en"}});
    let (_, run) = Http::new().post(&format!("{}/api/runs", app.base), &run).await;
    let id = run["run_id"].as_str().unwrap_or_else(|| panic!("{run}")).to_owned();
    let open = format!("{}/api/questions?run_id={id}", app.base);
    let question = async { while Http::new().get(&open).await["total"] == 0 {} };
    tokio::time::timeout(crate::support::app::PATIENCE, question).await.expect("it asks");
    id
}

/// Adds this many tasks that have begun and ended since.
fn newer(app: &TestApp, count: usize) {
    let mut store = rusqlite::Connection::open(app.data().join("askfirst.db")).unwrap();
    store.busy_timeout(crate::support::app::PATIENCE).unwrap();
    let all = store.transaction().unwrap();
    for n in 0..count {
        let id = RunId::fresh();
        let at = askfirst::clock::Moment::now().millis();
        all.execute(
            "insert into runs (id, root_id, depth, agent, program, title, input, status, node, created_at, updated_at,
                               ended_at, bounds)
             values (?1, ?1, 0, 'browser', 'conversation', ?2, '{}', 'succeeded', 'finalize', ?3, ?3, ?3, '{}')",
            params![id.as_str(), format!("Task {n}"), at],
        )
        .unwrap();
    }
    all.commit().unwrap();
}

const TOTAL: &str = "document.querySelector('[data-testid=waiting-total]')?.dataset.total";

/// The strip, the title of the tab and the badge of the phone's menu say the same number.
async fn assert_total_shown(page: &mut Page, total: usize) {
    page.until(&format!("{TOTAL} === '{total}'")).await;
    page.until(&format!("document.title.startsWith('({total}) ')")).await;
    page.until(&format!("document.querySelector('.menu .count').textContent === '{total}'")).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn questions_from_before_two_thousand_tasks_are_seen_and_answered_from_the_page() {
    let _slot = slot().await;
    let app = with_agents(&[("env", ENV), ("lanes", LANES)], None).await;
    let runs = [
        start_asking_run(&app, "env").await,
        start_asking_run(&app, "lanes").await,
        start_asking_run(&app, "env").await,
    ];
    newer(&app, 2_000);
    let ui = Ui::open(&format!("{}/#/new", app.base)).await;
    ui.sees("3 questions are waiting for you").await;
    let mut page = ui.page_at("#/new").await;
    assert_total_shown(&mut page, 3).await;
    let rows = page.run("document.querySelectorAll('.run-row').length").await;
    assert_eq!(rows, 30, "none of them is among the tasks that are listed");
    let links = "[...document.querySelectorAll('[data-testid=waiting-item]')].map((one) => one.getAttribute('href').split('/')[2])";
    assert_eq!(page.run(links).await, json!(runs), "the oldest first, that of a child by its task");
    // On a phone the badge shows it, and the strip is there as well.
    let phone = json!({"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true});
    page.call("Emulation.setDeviceMetricsOverride", phone).await;
    page.until("document.querySelector('.menu .count').checkVisibility()").await;
    page.until("document.querySelector('[data-testid=waiting-item]').checkVisibility()").await;
    page.call("Emulation.clearDeviceMetricsOverride", json!({})).await;

    for (left, run) in [(2, &runs[0]), (1, &runs[1]), (0, &runs[2])] {
        // The link works on every page.
        let link = format!("document.querySelector('[data-testid=waiting-item][href^=\"#/runs/{run}/\"]')");
        let reference = page.run(&format!("{link}?.dataset.key ?? null")).await;
        if let Value::String(reference) = reference {
            page.run(&format!("{link}.click()")).await;
            page.until(&format!(
                "document.querySelector('[data-testid=question-card]')?.dataset.reference === '{reference}'"
            ))
            .await;
        }
        page.until("document.querySelector('[data-testid=approve]:not(:disabled)')").await;
        page.run("document.querySelector('[data-testid=approve]').click()").await;
        ui.sees("You approved").await;
        let total = "document.querySelector('.menu .count').textContent";
        page.until(&format!("{total} === '{left}'")).await;
        let ended = async {
            while Http::new().get(&format!("{}/api/runs/{run}", app.base)).await["ended_at"].is_null() {}
        };
        tokio::time::timeout(crate::support::app::PATIENCE, ended).await.expect("it goes on");
    }
    page.until("document.querySelector('af-waiting').hidden").await;
    page.until("!document.title.startsWith('(')").await;

    // A question of a run that this window does not follow is shown at once, and opened by its link.
    let late = start_asking_run(&app, "lanes").await;
    page.until(&format!("document.querySelector('[data-testid=waiting-item][href^=\"#/runs/{late}/\"]')"))
        .await;
    assert_total_shown(&mut page, 1).await;
    ui.finish().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_second_window_reports_that_the_answer_came_from_another_one() {
    let _slot = slot().await;
    let app = with_agents(&[("env", ENV)], None).await;
    let run = start_asking_run(&app, "env").await;
    let url = format!("{}/#/runs/{run}", app.base);
    let (own, other) = (Ui::open(&url).await, Ui::open(&url).await);
    other.there_is_a("button", "Approve").await;
    own.click("button", "Approve").await;
    own.sees("You approved").await;
    other.sees("Approved in another window").await;
    // The window keeps its id when it is loaded again.
    own.leaves("reload", json!({})).await;
    own.sees("You approved").await;
    other.leaves("reload", json!({})).await;
    other.sees("Approved in another window").await;
    own.finish().await;
    other.finish().await;
    app.finish().await;
}
