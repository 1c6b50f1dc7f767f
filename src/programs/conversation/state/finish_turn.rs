//! Finishes actions and turns: the results and the dropped actions go into the history.

use crate::planning::{ActionResult, ActionStatus, HistoryEntry};
use crate::programs::conversation::state::ConversationState;
use crate::turn::Turn;

impl ConversationState {
    /// Finishes the planned action. If it succeeded, the turn goes on with its next action; otherwise the
    /// turn goes into the history with all its results.
    pub(crate) fn finish(&mut self, result: ActionResult, dropped: Vec<ActionResult>) {
        self.awaited = None;
        self.approval = None;
        self.end_repetition();
        self.has_outside_effect = false;
        let Some(planned) = self.planned_action.take() else { return };
        self.log_result(&result);
        self.plan.add_result(&planned, &result);
        self.loop_detector.record(self.last_observation.as_ref(), &planned, &result);
        let worked = result.outcome == ActionStatus::Ok;
        self.memory.opened |= worked && planned.is_opening();
        if worked && dropped.is_empty() && planned.next_call().is_some() {
            self.planned_action = Some(planned.advance(result));
            return;
        }
        let dropped = if dropped.is_empty() {
            planned.remaining_as_dropped(drop_reason(&result.outcome))
        } else {
            dropped
        };
        let mut results = planned.results;
        results.push(result);
        results.extend(dropped);
        self.enter_turn(planned.turn, results);
    }

    /// Puts a turn into the history, before tasks that have ended since it was planned, because its planner
    /// did not know of them.
    fn enter_turn(&mut self, turn: Turn, results: Vec<ActionResult>) {
        let acted = |entry: &HistoryEntry| matches!(entry, HistoryEntry::Acted { .. });
        let after = self.messages.iter().rposition(acted).map_or(0, |at| at + 1);
        let ended = self.messages.iter().enumerate().skip(after);
        let ended = ended.filter(|(_, entry)| matches!(entry, HistoryEntry::Ended { .. })).map(|(at, _)| at);
        let ended: Vec<usize> = ended.collect();
        let known_to_planner = ended.len().saturating_sub(self.ended_since);
        let at = ended.get(known_to_planner).copied().unwrap_or(self.messages.len());
        self.messages.insert(at, HistoryEntry::Acted { turn, results });
    }

    /// Ends a wait; the time waited does not count towards the run's time.
    pub(crate) fn end_wait(&mut self, at: i64) {
        let waited = self.waits_since.take().map_or(0, |since| at.saturating_sub(since).max(0));
        self.begun_at = self.begun_at.saturating_add(waited);
    }

    /// Ends a turn of which a part was done already: it goes into the history, with the rest dropped.
    pub(crate) fn drop_rest(&mut self, why: &str) {
        if self.is_mid_turn() {
            self.leave_turn(why);
        }
    }

    /// Puts the turn under way into the history, with the rest dropped.
    pub(crate) fn leave_turn(&mut self, why: &str) {
        let Some(planned) = self.planned_action.take() else { return };
        self.approval = None;
        self.end_repetition();
        (self.has_outside_effect, self.awaited) = (false, None);
        let mut results = planned.results.clone();
        results.extend(planned.current_and_later_as_dropped(why));
        // A turn that could not be read has no results.
        if !results.is_empty() {
            self.enter_turn(planned.turn, results);
        }
    }

    pub(crate) fn log_result(&mut self, result: &ActionResult) {
        let (id, action) = (&result.action_id, &result.action);
        self.action_counts.add(result);
        match &result.outcome {
            ActionStatus::Ok => self.action_lines.push(format!("{id} {action} ok")),
            ActionStatus::Failed { message, .. } => {
                self.action_lines.push(format!("{id} {action} failed"));
                self.failures.push(format!("{id} {action}: {message}"));
            }
            ActionStatus::Dropped { .. } => self.action_lines.push(format!("{id} {action} dropped")),
        }
    }
}

/// Returns why the rest of a turn is dropped after such an outcome.
fn drop_reason(outcome: &ActionStatus) -> &'static str {
    match outcome {
        ActionStatus::Ok => "the turn was at its end",
        ActionStatus::Failed { .. } => "an action before it failed",
        ActionStatus::Dropped { .. } => "an action before it was not done",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::conversation::state::changes::ConversationChange;
    use crate::programs::conversation::state::turn::turn_progress::TurnProgress;
    use crate::protocol::Locale;
    use serde_json::json;

    fn planned(action: &str) -> TurnProgress {
        let turn = json!({"actions": [{"action_id": action, "action": "click", "params": {"eid": 1}}]});
        TurnProgress::new(serde_json::from_value(turn).expect("a turn"), None, None)
    }

    fn ends(state: &mut ConversationState, task: &str) {
        let result =
            ActionResult { action_id: task.to_owned(), ..planned("t").result(ActionStatus::Ok, None) };
        state.change(ConversationChange::Ended(result));
    }

    fn does(state: &mut ConversationState, action: &str) {
        let result = planned(action).result(ActionStatus::Ok, None);
        state.change(ConversationChange::Finished { result, dropped: Vec::new(), counts: true });
    }

    fn story(state: &ConversationState) -> Vec<&str> {
        let word = |entry: &'_ HistoryEntry| match entry {
            HistoryEntry::Acted { .. } => "acted",
            HistoryEntry::Ended { .. } => "ended",
            HistoryEntry::Message { .. } | HistoryEntry::Summary { .. } | HistoryEntry::Premove { .. } => {
                "other"
            }
        };
        state.messages.iter().map(word).collect()
    }

    // Tasks that ended during a turn come after it in the history; earlier ones stay where they are.
    #[test]
    fn a_task_that_ends_during_a_turn_follows_it_in_the_history() {
        let mut state = ConversationState::begin(String::new(), Locale::En);
        state.change(ConversationChange::Planned(planned("a")));
        does(&mut state, "a");
        ends(&mut state, "t1");
        state.change(ConversationChange::Planned(planned("b")));
        ends(&mut state, "t2");
        ends(&mut state, "t3");
        does(&mut state, "b");
        assert_eq!(story(&state), ["acted", "ended", "acted", "ended", "ended"]);
        assert!(state.has_unreported_tasks() && state.finished_turn().is_some());
        state.change(ConversationChange::Planned(planned("c")));
        does(&mut state, "c");
        assert_eq!(story(&state), ["acted", "ended", "acted", "ended", "ended", "acted"]);
    }
}
