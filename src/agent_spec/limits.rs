//! Limits that an agent's file may set, and their combination with the limits of the settings.

use crate::agent_spec::types::limits::Limits;
use crate::agent_spec::types::spec::AgentSpec;
use crate::config;

/// Actions that one step of a script may take, including waits and retries.
const ACTIONS_A_STEP: usize = 4;

impl AgentSpec {
    /// Returns the limits of a run of this agent: its own if set, otherwise those of the settings. The limits
    /// of a whole run tree and of an orchestration are ceilings that an agent file can only lower (S3.27,
    /// C5).
    pub fn limits(&self, settings: &config::Limits) -> config::Limits {
        let blank = Limits::default();
        let own = self.limits.as_ref().unwrap_or(&blank);
        let script = self.browser.as_ref().and_then(|browser| browser.script.as_ref()).map_or(0, Vec::len);
        // A script ends by itself; its steps may take as many actions as they need.
        let played = u32::try_from(script.saturating_mul(ACTIONS_A_STEP)).unwrap_or(u32::MAX);
        config::Limits {
            total_steps: lower(own.total_steps, settings.total_steps),
            depth: lower(own.depth, settings.depth),
            tool_steps: own.tool_steps.unwrap_or(settings.tool_steps.max(played)),
            invalid_actions: own.invalid_actions.unwrap_or(settings.invalid_actions),
            iterations: own.iterations.unwrap_or(settings.iterations.max(played)),
            attempts: own.attempts.unwrap_or(settings.attempts),
            tries: own.tries.unwrap_or(settings.tries),
            try_timeout_s: own.try_timeout_s.unwrap_or(settings.try_timeout_s),
            history: own.history.unwrap_or(settings.history),
            orchestration_depth: lower(own.orchestration_depth, settings.orchestration_depth),
            orchestration_steps: lower(own.orchestration_steps, settings.orchestration_steps),
            orchestration_width: lower(own.orchestration_width, settings.orchestration_width),
            tokens: lower_optional(own.tokens, settings.tokens),
            money: lower_optional(own.money, settings.money),
            wall_s: lower_optional(own.wall_s, settings.wall_s),
        }
    }
}

fn lower<T: PartialOrd + Copy>(own: Option<T>, ceiling: T) -> T {
    own.filter(|own| *own < ceiling).unwrap_or(ceiling)
}

fn lower_optional<T: PartialOrd + Copy>(own: Option<T>, ceiling: Option<T>) -> Option<T> {
    match ceiling {
        Some(ceiling) => Some(lower(own, ceiling)),
        None => own,
    }
}
