//! Runs the premoves that are due, and waits for their results (S4.31). A failure becomes one line for the
//! planner and does not stop the run.

use crate::clock::Moment;
use crate::engine::program::ProgramError;
use crate::programs::conversation::planning::premove_runs;
use crate::programs::conversation::state::memory::premoves::PremoveChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        Begun,
        /// Premoves are still at work.
        AtWork,
        /// Results of all premoves are valid.
        UpToDate = "Looked",
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let now = Moment::now().millis();
    if !cx.state.memory.premoves.under_way.is_empty() {
        for child in std::mem::take(&mut cx.input.ended) {
            premove_runs::store_premove_result(cx, &child, now);
        }
        if !cx.state.memory.premoves.under_way.is_empty() {
            return Ok(AtWork);
        }
        premove_runs::change_premoves(cx, PremoveChange::UpToDate);
        return Ok(UpToDate);
    }
    let due = premove_runs::premoves_due(cx, now);
    if due.is_empty() {
        premove_runs::change_premoves(cx, PremoveChange::UpToDate);
        return Ok(UpToDate);
    }
    premove_runs::begin_premoves(cx, due);
    Ok(Begun)
}
