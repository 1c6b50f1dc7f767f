//! Ends of a plan's agents: results, and decisions on further attempts.

use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::retries::{Tries, retry_delay};
use crate::ids::RunId;
use crate::programs::orchestration::outputs::cancelled;
use crate::programs::orchestration::plan::AgentStep;
use crate::programs::orchestration::state::{AgentResult, AgentStatus, StateChange, StepFault, StepStatus};
use crate::programs::orchestration::step::step_run::{FinishedAgent, StepRun};
use crate::protocol::Status;
use serde_json::{Map, json};
use std::time::Duration;

impl<F: FnMut() -> RunId> StepRun<'_, F> {
    /// Handles ended children, oldest end first. Returns the indexes of the agents that are finished.
    pub fn handle_ended(&mut self) -> Vec<usize> {
        let mut over = Vec::new();
        for child in self.given.ended {
            let place = self.state.slots().iter().position(|slot| slot.run() == Some(&child.run));
            let Some((place, agent)) = place.and_then(|place| Some((place, self.agent(place)?))) else {
                continue;
            };
            let Some(slot) = self.state.slots().get(place).cloned() else { continue };
            let wanted = matches!(slot.standing, AgentStatus::Running { .. });
            let tries = Tries { made: slot.tries, most: agent.retry.saturating_add(1) };
            let left = self.state.millis_left(self.given.now).map(Duration::from_millis);
            match retry_delay(child, tries, left).filter(|_| wanted) {
                Some(wait) => {
                    self.push_item_event(
                        place,
                        child.outcome.word(),
                        Some(child.run.clone()),
                        child.response.clone(),
                    );
                    if !self.start_agent(place, agent, Some(wait)) {
                        over.push(place);
                    }
                }
                None => {
                    let ended = if wanted || child.outcome != Status::Cancelled {
                        agent_result(agent, child)
                    } else {
                        skipped(Some(child.run.clone()))
                    };
                    self.finish_agent(place, ended, child.outcome);
                    over.push(place);
                }
            }
        }
        over
    }

    pub fn finish_agent(&mut self, place: usize, over: AgentResult, outcome: Status) {
        let error = over.error.as_ref().map(|fault| fault.message.clone());
        let word = if over.status == StepStatus::Skipped { Status::Skipped } else { outcome }.word();
        self.push_item_event(place, word, over.run.clone(), error);
        if let Some(agent) = self.agent(place) {
            let started = self.state.slots().get(place).and_then(|slot| slot.started_at);
            self.taken.finished.push(FinishedAgent {
                step_id: agent.id.clone(),
                agent_id: agent.agent_id.clone(),
                action_id: agent.action_id.clone(),
                exec_id: over.run.clone(),
                latency_ms: started.map_or(0, |at| self.given.now - at),
                status: over.status.word(),
            });
        }
        self.change(StateChange::Over { agent: place, over: Box::new(over) });
    }
}

/// Returns the result of an agent that is no longer needed.
pub fn skipped(run: Option<RunId>) -> AgentResult {
    AgentResult { status: StepStatus::Skipped, run, outputs: Map::new(), error: Some(cancelled()) }
}

/// Returns the result of a child in the terms of the output document.
fn agent_result(agent: &AgentStep, child: &EndedChild) -> AgentResult {
    let status = match child.outcome {
        Status::Succeeded => StepStatus::Success,
        Status::Partial => StepStatus::Partial,
        _ => StepStatus::Failed,
    };
    let mut outputs = child.vars.clone();
    if status.gave() && outputs.is_empty() {
        outputs.extend(child.response.as_ref().map(|text| (String::from("response"), json!(text))));
    }
    let error = (!status.gave()).then(|| fault(agent, child));
    AgentResult { status, run: Some(child.run.clone()), outputs, error }
}

/// Returns the part of the response above the code's error message, for people.
fn message_for_people(child: &EndedChild, message: &str) -> Option<String> {
    let (said, rest) = child.response.as_deref()?.split_once("\n\n")?;
    (child.cause.is_some() && rest.contains(message)).then(|| said.to_owned())
}

fn fault(agent: &AgentStep, child: &EndedChild) -> StepFault {
    let said = child.response.clone().unwrap_or_default();
    let (code, message) = match (&child.cause, agent.timeout_ms) {
        _ if child.late && said.is_empty() => ("timeout", String::from("its time was up")),
        (_, Some(time)) if child.late => ("timeout", format!("timed out after {time} ms")),
        _ if child.late => ("timeout", said),
        (Some(cause), _) => (cause.error_type.as_str(), cause.error.clone()),
        (None, _) => (child.outcome.word(), said),
    };
    StepFault { code: code.to_owned(), said: message_for_people(child, &message), message }
}
