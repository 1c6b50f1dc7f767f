//! Takes the answer to a used-up limit (C5): raise it by the same amount, or end.

use crate::engine::program::ProgramError;
use crate::programs::conversation::progress_event;
use crate::programs::conversation::questions::steps_question::STEPS_USED_UP;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::changes::StepGrant;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
use crate::store::rows::usage::RaisedRunLimits;
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        Extended,
        /// As many actions again are allowed. The page may have changed while the question was open.
        MoreSteps,
        Declined,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let answer = cx.answer()?.answer;
    let is_about_steps = cx.state.has_used_steps(&cx.deps.limits);
    if answer.confirmed != Some(true) {
        if is_about_steps {
            cx.change(ConversationChange::Dropped { why: STEPS_USED_UP.to_owned() });
        }
        return Ok(Declined);
    }
    if is_about_steps {
        let limits = &cx.deps.limits;
        let grant = StepGrant { steps: limits.tool_steps, iterations: limits.iterations };
        cx.change(ConversationChange::StepsGranted(grant));
        cx.change(ConversationChange::NeedsObserve);
        progress_event::push_progress(cx);
        return Ok(MoreSteps);
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
