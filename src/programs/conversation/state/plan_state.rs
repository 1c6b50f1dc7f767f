//! The plan of a conversation: its mission, its items, and the work done for the current item (docs/plans.md).
//! Pure; the changes are stored with each step.

use crate::plan::edit::{self, Edit};
use crate::plan::{self, Evidence, Item, ItemStatus};
use crate::planning::{ActionResult, ActionStatus, describe_result};
use crate::programs::conversation::state::turn::turn_progress::TurnProgress;
use crate::text::truncate::truncate;
use crate::turn::action::{Action, AgentAction};
use crate::turn::internal_action::InternalAction;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The greatest number of actions of an item that are kept for the judge.
const MAX_WORK_LINES: usize = 20;
/// Longest value returned by an action, in characters.
const MAX_RETURNED_CHARS: usize = 2_000;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanState {
    /// The person's request in their words, which the plan is for (S2.5).
    pub mission: String,
    pub items: Vec<Item>,
    /// The reason to make a plan or a new one.
    pub wanted: Option<String>,
    /// True if no plan is to be made automatically any more for this task.
    pub settled: bool,
    /// The number of new plans made because an item could not be done.
    pub replans: u32,
    /// The work done for the current item, one line per action.
    pub work: Vec<String>,
    /// The item that each line of `work` is of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub work_items: Vec<u32>,
    /// The number of rejected claims in a row that the whole is done.
    pub refusals: u32,
    /// The item that the person is asked about.
    pub asked: Option<u32>,
    /// True if the person has edited the plan since the planner was last told of it.
    pub edited: bool,
}

/// A change of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanChange {
    /// A plan is wanted, for this reason.
    Wanted(String),
    /// The open items are replaced by these, each with at most `attempts` attempts.
    Made { items: Vec<Item>, attempts: u32 },
    /// The task needs no plan, or none could be made.
    Settled,
    /// The person has edited the plan.
    Edited(Vec<Item>),
    /// Work on an item begins (S2.8).
    Begun(u32),
    /// An item was judged. If it was claimed to be done, a rejection counts as an attempt.
    Judged { position: u32, evidence: Evidence, claimed: bool },
    /// The claim that the whole is done was rejected.
    Refused,
    /// The attempts are used up: a new plan is made, once.
    GivenUp(u32),
    /// The person is asked about an item.
    Asked(u32),
    /// An item is skipped.
    Skipped(u32),
    /// An item may be tried again, with all its attempts.
    Again(u32),
}

impl PlanState {
    /// Begins a task. A plan that is still open stays.
    pub fn begin(&mut self, mission: &str) {
        if self.items.is_empty() || plan::is_complete(&self.items) {
            *self = Self { mission: mission.to_owned(), ..Self::default() };
            return;
        }
        // Open items of the last task are still wanted, together with the new message.
        self.mission = format!("{}\n{mission}", self.mission);
        (self.settled, self.refusals, self.replans, self.asked) = (false, 0, 0, None);
        for item in self.items.iter_mut().filter(|item| !item.status.is_over()) {
            (item.status, item.attempts) = (ItemStatus::Queued, 0);
        }
    }

    pub fn change(&mut self, change: PlanChange) {
        match change {
            PlanChange::Wanted(why) => self.wanted = Some(why),
            PlanChange::Made { items, attempts } => {
                self.items = edit::replace_open_items(&self.items, items, attempts);
                (self.wanted, self.settled, self.refusals) = (None, true, 0);
                (self.work, self.work_items) = Default::default();
            }
            PlanChange::Settled => (self.wanted, self.settled) = (None, true),
            PlanChange::Edited(items) => {
                // The person's plan is final: a plan that was wanted or is being made does not replace it.
                (self.items, self.refusals) = (items, 0);
                (self.wanted, self.settled) = (None, true);
            }
            PlanChange::Begun(position) => self.set(position, |item| item.status = ItemStatus::Running),
            PlanChange::Judged { position, evidence, claimed } => {
                self.apply_judgement(position, evidence, claimed)
            }
            PlanChange::Refused => self.refusals += 1,
            PlanChange::GivenUp(position) => {
                self.replans += 1;
                let why = self.replan_reason(position);
                self.wanted = Some(why);
            }
            PlanChange::Asked(position) => self.asked = Some(position),
            PlanChange::Skipped(position) => {
                self.asked = None;
                self.set(position, |item| item.status = ItemStatus::Skipped);
            }
            PlanChange::Again(position) => {
                self.asked = None;
                // An item that the person skipped while the question was open stays skipped.
                self.set(position, |item| match item.status.is_over() {
                    true => {}
                    false => (item.status, item.attempts) = (ItemStatus::Queued, 0),
                });
            }
        }
    }

    fn apply_judgement(&mut self, position: u32, evidence: Evidence, claimed: bool) {
        let accepted = evidence.accepted;
        if accepted {
            self.refusals = 0;
            self.drop_work_of(position);
        }
        self.set(position, |item| {
            item.attempts += u32::from(claimed || accepted);
            item.status = match (accepted, item.has_attempts()) {
                (true, _) => ItemStatus::Succeeded,
                (false, true) => ItemStatus::Running,
                (false, false) => ItemStatus::Failed,
            };
            if accepted || claimed {
                item.evidence = Some(evidence);
            }
        });
    }

    fn set(&mut self, position: u32, change: impl FnOnce(&mut Item)) {
        if let Some(item) = self.items.iter_mut().find(|item| item.position == position) {
            change(item);
        }
    }

