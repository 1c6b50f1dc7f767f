//! Takes the answer to the question about text that goes from one site to another (the flow layer of the gate).

use crate::engine::program::ProgramError;
use crate::programs::conversation::acting::finish_action;
use crate::programs::conversation::questions::flow_question;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;

pub use Outcome::*;

/// Result of the declined action, for the planner.
const DECLINED: &str = "the person declined to take that text to the other site; nothing was done";

outcomes! {
    pub enum Outcome {
        /// The pair of sites is consented to in this run: the gate judges the action itself.
        Approved,
        /// Declined with a comment: the run goes on with it.
        Redirected,
        /// Declined without a comment, or expired.
        Declined,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let resolved = cx.answer()?;
    if resolved.by.is_answer() && resolved.answer.confirmed == Some(true) {
        flow_question::consent(cx);
        return Ok(Approved);
    }
    let goes_on = finish_action::finish_declined(cx, DECLINED, resolved.answer.comment)?;
    Ok(if goes_on { Redirected } else { Declined })
}
