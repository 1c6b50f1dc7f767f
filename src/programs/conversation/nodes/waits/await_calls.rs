//! Waits for the agents that the planned action has called, or for the task that it depends on (S4.11,
//! S4.20).

use crate::engine::program::ProgramError;
use crate::programs::conversation::calls::agent_calls;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::visit_context::VisitContext;
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
    let planned = cx.planned_turn()?.clone();
    let awaited = cx.state.awaited;
    let under_way = awaited.and_then(|call| cx.state.calls.get(call)).is_some_and(|job| !job.has_ended());
    if under_way && cx.state.calls.running_children().next().is_some() {
        return Ok(AtWork);
    }
    match cx.state.awaited_call() {
        Some(call) => {
            agent_calls::finish_call(cx, &planned, call);
            Ok(Ended)
        }
        None => {
            cx.change(ConversationChange::Due);
            Ok(Due)
        }
    }
}
