//! What becomes of a turn: what was done of it and what was not goes into the history.

use super::state::State;
use crate::model::{ActionResult, Entry, Outcome};

impl State {
    /// What became of the planned action. The turn's next one follows what worked; else the turn goes into
    /// the history with all its results.
    pub(super) fn finish(&mut self, result: ActionResult, dropped: Vec<ActionResult>) {
        self.awaited = None;
        self.approval = None;
        self.effect = false;
        let Some(planned) = self.planned_action.take() else { return };
        self.log(&result);
        self.goals.did(&planned, &result);
        self.repeats.saw(self.last_observation.as_ref(), &planned, &result);
        let worked = result.outcome == Outcome::Ok;
        self.memory.opened |= worked && planned.opens();
        if worked && dropped.is_empty() && planned.next_call().is_some() {
            self.planned_action = Some(planned.on(result));
            return;
        }
        let dropped = if dropped.is_empty() { planned.rest(after(&result.outcome)) } else { dropped };
        let mut results = planned.results;
        results.push(result);
        results.extend(dropped);
        self.messages.push(Entry::Acted { turn: planned.turn, results });
    }

    /// What it has waited is no time of its own.
    pub(super) fn goes_on(&mut self, at: i64) {
        let waited = self.waits_since.take().map_or(0, |since| at.saturating_sub(since).max(0));
        self.begun_at = self.begun_at.saturating_add(waited);
    }

    /// A turn of which something was done already goes into the history, the rest of it as not done.
    pub(super) fn drop_rest(&mut self, why: &str) {
        if self.is_mid_turn() {
            self.leave_turn(why);
        }
    }

    /// The turn under way goes into the history, what is left of it as not done.
    pub(super) fn leave_turn(&mut self, why: &str) {
        let Some(planned) = self.planned_action.take() else { return };
        (self.approval, self.effect, self.awaited) = (None, false, None);
        let mut results = planned.results.clone();
        results.extend(planned.all_left(why));
        // One that could not be read has nothing to tell.
        if !results.is_empty() {
            self.messages.push(Entry::Acted { turn: planned.turn, results });
        }
    }

    pub(super) fn log(&mut self, result: &ActionResult) {
        let (id, action) = (&result.action_id, &result.action);
        match &result.outcome {
            Outcome::Ok => self.steps.push(format!("{id} {action} ok")),
            Outcome::Failed { message, .. } => {
                self.steps.push(format!("{id} {action} failed"));
                self.failures.push(format!("{id} {action}: {message}"));
            }
            Outcome::Dropped { .. } => self.steps.push(format!("{id} {action} dropped")),
        }
    }
}

/// Why nothing of a turn is done after such an action.
fn after(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "the turn was at its end",
        Outcome::Failed { .. } => "an action before it failed",
        Outcome::Dropped { .. } => "an action before it was not done",
    }
}
