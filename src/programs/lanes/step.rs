//! The step of a composite run. Pure: from the state and the ended children it derives changes and calls.

use crate::agent_spec::types::graph::OnError;
use crate::engine::program::ChildCall;
use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::retries::{Tries, backoff, has_room, retry_delay};
use crate::ids::RunId;
use crate::programs::lanes::graph::{LanesNode, LanesOutcome, enter_lane, finalize, run_items};
use crate::programs::lanes::lane_plan::{LanePlan, PlannedItem};
use crate::programs::lanes::state::{ItemProgress, ItemState, LaneFailure, LanesChange, LanesState};
use crate::programs::lanes::{conditions, item_input};
use crate::protocol::Status;
use crate::protocol::event::Event;
use serde_json::{Map, Value};
use std::time::Duration;

/// The result of a step.
#[derive(Debug)]
pub struct LanesStep {
    pub done: LanesOutcome,
    pub changes: Vec<LanesChange>,
    pub calls: Vec<ChildCall>,
    /// Events for viewers of the lanes.
    pub events: Vec<Event>,
}

/// Takes one step. `new_run_id` creates the ids of child runs.
pub fn step(
    plan: &LanePlan,
    state: &LanesState,
    ended: &[EndedChild],
    new_run_id: impl FnMut() -> RunId,
) -> LanesStep {
    let mut stepping =
        Stepping { plan, state: state.clone(), changes: Vec::new(), calls: Vec::new(), events: Vec::new() };
    let done = match state.node {
        LanesNode::EnterLane => LanesOutcome::EnterLane(stepping.enter_lane()),
        LanesNode::RunItems => LanesOutcome::RunItems(stepping.run_items(ended, new_run_id)),
        LanesNode::FinalizeDone => LanesOutcome::Finalize(finalize::Done),
        LanesNode::FinalizeFailed => LanesOutcome::Finalize(finalize::Failed),
    };
    let Stepping { changes, calls, events, .. } = stepping;
    LanesStep { done, changes, calls, events }
}

struct Stepping<'a> {
    plan: &'a LanePlan,
    /// The state with the changes so far.
    state: LanesState,
    changes: Vec<LanesChange>,
    calls: Vec<ChildCall>,
    events: Vec<Event>,
}

impl<'a> Stepping<'a> {
    fn change(&mut self, change: LanesChange) {
        self.state.change(change.clone());
        self.changes.push(change);
    }

