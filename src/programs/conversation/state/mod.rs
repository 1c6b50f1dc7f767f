//! The state of a conversation (S1.18), and how a change applies to it. Each step stores its changes (`changes`), so a
//! state equals its initial state with all changes applied in order. Pure.

pub(crate) mod action_counts;
pub mod changes;
pub(crate) mod finish_turn;
pub mod limit_use;
pub mod memory;
pub(crate) mod memory_changes;
pub mod node;
pub mod plan_state;
pub(crate) mod recovery;
mod step_limits;
pub mod turn;

use crate::gate::flow::read_texts::TextSource;
use crate::gate::wire_layer::proposed_request::ApprovedEffect;
use crate::planning::{ActionResult, ActionStatus, HistoryEntry, Speaker};
use crate::programs::conversation::state::action_counts::ActionCounts;
use crate::programs::conversation::state::changes::{
    Approval, ConversationChange, ConversationChanges, HeldEffect, TypedSecret,
};
use crate::programs::conversation::state::limit_use::RaisedLimits;
use crate::programs::conversation::state::memory::Memory;
use crate::programs::conversation::state::node::ConversationNode;
use crate::programs::conversation::state::plan_state::PlanState;
use crate::programs::conversation::state::turn::expectation::Expectation;
use crate::programs::conversation::state::turn::loop_detector::LoopDetector;
use crate::programs::conversation::state::turn::turn_progress::{ObservationSummary, TurnProgress};
use crate::programs::tasks::Jobs;
use crate::protocol::Locale;
use crate::turn::action::Action;
use crate::turn::internal_action::{InternalAction, TaskOperation};
use crate::turn::{Turn, TurnStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Number of turns for which the approval of requests that the page gave up stands.
const REPEAT_TURNS: u32 = 5;

/// Note to the planner after the person edited the plan.
const PLAN_EDITED: &str = "the person changed the plan; go by it as it is now";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConversationState {
    pub node: ConversationNode,
    pub locale: Locale,
    /// The first message, until it has been read.
    pub opening: Option<String>,
    /// The chat history, stored nowhere else (S1.7). An action and its result are one entry.
    pub messages: Vec<HistoryEntry>,
    pub last_user_message: Option<String>,
    /// Summary of the last observation. The observation itself is never stored; a restored run observes
    /// again.
    pub last_observation: Option<ObservationSummary>,
    /// Path of the screenshot of the same moment (S1.12, S1.38).
    pub last_screenshot: Option<String>,
    pub planned_action: Option<TurnProgress>,
    pub approval: Option<Approval>,
    /// Requests of the page that wait for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldEffect>,
    /// Pairs of sites between which text may go, and those that the open question is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consents: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked_flow: Vec<String>,
    /// Sources of the texts that the run has read: after a restart, only their names are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<TextSource>,
    /// Approval of requests that the page gave up, for which the planned action is done once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat_for: Option<Box<ApprovedEffect>>,
    /// Number of turns for which that approval still stands, if the action itself cannot be done once more.
    #[serde(default, skip_serializing_if = "is_none_left")]
    pub repeat_turns: u32,
    /// True if the outcome of an effect is unknown and nobody has decided anything since: grants cover nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_unknown_effect: bool,
    /// True if the gate found that the planned action has an effect outside the page.
    #[serde(rename = "effect")]
    pub has_outside_effect: bool,
    /// The actions of the run, one line each.
    #[serde(rename = "steps")]
    pub action_lines: Vec<String>,
    /// Numbers of the actions since the person's last message.
    #[serde(default)]
    pub action_counts: ActionCounts,
    /// The failures of the run, one line each.
    pub failures: Vec<String>,
    /// Actions executed since the person's last message.
    pub tool_steps: u32,
    /// Invalid actions in a row (C23).
    pub invalid_actions: u32,
    /// True if the last invalid turn had no action at all, because the model's reply could not be read as one.
    #[serde(default)]
    pub unusable_reply: bool,
    /// Plans and visits since the last message of the person.
    pub iterations: u32,
    pub visits: u32,
    /// Tokens spent since the run began.
    pub tokens: u64,
    /// Money spent since the run began.
    pub money: f64,
    /// Start of the run's task in Unix milliseconds.
    pub begun_at: i64,
    /// Start of the current wait in Unix milliseconds. Waiting does not count towards the run's time.
    #[serde(default)]
    pub waits_since: Option<i64>,
    pub needs_observe: bool,
    /// The fields into which secrets were typed, with placeholders in place of the values.
    #[serde(default)]
    pub secrets: Vec<TypedSecret>,
    /// Hosts that the person has allowed.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Origins of pages that sent something around the gate: names decide there before the press.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unheld_origins: Vec<String>,
    /// Notes that the planner receives once, with the next turn.
    pub notes: Vec<String>,
    /// Names of downloaded files of which the planner has not been told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_downloads: Vec<String>,
    /// The person's answers, by `answer_key`.
    pub answers: Map<String, Value>,
    /// Variables of the conversation (S4.4).
    pub variables: Map<String, Value>,
    /// The inputs of the run, by the names that its agent declares.
    #[serde(default)]
    pub inputs: Map<String, Value>,
    pub final_response: Option<String>,
    /// The plan and the progress of the work on it.
    #[serde(default, rename = "goals")]
    pub plan: PlanState,
    /// Repetitions of the same failure.
    #[serde(default, rename = "repeats")]
    pub loop_detector: LoopDetector,
    /// The expected outcome of the turn under way, and the page before it.
    #[serde(default)]
    pub expected: Option<Expectation>,
    /// Limits that the person has raised.
    #[serde(default, rename = "extended")]
    pub raised_limits: RaisedLimits,
    /// Calls of agents.
    #[serde(default)]
    pub calls: Jobs,
    /// Index of the call that the planned action waits for.
    #[serde(default)]
    pub awaited: Option<usize>,
    /// Number of ended tasks that the planner has not been told of.
    #[serde(default)]
    pub ended_since: usize,
    #[serde(default)]
    pub memory: Memory,
}

fn is_none_left(turns: &u32) -> bool {
    *turns == 0
}

impl ConversationState {
    /// Returns the initial state of a run.
    pub fn begin(opening: String, locale: Locale) -> Self {
        let opening = Some(opening).filter(|opening| !opening.is_empty());
        Self { locale, opening, needs_observe: true, ..Self::default() }
    }

    /// Returns the turn that was done last.
    pub fn last_turn(&self) -> Option<&Turn> {
        self.messages.iter().rev().find_map(|entry| match entry {
            HistoryEntry::Acted { turn, .. } => Some(turn),
            HistoryEntry::Message { .. }
            | HistoryEntry::Ended { .. }
            | HistoryEntry::Summary { .. }
            | HistoryEntry::Premove { .. } => None,
        })
    }

    /// Reports whether a task has ended that the planner has not been told of.
    pub fn has_unreported_tasks(&self) -> bool {
        self.ended_since > 0
    }

    /// Returns the turn at the end of the history, followed at most by tasks that ended since it was planned.
    pub fn finished_turn(&self) -> Option<(&Turn, &[ActionResult])> {
        let newest = self.messages.iter().rev().enumerate();
        let mut newest = newest
            .skip_while(|(at, entry)| *at < self.ended_since && matches!(entry, HistoryEntry::Ended { .. }));
        match newest.next()?.1 {
            HistoryEntry::Acted { turn, results } => Some((turn, results)),
            HistoryEntry::Message { .. }
            | HistoryEntry::Ended { .. }
            | HistoryEntry::Summary { .. }
            | HistoryEntry::Premove { .. } => None,
        }
    }

    /// Returns the message to the person in the turn that was done last.
    pub fn last_response(&self) -> Option<String> {
        self.final_response_of_turn().or_else(|| self.last_turn()?.response.clone())
    }

    pub fn apply(&mut self, ConversationChanges { to, changes }: ConversationChanges) {
        self.node = to;
        self.visits += 1;
        for change in changes {
            self.change(change);
        }
    }

    /// Returns the final response if the turn that was just finished is the last one.
    pub fn final_response_of_turn(&self) -> Option<String> {
        let (turn, results) = self.finished_turn()?;
        let worked = results.iter().all(|result| result.outcome == ActionStatus::Ok);
        let stops = turn.stop
            || (turn.actions.is_empty() && !turn.only_claims_done())
            || results.iter().any(|result| result.action == "stop");
        let stop = turn.actions.iter().find(|call| matches!(call.action.as_str(), "stop" | "complete"));
        let text = stop.and_then(|call| call.params.get("response")?.as_str());
        (worked && stops).then(|| text.map(str::to_owned).or(turn.response.clone()).unwrap_or_default())
    }

    /// Returns the response of the turn that was just finished, if the conversation rests while tasks go on
    /// (S4.21).
    pub fn resting_response(&self) -> Option<String> {
        if !self.calls.has_unfinished_tasks() || self.has_given_up() || self.has_unreported_tasks() {
            return None;
        }
        let (turn, results) = self.finished_turn()?;
        let worked = results.iter().all(|result| result.outcome == ActionStatus::Ok);
        let started = worked && turn.status == TurnStatus::TaskStarted;
        self.final_response_of_turn().or_else(|| started.then(|| turn.response.clone().unwrap_or_default()))
    }

    /// Reports whether the turn that was just finished declares that the work failed (S4.1).
    pub fn has_given_up(&self) -> bool {
        self.finished_turn().is_some_and(|(turn, _)| turn.status == TurnStatus::Error)
    }

    /// Records that what was done once more for an approval has ended.
    fn end_repetition(&mut self) {
        self.repeat_turns = self.repeat_turns.min(REPEAT_TURNS);
    }

    /// Reports whether the planned action is done once more for an approval.
    pub fn repeats_action(&self) -> bool {
        self.repeat_for.is_some() && self.repeat_turns > REPEAT_TURNS
    }

    pub fn change(&mut self, change: ConversationChange) {
        match change {
            ConversationChange::MessageReceived(text) => {
                self.opening = None;
                (self.repeat_for, self.has_unknown_effect) = (None, false);
                self.last_user_message = Some(text.clone());
                self.memory.thoughts = Default::default();
                self.messages.push(HistoryEntry::Message { by: Speaker::Person, text });
            }
            ConversationChange::Used { tokens, money } => {
                self.tokens += tokens;
                self.money += money;
            }
            ConversationChange::Afresh { at } => {
                (self.begun_at, self.waits_since) = (at, None);
                (self.tool_steps, self.invalid_actions, self.iterations, self.visits) = (0, 0, 0, 0);
                self.final_response = None;
                self.drop_rest("the run was at rest");
                (self.loop_detector, self.expected) = (LoopDetector::default(), None);
                self.raised_limits.begin_message();
                self.action_counts = ActionCounts::default();
                self.plan.begin(self.last_user_message.as_deref().unwrap_or_default());
            }
            ConversationChange::Waits { since } => self.waits_since = Some(since),
            ConversationChange::GoesOn { at } => self.end_wait(at),
            ConversationChange::Observed { seen, picture } => {
                self.last_observation = Some(seen);
                self.last_screenshot = picture;
                self.needs_observe = false;
            }
            ConversationChange::NeedsObserve => self.needs_observe = true,
            ConversationChange::Planned(planned) => {
                self.drop_rest("another turn was planned");
                self.iterations += 1;
                (self.awaited, self.ended_since) = (None, 0);
                (self.approval, self.has_outside_effect) = (None, false);
                self.repeat_turns = self.repeat_turns.saturating_sub(1);
                if self.repeat_turns == 0 {
                    self.repeat_for = None;
                }
                self.clear_notes();
                self.expected = planned.expectation(self.last_observation.as_ref());
                self.planned_action = Some(planned);
                self.was_planned();
            }
            ConversationChange::Variables(variables) => self.variables.extend(variables),
            ConversationChange::Valid(action) => {
                self.invalid_actions = 0;
                if let Some(planned) = &mut self.planned_action {
                    planned.action = Some(action);
                }
            }
            ConversationChange::Invalid(result) => {
                self.invalid_actions += 1;
                self.unusable_reply =
                    self.planned_action.as_ref().is_some_and(|planned| planned.call().is_none());
                self.finish(result, Vec::new());
            }
            ConversationChange::Effect => self.has_outside_effect = true,
            ConversationChange::Asked(approval) => {
                self.approval = Some(*approval);
                self.asked_flow.clear();
            }
            ConversationChange::EffectUnknown => self.has_unknown_effect = true,
            ConversationChange::Approved => {
                self.has_unknown_effect = false;
                if let Some(approval) = &mut self.approval {
                    approval.given = true;
                }
            }
            ConversationChange::ApprovedBy(reference) => {
                if let Some(approval) = &mut self.approval {
                    approval.reference = reference;
                }
            }
            ConversationChange::FlowAsked(pairs) => self.asked_flow = pairs,
            ConversationChange::FlowConsented => self.consents.append(&mut self.asked_flow),
            ConversationChange::SourcesRead(sources) => self.sources.extend(sources),
            ConversationChange::RequestsHeld(held) => self.held = Some(held),
            ConversationChange::RequestsAnswered => (self.held, self.has_unknown_effect) = (None, false),
            ConversationChange::RepeatApproved(approved) => {
                (self.repeat_for, self.repeat_turns) = (Some(approved), REPEAT_TURNS + 1);
            }
            ConversationChange::RepeatEnded => (self.repeat_for, self.repeat_turns) = (None, 0),
            ConversationChange::HostAllowed(host) if self.hosts.contains(&host) => {}
            ConversationChange::HostAllowed(host) => self.hosts.push(host),
            ConversationChange::SentUnasked(origin) if self.unheld_origins.contains(&origin) => {}
            ConversationChange::SentUnasked(origin) => self.unheld_origins.push(origin),
            ConversationChange::Secret(typed) => {
                self.secrets.retain(|older| (&older.page, &older.field) != (&typed.page, &typed.field));
                self.secrets.push(typed);
            }
            ConversationChange::Finished { result, dropped, counts } => {
                let counts_again = self.planned_action.as_ref().is_none_or(|planned| !planned.fills_on());
                self.tool_steps += u32::from(counts && counts_again);
                self.finish(result, dropped);
            }
            ConversationChange::Dropped { why } => self.drop_rest(&why),
            ConversationChange::Answered { key, text } => {
                self.answers.insert(key, Value::String(text));
            }
            // For the trace only.
            ConversationChange::Aimed(_) => {}
            ConversationChange::Note(note) | ConversationChange::HandedBack(note) => self.notes.push(note),
            ConversationChange::Downloaded(names) => self.new_downloads.extend(names),
            ConversationChange::DownloadsDescribed => self.new_downloads.clear(),
            ConversationChange::PlanEdited => {
                self.plan.edited = true;
                self.notes.push(PLAN_EDITED.to_owned());
            }
            ConversationChange::Plan(change) => self.plan.change(change),
            ConversationChange::Iterated => self.iterations += 1,
            ConversationChange::Claimed(turn) => {
                self.leave_turn("another turn was planned");
                self.iterations += 1;
                self.clear_notes();
                self.was_planned();
                self.messages.push(HistoryEntry::Acted { turn, results: Vec::new() });
            }
            ConversationChange::RestDropped { why } => {
                self.leave_turn(&why);
            }
            ConversationChange::Unstuck => self.loop_detector = LoopDetector::default(),
            ConversationChange::Extended { tokens, money } => self.raised_limits.raise(tokens, money),
            ConversationChange::StepsGranted(grant) => self.raised_limits.grant_steps(grant),
            ConversationChange::Warned => self.raised_limits.warned = true,
            ConversationChange::Calls(changes) => {
                changes.into_iter().for_each(|change| self.calls.apply(change))
            }
            ConversationChange::Awaits(call) => self.awaited = Some(call),
            ConversationChange::Due => self.awaited = None,
            ConversationChange::Ended(result) => {
                self.log_result(&result);
                self.messages.push(HistoryEntry::Ended { result });
                self.ended_since += 1;
            }
            ConversationChange::Rested(text) => {
                self.messages.extend(text.map(|text| HistoryEntry::Message { by: Speaker::Agent, text }));
            }
            ConversationChange::Remembered(change) => self.remember(change),
            ConversationChange::Responded(text) => {
                self.messages.push(HistoryEntry::Message { by: Speaker::Agent, text: text.clone() });
                self.final_response = Some(text);
            }
        }
    }

    /// Clears what the planner has been told.
    fn clear_notes(&mut self) {
        self.notes.clear();
        self.plan.edited = false;
    }

    /// Returns the call whose end is the end of the planned action, as opposed to a call that the action only
    /// depends on.
    pub fn awaited_call(&self) -> Option<usize> {
        let (call, planned) = (self.awaited?, self.planned_action.as_ref()?);
        let waits_for_call = match planned.action.as_ref().and_then(Action::inner) {
            Some(InternalAction::Agent { .. } | InternalAction::Group { .. }) => true,
            Some(InternalAction::TaskManager { operation: TaskOperation::Wait, task_id: Some(task) }) => {
                self.calls.find(task) == Some(call)
            }
            Some(_) | None => false,
        };
        waits_for_call.then_some(call)
    }

    /// Reports whether a part of the turn under way was done and its next action is due.
    pub fn is_mid_turn(&self) -> bool {
        self.planned_action.as_ref().is_some_and(|planned| planned.at > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A run that was stored before this field existed can still be restored.
    #[test]
    fn a_state_without_the_newest_field_is_read() {
        let state = ConversationState::begin(String::from("hello"), Locale::En);
        let mut stored = serde_json::json!(state);
        stored.as_object_mut().unwrap().remove("unusable_reply").unwrap();
        assert_eq!(serde_json::from_value::<ConversationState>(stored).unwrap(), state);
    }
}
