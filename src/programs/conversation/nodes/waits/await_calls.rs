//! Waits for the agents that the planned action has called, or for the task that it depends on (S4.11,
//! S4.20).

use crate::engine::program::ProgramError;
use crate::programs::conversation::calls::{calling, follows};
use crate::programs::conversation::change::ConversationChange;
use crate::programs::conversation::cx::VisitContext;
use crate::programs::outcome::outcomes;
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        AtWork,
        /// The action has ended, successfully or not.
        Ended,
        /// The dependency of the action has ended, so the action is due.
        Due,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let planned = cx.planned()?.clone();
    let awaited = cx.state.awaited;
    let under_way = awaited.and_then(|call| cx.state.calls.get(call)).is_some_and(|job| !job.has_ended());
    if under_way && cx.state.calls.running().next().is_some() {
        return Ok(AtWork);
    }
    match follows::awaited(&cx.state) {
        Some(call) => {
            calling::finish_call(cx, &planned, call);
            Ok(Ended)
        }
        None => {
            cx.change(ConversationChange::Due);
            Ok(Due)
        }
    }
}
