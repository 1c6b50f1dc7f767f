//! Progress of the commands, derived from the history. Turns of this planner have the number of their command
//! in `step_ref`; the ids of their actions distinguish the command's own action from one that looks for its
//! element.

use crate::command_planner::grammar::command::PlainCommand;
use crate::command_planner::grammar::split::split_commands;
use crate::command_planner::plan_request::newest_message;
use crate::page::observation::Observation;
use crate::planning::{
    APPROVAL_VOID, ActionResult, ActionStatus, HistoryEntry, INTERRUPTED, OUTCOME_UNKNOWN, SECRET_GONE,
    Speaker,
};
use crate::turn::action::PAGE_TOOL;
use crate::turn::{Call, Turn};
use serde_json::Value;

/// Most attempts of a command's own action.
const TRIES: usize = 3;
/// Most approval requests if the page keeps changing during the approval.
const VOID_TRIES: usize = 6;

/// Failure codes that may be transient: the element moved, was covered, or was not ready.
const PASSING: &[&str] =
    &["dead_eid", "changed_eid", "hidden", "covered", "zero_size", "inert", "disabled", "moving"];

/// Decision about the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Carry out the command of this index. All commands are done if there is none.
    Order(usize),
    Failed {
        index: usize,
        code: String,
        message: String,
    },
    /// An action with effects was started, and its outcome is unknown.
    Unknown {
        index: usize,
    },
}

/// The turns since the person's newest message.
pub struct CommandProgress<'a> {
    acted: Vec<(&'a Turn, &'a [ActionResult])>,
}

/// Text that a command has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadText<'a> {
    pub text: &'a str,
    pub kind: ReadKind,
}

/// Kind of a text that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadKind {
    WholePage,
    Part,
    /// Rows, after a line about them.
    Rows,
    /// Lines of a page that were found, as planners read them.
    Found,
}

/// Returns the commands after one that the person declined with a new message: the message replaced them, so
/// they were never carried out.
pub fn replaced_commands(history: &[HistoryEntry]) -> Vec<PlainCommand> {
    let person = |entry: &HistoryEntry| matches!(entry, HistoryEntry::Message { by: Speaker::Person, .. });
    let Some(newest) = history.iter().rposition(person) else { return Vec::new() };
    let Some(HistoryEntry::Acted { turn, results }) = newest.checked_sub(1).and_then(|at| history.get(at))
    else {
        return Vec::new();
    };
    let declined =
        matches!(results.first().map(|result| &result.outcome), Some(ActionStatus::Dropped { .. }));
    match read_command_index(turn).filter(|_| declined) {
        Some(index) => {
            split_commands(newest_message(&history[..newest])).into_iter().skip(index + 1).collect()
        }
        None => Vec::new(),
    }
}

/// True if the run has successfully gone back in the history of its tab.
pub fn has_gone_back(history: &[HistoryEntry]) -> bool {
    history.iter().any(|entry| match entry {
        HistoryEntry::Acted { results, .. } => {
            results.iter().any(|result| result.action == "back" && result.outcome == ActionStatus::Ok)
        }
        HistoryEntry::Message { .. }
        | HistoryEntry::Ended { .. }
        | HistoryEntry::Summary { .. }
        | HistoryEntry::Premove { .. } => false,
    })
}

impl<'a> CommandProgress<'a> {
    /// Collects the turns of the current commands. `thought` returns the expected thought for each command; a
    /// turn with another thought belongs to commands that a newer message replaced.
    pub fn from_history(history: &'a [HistoryEntry], thought: impl Fn(usize) -> String) -> Self {
        let mut acted = Vec::new();
        for entry in history {
            match entry {
                HistoryEntry::Message { by: Speaker::Person, .. } => acted.clear(),
                HistoryEntry::Message { by: Speaker::Agent, .. }
                | HistoryEntry::Ended { .. }
                | HistoryEntry::Summary { .. }
                | HistoryEntry::Premove { .. } => {}
                HistoryEntry::Acted { turn, results } => {
                    let actual = turn.thoughts.first().map(|thought| thought.content.as_str());
                    let expected = read_command_index(turn).map(&thought);
                    if expected.is_some() && actual == expected.as_deref() {
                        acted.push((turn, results.as_slice()));
                    }
                }
            }
        }
        Self { acted }
    }

