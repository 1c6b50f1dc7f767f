//! Pure step function of an orchestration: takes the state and the ended children, returns the event, the
//! changes and the calls.

pub(crate) mod child_results;

use crate::engine::program::ChildCall;
use crate::engine::program::retries::has_room;
use crate::ids::RunId;
use crate::programs::orchestration::graph::{OrchestrationEvent, OrchestrationNode};
use crate::programs::orchestration::merge;
use crate::programs::orchestration::plan::{AgentProperties, AgentStep, ParallelStep, PlanStep};
use crate::programs::orchestration::state::{
    AgentResult, AgentState, AgentStatus, BegunStep, OrchestrationEnd, OrchestrationState, StateChange,
    StepFault, StepStatus,
};
use crate::programs::orchestration::step::child_results::skipped_result;
use crate::programs::orchestration::step_run::{OrchestrationStepInput, OrchestrationStepOutput, StepRun};
use crate::programs::orchestration::{agent_inputs, responses};
use crate::protocol::Status;
use crate::protocol::event::Event;
use crate::texts::endings;
use serde_json::Map;
use std::time::Duration;

/// Takes one step at a node where a plan is carried out. `fresh` creates ids of children.
pub fn step(
    state: &OrchestrationState,
    input: OrchestrationStepInput<'_>,
    new_run_id: impl FnMut() -> RunId,
) -> OrchestrationStepOutput {
    let mut run = StepRun {
        input,
        state: state.clone(),
        output: OrchestrationStepOutput::new(OrchestrationEvent::DispatchStep, Vec::new()),
        new_run_id,
    };
    run.output.event = match state.node {
        OrchestrationNode::DispatchingStep => run.dispatch(),
        OrchestrationNode::AwaitingResults => run.handle_results(),
        OrchestrationNode::MergingResults => run.merge(),
        OrchestrationNode::PlanInit
        | OrchestrationNode::PlannerActive
        | OrchestrationNode::PlanValidated
        | OrchestrationNode::Completed
        | OrchestrationNode::Failed => OrchestrationEvent::DispatchStep,
    };
    run.output
}

impl<'a, F: FnMut() -> RunId> StepRun<'a, F> {
    pub fn change(&mut self, change: StateChange) {
        self.state.change(change.clone());
        self.output.changes.push(change);
    }

