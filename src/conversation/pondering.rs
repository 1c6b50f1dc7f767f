//! Whether the planner thinks before it acts, and how much (S4.32, S4.33).

use super::cx::Cx;
use super::thinking::is_thought;
use crate::turn::Turn;

/// Thoughts that are asked for at once, and what they may take where the agent's file does not say.
const THOUGHTS: u32 = 5;
const TOKENS: u32 = 600;

impl Cx {
    /// Whether a turn of thoughts alone may come now.
    pub fn may_ponder(&self) -> bool {
        let plays = !self.deps.script.is_empty() || self.deps.planner.model().is_none();
        !plays && self.state.memory.pondered.may_think(&self.deps.thinking)
    }

    /// Whether the turn is a thought that another turn may follow.
    pub fn ponders(&self, turn: &Turn) -> bool {
        is_thought(turn) && self.may_ponder()
    }

    /// How many thoughts are asked for before anything else, and what they may take.
    pub fn thinks_first(&self) -> Option<(u32, u32)> {
        let thinking = &self.deps.thinking;
        let reads = self.deps.script.is_empty() && self.deps.planner.model().is_some();
        let most = thinking.budget_tokens.map_or(TOKENS, |most| u32::try_from(most).unwrap_or(u32::MAX));
        (reads && self.state.memory.pondered.must_think(thinking)).then_some((THOUGHTS, most))
    }
}
