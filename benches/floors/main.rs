//! `make bench`: compares the service with minimal baselines on the same pages in the same run. Baseline and
//! service are measured alternately (A B A B …), so that both see the same load of the machine. Results are
//! medians with minimum and maximum. `BENCH_ONLY=click` runs the measurements whose name contains `click`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement that cannot be made ends in a panic"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "measurements read the environment and start programs themselves"
)]

mod questions;
mod bare;
mod bytes;
mod click;
mod counting;
mod durable;
mod first_words;
mod python_code;
mod idle;
mod lanes;
mod lanes_agents;
mod live;
mod memory_store;
mod observe;
mod orchestration;
mod page_open;
mod phases;
mod postgres_steps;
mod real;
mod socket;
mod stage;
mod step;
mod sweep;
mod table;
mod turns;
mod waiting;
mod wire;

/// The service as a process, started as in the tests.
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
#[path = "../../tests/it/support/app.rs"]
mod app;

/// A PostgreSQL server, started as in the tests.
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
#[path = "../../tests/it/support/postgres.rs"]
mod postgres;

use askfirst::clock::Stopwatch;
use table::{Row, print};

/// Environment variable of child processes that measure memory. Its value names the measurement.
pub const CHILD: &str = "BENCH_CHILD";

fn main() {
    let system = actix::System::new();
    match std::env::var(CHILD).as_deref() {
        Ok("lanes") => return system.block_on(lanes::child()),
        Ok(_) => return system.block_on(waiting::child()),
        Err(_) => {}
    }
    let only = std::env::var("BENCH_ONLY").unwrap_or_default();
    let wanted = |name: &str| name.contains(&only);
    let watch = Stopwatch::start();
    let rows = system.block_on(async {
        let mut rows = Vec::new();
        if wanted("idle") {
            rows.extend(log_rows("idle", idle::measure().await));
        }
        if wanted("waiting") {
            rows.extend(log_rows("waiting", waiting::measure().await));
        }
        if wanted("step") {
            rows.extend(log_rows("step in memory", step::measure().await));
        }
        if wanted("durable") {
            rows.extend(log_rows("step, durable", durable::measure().await));
        }
        if wanted("postgres") {
            rows.extend(log_rows("steps over PostgreSQL", postgres_steps::measure().await));
        }
        if wanted("ask") {
            rows.extend(log_rows("ask and answer", questions::measure().await));
        }
        if wanted("real") {
            rows.extend(log_rows("real conversation, asking", real::measure().await));
        }
        if wanted("bytes") {
            rows.extend(log_rows("bytes of a real conversation", bytes::measure().await));
        }
        if wanted("lanes") {
            rows.extend(log_rows("lanes", lanes::measure().await));
            rows.extend(log_rows("lanes of agents that do something", lanes_agents::measure().await));
        }
        if wanted("orchestration") {
            rows.extend(log_rows("orchestration", orchestration::measure().await));
        }
        if wanted("observe") {
            rows.extend(log_rows("observe", observe::measure().await));
        }
        if wanted("open") {
            rows.extend(log_rows("open", page_open::measure().await));
        }
        if wanted("python") {
            rows.extend(log_rows("python code", python_code::measure().await));
        }
        if wanted("click") {
            rows.extend(log_rows("click", click::measure().await));
        }
        if wanted("turns") {
            rows.extend(log_rows("turns", turns::measure().await));
        }
        if wanted("words") {
            rows.extend(log_rows("first words of an answer", first_words::measure().await));
        }
        if wanted("wire") {
            rows.extend(log_rows("wire", wire::measure().await));
        }
        if wanted("live") {
            rows.extend(log_rows("live", live::measure().await));
        }
        if wanted("sweep") {
            rows.extend(log_rows("sweep", sweep::measure().await));
        }
        rows
    });
    print(&rows);
    println!("\n{:.0} s in all. Profile: as released, without link-time optimization.", watch.seconds());
}

/// Prints the rows as soon as they are measured: a later measurement that cannot be made ends in a panic.
fn log_rows(name: &str, rows: Vec<Row>) -> Vec<Row> {
    println!("measured: {name}");
    print(&rows);
    rows
}
