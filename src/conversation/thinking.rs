//! Thinking before acting (S4.32, S4.33): turns of thoughts alone, so many of them and within a budget. The model
//! says how many it needs; the agent's file, whether it may or must.

use crate::spec::parts::{Measured, Mode};
use crate::turn::{Turn, TurnStatus};
use serde::{Deserialize, Serialize};

/// Turns of thoughts alone in a row.
const IN_ROW: u32 = 3;

/// What has been thought of what the person said last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pondered {
    in_row: u32,
    /// What all of them took.
    tokens: u64,
    /// Something was done, or at least meant to be.
    acts: bool,
}

impl Pondered {
    pub fn thought(&mut self, tokens: u64) {
        self.in_row += 1;
        self.tokens = self.tokens.saturating_add(tokens);
    }

    pub fn acted(&mut self) {
        (self.in_row, self.acts) = (0, true);
    }

    /// Whether one more thought is allowed.
    pub fn may_think(&self, thinking: &Measured) -> bool {
        let within = thinking.budget_tokens.is_none_or(|most| self.tokens < most);
        thinking.mode != Mode::Off && self.in_row < IN_ROW && within
    }

    /// Whether it is asked to think before anything else.
    pub fn must_think(&self, thinking: &Measured) -> bool {
        thinking.mode == Mode::Always && self.in_row == 0 && !self.acts && self.may_think(thinking)
    }
}

/// Whether the turn is one of thoughts and nothing else.
pub fn is_thought(turn: &Turn) -> bool {
    turn.status == TurnStatus::Executing && turn.only_thinks()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(mode: Mode, budget_tokens: Option<u64>) -> Measured {
        Measured { mode, budget_tokens }
    }

    // S4.32, S4.33
    #[test]
    fn so_many_thoughts_are_allowed_and_none_where_thinking_is_off() {
        let mut pondered = Pondered::default();
        assert!(!pondered.may_think(&measured(Mode::Off, None)));
        for _ in 0..IN_ROW {
            assert!(pondered.may_think(&measured(Mode::Auto, None)));
            pondered.thought(100);
        }
        assert!(!pondered.may_think(&measured(Mode::Auto, None)));
        pondered.acted();
        assert!(pondered.may_think(&measured(Mode::Auto, None)));
        assert!(!pondered.may_think(&measured(Mode::Auto, Some(300))));
        assert!(pondered.may_think(&measured(Mode::Auto, Some(301))));
    }

    #[test]
    fn thinking_comes_first_once_for_each_message() {
        let always = measured(Mode::Always, None);
        let mut pondered = Pondered::default();
        assert!(pondered.must_think(&always) && !pondered.must_think(&measured(Mode::Auto, None)));
        pondered.thought(1);
        assert!(!pondered.must_think(&always));
        pondered.acted();
        assert!(!pondered.must_think(&always) && Pondered::default().must_think(&always));
    }
}
