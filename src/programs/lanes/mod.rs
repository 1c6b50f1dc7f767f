//! The lanes program (docs/agents.md): a composite agent calls other agents, lane by lane. `graph` has the
//! transitions and `step` the decisions, both pure; this file implements `Program` for the engine.

pub(crate) mod conditions;
pub(crate) mod item_input;
pub mod lane_plan;
pub mod graph;
pub mod state;
pub mod step;
pub(crate) mod responses;

use crate::agent_spec::types::spec::AgentSpec;
use crate::engine::program::result_text::{format_vars, outcome_text};
use crate::engine::program::{
    ChildCall, ChildRuns, Continuation, Program, ProgramError, Replayable, RunEnd, RunEnding, StepInput,
    StepRecord, StepResult,
};
use crate::ids::RunId;
use crate::programs::lanes::graph::{LanesEdge, LanesNode};
use crate::programs::lanes::lane_plan::LanePlan;
use crate::programs::lanes::state::{LanesChanges, LanesState};
use crate::protocol::Status;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::store::rows::{Intent, RunReport};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub struct Lanes {
    plan: Arc<LanePlan>,
    state: LanesState,
}

impl Lanes {
    /// The name of this program in stored runs.
    pub const NAME: &'static str = "lanes";

    pub fn load(spec: &AgentSpec, state: Value) -> Result<Self, ProgramError> {
        let state: LanesState = serde_json::from_value(state)?;
        let plan = LanePlan::from_spec(spec, |agent| state.browsing.contains(agent));
        Ok(Self { plan: Arc::new(plan), state })
    }

    /// Converts an edge into the next node and the continuation. Only a step that rests may call agents,
    /// because only it receives their ends.
    fn next_continuation(
        &self,
        edge: LanesEdge,
        calls: &[ChildCall],
    ) -> Result<(LanesNode, Continuation), ProgramError> {
        match edge {
            LanesEdge::Rest(to) => Ok((to, Continuation::Await)),
            LanesEdge::Go(to) if calls.is_empty() => Ok((to, Continuation::Go)),
            LanesEdge::End if calls.is_empty() => Ok((self.state.node, Continuation::End(self.end()))),
            LanesEdge::Go(_) | LanesEdge::End => {
                let name = self.state.node.word();
                Err(ProgramError::Failed(format!("{name} called agents and does not wait for them")))
            }
        }
    }

    fn end(&self) -> RunEnd {
        let state = &self.state;
        let value_of = |name: &String| Some((name.clone(), state.context.get(name)?.clone()));
        let vars: Map<String, Value> = self.plan.outputs.iter().filter_map(value_of).collect();
        match &state.failure {
            Some(failure) => RunEnd {
                outcome: failure.outcome,
                response: Some(responses::failure_text(failure, state.locale)),
                vars,
            },
            None if state.tolerated.is_empty() => {
                RunEnd { outcome: Status::Succeeded, response: Some(format_vars(&vars, state.locale)), vars }
            }
            None => {
                let response = Some(responses::partial_text(&state.tolerated, &vars, state.locale));
                RunEnd { outcome: Status::Partial, response, vars }
            }
        }
    }
}

impl Program for Lanes {
    fn node(&self) -> &'static str {
        self.state.node.word()
    }

    fn step(&self, input: StepInput) -> BoxFuture<'static, Result<StepResult, ProgramError>> {
        let node = self.state.node;
        let step = step::step(&self.plan, &self.state, &input.ended, RunId::fresh);
        let visit = self.next_continuation(graph::route(step.done), &step.calls).map(|(to, next)| {
            let events = [Event::Node { node: node.word().to_owned() }].into_iter().chain(step.events);
            let facts = events.map(Fact::Event).collect();
            let mut after = self.state.clone();
            after.apply(LanesChanges { to, changes: step.changes.clone() });
            let report = RunReport { progress: self.plan.progress(&after), ..RunReport::default() };
            StepResult {
                node: node.word(),
                outcome: step.done.word(),
                changes: json!(LanesChanges { to, changes: step.changes }),
                next,
                record: StepRecord { facts, calls: step.calls, report, ..StepRecord::default() },
            }
        });
        Box::pin(std::future::ready(visit))
    }

    fn apply(&mut self, changes: &Value) -> Result<(), ProgramError> {
        let changes: LanesChanges = serde::Deserialize::deserialize(changes)?;
        self.state.apply(changes);
        Ok(())
    }

    fn state(&self) -> Value {
        json!(self.state)
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn recover(&self, _: Option<&Intent>) -> Value {
        json!(LanesChanges { to: self.state.node, changes: Vec::new() })
    }

    fn reopen(&self) -> Option<Value> {
        None
    }
}

impl ChildRuns for Lanes {
    fn awaited_children(&self) -> Vec<RunId> {
        match self.state.node {
            LanesNode::RunItems => self.state.running_children().cloned().collect(),
            LanesNode::EnterLane | LanesNode::FinalizeDone | LanesNode::FinalizeFailed => Vec::new(),
        }
    }

    fn unfinished_children(&self) -> Vec<RunId> {
        self.state.running_children().cloned().collect()
    }
}

impl RunEnding for Lanes {
    fn interrupted_response(&self, outcome: Status) -> String {
        outcome_text(outcome, self.state.locale).to_owned()
    }
}

impl Replayable for Lanes {
    fn is_replayable(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Locale;

    // A child that no step waits for would be lost silently (S0.22).
    #[test]
    fn calls_are_waited_for_or_refused_and_never_dropped() {
        let plan = Arc::new(LanePlan { lanes: Vec::new(), outputs: Vec::new(), max_parallel: 1 });
        let lanes = Lanes { plan, state: LanesState::begin(Locale::En, Map::new()) };
        let call = || {
            let (run, agent) = (RunId::from("r1"), String::from("a"));
            ChildCall { run, agent, input: Map::new(), timeout: None, after: None }
        };
        for edge in graph::LanesOutcome::all().into_iter().map(graph::route) {
            assert!(lanes.next_continuation(edge, &[]).is_ok());
            match lanes.next_continuation(edge, &[call()]) {
                Ok((_, Continuation::Await)) => {}
                Ok((to, next)) => panic!("{next:?} at {to:?}"),
                Err(fault) => assert!(fault.to_string().contains("does not wait")),
            }
        }
    }
}
