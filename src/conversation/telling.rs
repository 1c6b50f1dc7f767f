//! What those who watch are told of a step.

use super::cx::{Cx, Deps};
use super::state::State;
use crate::protocol::server::{Event, Fact};

impl Cx {
    /// How far the run is, for those who watch.
    pub fn state_fact(&mut self) {
        self.state_updated(None, false);
    }

    /// The same, with what made it so: the key of an answer, another plan.
    pub fn state_updated(&mut self, answer: Option<&str>, plan_updated: bool) {
        let fact = progress(&self.state, &self.deps, answer, plan_updated);
        self.record.tool_steps = Some(self.state.tool_steps);
        self.fact(fact);
    }
}

/// How far a conversation has come, and what it has just been given.
pub fn progress(state: &State, deps: &Deps, answer: Option<&str>, plan_updated: bool) -> Fact {
    Fact::Event(Event::StateUpdated {
        steps: state.tool_steps,
        max_steps: deps.limits.tool_steps,
        invalid_actions: state.invalid_actions,
        visits: state.visits,
        url: state.last_observation.as_ref().map(|seen| seen.url.clone()),
        answer_received: answer.map(str::to_owned),
        plan_updated,
    })
}
