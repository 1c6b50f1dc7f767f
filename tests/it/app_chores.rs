//! Chores in applications that others wrote (`tests/real_apps/*.yaml`, described in its README): a question for each
//! effect, and nothing else asks.
//!
//! `APPS` chooses chores by a part of `application / chore`. What was asked, sent and shown in each step is written to
//! `target/real-apps/logs`.

mod applications;
mod chores;
mod recording_proxy;
mod report;
mod verdict;
mod visits;

use crate::planner::endpoint::Endpoint;
use crate::support::app::spawn_in;
use crate::support::talk::slot;
use applications::{StartFault, start};
use chores::{Chore, RealApp, read_apps};
use recording_proxy::RecordingProxy;
use serde_json::json;
use std::cell::RefCell;
use std::collections::VecDeque;
use verdict::{Verdict, judge};
use visits::Bed;

/// Applications that run at once.
const AT_ONCE: usize = 2;
/// Questions that nobody needed, for each chore, at most.
const MOST_NEEDLESS: f64 = 0.3;
/// Logs, a folder for each application.
const LOGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/real-apps/logs");

/// Results of one application.
pub struct AppResults<'a> {
    pub app: &'a RealApp,
    /// Empty if it was left out.
    pub chores: Vec<(&'a Chore, Verdict)>,
    pub left_out: Option<String>,
}

/// Agent of an application: its log-ins stay from chore to chore.
fn agent(app: &RealApp) -> String {
    format!(
        "name: {name}\ntitle_ua: Застосунок\nkind: atomic\ninputs: [{{name: text, type: string, required: true}}]\n\
         outputs: [{{name: answer, type: string}}]\nbrowser: {{profile: {name}}}\n",
        name = app.name
    )
}

async fn open_bed(apps: &[RealApp]) -> Bed {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("agents")).unwrap();
    for app in apps {
        std::fs::write(folder.path().join(format!("agents/{}.yaml", app.name)), agent(app)).unwrap();
    }
    let (endpoint, proxy) = (Endpoint::start(), RecordingProxy::start().await);
    let routes = json!([format!(":80:127.0.0.1:{}", proxy.port)]).to_string();
    let app = spawn_in(
        folder,
        &[
            ("ASKFIRST_MODEL__BASE_URL", endpoint.base_url.as_str()),
            ("ASKFIRST_MODEL__PLANNER", "scripted"),
            ("ASKFIRST_BROWSER__CONNECT_TO", routes.as_str()),
            ("ASKFIRST_BROWSER__LINGER_S", "20"),
            ("ASKFIRST_LIMITS__TOOL_STEPS", "80"),
        ],
    )
    .await;
    Bed { app, proxy, endpoint }
}

/// Does the chores of one application in their order.
async fn do_chores<'a>(bed: &Bed, app: &'a RealApp, wanted: &str) -> AppResults<'a> {
    let mut results = AppResults { app, chores: Vec::new(), left_out: None };
    let folder = tempfile::tempdir().unwrap();
    let running = match start(app, folder.path()).await {
        Ok(running) => running,
        Err(StartFault(fault)) => {
            results.left_out = Some(fault);
            return results;
        }
    };
    bed.proxy.open(&app.site, &running.host);
    for chore in app.chores.iter().filter(|chore| chore.is_setup || chore.title().contains(wanted)) {
        let visit = bed.visit(app, chore).await;
        let verdict = judge(app, chore, &visit);
        println!("{} ms {}: {}", visit.seen.millis, chore.title(), verdict.line());
        visits::write_log(LOGS, chore, &visit, &verdict);
        results.chores.push((chore, verdict));
    }
    results
}

#[actix_web::test]
#[ignore = "needs Chromium and packages from PyPI; make test runs it"]
async fn each_effect_in_real_applications_is_asked_about_and_nothing_else() {
    // Takes many minutes: `make real-apps` does the chores, the test suite does not.
    let Ok(wanted) = std::env::var("APPS") else {
        println!("skipped: make real-apps does the chores in real applications");
        return;
    };
    let _slot = slot().await;
    let apps = read_apps();
    let chosen = apps.iter().filter(|app| app.chores.iter().any(|chore| chore.title().contains(&wanted)));
    let bed = open_bed(&apps).await;
    let (queue, results) = (RefCell::new(chosen.collect::<VecDeque<_>>()), RefCell::new(Vec::new()));
    let worker = async || {
        loop {
            let Some(app) = queue.borrow_mut().pop_front() else { return };
            let done = do_chores(&bed, app, &wanted).await;
            results.borrow_mut().push(done);
        }
    };
    futures_util::future::join_all((0..AT_ONCE).map(|_| worker())).await;
    let mut results = results.into_inner();
    results.sort_by(|one, other| one.app.title.cmp(&other.app.title));
    let report = report::make_report(&results);
    println!("{}", report.text);
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/target/real-apps.md"), &report.text).unwrap();
    bed.app.finish().await;
    bed.endpoint.finish().await;
    let total = report.total;
    assert_eq!((total.silent, total.broken), (0, 0), "silent effects, chores that did not work");
    assert!(
        total.needless_a_chore() <= MOST_NEEDLESS,
        "{:.2} needless questions a chore",
        total.needless_a_chore()
    );
}

#[test]
fn applications_and_chores_are_complete() {
    for app in read_apps() {
        assert!(app.pip.contains("==") || app.npm.contains('@'), "{}: no version", app.title);
        assert_eq!(app.chores.iter().filter(|chore| !chore.is_setup).count(), 10, "{}", app.title);
        let harmless = app.chores.iter().filter(|chore| chore.effects.is_empty()).count();
        assert!(harmless >= 3, "{}: {harmless} harmless chores", app.title);
        for chore in &app.chores {
            for step in &chore.steps {
                crate::gate_table::steps::split_step(step)
                    .unwrap_or_else(|fault| panic!("{}: {fault}", chore.title()));
            }
            assert!(!chore.must_show.is_empty(), "{}: nothing shows that it worked", chore.title());
        }
    }
}
