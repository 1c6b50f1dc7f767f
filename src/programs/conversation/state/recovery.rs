//! Continues a conversation after a crash or after its end. An action that was under way is reported as
//! interrupted or with an unknown outcome, never as not done. Pure.

use crate::planning::{ActionStatus, INTERRUPTED, OUTCOME_UNKNOWN};
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::changes::{ConversationChange, ConversationChanges};
use crate::programs::conversation::state::node::ConversationNode;
use crate::store::rows::Intent;

/// Message to the planner after a crash in the middle of an effect.
const OUTCOME_UNKNOWN_NOTE: &str = "this was interrupted (the service stopped, or a person took the page); its outcome is unknown: look at the page before anything else";

/// Message to the planner about an interrupted action without an effect outside the page.
const INTERRUPTED_NOTE: &str =
    "it was interrupted, by a pause or because the page was taken over: look at the page as it is now";

/// Returns the changes after a crash. `lost` is true if a secret was lost with the process.
pub fn recover(state: &ConversationState, effect: Option<&Intent>, lost: bool) -> ConversationChanges {
    let mut recovered = recover_action(state, effect, lost);
    if state.repeat_for.is_some() {
        // A request may have used the approval before the crash.
        recovered.changes.push(ConversationChange::RepeatEnded);
    }
    recovered
}

fn recover_action(state: &ConversationState, effect: Option<&Intent>, lost: bool) -> ConversationChanges {
    let approved = state.approval.as_ref().is_some_and(|approval| approval.given);
    let changes = match (state.node, effect) {
        // The effect may have happened, so it is never repeated automatically (C11).
        (ConversationNode::ExecuteAction, Some(_)) => {
            vec![unknown_outcome(state), ConversationChange::EffectUnknown, ConversationChange::NeedsObserve]
        }
        // The requests may have left.
        (ConversationNode::HeldRequest, Some(_)) => {
            let changes = vec![
                ConversationChange::RequestsAnswered,
                unknown_outcome(state),
                ConversationChange::EffectUnknown,
                ConversationChange::NeedsObserve,
            ];
            return ConversationChanges { to: ConversationNode::MaybeObserve, changes };
        }
        // Approved and not started: the approval is checked again right before the effect.
        (ConversationNode::ExecuteAction, None) if approved && !lost => {
            return ConversationChanges { to: state.node, changes: vec![] };
        }
        (ConversationNode::ExecuteAction, None) if !approved => {
            vec![interrupted_outcome(state), ConversationChange::NeedsObserve]
        }
        _ => vec![ConversationChange::NeedsObserve],
    };
    ConversationChanges { to: state.node.after_restart(), changes }
}

/// Returns the changes before an ended conversation reads another message.
pub fn reopen(state: &ConversationState) -> ConversationChanges {
    let current_action = match state.node {
        ConversationNode::ExecuteAction if state.has_outside_effect => Some(unknown_outcome(state)),
        ConversationNode::ExecuteAction => Some(interrupted_outcome(state)),
        ConversationNode::AwaitCalls if state.awaited_call().is_some() => Some(interrupted_outcome(state)),
        _ => None,
    };
    // The rest of a turn ends with the run.
    let rest = ConversationChange::RestDropped { why: String::from("the run had ended") };
    let changes = current_action.into_iter().chain([rest, ConversationChange::NeedsObserve]).collect();
    ConversationChanges { to: ConversationNode::IngestUserInput, changes }
}

fn unknown_outcome(state: &ConversationState) -> ConversationChange {
    interrupt_action(state, OUTCOME_UNKNOWN, OUTCOME_UNKNOWN_NOTE)
}

fn interrupted_outcome(state: &ConversationState) -> ConversationChange {
    interrupt_action(state, INTERRUPTED, INTERRUPTED_NOTE)
}

