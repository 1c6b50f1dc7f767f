//! Ends of a plan's agents: results, and decisions on further attempts.

use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::retries::{Tries, retry_delay};
use crate::ids::RunId;
use crate::programs::orchestration::outputs::cancelled;
use crate::programs::orchestration::plan::AgentStep;
use crate::programs::orchestration::state::{AgentResult, AgentStatus, StateChange, StepFault, StepStatus};
use crate::programs::orchestration::step_run::{FinishedAgent, StepRun};
use crate::protocol::Status;
use serde_json::{Map, json};
use std::time::Duration;

impl<F: FnMut() -> RunId> StepRun<'_, F> {
    /// Handles ended children, oldest end first. Returns the indexes of the agents that are finished.
    pub fn handle_ended(&mut self) -> Vec<usize> {
        let mut finished = Vec::new();
        for child in self.input.ended {
            let index = self.state.slots().iter().position(|slot| slot.run() == Some(&child.run));
            let Some((index, agent)) = index.and_then(|index| Some((index, self.agent(index)?))) else {
                continue;
            };
            let Some(slot) = self.state.slots().get(index).cloned() else { continue };
            let is_running = matches!(slot.status, AgentStatus::Running { .. });
            let tries = Tries { made: slot.tries, most: agent.retry.saturating_add(1) };
            let left = self.state.millis_left(self.input.now).map(Duration::from_millis);
            match retry_delay(child, tries, left).filter(|_| is_running) {
                Some(wait) => {
                    self.push_item_event(
                        index,
                        child.outcome.word(),
                        Some(child.run.clone()),
                        child.response.clone(),
                    );
                    if !self.start_agent(index, agent, Some(wait)) {
                        finished.push(index);
                    }
                }
                None => {
                    let result = if is_running || child.outcome != Status::Cancelled {
                        agent_result(agent, child)
                    } else {
                        skipped_result(Some(child.run.clone()))
                    };
                    self.finish_agent(index, result, child.outcome);
                    finished.push(index);
                }
            }
        }
        finished
    }

    pub fn finish_agent(&mut self, index: usize, result: AgentResult, outcome: Status) {
        let error = result.error.as_ref().map(|fault| fault.message.clone());
        let word = if result.status == StepStatus::Skipped { Status::Skipped } else { outcome }.word();
        self.push_item_event(index, word, result.run.clone(), error);
        if let Some(agent) = self.agent(index) {
            let started = self.state.slots().get(index).and_then(|slot| slot.started_at);
            self.output.finished.push(FinishedAgent {
                step_id: agent.id.clone(),
                agent_id: agent.agent_id.clone(),
                action_id: agent.action_id.clone(),
                exec_id: result.run.clone(),
                latency_ms: started.map_or(0, |at| self.input.now - at),
                status: result.status.word(),
            });
        }
        self.change(StateChange::Over { agent: index, over: Box::new(result) });
    }
}

/// Returns the result of an agent that is no longer needed.
pub fn skipped_result(run: Option<RunId>) -> AgentResult {
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
    if status.has_outputs() && outputs.is_empty() {
        outputs.extend(child.response.as_ref().map(|text| (String::from("response"), json!(text))));
    }
    let error = (!status.has_outputs()).then(|| child_fault(agent, child));
    AgentResult { status, run: Some(child.run.clone()), outputs, error }
}

/// Returns the part of the response above the code's error message, for people.
fn message_for_people(child: &EndedChild, message: &str) -> Option<String> {
    let (text, rest) = child.response.as_deref()?.split_once("\n\n")?;
    (child.cause.is_some() && rest.contains(message)).then(|| text.to_owned())
}

fn child_fault(agent: &AgentStep, child: &EndedChild) -> StepFault {
    let response = child.response.clone().unwrap_or_default();
    let (code, message) = match (&child.cause, agent.timeout_ms) {
        _ if child.late && response.is_empty() => ("timeout", String::from("its time was up")),
        (_, Some(time)) if child.late => ("timeout", format!("timed out after {time} ms")),
        _ if child.late => ("timeout", response),
        (Some(cause), _) => (cause.error_type.as_str(), cause.error.clone()),
        (None, _) => (child.outcome.word(), response),
    };
    StepFault { code: code.to_owned(), message_for_people: message_for_people(child, &message), message }
}