    fn lane(&self) -> &'a [PlannedItem] {
        self.plan.lanes.get(self.state.lane).map_or(&[], Vec::as_slice)
    }

    /// Decides by the current context which items of the lane run.
    fn enter_lane(&mut self) -> enter_lane::Outcome {
        if self.state.lane >= self.plan.lanes.len() {
            return enter_lane::NoLaneLeft;
        }
        let lane = self.lane();
        let conditions: Vec<_> =
            lane.iter().map(|planned| evaluate_condition(planned, &self.state.context)).collect();
        let skipped = conditions.iter().enumerate().filter(|(_, runs)| **runs == Ok(false));
        let skipped: Vec<usize> = skipped.map(|(index, _)| index).collect();
        for index in &skipped {
            self.push_item_event(*index, Status::Skipped.word(), None, None);
        }
        self.change(LanesChange::Enter { items: lane.len(), skipped });
        for (index, runs) in conditions.into_iter().enumerate() {
            if let Err(why) = runs {
                self.fail_item(index, Status::Failed, &why, None);
            }
        }
        enter_lane::Entered
    }

    fn run_items(
        &mut self,
        ended: &[EndedChild],
        mut new_run_id: impl FnMut() -> RunId,
    ) -> run_items::Outcome {
        self.process_ended(ended);
        if self.state.failure.is_some() {
            return run_items::ItemFailed;
        }
        self.start_ready(&mut new_run_id);
        if self.state.failure.is_some() {
            return run_items::ItemFailed;
        }
        if self.state.running_children().next().is_some() {
            return run_items::AtWork;
        }
        let outputs = self.collect_outputs();
        self.change(LanesChange::Leave { outputs });
        run_items::LaneDone
    }

    /// Processes the ends of children in the order of the items: the first failure in that order counts.
    fn process_ended(&mut self, ended: &[EndedChild]) {
        for index in 0..self.state.slots.len() {
            let Some(ItemState { status: ItemProgress::Running { run }, tries }) =
                self.state.slots.get(index).cloned()
            else {
                continue;
            };
            let Some(child) = ended.iter().find(|child| child.run == run) else { continue };
            match child.outcome {
                Status::Succeeded | Status::Partial => self.finish_item(index, child),
                _ => self.retry_or_fail_item(index, child, tries),
            }
        }
    }

    fn finish_item(&mut self, index: usize, child: &EndedChild) {
        self.change(LanesChange::Done { item: index, vars: child.vars.clone() });
        if child.outcome == Status::Partial {
            let id = self.item_id(index);
            self.change(LanesChange::Partly { id });
        }
        self.push_item_event(index, child.outcome.word(), Some(child.run.clone()), None);
    }

    fn retry_or_fail_item(&mut self, index: usize, child: &EndedChild, tries: u32) {
        let why = child.response.clone().unwrap_or_default();
        let retry = match self.lane().get(index).map(|planned| planned.item.on_error) {
            Some(OnError::Retry { max }) => {
                retry_delay(child, Tries { made: tries, most: max.saturating_add(1) }, None)
            }
            Some(OnError::Fail | OnError::Continue) | None => None,
        };
        if retry.is_some() {
            self.push_item_event(index, child.outcome.word(), Some(child.run.clone()), Some(why));
            self.change(LanesChange::Again { item: index });
        } else {
            self.fail_item(index, child.outcome, &why, Some(child.run.clone()));
        }
    }

    fn fail_item(&mut self, index: usize, outcome: Status, why: &str, run: Option<RunId>) {
        self.push_item_event(index, outcome.word(), run, Some(why.to_owned()));
        let Some(planned) = self.lane().get(index) else { return };
        let (id, agent) = (planned.item.id.clone(), planned.item.agent.clone());
        match planned.item.on_error {
            OnError::Continue => self.change(LanesChange::LetBe { item: index, id }),
            OnError::Fail | OnError::Retry { .. } => {
                self.change(LanesChange::Failed { item: index });
                if self.state.failure.is_none() {
                    let failure = LaneFailure { item: id, agent, outcome, why: why.to_owned() };
                    self.change(LanesChange::Fail { failure });
                }
            }
        }
    }

    /// Starts the ready items in order, as many as may run at once.
    fn start_ready(&mut self, new_run_id: &mut impl FnMut() -> RunId) {
        let lane = self.lane();
        for (index, planned) in lane.iter().enumerate() {
            let has_room = has_room(self.running_items(), self.plan.max_parallel, planned.browses);
            if !has_room || !self.is_ready(index, planned) {
                continue;
            }
            let tries = self.state.slots.get(index).map_or(0, |slot| slot.tries);
            let run = new_run_id();
            self.calls.push(ChildCall {
                run: run.clone(),
                agent: planned.item.agent.clone(),
                input: item_input::build_input(planned, lane, &self.state),
                timeout: planned.item.timeout_s.map(Duration::from_secs),
                // Another try waits first (C11).
                after: (tries > 0).then(|| backoff(tries)),
            });
            self.change(LanesChange::Start { item: index, run: run.clone() });
            self.push_item_event(index, Status::Running.word(), Some(run), None);
        }
        let is_waiting = |slot: &ItemState| slot.status == ItemProgress::Waiting;
        if self.state.running_children().next().is_none()
            && let Some(index) = self.state.slots.iter().position(is_waiting)
        {
            self.fail_item(index, Status::Failed, "it waits for items that wait for it", None);
            if self.state.failure.is_none() {
                // The item is over now, so items that depend on it may be ready.
                self.start_ready(new_run_id);
            }
        }
    }

    fn is_ready(&self, index: usize, planned: &PlannedItem) -> bool {
        let is_unfinished = |index: &usize| {
            self.state.slots.get(*index).is_some_and(|slot| {
                matches!(slot.status, ItemProgress::Waiting | ItemProgress::Running { .. })
            })
        };
        let is_waiting = self.state.slots.get(index).is_some_and(|slot| slot.status == ItemProgress::Waiting);
        is_waiting && !planned.depends_on.iter().any(is_unfinished)
    }

    /// Returns, for each item at work, whether it drives the browser.
    fn running_items(&self) -> impl Iterator<Item = bool> {
        let running = |slot: &ItemState| matches!(slot.status, ItemProgress::Running { .. });
        let all = self.lane().iter().zip(&self.state.slots);
        all.filter(move |(_, slot)| running(slot)).map(|(planned, _)| planned.browses)
    }

    /// Collects the outputs of the lane in item order; a later one of the same name wins (S0.21, C13).
    fn collect_outputs(&self) -> Map<String, Value> {
        let mut outputs = Map::new();
        for (planned, slot) in self.lane().iter().zip(&self.state.slots) {
            let ItemProgress::Done { vars } = &slot.status else { continue };
            for (name, value) in vars {
                outputs.insert(name.clone(), value.clone());
                outputs.insert(format!("{}.{name}", planned.item.id), value.clone());
            }
        }
        outputs
    }

    fn item_id(&self, index: usize) -> String {
        self.lane().get(index).map(|planned| planned.item.id.clone()).unwrap_or_default()
    }

    fn push_item_event(&mut self, index: usize, status: &str, run: Option<RunId>, error: Option<String>) {
        let Some(planned) = self.lane().get(index) else { return };
        self.events.push(Event::Item {
            item_id: planned.item.id.clone(),
            agent: planned.item.agent.clone(),
            lane: self.state.lane,
            status: status.to_owned(),
            run_id: run,
            attempt: self.state.slots.get(index).map_or(0, |slot| slot.tries),
            error: error.filter(|words| !words.is_empty()),
        });
    }
}

