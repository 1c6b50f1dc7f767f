//! How a conversation goes on after a crash, and after its end: what was in hand is told as what is known of it,
//! never as something that was not done. Pure.

use super::change::{Change, Changes};
use super::node::Node;
use super::state::State;
use super::{follows, words};
use crate::model::{INTERRUPTED, OUTCOME_UNKNOWN, Outcome};
use crate::store::rows::Intent;

/// After a crash; `lost` is a secret that went with the process.
pub fn recovered(state: &State, effect: Option<&Intent>, lost: bool) -> Changes {
    let approved = state.approval.as_ref().is_some_and(|approval| approval.given);
    let changes = match (state.node, effect) {
        // Began and maybe done: never again by itself (C11).
        (Node::ExecuteAction, Some(_)) => vec![unknown(state), Change::NeedsObserve],
        // Approved and not begun: the approval is checked again right before the effect.
        (Node::ExecuteAction, None) if approved && !lost => {
            return Changes { to: state.node, changes: vec![] };
        }
        (Node::ExecuteAction, None) if !approved => vec![interrupted(state), Change::NeedsObserve],
        _ => vec![Change::NeedsObserve],
    };
    Changes { to: state.node.restarted(), changes }
}

/// Spoken to after it had ended, whatever it stood at then.
pub fn reopened(state: &State) -> Changes {
    let in_hand = match state.node {
        Node::ExecuteAction if state.effect => Some(unknown(state)),
        Node::ExecuteAction => Some(interrupted(state)),
        Node::AwaitCalls if follows::awaited(state).is_some() => Some(interrupted(state)),
        _ => None,
    };
    // What is left of a turn is over with it.
    let rest = Change::NotNow { why: String::from("the run had ended") };
    let changes = in_hand.into_iter().chain([rest, Change::NeedsObserve]).collect();
    Changes { to: Node::IngestUserInput, changes }
}

fn unknown(state: &State) -> Change {
    cut_off(state, OUTCOME_UNKNOWN, words::OUTCOME_UNKNOWN)
}

fn interrupted(state: &State) -> Change {
    cut_off(state, INTERRUPTED, words::INTERRUPTED)
}

/// The action under way goes into the history as one of which nobody knows how far it came.
fn cut_off(state: &State, code: &str, words: &str) -> Change {
    let outcome = Outcome::Failed { code: code.to_owned(), message: words.to_owned() };
    match &state.planned_action {
        Some(planned) => {
            Change::Finished { result: planned.result(outcome, None), dropped: Vec::new(), counts: true }
        }
        None => Change::Note(words.to_owned()),
    }
}
