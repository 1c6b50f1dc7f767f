//! Orchestrations of twelve trivial agents, four in parallel, through the whole service and its HTTP API:
//! time per agent step, for one orchestration and for a hundred at once. The baseline is one row with its own
//! commit per stored step.

use super::app::{Http, Process};
use super::lanes::floor;
use super::table::{Goal, Row, Sample};
use askfirst::clock::Stopwatch;
use futures_util::future::join_all;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::Path;

const ROUNDS: usize = 20;
const AT_ONCE: usize = 100;
const WIDE: usize = 4;
const STEPS: usize = 12;

/// Does nothing and succeeds.
const LEAF: &str = "name: leaf\nkind: composite\ngraph: {lanes: []}\n";

fn plan() -> Value {
    let child = |block: usize, n: usize| json!({"id": format!("s{block}_{n}"), "agent_id": "leaf"});
    let block = |block: usize| {
        let children: Vec<Value> = (0..WIDE).map(|n| child(block, n)).collect();
        json!({"id": format!("b{block}"), "type": "parallel", "children": children})
    };
    json!({"steps": (0..STEPS / WIDE).map(block).collect::<Vec<_>>()})
}

pub async fn measure() -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("agents")).unwrap();
    std::fs::write(folder.path().join("agents/leaf.yaml"), LEAF).unwrap();
    let service = Process::start(folder.path(), &[]).await;
    let (http, url) = (Http::new(), format!("{}/api/run/agent_orchestrate", service.base));
    let order = json!({"input": {"plan": plan()}, "timeout_ms": 600_000});
    let carried_out = || async {
        let (_, done) = http.post(&url, &order).await;
        assert_eq!(done["vars"]["success"], true, "{done}");
    };
    carried_out().await;
    let (mut alone, mut bare) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS {
        let before = count_steps(folder.path());
        let watch = Stopwatch::start();
        carried_out().await;
        alone.add(watch.seconds() * 1000.0 / STEPS as f64);
        bare.add(floor(count_steps(folder.path()) - before) * 1000.0 / STEPS as f64);
    }
    let before = count_steps(folder.path());
    let watch = Stopwatch::start();
    join_all((0..AT_ONCE).map(|_| carried_out())).await;
    let all = watch.seconds();
    let least = floor(count_steps(folder.path()) - before);
    service.terminate().await;
    let each = |seconds: f64| Sample::from_value(seconds * 1000.0 / (AT_ONCE * STEPS) as f64);
    vec![
        Row::new("an agent step of 12, 4 side by side", "ms", alone, Goal::None).with_floor(bare),
        Row::new(format!("  the same with {AT_ONCE} orchestrations at once"), "ms", each(all), Goal::None)
            .with_floor(each(least)),
        Row::new(
            format!("  {AT_ONCE} orchestrations at once, all of it"),
            "s",
            Sample::from_value(all),
            Goal::None,
        )
        .with_floor(Sample::from_value(least)),
    ]
}

/// Returns the number of stored steps of all runs.
fn count_steps(folder: &Path) -> usize {
    let store = Connection::open(folder.join("data/askfirst.db")).unwrap();
    store.query_row("select count(*) from steps", [], |row| row.get(0)).unwrap()
}
