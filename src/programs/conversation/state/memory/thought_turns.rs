//! Thinking before acting (S4.32, S4.33): turns of thoughts alone, limited in number and by a budget. The
//! model decides how many it needs; the agent's file decides whether it may or must think.

use crate::agent_spec::types::conversation_parts::{Measured, Mode};
use crate::turn::{Turn, TurnStatus};
use serde::{Deserialize, Serialize};

/// The greatest number of turns of thoughts alone in a row.
const MAX_IN_ROW: u32 = 3;

/// The thoughts about the person's last message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThoughtCount {
    in_row: u32,
    /// Tokens of all of them.
    tokens: u64,
    /// True if a turn with actions was planned.
    acts: bool,
}

impl ThoughtCount {
    pub fn count_thought(&mut self, tokens: u64) {
        self.in_row += 1;
        self.tokens = self.tokens.saturating_add(tokens);
    }

    pub fn count_action(&mut self) {
        (self.in_row, self.acts) = (0, true);
    }

    /// Reports whether one more thought is allowed.
    pub fn may_think(&self, thinking: &Measured) -> bool {
        let has_tokens = thinking.budget_tokens.is_none_or(|most| self.tokens < most);
        thinking.mode != Mode::Off && self.in_row < MAX_IN_ROW && has_tokens
    }

    /// Reports whether one more turn without an action may follow.
    pub fn may_pause(&self) -> bool {
        self.in_row < MAX_IN_ROW
    }

    /// Reports whether the model must think before anything else.
    pub fn must_think(&self, thinking: &Measured) -> bool {
        thinking.mode == Mode::Always && self.in_row == 0 && !self.acts && self.may_think(thinking)
    }
}

/// Reports whether the turn consists of thoughts only.
pub fn is_thought(turn: &Turn) -> bool {
    turn.status == TurnStatus::Executing && turn.only_thinks()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(mode: Mode, budget_tokens: Option<u64>) -> Measured {
        Measured { mode, budget_tokens }
    }

    // The number in a row and the budget limit the thoughts; `off` allows none (S4.32, S4.33).
    #[test]
    fn the_number_of_thoughts_is_limited_and_zero_where_thinking_is_off() {
        let mut pondered = ThoughtCount::default();
        assert!(!pondered.may_think(&measured(Mode::Off, None)));
        for _ in 0..MAX_IN_ROW {
            assert!(pondered.may_think(&measured(Mode::Auto, None)));
            pondered.count_thought(100);
        }
        assert!(!pondered.may_think(&measured(Mode::Auto, None)));
        pondered.count_action();
        assert!(pondered.may_think(&measured(Mode::Auto, None)));
        assert!(!pondered.may_think(&measured(Mode::Auto, Some(300))));
        assert!(pondered.may_think(&measured(Mode::Auto, Some(301))));
    }

    #[test]
    fn required_thinking_comes_first_once_per_message() {
        let always = measured(Mode::Always, None);
        let mut pondered = ThoughtCount::default();
        assert!(pondered.must_think(&always) && !pondered.must_think(&measured(Mode::Auto, None)));
        pondered.count_thought(1);
        assert!(!pondered.must_think(&always));
        pondered.count_action();
        assert!(!pondered.must_think(&always) && ThoughtCount::default().must_think(&always));
    }
}
