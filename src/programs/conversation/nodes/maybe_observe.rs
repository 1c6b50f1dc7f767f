//! Observes the page if an observation is due (S1.20).

use crate::engine::program::ProgramError;
use crate::programs::conversation::acting::observe;
use crate::programs::conversation::acting::observe::ObserveResult;
use crate::programs::conversation::planning::compaction;
use crate::programs::conversation::questions::held_requests;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::turn::preconditions::Preconditions;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
use crate::record;
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        Seen,
        /// The last observation is still valid.
        Fresh,
        /// The page cannot be observed now; the planner receives the reason.
        Unseen,
        /// The turn's next action is due. `validate_action` checks it against the current page.
        Stands,
        /// A request of the page waits for the person.
        RequestHeld,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    compaction::begin_summary(cx);
    if let Some(why) = drop_reason(cx) {
        cx.change(ConversationChange::Dropped { why: why.to_owned() });
    }
    if cx.deps.browsers.is_none() || (!cx.state.needs_observe && cx.working_set.observation().is_some()) {
        return Ok(if cx.state.is_mid_turn() { Stands } else { Fresh });
    }
    if held_requests::ask_about_held(cx, false).await? {
        return Ok(RequestHeld);
    }
    Ok(match observe::observe_page(cx).await? {
        ObserveResult::Unseen => Unseen,
        ObserveResult::Seen if cx.state.is_mid_turn() => Stands,
        ObserveResult::Seen => Seen,
    })
}

/// Returns why the rest of the turn under way is dropped without regard to the page.
fn drop_reason(cx: &VisitContext) -> Option<&'static str> {
    let planned = cx.state.planned_action.as_ref().filter(|planned| planned.at > 0)?;
    if cx.has_messages() {
        return Some("the person has said something; read that first");
    }
    // Without a browser there was no page that could have changed.
    cx.deps.browsers.as_ref()?;
    let is_same_process = record::record_value("same process", || {
        planned.preconditions.as_ref().is_some_and(Preconditions::is_of_this_process)
    });
    (!is_same_process).then_some("the service was restarted, and the page opened again")
}
