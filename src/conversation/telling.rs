//! What those who watch are told of a step.

use super::cx::Cx;
use super::planned::Planned;
use crate::model::Outcome;
use crate::protocol::server::{Event, Fact, Failure};

impl Cx {
    /// How far the run is, for those who watch.
    pub fn state_fact(&mut self) {
        self.state_updated(None, false);
    }

    /// The same, with what made it so: the key of an answer, another plan.
    pub fn state_updated(&mut self, answer: Option<&str>, plan_updated: bool) {
        let state = &self.state;
        let fact = Fact::Event(Event::StateUpdated {
            steps: state.tool_steps,
            max_steps: self.deps.limits.tool_steps,
            invalid_actions: state.invalid_actions,
            visits: state.visits,
            url: state.last_observation.as_ref().map(|seen| seen.url.clone()),
            answer_received: answer.map(str::to_owned),
            plan_updated,
        });
        self.record.tool_steps = Some(state.tool_steps);
        self.fact(fact);
    }
}

/// The fact that an action was not carried out.
pub fn not_done(planned: &Planned, code: &str, message: &str) -> Fact {
    let result = planned.result(Outcome::Ok, None);
    Fact::Event(Event::ActionFinished {
        action_id: result.action_id,
        action: result.action,
        ok: false,
        result: None,
        error: Some(Failure { code: code.to_owned(), message: message.to_owned() }),
        took_ms: 0,
        settled: None,
        files: Vec::new(),
        dropped: planned.rest_ids(),
    })
}
