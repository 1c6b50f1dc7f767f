//! Decides whether the planner thinks before it acts, and how much (S4.32, S4.33).

use crate::programs::conversation::state::memory::thought_turns::is_thought;
use crate::programs::conversation::visit_context::VisitContext;
use crate::turn::Turn;

/// Defaults for thinking first: the number of thoughts asked for at once, and their budget in tokens.
const MAX_THOUGHTS: u32 = 5;
const MAX_TOKENS: u32 = 600;

/// Reports whether a turn of thoughts alone is allowed now.
pub fn may_think_again(cx: &VisitContext) -> bool {
    cx.deps.asks_model() && cx.state.memory.thoughts.may_think(&cx.deps.thinking.thoughts)
}

/// Reports whether the turn consists of thoughts, or of variables to keep, and another turn may follow it.
pub fn is_thought_turn(cx: &VisitContext, turn: &Turn) -> bool {
    let keeps = cx.deps.asks_model() && turn.only_keeps_variables() && cx.state.memory.thoughts.may_pause();
    keeps || (is_thought(turn) && may_think_again(cx))
}

/// Returns the number of thoughts to ask for before anything else, and their budget in tokens; `None` if
/// the planner need not think first.
pub fn required_thoughts(cx: &VisitContext) -> Option<(u32, u32)> {
    let thinking = &cx.deps.thinking.thoughts;
    let reads = cx.deps.asks_model();
    let most = thinking.budget_tokens.map_or(MAX_TOKENS, |most| u32::try_from(most).unwrap_or(u32::MAX));
    (reads && cx.state.memory.thoughts.must_think(thinking)).then_some((MAX_THOUGHTS, most))
}