    /// Adds the result of an action to the current item (S2.12). A failed agent call counts as an attempt.
    pub fn add_result(&mut self, planned: &TurnProgress, result: &ActionResult) {
        let named = planned
            .turn
            .step_ref
            .filter(|step| self.items.iter().any(|item| item.position == *step && !item.status.is_over()));
        let Some(position) = named.or_else(|| self.current().map(|item| item.position)) else { return };
        if let Some(Action::Agent(
            AgentAction::Stop { .. } | AgentAction::Inner(InternalAction::Replan { .. }),
        )) = planned.action
        {
            return;
        }
        if self.work.len() >= MAX_WORK_LINES {
            self.work.remove(0);
            self.work_items.drain(..self.work_items.len().min(1));
        }
        // Lines from before a restart may have no item yet.
        self.work_items.resize(self.work.len(), position);
        self.work.push(work_line(planned, result));
        self.work_items.push(position);
        let call = planned.action.as_ref().is_some_and(Action::is_call);
        let failed = matches!(result.outcome, ActionStatus::Failed { .. });
        let (tool, input) = (result.action.clone(), Value::Object(planned.params()));
        let outcome = result_json(result);
        self.set(position, |item| {
            item.chosen_tool = Some(tool);
            item.tool_input = Some(input);
            item.execution_result = Some(outcome);
            item.attempts += u32::from(call && failed);
            if call && failed && !item.has_attempts() {
                item.status = ItemStatus::Failed;
            }
        });
    }

    /// Returns the actions that were done for an item, one line each.
    pub fn work_of(&self, position: u32) -> Vec<String> {
        let items = self.work_items.iter().copied().chain(std::iter::repeat(position));
        self.work
            .iter()
            .zip(items)
            .filter(|(_, item)| *item == position)
            .map(|(line, _)| line.clone())
            .collect()
    }

    fn drop_work_of(&mut self, position: u32) {
        let items = self.work_items.iter().copied().chain(std::iter::repeat(position));
        let kept = self.work.drain(..).zip(items).filter(|(_, item)| *item != position);
        (self.work, self.work_items) = kept.collect::<Vec<_>>().into_iter().unzip();
    }

    /// Returns the item under way.
    pub fn current(&self) -> Option<&Item> {
        self.items.iter().filter(|item| item.status == ItemStatus::Running).min_by_key(|item| item.position)
    }

    /// Returns an item that failed with its attempts used up.
    pub fn exhausted_item(&self) -> Option<&Item> {
        self.items.iter().find(|item| item.status == ItemStatus::Failed && !item.has_attempts())
    }

    pub fn is_open(&self) -> bool {
        !plan::is_complete(&self.items)
    }

    /// Returns the results of the last `last` items that are done (S2.9).
    pub fn results(&self, last: usize) -> Vec<Value> {
        let done = self.items.iter().filter(|item| item.status == ItemStatus::Succeeded);
        let finished = done.map(
            |item| json!({"step": item.position, "tool": item.chosen_tool, "result": item.execution_result}),
        );
        let finished: Vec<Value> = finished.collect();
        finished[finished.len().saturating_sub(last)..].to_vec()
    }

    /// Returns the failure of an item, as a reason for a new plan.
    fn replan_reason(&self, position: u32) -> String {
        let (goal, why) = self.item_failure(position);
        format!("item {position} ({goal}) could not be done: {why}")
    }

    /// Returns the description of an item and the reason of its failure.
    pub fn item_failure(&self, position: u32) -> (String, String) {
        let item = self.items.iter().find(|item| item.position == position);
        let reason = item.and_then(|item| item.evidence.as_ref()).map(|evidence| evidence.why.clone());
        let failed =
            item.and_then(|item| item.execution_result.as_ref()?["error"].as_str().map(str::to_owned));
        (item.map(|item| item.description.clone()).unwrap_or_default(), reason.or(failed).unwrap_or_default())
    }

    /// Returns the changes that an edit consists of. An open question about an item follows it to its new
    /// position, or gets position 0 if the item was removed.
    pub fn edit_changes(&self, edit: &Edit, items: &[Item]) -> Vec<PlanChange> {
        let question = self.asked.map(|position| PlanChange::Asked(edit.new_position(position).unwrap_or(0)));
        std::iter::once(PlanChange::Edited(items.to_vec())).chain(question).collect()
    }
}

/// Formats an action and its result for the judge.
fn work_line(planned: &TurnProgress, result: &ActionResult) -> String {
    let cut = |text: &str| truncate(text, MAX_RETURNED_CHARS);
    let returned = result.returned.as_deref().map(|text| format!("; it gave {}", cut(text)));
    let comment = result.answer.as_deref().map(|text| format!("; the person said {}", cut(text)));
    let done = describe_result(result, planned.call());
    format!("{done}{}{}", returned.unwrap_or_default(), comment.unwrap_or_default())
}

fn result_json(result: &ActionResult) -> Value {
    match &result.outcome {
        ActionStatus::Ok => {
            json!({"success": true, "result": result.returned.as_deref().map(|text| truncate(text, MAX_RETURNED_CHARS))})
        }
        ActionStatus::Failed { code, message } => {
            json!({"success": false, "error": message, "error_type": code})
        }
        ActionStatus::Dropped { why } => json!({"success": false, "error": why, "error_type": "dropped"}),
    }
}
