//! The actions and plans that the person's last message may use (S1.28). Pure.

use crate::config::Limits;
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::turn::turn_progress::TurnProgress;

impl ConversationState {
    /// Returns the number of actions allowed for the person's last message.
    pub fn step_limit(&self, limits: &Limits) -> u32 {
        limits.tool_steps.saturating_add(self.raised_limits.steps)
    }

    /// Returns the number of plans allowed for the person's last message.
    pub fn iteration_limit(&self, limits: &Limits) -> u32 {
        limits.iterations.saturating_add(self.raised_limits.iterations)
    }

    /// Reports whether the next action of the turn under way fills a further field, which counts as no action.
    pub fn is_next_action_free(&self) -> bool {
        self.planned_action.as_ref().is_some_and(TurnProgress::fills_on)
    }

    /// Reports whether the allowed actions are done.
    pub fn has_used_steps(&self, limits: &Limits) -> bool {
        self.tool_steps >= self.step_limit(limits)
    }
}
