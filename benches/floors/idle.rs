//! The idle service: its memory, and the time until its first page is served.

use super::app::Process;
use super::table::{Goal, Row, Sample};
use askfirst::clock::Stopwatch;

const ROUNDS: usize = 5;

pub async fn measure() -> Vec<Row> {
    let (mut memory, mut start) = (Sample::default(), Sample::default());
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
        memory.add(resident_mb(service.pid));
        service.terminate().await;
    }
    vec![
        Row::new("the service, idle: memory", "MB", memory, Goal::Below(30.0)),
        Row::new("the service: start to first page", "ms", start, Goal::Below(300.0)),
    ]
}

/// Returns the resident memory of a process in megabytes.
pub fn resident_mb(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().unwrap();
    kib * 1024.0 / 1e6
}
