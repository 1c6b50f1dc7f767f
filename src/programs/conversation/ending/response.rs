//! Final responses of a conversation that has none of its own. All other texts come from the planner or the gate.

use crate::config::Limits;
use crate::plan;
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::node::ConversationNode;
use crate::protocol::{Locale, Status};
use crate::texts::endings;

/// Returns the final response for a final node without one of its own.
pub fn final_response(node: ConversationNode, state: &ConversationState, limits: &Limits) -> String {
    let locale = state.locale;
    let reason = state.failures.last().map_or("", |failure| without_action(failure));
    let text = match node {
        ConversationNode::FinalizeDone => endings::done(locale).to_owned(),
        ConversationNode::FinalizePartial => endings::not_everything_done(locale).to_owned(),
        ConversationNode::FinalizeDenied => endings::action_forbidden(reason, locale),
        ConversationNode::FinalizeCancelled => endings::action_not_approved(locale).to_owned(),
        ConversationNode::FinalizeBlocked if is_nothing_actionable(state) => {
            endings::nothing_actionable(locale).to_owned()
        }
        ConversationNode::FinalizeBlocked if state.unusable_reply => {
            endings::unusable_replies(state.invalid_actions, reason, locale)
        }
        ConversationNode::FinalizeBlocked => {
            endings::no_possible_action(state.invalid_actions, reason, locale)
        }
        _ => endings::limit_ended_run(used_up_limit(state, limits), state.tool_steps, locale),
    };
    text.trim().to_owned()
}

/// True if the open items of the plan cannot be done.
fn is_nothing_actionable(state: &ConversationState) -> bool {
    state.plan.is_open() && plan::next_item(&state.plan.items).is_none()
}

/// Returns a failure without the name of its action, which means nothing to a person.
fn without_action(failure: &str) -> &str {
    failure.split_once(": ").map_or(failure, |(_, message)| message)
}

/// Names the limit that was reached.
fn used_up_limit(state: &ConversationState, limits: &Limits) -> &'static str {
    let locale = state.locale;
    if state.has_used_steps(limits) {
        endings::action_limit(locale)
    } else if limits.tokens.is_some_and(|most| state.tokens >= most) {
        endings::token_limit(locale)
    } else if limits.money.is_some_and(|most| state.money >= most) {
        endings::spending_limit(locale)
    } else if state.iterations >= state.iteration_limit(limits) {
        endings::planning_limit(locale)
    } else {
        endings::shared_limit(locale)
    }
}

/// Returns the response of a run that is ended from outside its graph.
pub fn interrupted_response(outcome: Status, locale: Locale) -> String {
    let text = match outcome {
        Status::Cancelled => endings::stopped(locale),
        Status::Failed => endings::failed_with_reason(locale),
        // The graph itself reports every other limit.
        Status::Exhausted => endings::time_limit_ended_run(locale),
        Status::Queued
        | Status::Running
        | Status::Waiting
        | Status::Paused
        | Status::Succeeded
        | Status::Partial
        | Status::Skipped
        | Status::Denied
        | Status::Blocked => endings::finished(locale),
    };
    text.to_owned()
}
