//! The budget of a conversation, and its use (C5): a warning when most of a limit is used, a question when it
//! is used up.

use crate::clock::Moment;
use crate::engine::program::ProgramError;
use crate::engine::program::model_usage::{self, find_used_up_limit};
use crate::planning::ModelUsage;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::limit_use::LimitUse;
use crate::programs::conversation::visit_context::VisitContext;
use crate::record;
use crate::store::error::StoreError;
use crate::store::rows::usage::Usage;

/// The state of the budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BudgetState {
    Enough,
    /// The conversation's own limit is used up; a person may raise it.
    Empty(LimitUse),
    /// No person can raise the limit: the time is up, the budget of a caller is used up, or the run has a
    /// caller.
    Over,
}

/// Returns the state of the budget, and the limit that is mostly used.
pub async fn check_budget(cx: &VisitContext) -> Result<(BudgetState, Option<LimitUse>), ProgramError> {
    let limited = &cx.deps.limits;
    // Most runs have no limit, so nothing needs to be added up.
    let counts = limited.tokens.is_some() || limited.money.is_some();
    let spent = if counts { recorded_usage(cx).await? } else { Usage::default() };
    let own = limits(cx, spent);
    let tight = own
        .iter()
        .copied()
        .filter(LimitUse::is_nearly_used_up)
        .max_by(|a, b| a.share().total_cmp(&b.share()));
    if let Some(up) = own.iter().copied().find(LimitUse::is_used_up) {
        let asks = cx.deps.caller.is_none() && up.limit != "wall_s";
        return Ok((if asks { BudgetState::Empty(up) } else { BudgetState::Over }, tight));
    }
    if let Some(caller) = &cx.deps.caller
        && let Some(limit) = find_used_up_limit(&cx.deps.store, caller).await?
    {
        return Ok((BudgetState::Over, Some(LimitUse::from_used_up_limit(&limit))));
    }
    Ok((BudgetState::Enough, tight))
}

async fn recorded_usage(cx: &VisitContext) -> Result<Usage, StoreError> {
    let spending = record::record_input("spent", async {
        let Usage { calls, unpriced, input, cached, output, cost } =
            cx.deps.store.tree_usage(cx.run.clone()).await?;
        Ok::<_, StoreError>((calls, unpriced, input, cached, output, cost))
    });
    let (calls, unpriced, input, cached, output, cost) = spending.await?;
    Ok(Usage { calls, unpriced, input, cached, output, cost })
}

fn limits(cx: &VisitContext, spent: Usage) -> Vec<LimitUse> {
    let (tokens, money) = (spent.input + spent.output, spent.cost);
    let (state, limits) = (&cx.state, &cx.deps.limits);
    let seconds = Moment::now().millis().saturating_sub(state.begun_at) / 1000;
    let of = |limit, used, most: Option<f64>| most.map(|most| LimitUse { limit, used, most });
    let extended = &state.raised_limits;
    [
        // The store does not have the usage of this visit yet.
        of(
            "tokens",
            count(tokens.max(state.tokens)),
            limits.tokens.map(|most| count(most + extended.tokens)),
        ),
        of("money", money.max(state.money), limits.money.map(|most| most + extended.money)),
        of("wall_s", count(seconds.unsigned_abs()), limits.wall_s.map(count)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Converts a count; exact far beyond what any run uses.
fn count(n: u64) -> f64 {
    n as f64
}

/// Counts and reports the cost of model calls.
pub fn count_usage(cx: &mut VisitContext, usage: &[ModelUsage]) {
    let (facts, total) = model_usage::count_usage(usage);
    facts.into_iter().for_each(|fact| cx.push_event(fact));
    if let Some(total) = total {
        cx.change(ConversationChange::Used { tokens: total.input + total.output, money: total.cost });
        let before = cx.record.report.usage.unwrap_or_default();
        cx.record.report.usage = Some(before.plus(&total));
    }
}
