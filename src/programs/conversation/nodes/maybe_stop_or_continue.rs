//! Decides after an action whether the conversation is done, stops at a limit, or continues (S1.28).

use crate::engine::program::ProgramError;
use crate::programs::conversation::agent_message::agent_message;
use crate::programs::conversation::progress_event;
use crate::programs::conversation::questions;
use crate::programs::conversation::questions::held_requests;
use crate::programs::conversation::questions::steps_question::{STEPS_USED_UP, steps_question};
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
use crate::turn::TurnStatus;
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        Stop,
        /// The planner declared that it cannot do what was asked.
        GaveUp,
        /// The allowed actions are used up, and nobody can be asked for more: the run has a caller.
        Limit,
        /// The allowed actions are used up; the person may allow as many again.
        OutOfSteps,
        /// An item of the plan may be reached, or its attempts are used up.
        Claims,
        /// The same action fails repeatedly, so the person is asked.
        Stuck,
        Continue,
        /// A request of the page waits for the person, and the run would end.
        RequestHeld,
        /// The turn is over; tasks that it or an earlier one started are not (S4.21).
        TasksGoOn,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let is_open = cx.deps.browsers.is_some() && cx.working_set.open_browser().is_some();
    let ends = cx.state.has_given_up() || cx.state.final_response_of_turn().is_some();
    if is_open && held_requests::ask_about_held(cx, ends).await? {
        return Ok(RequestHeld);
    }
    progress_event::push_progress(cx);
    let has_given_up = cx.state.has_given_up();
    if let Some(response) = cx.state.resting_response().filter(|_| !cx.state.is_mid_turn()) {
        let response = Some(response).filter(|response| !response.trim().is_empty());
        response.iter().for_each(|response| cx.push_event(agent_message(response)));
        cx.change(ConversationChange::Rested(response));
        return Ok(TasksGoOn);
    }
    // The planner has not been told of an ended task yet.
    if cx.state.has_unreported_tasks() && !has_given_up && !cx.state.is_mid_turn() {
        return Ok(Continue);
    }
    if !has_given_up && has_claim(cx) {
        return Ok(Claims);
    }
    if let Some(response) = cx.state.final_response_of_turn().filter(|_| !cx.state.is_mid_turn()) {
        cx.change(ConversationChange::Responded(response));
        return Ok(if has_given_up { GaveUp } else { Stop });
    }
    if cx.state.has_used_steps(&cx.deps.limits) && !cx.state.is_next_action_free() {
        if cx.deps.caller.is_none() {
            cx.ask = Some(steps_question(&cx.state, &cx.deps.limits));
            return Ok(OutOfSteps);
        }
        cx.change(ConversationChange::Dropped { why: STEPS_USED_UP.to_owned() });
        return Ok(Limit);
    }
    if cx.state.loop_detector.is_stuck() {
        let repeats = cx.state.loop_detector.clone();
        cx.ask = Some(questions::stuck_question(cx.state.locale, &repeats.what, &repeats.why));
        cx.change(ConversationChange::Unstuck);
        return Ok(Stuck);
    }
    Ok(if may_be_reached(cx) { Claims } else { Continue })
}

/// Reports whether an item must be checked: it is claimed to be done, or has failed for good.
fn has_claim(cx: &VisitContext) -> bool {
    let (state, goals) = (&cx.state, &cx.state.plan);
    if !goals.is_open() || state.is_mid_turn() {
        return false;
    }
    let is_claimed = state.last_turn().is_some_and(|turn| turn.status == TurnStatus::Success);
    goals.exhausted_item().is_some() || is_claimed || state.final_response_of_turn().is_some()
}

/// Reports whether the current item has conditions of its own that may hold now.
fn may_be_reached(cx: &VisitContext) -> bool {
    let goals = &cx.state.plan;
    let conditional = goals.current().is_some_and(|item| !item.predicates.is_empty());
    conditional && goals.is_open() && !cx.state.is_mid_turn()
}
