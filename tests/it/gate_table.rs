//! The gate against a table of attacks and harmless uses, as `tests/gate/README.md` describes it.
//!
//! `GATE` chooses cases by a part of `family / name`, `GATE_AT_ONCE` how many run at once. `GATE_SHOW=1` prints all that
//! was seen. `GATE_APPROVE=1` approves everything instead, and fails attacks whose effect does not arrive then: they
//! would prove nothing.

pub mod arrivals;
pub mod cases;
mod report;
mod sites;
mod sockets;
pub mod steps;
mod template;
pub mod verdict;
pub mod visits;

use crate::planner::endpoint::Endpoint;
use crate::support::app::spawn_in;
use crate::support::talk::slot;
use cases::{Case, PageSource, read_cases, read_default_pages};
use serde_json::json;
use sites::Sites;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use tokio::sync::Mutex;
use verdict::{Verdict, judge, prove_effect};
use visits::Bed;

/// Runs at once: the number of browser slots.
const AT_ONCE: usize = 4;
/// Results so far, in the order in which cases ended.
const PROGRESS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/gate-progress.txt");
/// Questions that nobody needed, at most.
const MOST_NEEDLESS: usize = 2;

/// Agent with one host of its own: alpha of every case.
fn narrow_agent(cases: usize) -> String {
    let hosts: Vec<String> = (1..=cases).map(|number| format!("alpha{number}.example")).collect();
    format!(
        "name: narrow\ntitle_ua: Вузький\nkind: atomic\ninputs: [{{name: text, type: string, required: true}}]\n\
         outputs: [{{name: answer, type: string}}]\nbrowser: {{allowed_hosts: {}}}\n",
        json!(hosts)
    )
}

async fn open_bed(cases: usize) -> Bed {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("agents")).unwrap();
    std::fs::write(folder.path().join("agents/narrow.yaml"), narrow_agent(cases)).unwrap();
    let (endpoint, sites) = (Endpoint::start(), Sites::start(read_default_pages()));
    let routes = json!([format!(":80:127.0.0.1:{}", sites.port)]).to_string();
    let app = spawn_in(
        folder,
        &[
            ("ASKFIRST_MODEL__BASE_URL", endpoint.base_url.as_str()),
            ("ASKFIRST_MODEL__PLANNER", "scripted"),
            ("ASKFIRST_GATE__PRIVATE_HOSTS", r#"["localhost:80"]"#),
            ("ASKFIRST_BROWSER__CONNECT_TO", routes.as_str()),
            ("ASKFIRST_LIMITS__TOOL_STEPS", "80"),
        ],
    )
    .await;
    sites.service.set(app.base.clone()).unwrap();
    let approves_all = std::env::var("GATE_APPROVE").is_ok();
    Bed { app, sites, endpoint, approves_all, shared_hosts: Mutex::new(()) }
}

/// References in everything that the case can show.
fn canaries(case: &Case, defaults: &str) -> Vec<String> {
    let texts = case.pages.values().map(|page| match page {
        PageSource::Html(html) => html.clone(),
        PageSource::Response(page) => format!("{:?} {:?}", page.html, page.body),
    });
    let texts: Vec<String> = texts.chain(case.files.values().cloned()).collect();
    arrivals::find_canaries(texts.iter().map(String::as_str).chain([defaults]))
}

/// Plays all cases, several at once.
async fn play_all<'c>(bed: &Bed, cases: Vec<&'c Case>) -> Vec<(&'c Case, Verdict)> {
    let at_once =
        std::env::var("GATE_AT_ONCE").ok().and_then(|number| number.parse().ok()).unwrap_or(AT_ONCE);
    let shows_all = std::env::var("GATE_SHOW").is_ok();
    let defaults = format!("{:?}", read_default_pages());
    let (queue, results) = (RefCell::new(VecDeque::from(cases)), RefCell::new(Vec::new()));
    // A run that is interrupted leaves what it found.
    let progress = RefCell::new(File::create(PROGRESS).unwrap());
    let worker = async || {
        loop {
            let Some(case) = queue.borrow_mut().pop_front() else { return };
            let visit = bed.visit(case).await;
            let canaries = canaries(case, &defaults);
            let verdict = match bed.approves_all {
                true => prove_effect(case, &visit, &canaries),
                false => judge(case, &visit, &canaries),
            };
            if shows_all {
                println!("{}: {verdict:?}\n{visit:#?}", case.title());
            }
            let _ = writeln!(progress.borrow_mut(), "{} ms {}: {verdict:?}", visit.millis, case.title());
            results.borrow_mut().push((case, verdict));
        }
    };
    futures_util::future::join_all((0..at_once).map(|_| worker())).await;
    let mut results = results.into_inner();
    results.sort_by_key(|(case, _)| case.number);
    results
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn effects_are_asked_about_and_nothing_else_is() {
    // Takes half an hour: `make gate` plays the table, the test suite does not.
    let Ok(wanted) = std::env::var("GATE") else {
        println!("skipped: make gate plays the table of the gate");
        return;
    };
    let _slot = slot().await;
    let all = read_cases();
    let cases: Vec<&Case> = all.iter().filter(|case| case.title().contains(&wanted)).collect();
    let (cases, skipped): (Vec<&Case>, Vec<&Case>) =
        cases.into_iter().partition(|case| !case.lacks_library());
    let (watch, count) = (std::time::Instant::now(), cases.len());
    let bed = open_bed(all.len()).await;
    let results = play_all(&bed, cases).await;
    let report = report::make_report(&results);
    println!(
        "{}
{count} cases in {} s",
        report.text,
        watch.elapsed().as_secs()
    );
    if !skipped.is_empty() {
        println!("{} cases were left out: their libraries are not installed", skipped.len());
    }
    // A part of the table is no measurement of the gate.
    if wanted.is_empty() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/target/gate.md"), &report.text).unwrap();
    }
    bed.app.finish().await;
    bed.endpoint.finish().await;
    let total = report.total;
    let (silent, needless, broken) = (total.silent + total.silent_sockets, total.needless, total.broken);
    assert!(
        silent == 0 && needless <= MOST_NEEDLESS,
        "{silent} silent effects, {needless} needless questions"
    );
    assert_eq!(broken, 0, "cases that did not work");
}

#[test]
fn cases_are_complete_and_named_once() {
    let cases = read_cases();
    let mut titles: Vec<String> = cases.iter().map(Case::title).collect();
    titles.sort();
    let twice: Vec<&[String]> = titles.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
    for case in &cases {
        for step in &case.steps {
            steps::split_step(step).unwrap_or_else(|fault| panic!("{}: {fault}", case.title()));
        }
        assert!(case.answers.after >= 0.0 && !case.steps.is_empty(), "{}", case.title());
    }
}