    pub fn next(&self, orders: &[PlainCommand]) -> NextStep {
        let Some(index) = self.acted.iter().filter_map(|(turn, _)| read_command_index(turn)).max() else {
            return NextStep::Order(0);
        };
        let index = index.min(orders.len().saturating_sub(1));
        let tries: Vec<_> = self.turns_for_command(index, is_own).collect();
        let Some((turn, results)) = tries.last() else {
            return NextStep::Order(index);
        };
        match results.first().map(|result| &result.outcome) {
            Some(ActionStatus::Ok) => NextStep::Order(index + 1),
            Some(ActionStatus::Dropped { .. }) => NextStep::Order(index),
            Some(ActionStatus::Failed { code, message }) => {
                failed_step(index, turn, code, message, tries.len())
            }
            None => unknown(index, turn),
        }
    }

    /// Returns the number of actions that looked for the element of this command.
    pub fn search_count(&self, index: usize) -> usize {
        self.turns_for_command(index, |call| !is_own(call)).count()
    }

    /// True if the last action successfully pressed a button or Enter. A button that has disappeared counts,
    /// since pressing it loaded a new page.
    pub fn has_pressed(&self, page: &Observation) -> bool {
        let Some((turn, results)) = self.acted.last() else { return false };
        let (Some(call), Some(ActionStatus::Ok)) =
            (turn.actions.first(), results.first().map(|result| &result.outcome))
        else {
            return false;
        };
        let eid = call.params.get("eid").and_then(Value::as_u64).and_then(|eid| u32::try_from(eid).ok());
        let line = eid.and_then(|eid| page.line(eid));
        match call.action.as_str() {
            "click" => line.is_none_or(|line| line.role == "button"),
            "press" => call.params.get("key").and_then(Value::as_str) == Some("Enter"),
            _ => false,
        }
    }

    /// Returns the texts that `read` commands have read, and tools of the page have returned, in order.
    pub fn read(&self) -> Vec<ReadText<'a>> {
        let mut found = Vec::new();
        for (turn, results) in &self.acted {
            let kind = turn.actions.first().map_or(ReadKind::Part, read_kind);
            let texts = results
                .iter()
                .filter(|result| matches!(result.action.as_str(), "extract" | "find" | PAGE_TOOL));
            found.extend(
                texts.filter_map(|result| result.returned.as_deref()).map(|text| ReadText { text, kind }),
            );
        }
        found
    }

    fn turns_for_command(
        &self,
        index: usize,
        which: impl Fn(&Call) -> bool,
    ) -> impl Iterator<Item = &(&'a Turn, &'a [ActionResult])> {
        self.acted.iter().filter(move |(turn, _)| {
            read_command_index(turn) == Some(index) && turn.actions.first().is_some_and(&which)
        })
    }
}

fn read_kind(call: &Call) -> ReadKind {
    match call.action.as_str() {
        "find" => ReadKind::Found,
        "extract" if call.params.get("as").is_some_and(|format| !format.is_null()) => ReadKind::Rows,
        "extract" if call.params.values().all(Value::is_null) => ReadKind::WholePage,
        _ => ReadKind::Part,
    }
}

fn read_command_index(turn: &Turn) -> Option<usize> {
    usize::try_from(turn.step_ref?.checked_sub(1)?).ok()
}

/// True for a command's own action. The planner gives actions that look for an element an id with a dot
/// (`turns::ActionPurpose`).
fn is_own(call: &Call) -> bool {
    call.action_id.as_deref().is_none_or(|id| !id.contains('.'))
}

fn failed_step(index: usize, turn: &Turn, code: &str, message: &str, tries: usize) -> NextStep {
    if code == OUTCOME_UNKNOWN || (code == "browser_crashed" && tries < TRIES) {
        return unknown(index, turn);
    }
    let again = match code {
        INTERRUPTED => true,
        APPROVAL_VOID | SECRET_GONE => tries < VOID_TRIES,
        code => PASSING.contains(&code) && tries < TRIES,
    };
    if again {
        NextStep::Order(index)
    } else {
        NextStep::Failed { index, code: code.to_owned(), message: message.to_owned() }
    }
}

/// Repeats an action with an unknown outcome only if repeating it is harmless.
fn unknown(index: usize, turn: &Turn) -> NextStep {
    let harmless = |call: &Call| {
        matches!(
            call.action.as_str(),
            "navigate" | "back" | "forward" | "reload" | "scroll" | "wait" | "hover" | "extract" | "find"
        )
    };
    if turn.actions.iter().all(harmless) { NextStep::Order(index) } else { NextStep::Unknown { index } }
}
