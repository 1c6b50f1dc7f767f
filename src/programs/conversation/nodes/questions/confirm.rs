//! Takes the answer to a `confirm` question (S1.25, C24): approved, declined, or declined with a correction.

use crate::engine::program::ProgramError;
use crate::planning::ActionOutcome as ResultOutcome;
use crate::programs::conversation::state_changes::ConversationChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
use crate::protocol::server::ResolvedBy;
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        Approved,
        /// Declined with a comment: the run goes on with it.
        Redirected,
        /// Declined without a comment, or expired.
        Declined,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let resolved = cx.answer()?;
    let answer = resolved.answer;
    if resolved.by == ResolvedBy::User && answer.confirmed == Some(true) {
        cx.remember(answer.remember.unwrap_or_default());
        if let Some(host) = cx.state.approval.as_ref().and_then(|approval| approval.host.clone()) {
            cx.change(ConversationChange::LetIn(host));
        }
        cx.change(ConversationChange::Approved);
        return Ok(Approved);
    }
    let comment = answer.comment.filter(|comment| !comment.trim().is_empty());
    let outcome = ResultOutcome::Dropped { why: String::from("the person declined it") };
    let result = cx.planned_turn()?.result(outcome, None);
    cx.change(ConversationChange::Finished { result, dropped: Vec::new(), counts: false });
    match comment {
        Some(comment) => {
            cx.change(ConversationChange::Heard(comment));
            Ok(Redirected)
        }
        None => Ok(Declined),
    }
}
