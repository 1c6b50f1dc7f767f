//! Takes the person's answer to a plan: approval, refusal, or a correction (C20, C24).

use crate::engine::program::ProgramError;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::plan_state::PlanChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        Approved,
        /// The person wants a different plan, and has said how.
        Redirected,
        Declined,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let resolved = cx.answer()?;
    let answer = resolved.answer;
    if resolved.by.is_answer() && answer.confirmed == Some(true) {
        return Ok(Approved);
    }
    match answer.comment.filter(|comment| !comment.trim().is_empty()) {
        Some(comment) => {
            cx.change(ConversationChange::MessageReceived(comment.clone()));
            cx.change(ConversationChange::Plan(PlanChange::Wanted(format!(
                "the person wants it otherwise: {comment}"
            ))));
            Ok(Redirected)
        }
        None => Ok(Declined),
    }
}
