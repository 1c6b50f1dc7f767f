//! Applications that nobody here wrote, as they come from their registry: planners that know only
//! the page text work in them through the whole service, and what they did is read from the
//! application's own database or interface.

pub mod application;
mod datasette;
mod jupyterlab;

use crate::planner::Solved;
use crate::planner::harness::Errand;

/// Fails with all that went wrong; says how long each took.
fn report(flows: Vec<(&str, Errand<()>, Solved)>) {
    let mut faults = Vec::new();
    for (name, errand, checked) in flows {
        println!("{name}: {} turns, {} approvals, {:?}", errand.turns, errand.approvals, errand.took);
        if errand.turns < 5 && errand.solved.is_ok() {
            faults.push(format!("{name}: only {} steps", errand.turns));
        }
        if errand.solved.is_ok() && errand.outcome != "succeeded" {
            faults.push(format!("{name}: the run ended as {}", errand.outcome));
        }
        faults.extend(errand.solved.err().map(|fault| format!("{name}: {fault}")));
        faults.extend(checked.err().map(|fault| format!("{name}, in the application: {fault}")));
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n\n"));
}
