//! Cost of a step of the engine on disk, with a small state and with a state of 30 kB. The baseline inserts
//! one row per commit in the same mode: of the size of a step's changes, and of the size of the whole state.

use super::counting::{Machine, changes};
use super::table::{Goal, Row, Sample};
use askfirst::clock::Stopwatch;
use askfirst::store::sqlite::connection::store::SqliteStore;
use rusqlite::{Connection, params};
use std::path::Path;
use std::sync::Arc;

const STEPS: u64 = 1_500;
const ROUNDS: usize = 6;
const LARGE: usize = 30_000;

pub async fn measure() -> Vec<Row> {
    let mut rows = Vec::new();
    for (what, padding) in [("small state", 0), ("state of 30 kB", LARGE)] {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path(), Box::new(|_| ())).unwrap();
        let mut machine = Machine::over(Arc::new(store), folder.path());
        let rows_file = connect(&folder.path().join("floor.db"));
        let body = changes(STEPS).to_string() + &"x".repeat(padding);
        machine.count(STEPS, padding).await;
        insert(&rows_file, 0, &body);
        let (mut floor, mut ours) = (Sample::default(), Sample::default());
        for round in 1..=ROUNDS as u64 {
            floor.add(insert(&rows_file, round * STEPS, &body));
            ours.add(machine.count(STEPS, padding).await);
        }
        rows.push(
            Row::new(format!("engine step, durable, {what}"), "µs", ours, Goal::Below(100.0))
                .with_floor(floor),
        );
    }
    rows
}

fn connect(file: &Path) -> Connection {
    let connection = Connection::open(file).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.pragma_update(None, "synchronous", "NORMAL").unwrap();
    connection.execute("create table rows (n integer primary key, body text not null)", []).unwrap();
    connection
}

/// Microseconds per row, one row per commit.
fn insert(connection: &Connection, first: u64, body: &str) -> f64 {
    let mut statement = connection.prepare("insert into rows (n, body) values (?, ?)").unwrap();
    let watch = Stopwatch::start();
    for n in first..first + STEPS {
        statement.execute(params![n, body]).unwrap();
    }
    watch.seconds() * 1e6 / STEPS as f64
}