/// Adds the action under way to the history, with `code` as its outcome.
fn interrupt_action(state: &ConversationState, code: &str, words: &str) -> ConversationChange {
    let outcome = ActionStatus::Failed { code: code.to_owned(), message: words.to_owned() };
    match &state.planned_action {
        Some(planned) => ConversationChange::Finished {
            result: planned.result(outcome, None),
            dropped: Vec::new(),
            counts: true,
        },
        None => ConversationChange::Note(words.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planning::HistoryEntry;
    use crate::programs::conversation::state::turn::turn_progress::{START, TurnProgress};
    use crate::protocol::Locale;
    use crate::turn::Turn;
    use serde_json::json;

    fn turn(actions: &[&str]) -> Turn {
        let actions: Vec<_> = actions.iter().map(|id| json!({"action_id": id, "action": "click"})).collect();
        serde_json::from_value(json!({"actions": actions})).expect("a turn")
    }

    fn planned(actions: &[&str], node: ConversationNode) -> ConversationState {
        let mut state = ConversationState::begin(String::new(), Locale::En);
        state.change(ConversationChange::Planned(TurnProgress::new(turn(actions), None, None)));
        state.node = node;
        state
    }

    fn outcomes(state: &ConversationState) -> Vec<String> {
        let Some(HistoryEntry::Acted { results, .. }) = state.messages.last() else { return Vec::new() };
        let word = |outcome: &ActionStatus| match outcome {
            ActionStatus::Ok => String::from("ok"),
            ActionStatus::Failed { code, .. } => code.clone(),
            ActionStatus::Dropped { why } => why.clone(),
        };
        results.iter().map(|result| word(&result.outcome)).collect()
    }

    // An action that was under way when the run was stopped is never reported as not done, and never lost
    // (C11).
    #[test]
    fn an_action_interrupted_by_a_stop_is_reported_when_the_run_reopens() {
        for (effect, note) in [(true, OUTCOME_UNKNOWN), (false, INTERRUPTED)] {
            let mut state = planned(&["a", "b"], ConversationNode::ExecuteAction);
            state.has_outside_effect = effect;
            state.apply(reopen(&state));
            assert_eq!(outcomes(&state)[0], note);
            assert_eq!(outcomes(&state).len(), 2, "the rest of the turn is told, too");
            assert!(state.planned_action.is_none() && state.node == ConversationNode::IngestUserInput);
        }
        // An action that was only planned must not be taken for part of a later turn.
        let mut state = planned(&["a"], ConversationNode::ValidateAction);
        state.apply(reopen(&state));
        assert_eq!((outcomes(&state), state.planned_action), (vec![String::from("the run had ended")], None));
    }

    // A grant would let the same effect happen again, though it may have happened already.
    #[test]
    fn grants_cover_nothing_after_an_unknown_effect_until_somebody_decides() {
        let intent = Intent { action_id: String::from("a"), action: json!({}) };
        for node in [ConversationNode::ExecuteAction, ConversationNode::HeldRequest] {
            let mut state = planned(&["a"], node);
            state.apply(recover(&state, Some(&intent), false));
            assert!(state.has_unknown_effect, "{node:?}");
            state.change(ConversationChange::Planned(TurnProgress::new(turn(&["b"]), None, None)));
            assert!(state.has_unknown_effect, "{node:?}: a further turn decides nothing");
            let mut answered = state.clone();
            answered.change(ConversationChange::RequestsAnswered);
            state.change(ConversationChange::Approved);
            assert!(!state.has_unknown_effect && !answered.has_unknown_effect, "{node:?}");
        }
        let mut state = planned(&["a"], ConversationNode::ExecuteAction);
        state.apply(recover(&state, None, false));
        assert!(!state.has_unknown_effect, "it was not begun");
    }

    // The start page is opened only once, even if a summary has replaced the turn that opened it (S2.32).
    #[test]
    fn the_start_page_is_opened_only_once_even_after_a_summary() {
        let mut state = planned(&[START], ConversationNode::ExecuteAction);
        let result = state.planned_action.as_ref().expect("planned").result(ActionStatus::Ok, None);
        state.change(ConversationChange::Finished { result, dropped: Vec::new(), counts: true });
        assert!(state.memory.opened);
        assert!(!planned(&["a"], ConversationNode::ExecuteAction).memory.opened);
    }

    // A person who answers the next day has as much time left as when the question was asked (C5).
    #[test]
    fn waiting_for_a_person_does_not_count_towards_the_time_limit() {
        let mut state = ConversationState::begin(String::new(), Locale::En);
        state.change(ConversationChange::Afresh { at: 1_000 });
        state.change(ConversationChange::Waits { since: 4_000 });
        state.change(ConversationChange::GoesOn { at: 90_000_000 });
        assert_eq!((state.begun_at, state.waits_since), (1_000 + 90_000_000 - 4_000, None));
        state.change(ConversationChange::GoesOn { at: 99_000_000 });
        assert_eq!(state.begun_at, 1_000 + 90_000_000 - 4_000, "nobody waited");
    }

    // The results of premoves are still in the history after a summary (S4.31, S2.32).
    #[test]
    fn premove_results_stay_in_the_history_after_a_summary() {
        use crate::programs::conversation::state::memory::MemoryChange;
        use crate::programs::conversation::state::memory::premoves::PremoveChange;
        let found = |text: &str| {
            let ended = PremoveChange::Ended { name: "time".into(), at: 1, text: Some(text.to_owned()) };
            ConversationChange::Remembered(MemoryChange::Premove(ended))
        };
        let mut state = ConversationState::begin(String::new(), Locale::En);
        state.change(found("noon"));
        state.change(found("noon"));
        let note = |state: &ConversationState| {
            state.messages.iter().filter(|entry| matches!(entry, HistoryEntry::Premove { .. })).count()
        };
        assert_eq!(note(&state), 1, "what did not change is told once");
        state.messages.clear();
        state.restore_premove_results();
        state.restore_premove_results();
        assert_eq!(note(&state), 1);
    }
}
