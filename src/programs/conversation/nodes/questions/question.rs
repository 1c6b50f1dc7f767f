//! Takes the person's answer to a question, and stores it under its key (S2.5, S2.11).

use crate::engine::program::ProgramError;
use crate::programs::conversation::acting::finish_action;
use crate::programs::conversation::planning::plan_steps;
use crate::programs::conversation::progress_event;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::plan_state::PlanChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
use crate::texts::questions::{end_here, skip_item};
use crate::turn::action::{Action, PersonAction};
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        Answered,
        /// The person wants the run to end as it is.
        Ended,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let text = cx.answer()?.answer.text.unwrap_or_default();
    if let Some(position) = cx.state.plan.asked {
        return Ok(answer_about_item(cx, position, text));
    }
    let Ok(planned) = cx.planned_turn() else {
        // The question came from the service itself.
        cx.change(ConversationChange::MessageReceived(text));
        return Ok(Answered);
    };
    if let Some(Action::Person(PersonAction::AskUser { answer_key, .. })) = planned.action.clone() {
        cx.change(ConversationChange::Answered { key: answer_key.clone(), text: text.clone() });
        progress_event::push_state_update(cx, Some(&answer_key), false);
    }
    finish_action::finish_done_by_person(cx, Some(text), None);
    Ok(Answered)
}

/// Applies the answer about an item whose attempts are used up.
fn answer_about_item(cx: &mut VisitContext, position: u32, text: String) -> Outcome {
    let (skip, end) = (skip_item(cx.state.locale), end_here(cx.state.locale));
    let key = format!("step_{position}");
    cx.change(ConversationChange::Answered { key: key.clone(), text: text.clone() });
    progress_event::push_state_update(cx, Some(&key), false);
    let reply = text.trim();
    if reply == skip {
        plan_steps::change_plan(cx, PlanChange::Skipped(position));
        return Answered;
    }
    plan_steps::change_plan(cx, PlanChange::Again(position));
    if reply == end {
        return Ended;
    }
    cx.change(ConversationChange::MessageReceived(text));
    Answered
}
