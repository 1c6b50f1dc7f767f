//! What agents of a plan may spend together (C5): one that fails because it is used up ends the orchestration as
//! `exhausted`, as it ends whoever else comes to that limit.

use super::Deps;
use super::state::{Change, Slot, State};
use super::step::Taken;
use crate::program::spending::overspent;
use crate::program::{Child, Given, ProgramError};
use crate::protocol::Status;

/// The same step; where it ends the whole for a limit that is the whole's own, it says so.
pub async fn seen(
    state: &State,
    deps: &Deps,
    given: &Given,
    mut taken: Taken,
) -> Result<Taken, ProgramError> {
    if may_be_out(state, &given.ended, &taken) && overspent(&deps.store, &given.run).await?.is_some() {
        for change in &mut taken.changes {
            if let Change::End { end } = change {
                end.outcome = Status::Exhausted;
            }
        }
    }
    Ok(taken)
}

/// Whether it fails, and somebody whom it waited for came to a limit that is not that of time.
fn may_be_out(state: &State, ended: &[Child], taken: &Taken) -> bool {
    let fails = taken
        .changes
        .iter()
        .any(|change| matches!(change, Change::End { end } if end.outcome == Status::Failed));
    let out = Status::Exhausted;
    let planner = |child: &Child| state.planner.as_ref() == Some(&child.run) && child.outcome == out;
    fails && (ended.iter().any(planner) || has_come_to_a_limit(state, taken))
}

/// Of the step that was begun last.
fn has_come_to_a_limit(state: &State, taken: &Taken) -> bool {
    let mut after = state.clone();
    taken.changes.iter().for_each(|change| after.change(change.clone()));
    let slots = after.steps.last().map_or(&[][..], |begun| begun.slots.as_slice());
    let mut faults = slots.iter().filter_map(Slot::over).filter_map(|over| over.error.as_ref());
    faults.any(|fault| fault.code == Status::Exhausted.word())
}
