//! The event about a conversation's progress, for viewers.

use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::visit_context::{ConversationDeps, VisitContext};
use crate::protocol::event::Event;
use crate::protocol::server::Fact;

/// Adds an event about the progress of the run.
pub fn push_progress(cx: &mut VisitContext) {
    push_state_update(cx, None, false);
}

/// Adds an event about the progress, with its cause: the key of an answer, or a changed plan.
pub fn push_state_update(cx: &mut VisitContext, answer: Option<&str>, plan_updated: bool) {
    let fact = progress_event(&cx.state, &cx.deps, answer, plan_updated);
    cx.record.report.tool_steps = Some(cx.state.tool_steps);
    cx.push_event(fact);
}

/// Returns the event about the progress of a conversation.
pub fn progress_event(
    state: &ConversationState,
    deps: &ConversationDeps,
    answer: Option<&str>,
    plan_updated: bool,
) -> Fact {
    Fact::Event(Event::StateUpdated {
        steps: state.tool_steps,
        max_steps: state.step_limit(&deps.limits),
        invalid_actions: state.invalid_actions,
        visits: state.visits,
        url: state.last_observation.as_ref().map(|seen| seen.url.clone()),
        answer_received: answer.map(str::to_owned),
        plan_updated,
    })
}
