//! Takes the answer to a `confirm` question (S1.25, C24): approved, declined, or declined with a correction.

use crate::clock::Moment;
use crate::engine::program::ProgramError;
use crate::gate::grants::{self, Grant, RememberOffer};
use crate::programs::conversation::acting::finish_action;
use crate::programs::conversation::questions::flow_question;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
use crate::protocol::Remember;
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
    if resolved.by.is_answer() && answer.confirmed == Some(true) {
        store_grant(cx, answer.remember.unwrap_or_default());
        if let Some(host) = cx.state.approval.as_ref().and_then(|approval| approval.host.clone()) {
            cx.change(ConversationChange::HostAllowed(host));
        }
        flow_question::consent(cx);
        cx.change(ConversationChange::Approved);
        cx.change(ConversationChange::ApprovedBy(resolved.reference.to_string()));
        return Ok(Approved);
    }
    let goes_on = finish_action::finish_declined(cx, "the person declined it", answer.comment)?;
    Ok(if goes_on { Redirected } else { Declined })
}

/// Stores the grant that the person chose with the approval.
fn store_grant(cx: &mut VisitContext, choice: Remember) {
    let Some(approval) = &cx.state.approval else { return };
    let offer = RememberOffer {
        choices: &approval.remember,
        origin: &approval.origin,
        rule: &approval.rule,
        covers: &approval.covers,
    };
    let grant = grants::from_answer(offer, choice, &cx.root, Moment::now());
    cx.record.grant = grant.map(Grant::into_row);
}
