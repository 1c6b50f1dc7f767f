//! What has become of the orders so far, read from the history: turns of this planner bear the
//! number of their order in `step_ref`, and ids that tell an order's own action from a look for it.

use super::order::Order;
use crate::model::{APPROVAL_VOID, ActionResult, Entry, OUTCOME_UNKNOWN, Outcome, SECRET_GONE, Speaker};
use crate::turn::{Call, Turn};

/// How often an order's own action is tried.
const TRIES: usize = 3;
/// How often one is asked for again when its page had changed under the approval.
const VOID_TRIES: usize = 6;

/// Failures that may pass by themselves: the element moved, was covered, was not yet alive.
const PASSING: &[&str] = &["dead_eid", "hidden", "covered", "zero_size", "inert", "disabled", "moving"];

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The order of this index; all of them are done if there is none.
    Order(usize),
    Failed {
        index: usize,
        code: String,
        message: String,
    },
    /// An effect was begun and nobody knows whether it took place.
    Unknown {
        index: usize,
    },
}

/// The turns since the person's newest message.
pub struct Progress<'a> {
    acted: Vec<(&'a Turn, &'a [ActionResult])>,
}

/// What the person said last.
pub fn newest_message(history: &[Entry]) -> &str {
    let said = history.iter().rev().find_map(|entry| match entry {
        Entry::Said { by: Speaker::Person, text } => Some(text.as_str()),
        Entry::Said { by: Speaker::Agent, .. } | Entry::Acted { .. } => None,
    });
    said.unwrap_or_default()
}

impl<'a> Progress<'a> {
    /// `thought` is what a turn of these orders would say: a turn under way when the person gave others
    /// says something else.
    pub fn of(history: &'a [Entry], thought: impl Fn(usize) -> String) -> Self {
        let mut acted = Vec::new();
        for entry in history {
            match entry {
                Entry::Said { by: Speaker::Person, .. } => acted.clear(),
                Entry::Said { by: Speaker::Agent, .. } => {}
                Entry::Acted { turn, results } => {
                    let said = turn.thoughts.first().map(|thought| thought.content.as_str());
                    let expected = index_of(turn).map(&thought);
                    if expected.is_some() && said == expected.as_deref() {
                        acted.push((turn, results.as_slice()));
                    }
                }
            }
        }
        Self { acted }
    }

    pub fn next(&self, orders: &[Order]) -> Next {
        let Some(index) = self.acted.iter().filter_map(|(turn, _)| index_of(turn)).max() else {
            return Next::Order(0);
        };
        let index = index.min(orders.len().saturating_sub(1));
        let tries: Vec<_> = self.of_order(index, is_own).collect();
        let Some((turn, results)) = tries.last() else {
            return Next::Order(index);
        };
        match results.first().map(|result| &result.outcome) {
            Some(Outcome::Ok) => Next::Order(index + 1),
            Some(Outcome::Dropped { .. }) => Next::Order(index),
            Some(Outcome::Failed { code, message }) => failed(index, turn, code, message, tries.len()),
            None => unknown(index, turn),
        }
    }

    /// How often the page was looked at again for this order.
    pub fn looks(&self, index: usize) -> usize {
        self.of_order(index, |call| !is_own(call)).count()
    }

    /// What `read` orders have read, in order.
    pub fn read(&self) -> Vec<&'a str> {
        let results = self.acted.iter().flat_map(|(_, results)| results.iter());
        results
            .filter(|result| result.action == "extract")
            .filter_map(|result| result.returned.as_deref())
            .collect()
    }

    fn of_order(
        &self,
        index: usize,
        which: impl Fn(&Call) -> bool,
    ) -> impl Iterator<Item = &(&'a Turn, &'a [ActionResult])> {
        self.acted.iter().filter(move |(turn, _)| {
            index_of(turn) == Some(index) && turn.actions.first().is_some_and(&which)
        })
    }
}

fn index_of(turn: &Turn) -> Option<usize> {
    usize::try_from(turn.step_ref?.checked_sub(1)?).ok()
}

/// Looks for an order bear a dot in their id (`turns::Aim`).
fn is_own(call: &Call) -> bool {
    call.action_id.as_deref().is_none_or(|id| !id.contains('.'))
}

fn failed(index: usize, turn: &Turn, code: &str, message: &str, tries: usize) -> Next {
    if code == OUTCOME_UNKNOWN || (code == "browser_crashed" && tries < TRIES) {
        return unknown(index, turn);
    }
    let again = match code {
        APPROVAL_VOID | SECRET_GONE => tries < VOID_TRIES,
        code => PASSING.contains(&code) && tries < TRIES,
    };
    if again {
        Next::Order(index)
    } else {
        Next::Failed { index, code: code.to_owned(), message: message.to_owned() }
    }
}

/// Only what does no harm twice is done again by itself.
fn unknown(index: usize, turn: &Turn) -> Next {
    let harmless = |call: &Call| {
        matches!(
            call.action.as_str(),
            "navigate" | "back" | "forward" | "reload" | "scroll" | "wait" | "hover" | "extract"
        )
    };
    if turn.actions.iter().all(harmless) { Next::Order(index) } else { Next::Unknown { index } }
}