/// Decides whether an item runs. Returns an error if its condition cannot be decided.
fn evaluate_condition(planned: &PlannedItem, context: &Map<String, Value>) -> Result<bool, String> {
    let Some(condition) = &planned.item.when else { return Ok(true) };
    conditions::evaluate(condition, context)
        .map_err(|fault| format!("its condition cannot be decided: {fault}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_spec::types::spec::AgentSpec;
    use crate::engine::program::ended_child::FailureCause;
    use crate::protocol::Locale;
    use serde_json::json;

    /// Takes a step after the end of an item that may be tried three times and was started `tries` times.
    fn after(tries: u32, outcome: Status, late: bool, error: Option<&str>) -> LanesStep {
        let items = json!([{"id": "i", "agent": "a", "on_error": {"retry": {"max": 2}}}]);
        let spec = json!({"name": "c", "kind": "composite", "graph": {"lanes": [{"items": items}]}});
        let spec: AgentSpec = serde_json::from_value(spec).unwrap();
        let plan = LanePlan::from_spec(&spec, |_| false);
        let mut state = LanesState::begin(Locale::En, Map::new());
        state.node = LanesNode::RunItems;
        state.change(LanesChange::Enter { items: 1, skipped: Vec::new() });
        (0..tries).for_each(|_| state.change(LanesChange::Start { item: 0, run: RunId::from("r1") }));
        let cause =
            error.map(|word| FailureCause { error: word.into(), error_type: word.into(), traceback: None });
        let child =
            EndedChild { run: RunId::from("r1"), outcome, late, vars: Map::new(), response: None, cause };
        step(&plan, &state, &[child], || RunId::from("r2"))
    }

    // A failure that may not repeat is tried again after a growing delay; other failures are not (C5, C11).
    #[test]
    fn a_failure_that_may_not_repeat_is_retried_after_a_pause() {
        for (tries, outcome, late, error, wait) in [
            (1, Status::Failed, false, None, Some(1)),
            (2, Status::Failed, false, None, Some(2)),
            (3, Status::Failed, false, None, None),
            (1, Status::Exhausted, true, None, Some(1)),
            (1, Status::Exhausted, false, None, None),
            (1, Status::Cancelled, false, None, None),
            (1, Status::Denied, false, None, None),
            (1, Status::Blocked, false, None, None),
            (1, Status::Failed, false, Some("template"), None),
            (1, Status::Failed, false, Some("secret_gone"), None),
        ] {
            let step = after(tries, outcome, late, error);
            let expected = if wait.is_some() { run_items::AtWork } else { run_items::ItemFailed };
            assert_eq!(step.done, LanesOutcome::RunItems(expected), "{outcome:?}, late: {late}, {error:?}");
            let waits: Vec<_> = step.calls.iter().map(|call| call.after).collect();
            assert_eq!(waits, Vec::from_iter(wait.map(|wait| Some(Duration::from_secs(wait)))));
        }
    }

    // An older version stores the same changes for another try.
    #[test]
    fn a_further_try_of_an_item_is_stored_unchanged() {
        let changes = after(1, Status::Failed, false, None).changes;
        let stored = [LanesChange::Again { item: 0 }, LanesChange::Start { item: 0, run: RunId::from("r2") }];
        assert_eq!(changes, stored);
    }
}
