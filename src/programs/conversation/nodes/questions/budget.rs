//! Takes the answer to a used-up limit (C5): raise it by the same amount, or end.

use crate::engine::program::ProgramError;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
use crate::store::rows::usage::RaisedRunLimits;
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        Extended,
        Declined,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let answer = cx.answer()?.answer;
    if answer.confirmed != Some(true) {
        return Ok(Declined);
    }
    let (limits, extended) = (&cx.deps.limits, cx.state.raised_limits);
    let (tokens, money) = (limits.tokens.unwrap_or_default(), limits.money.unwrap_or_default());
    let most = |own: Option<u64>| own.map(|own| own + extended.tokens + tokens);
    let bounds = RaisedRunLimits {
        tokens: most(limits.tokens),
        money: limits.money.map(|own| own + extended.money + money),
    };
    cx.record.raised = Some(bounds);
    cx.change(ConversationChange::Extended { tokens, money });
    Ok(Extended)
}
