//! The idle service: its memory, alone and with one conversation, and the time until its first page is served.

use super::app::Process;
use super::socket::Viewer;
use super::table::{Goal, Row, Sample};
use askfirst::clock::Stopwatch;

use std::time::Duration;

const ROUNDS: usize = 5;
/// Rounds with a conversation, each with a Chromium of its own.
const SESSIONS: usize = 3;
/// Time after which the service, or a conversation, has come to rest.
const REST: Duration = Duration::from_secs(3);

pub async fn measure() -> Vec<Row> {
    let (mut resident, mut proportional, mut start): (Sample, Sample, Sample) = Default::default();
    let client = reqwest::Client::new();
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir().unwrap();
        let watch = Stopwatch::start();
        let service = Process::start(folder.path(), &[]).await;
        let page = client.get(&service.base).send().await.unwrap();
        assert_eq!(page.status(), 200);
        let page = page.text().await.unwrap();
        start.add(watch.seconds() * 1000.0);
        assert!(page.contains("<html"), "{page}");
        tokio::time::sleep(REST).await;
        resident.add(resident_mb(service.pid));
        proportional.add(proportional_mb(service.pid));
        service.terminate().await;
    }
    vec![
        Row::new("the service, idle: memory (RSS)", "MB", resident, Goal::Below(30.0)),
        Row::new("the service, idle: memory (PSS)", "MB", proportional, Goal::Below(30.0)),
        with_one_session().await,
        Row::new("the service: start to first page", "ms", start, Goal::Below(300.0)),
    ]
}

/// Measures the service alone, Chromium apart, with one conversation whose page is open.
async fn with_one_session() -> Row {
    let mut memory = Sample::default();
    for _ in 0..SESSIONS {
        let folder = tempfile::tempdir().unwrap();
        let service = Process::start(folder.path(), &[("ASKFIRST_BROWSER__LINGER_S", "60")]).await;
        let mut viewer = Viewer::hello(&service.base).await;
        viewer.say(&format!("open {}/demo/lab/sync", service.base), None).await;
        viewer.until("run_ended").await;
        tokio::time::sleep(REST).await;
        memory.add(proportional_mb(service.pid));
        service.terminate().await;
    }
    Row::new("the service with one session: memory (PSS)", "MB", memory, Goal::Below(30.0))
}

/// Returns the resident memory of a process in megabytes.
pub fn resident_mb(pid: u32) -> f64 {
    memory_mb(&format!("/proc/{pid}/status"), "VmRSS:")
}

/// Returns the memory of a process in megabytes, in which a page that processes share counts in part.
fn proportional_mb(pid: u32) -> f64 {
    memory_mb(&format!("/proc/{pid}/smaps_rollup"), "Pss:")
}

fn memory_mb(file: &str, key: &str) -> f64 {
    let text = std::fs::read_to_string(file).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap();
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().unwrap();
    kib * 1024.0 / 1e6
}