    fn current_step(&self) -> Option<&'a PlanStep> {
        self.input.plan.steps.get(self.state.step_index)
    }

    pub fn agent(&self, index: usize) -> Option<&'a AgentStep> {
        self.current_step()?.agents().get(index)
    }

    fn agent_properties(&self, agent: &AgentStep) -> Option<&'a AgentProperties> {
        self.input.plan.agents.get(&agent.agent_id)
    }

    fn is_late(&self) -> bool {
        self.state.millis_left(self.input.now) == Some(0)
    }

    fn end_by_timeout(&mut self) -> OrchestrationEvent {
        self.end(
            OrchestrationEvent::Timeout,
            Status::Exhausted,
            endings::orchestration_out_of_time(self.state.locale).to_owned(),
        )
    }

    fn end(&mut self, event: OrchestrationEvent, outcome: Status, why: String) -> OrchestrationEvent {
        self.change(StateChange::End { end: OrchestrationEnd { event, outcome, why } });
        event
    }

    fn dispatch(&mut self) -> OrchestrationEvent {
        let Some(step) = self.current_step() else { return OrchestrationEvent::PlanCompleted };
        if self.is_late() {
            return self.end_by_timeout();
        }
        self.change(StateChange::Begin { agents: step.agents().len() });
        self.start_waiting();
        match (step, self.state.slots().first().and_then(AgentState::result)) {
            (PlanStep::Agent(_), Some(_)) => self.leave_agent(),
            (PlanStep::Agent(_) | PlanStep::Parallel(_), _) => OrchestrationEvent::StepDispatched,
        }
    }

    fn handle_results(&mut self) -> OrchestrationEvent {
        let mut newest = self.handle_ended();
        if self.is_late() && !self.is_settled(&newest) {
            return self.end_by_timeout();
        }
        let Some(PlanStep::Parallel(block)) = self.current_step() else {
            let all_finished = self.state.slots().iter().all(|slot| slot.result().is_some());
            return if all_finished { self.leave_agent() } else { OrchestrationEvent::ChildFinished };
        };
        loop {
            self.decide(block, &newest);
            if self.state.slots().iter().all(|slot| slot.result().is_some()) {
                return OrchestrationEvent::ParallelComplete;
            }
            newest = if self.is_decided() { Vec::new() } else { self.start_waiting() };
            if newest.is_empty() {
                return OrchestrationEvent::ChildFinished;
            }
        }
    }

    /// True if the step's result is certain, so that the deadline no longer matters.
    fn is_settled(&self, newest: &[usize]) -> bool {
        let Some(begun) = self.state.steps.get(self.state.step_index) else { return false };
        let wins = |block: &ParallelStep| {
            let decided = merge::decide_block(block.merge, &begun.slots, newest);
            decided.is_some()
                && merge::status(block.merge, &BegunStep { decided, ..begun.clone() }).has_outputs()
        };
        begun.decided.is_some()
            || begun.slots.iter().all(AgentState::has_outputs)
            || self.current_step().and_then(PlanStep::block).is_some_and(wins)
    }

    fn is_decided(&self) -> bool {
        self.state.steps.get(self.state.step_index).is_some_and(|begun| begun.decided.is_some())
    }

    /// Decides a block if possible, and cancels the agents that are no longer needed.
    fn decide(&mut self, block: &ParallelStep, newest: &[usize]) {
        if self.is_decided() {
            return;
        }
        let Some(decided) = merge::decide_block(block.merge, self.state.slots(), newest) else { return };
        self.change(StateChange::Decide { by: decided.by });
        for (index, slot) in self.state.slots().to_vec().into_iter().enumerate() {
            match slot.status {
                AgentStatus::Waiting => self.finish_agent(index, skipped_result(None), Status::Skipped),
                AgentStatus::Running { run } => {
                    self.change(StateChange::Cancel { agent: index });
                    self.output.cancel.push(run);
                }
                AgentStatus::Cancelling { .. } | AgentStatus::Over(_) => {}
            }
        }
    }

    fn merge(&mut self) -> OrchestrationEvent {
        let begun = self.state.steps.get(self.state.step_index).cloned().unwrap_or_default();
        let Some(PlanStep::Parallel(block)) = self.current_step() else {
            return OrchestrationEvent::StepSucceeded;
        };
        let status = merge::status(block.merge, &begun);
        self.change(StateChange::Leave { status });
        if merge::plan_continues(block.merge, &begun) {
            return OrchestrationEvent::StepSucceeded;
        }
        let error = begun.slots.iter().filter_map(AgentState::result).find_map(|over| over.error.clone());
        let why = responses::block_failed_text(&block.id, error.as_ref(), self.state.locale);
        self.end(OrchestrationEvent::StepFailed, Status::Failed, why)
    }

    /// Finishes the step of a single agent.
    fn leave_agent(&mut self) -> OrchestrationEvent {
        let result = self.state.slots().first().and_then(AgentState::result).cloned();
        let agent = self.agent(0);
        let status = result.as_ref().map_or(StepStatus::Failed, |result| result.status);
        self.change(StateChange::Leave { status });
        if status.has_outputs() {
            return OrchestrationEvent::StepSucceeded;
        }
        let error = result.and_then(|result| result.error);
        let (id, name) = agent.map_or(("", ""), |agent| (&agent.id, &agent.agent_id));
        let why = responses::step_failed(id, name, error.as_ref(), self.state.locale);
        self.end(OrchestrationEvent::StepFailed, Status::Failed, why)
    }

    /// Starts waiting agents in order, as many as may run at a time. Returns the indexes of those that could
    /// not start.
    fn start_waiting(&mut self) -> Vec<usize> {
        let mut failed = Vec::new();
        let Some(step) = self.current_step() else { return failed };
        let most = step.block().and_then(|block| block.max_concurrency).unwrap_or(usize::MAX);
        let most = most.min(self.input.width).max(1);
        for (index, agent) in step.agents().iter().enumerate() {
            let waits = self.state.slots().get(index).is_some_and(|slot| slot.status == AgentStatus::Waiting);
            let has_slot = has_room(self.running_browser_uses(step), most, self.uses_browser(agent));
            if waits && has_slot && !self.start_agent(index, agent, None) {
                failed.push(index);
            }
        }
        failed
    }

    /// Returns a flag for each agent at work: true if it uses the browser.
    fn running_browser_uses<'s>(&'s self, step: &'s PlanStep) -> impl Iterator<Item = bool> + 's {
        let all = step.agents().iter().zip(self.state.slots());
        all.filter(|(_, slot)| slot.run().is_some()).map(|(agent, _)| self.uses_browser(agent))
    }

    fn uses_browser(&self, agent: &AgentStep) -> bool {
        self.agent_properties(agent).is_some_and(|facts| facts.browses)
    }

    /// Starts an attempt of an agent. Returns false if its input cannot be made.
    pub fn start_agent(&mut self, index: usize, agent: &AgentStep, after: Option<Duration>) -> bool {
        let none = AgentProperties::default();
        let facts = self.agent_properties(agent).unwrap_or(&none);
        let shared = agent_inputs::template_values(self.input.plan, &self.state);
        let input = match agent_inputs::agent_input(agent, facts, &shared, self.state.locale.tag()) {
            Ok(input) => input,
            Err(message) => {
                let error =
                    Some(StepFault { code: String::from("template"), message, message_for_people: None });
                let result =
                    AgentResult { status: StepStatus::Failed, run: None, outputs: Map::new(), error };
                self.finish_agent(index, result, Status::Failed);
                return false;
            }
        };
        let run = (self.new_run_id)();
        // The pause before a further attempt counts towards the deadline.
        let left = self.state.millis_left(self.input.now).map(Duration::from_millis);
        let left = left.map(|left| left.saturating_sub(after.unwrap_or_default()));
        let timeout = agent.timeout_ms.map(Duration::from_millis).into_iter().chain(left).min();
        let name = agent.agent_id.clone();
        self.output.calls.push(ChildCall { run: run.clone(), agent: name, input, timeout, after });
        self.change(StateChange::Start { agent: index, run: run.clone(), at: self.input.now });
        self.push_item_event(index, Status::Running.word(), Some(run), None);
        true
    }

    pub fn push_item_event(
        &mut self,
        index: usize,
        status: &str,
        run_id: Option<RunId>,
        error: Option<String>,
    ) {
        let Some(agent) = self.agent(index) else { return };
        self.output.events.push(Event::Item {
            item_id: agent.id.clone(),
            agent: agent.agent_id.clone(),
            lane: self.state.step_index,
            status: status.to_owned(),
            run_id,
            attempt: self.state.slots().get(index).map_or(0, |slot| slot.tries),
            error: error.filter(|words| !words.is_empty()),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::program::ended_child::EndedChild;
    use crate::engine::program::ended_child::FailureCause;
    use crate::programs::orchestration::plan::OrchestrationPlan;
    use crate::programs::orchestration::plan::parse;
    use crate::programs::orchestration::state::OrchestrateInput;
    use crate::protocol::Locale;
    use serde_json::{Value, json};

    fn plan(steps: Value) -> OrchestrationPlan {
        let steps = parse::steps(&json!({ "steps": steps })).expect("a plan");
        OrchestrationPlan { steps, agents: Default::default() }
    }

    fn state(plan: &OrchestrationPlan, node: OrchestrationNode, until: Option<i64>) -> OrchestrationState {
        OrchestrationState {
            node,
            plan: Some(plan.clone()),
            deadline_ms: until,
            ..OrchestrationState::begin(Locale::En, OrchestrateInput::default())
        }
    }

    fn child(run: &str, outcome: Status) -> EndedChild {
        let (vars, response) = (Map::new(), Some(String::from("so it went")));
        EndedChild { run: RunId::from(run), outcome, late: false, vars, response, cause: None }
    }

    /// Takes one step and returns the state after it.
    fn run_step(
        plan: &OrchestrationPlan,
        state: &OrchestrationState,
        ended: &[EndedChild],
        now: i64,
    ) -> (OrchestrationState, OrchestrationStepOutput) {
        let mut made = 0;
        let fresh = || {
            made += 1;
            RunId::from(format!("{now}-{made}"))
        };
        let taken = step(state, OrchestrationStepInput { plan, width: 4, ended, now }, fresh);
        let mut after = state.clone();
        taken.changes.iter().for_each(|change| after.change(change.clone()));
        (after, taken)
    }

    /// An agent with two further attempts, after its first attempt has ended.
    fn tried(child: EndedChild, until: Option<i64>) -> OrchestrationStepOutput {
        let plan = plan(json!([{"id": "a", "agent_id": "x", "retry": {"max": 2}}]));
        let (mut begun, _) =
            run_step(&plan, &state(&plan, OrchestrationNode::DispatchingStep, until), &[], 0);
        begun.node = OrchestrationNode::AwaitingResults;
        run_step(&plan, &begun, &[child], 10).1
    }

    // Failures that may be temporary are retried after a pause; others are not (S3.40, C11).
    #[test]
    fn a_step_is_tried_again_where_that_may_help() {
        let again = tried(child("0-1", Status::Failed), None);
        assert_eq!((again.event, again.calls.len()), (OrchestrationEvent::ChildFinished, 1));
        assert_eq!(again.calls[0].after, Some(Duration::from_secs(1)));
        let late = EndedChild { late: true, ..child("0-1", Status::Exhausted) };
        assert_eq!(tried(late, None).calls.len(), 1);
        let cause = FailureCause { error: "x".into(), error_type: "template".into(), traceback: None };
        let lasting = EndedChild { cause: Some(cause), ..child("0-1", Status::Failed) };
        for ended in [lasting, child("0-1", Status::Denied), child("0-1", Status::Cancelled)] {
            let taken = tried(ended, None);
            assert_eq!((taken.event, taken.calls.len()), (OrchestrationEvent::StepFailed, 0));
        }
        // No time is left for the pause.
        assert_eq!(tried(child("0-1", Status::Failed), Some(900)).event, OrchestrationEvent::StepFailed);
    }

    // A further attempt, including its pause, ends by the plan's deadline (S3.17, S3.40).
    #[test]
    fn a_further_try_has_no_more_than_the_pause_leaves_of_the_plans_time() {
        for (own, until, expected) in [
            (None, None, None),
            (None, Some(20_000), Some(18_990)),
            (Some(500), Some(20_000), Some(500)),
            (Some(60_000), Some(20_000), Some(18_990)),
            (Some(60_000), Some(1_011), Some(1)),
        ] {
            let step = json!({"id": "a", "agent_id": "x", "timeout_ms": own, "retry": {"max": 2}});
            let plan = plan(json!([step]));
            let (mut begun, _) =
                run_step(&plan, &state(&plan, OrchestrationNode::DispatchingStep, until), &[], 0);
            begun.node = OrchestrationNode::AwaitingResults;
            let again = run_step(&plan, &begun, &[child("0-1", Status::Failed)], 10).1;
            let ChildCall { timeout, after, .. } = &again.calls[0];
            assert_eq!(
                (*timeout, *after),
                (expected.map(Duration::from_millis), Some(Duration::from_secs(1)))
            );
        }
    }

    /// A block of three agents of which the first have ended at `now` with these outcomes.
    fn block(
        strategy: &str,
        ended: &[Status],
        now: i64,
    ) -> (OrchestrationPlan, OrchestrationState, OrchestrationStepOutput) {
        let children = ["a", "b", "c"].map(|id| json!({"id": id, "agent_id": "x"}));
        let block = json!({"id": "p", "type": "parallel", "children": children, "merge_strategy": strategy});
        let quorum = if strategy == "quorum" { json!(2) } else { json!(null) };
        let plan = plan(json!([with(block, "quorum", quorum)]));
        let (mut begun, _) =
            run_step(&plan, &state(&plan, OrchestrationNode::DispatchingStep, Some(1_000)), &[], 0);
        begun.node = OrchestrationNode::AwaitingResults;
        let each = ended.iter().enumerate();
        let ended: Vec<EndedChild> =
            each.map(|(n, outcome)| child(&format!("0-{}", n + 1), *outcome)).collect();
        let (after, output) = run_step(&plan, &begun, &ended, now);
        (plan, after, output)
    }

    fn with(mut step: Value, name: &str, value: Value) -> Value {
        step[name] = value;
        step
    }

    // A decided block keeps its result, even if the deadline passes while other agents stop (S3.17, S3.20).
    #[test]
    fn a_decided_block_keeps_its_result_when_the_time_is_up() {
        let (well, ill) = (Status::Succeeded, Status::Failed);
        for (strategy, first, now, event) in [
            ("first_success", &[well][..], 999, OrchestrationEvent::StepSucceeded),
            ("first_success", &[ill, well], 999, OrchestrationEvent::StepSucceeded),
            ("race", &[well], 999, OrchestrationEvent::StepSucceeded),
            ("race", &[ill], 999, OrchestrationEvent::StepFailed),
            ("quorum", &[well, well], 999, OrchestrationEvent::StepSucceeded),
            ("quorum", &[ill, ill], 999, OrchestrationEvent::StepFailed),
            // The result arrives together with the deadline.
            ("first_success", &[well], 1_000, OrchestrationEvent::StepSucceeded),
            ("quorum", &[well, well], 1_000, OrchestrationEvent::StepSucceeded),
        ] {
            let (plan, mut decided, output) = block(strategy, first, now);
            assert_eq!(
                (output.event, output.cancel.len()),
                (OrchestrationEvent::ChildFinished, 3 - first.len()),
                "{strategy}"
            );
            let stopped = |n: usize| child(&format!("0-{n}"), Status::Cancelled);
            let losers: Vec<EndedChild> = (first.len() + 1..=3).map(stopped).collect();
            let (mut over, output) = run_step(&plan, &decided, &losers, 1_200);
            assert_eq!(output.event, OrchestrationEvent::ParallelComplete, "{strategy} {first:?}");
            over.node = OrchestrationNode::MergingResults;
            let merged = run_step(&plan, &over, &[], 1_200).1;
            assert_eq!(merged.event, event, "{strategy} {first:?}");
            // The end of one of several stopping agents does not end the step either.
            decided.deadline_ms = Some(0);
            if let [one, _] = &losers[..] {
                let output = run_step(&plan, &decided, std::slice::from_ref(one), 1_200).1;
                assert_eq!(output.event, OrchestrationEvent::ChildFinished, "{strategy}");
            }
        }
    }

    // Without a decision the deadline ends the step (S3.17).
    #[test]
    fn a_block_that_is_not_decided_ends_with_the_time() {
        for (strategy, first) in [
            ("first_success", &[][..]),
            ("first_success", &[Status::Exhausted]),
            ("race", &[Status::Exhausted]),
            ("quorum", &[Status::Succeeded]),
            ("quorum", &[Status::Exhausted, Status::Exhausted]),
            ("collect", &[Status::Succeeded, Status::Succeeded]),
        ] {
            let output = block(strategy, first, 1_000).2;
            assert_eq!(output.event, OrchestrationEvent::Timeout, "{strategy} {first:?}");
        }
    }

    // A step gets the smaller of its own timeout and the time left (S3.17).
    #[test]
    fn a_step_gets_the_lesser_of_its_timeout_and_the_time_left() {
        for (own, until, expected) in [
            (None, None, None),
            (Some(500), None, Some(500)),
            (None, Some(1_100), Some(1_000)),
            (Some(500), Some(1_100), Some(500)),
            (Some(5_000), Some(1_100), Some(1_000)),
        ] {
            let plan = plan(json!([{"id": "a", "agent_id": "x", "timeout_ms": own}]));
            let (_, taken) =
                run_step(&plan, &state(&plan, OrchestrationNode::DispatchingStep, until), &[], 100);
            assert_eq!(taken.calls[0].timeout, expected.map(Duration::from_millis));
        }
    }

    // Steps are taken in order until the plan is complete or out of time (S3.17).
    #[test]
    fn steps_are_started_in_order_until_none_is_left() {
        let plan = plan(json!([{"id": "a", "agent_id": "x"}, {"id": "b", "agent_id": "y"}]));
        let begin = state(&plan, OrchestrationNode::DispatchingStep, Some(1_000));
        let (mut first, begun) = run_step(&plan, &begin, &[], 1);
        assert_eq!((begun.event, begun.calls[0].agent.as_str()), (OrchestrationEvent::StepDispatched, "x"));
        first.node = OrchestrationNode::AwaitingResults;
        let (mut second, output) = run_step(&plan, &first, &[child("1-1", Status::Succeeded)], 2);
        assert_eq!((output.event, output.finished.len()), (OrchestrationEvent::StepSucceeded, 1));
        second.node = OrchestrationNode::DispatchingStep;
        let (mut last, begun) = run_step(&plan, &second, &[], 3);
        assert_eq!((begun.event, begun.calls[0].agent.as_str()), (OrchestrationEvent::StepDispatched, "y"));
        last.node = OrchestrationNode::AwaitingResults;
        let (mut done, output) = run_step(&plan, &last, &[child("3-1", Status::Succeeded)], 4);
        assert_eq!(output.event, OrchestrationEvent::StepSucceeded);
        done.node = OrchestrationNode::DispatchingStep;
        assert_eq!(run_step(&plan, &done, &[], 5).1.event, OrchestrationEvent::PlanCompleted);
        assert_eq!(run_step(&plan, &second, &[], 1_000).1.event, OrchestrationEvent::Timeout);
        let late = EndedChild { late: true, ..child("3-1", Status::Exhausted) };
        assert_eq!(run_step(&plan, &last, &[late], 1_000).1.event, OrchestrationEvent::Timeout);
    }

    // A template that cannot be filled in fails the step before any call (S3.11).
    #[test]
    fn a_template_without_a_value_fails_its_step() {
        let plan = plan(json!([{"id": "a", "agent_id": "x", "prompt": "{{ absent }}"}]));
        let (after, taken) = run_step(&plan, &state(&plan, OrchestrationNode::DispatchingStep, None), &[], 1);
        assert_eq!((taken.event, taken.calls.len()), (OrchestrationEvent::StepFailed, 0));
        let over = after.steps[0].slots[0].result().expect("it is over");
        assert_eq!(over.error.as_ref().map(|fault| fault.code.as_str()), Some("template"));
    }
}
