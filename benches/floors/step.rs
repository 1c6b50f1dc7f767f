//! Cost of a step of the engine in memory: the run actor with the minimal program, without a disk.

use super::counting::Machine;
use super::memory_store::MemoryStore;
use super::table::{Goal, Row, Sample};
use std::sync::Arc;

const STEPS: u64 = 20_000;
const ROUNDS: usize = 7;

pub async fn measure() -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let mut machine = Machine::over(Arc::new(MemoryStore::default()), folder.path());
    machine.count(STEPS, 0).await;
    let mut ours = Sample::default();
    for _ in 0..ROUNDS {
        ours.add(machine.count(STEPS, 0).await);
    }
    vec![Row::new("engine step, in memory", "µs", ours, Goal::Below(10.0))]
}
