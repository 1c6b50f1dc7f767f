//! Memory of a thousand runs that wait for an answer, measured in a separate process, whose memory nothing
//! else changes.

use super::CHILD;
use super::idle::resident_mb;
use super::questions::{Asker, lines};
use super::table::{Goal, Row, Sample};
use askfirst::engine::archive::FlushArchive;
use askfirst::engine::registry::CountAtWork;
use askfirst::engine::registry::starting::StartRun;
use askfirst::session::state::SessionDeps;
use futures_util::future::join_all;
use serde_json::Map;
use std::process::Stdio;
use std::sync::Arc;
use tokio::process::Command;

const RUNS: usize = 1_000;
/// Runs before the first measurement, so that threads and connections exist.
const WARM: usize = 50;
const AT_ONCE: usize = 20;

pub async fn measure() -> Vec<Row> {
    let program = std::env::current_exe().unwrap();
    let child = Command::new(program)
        .env(CHILD, "waiting")
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let output = child.wait_with_output().await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let grown: Vec<f64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let row = |what: &str, index: usize, goal| Row::new(what, "MB", Sample::from_value(grown[index]), goal);
    vec![
        row("1,000 waiting runs, growth of memory", 0, Goal::Below(10.0)),
        row("  a further 1,000", 1, Goal::Below(10.0)),
    ]
}

/// Prints the growth of the process in megabytes for each thousand runs.
pub async fn child() {
    let folder = tempfile::tempdir().unwrap();
    let lines = lines(folder.path(), Arc::new(Asker::default()));
    begin(&lines, WARM).await;
    for _ in 0..2 {
        let before = resident_mb(std::process::id());
        begin(&lines, RUNS).await;
        println!("{}", resident_mb(std::process::id()) - before);
    }
}

/// Starts this many runs and waits until each of them waits for an answer.
async fn begin(lines: &SessionDeps, runs: usize) {
    let store = Arc::clone(&lines.services.store);
    let before = store.runs_with_status(vec!["waiting"]).await.unwrap().len();
    for _ in 0..runs / AT_ONCE {
        let starts = (0..AT_ONCE).map(|_| {
            let agent = String::from("asker");
            lines.registry.send(StartRun::new(agent, Map::new()))
        });
        for started in join_all(starts).await {
            started.unwrap().unwrap();
        }
        while lines.registry.send(CountAtWork).await.unwrap() > 0 {
            tokio::task::yield_now().await;
        }
    }
    lines.services.archive.send(FlushArchive).await.unwrap();
    let waiting = store.runs_with_status(vec!["waiting"]).await.unwrap().len();
    assert_eq!(waiting - before, runs / AT_ONCE * AT_ONCE);
}
