//! The plan on its way through the graph: when one is due, which item is under way, and what is told of it.

use super::change::Change;
use super::cx::Cx;
use super::goals::GoalChange;
use crate::plan::edit::Wanted;
use crate::plan::{self, ItemStatus};
use crate::protocol::edit;
use crate::protocol::server::{Event, Fact};
use crate::spec::executor::Make;
use serde_json::json;

/// What comes before the next turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    Turn,
    /// A plan is to be made first.
    Plan,
    /// Something is open, and nothing of it can be worked at.
    Nothing,
}

impl Cx {
    /// Whether a plan may be made at all.
    pub fn may_plan(&self) -> bool {
        let rules = self.deps.plan;
        rules.make != Make::Never && self.deps.script.is_empty() && self.deps.planner.model().is_some()
    }

    pub fn due(&self) -> Due {
        let goals = &self.state.goals;
        if self.may_plan()
            && (goals.wanted.is_some()
                || (self.deps.plan.make == Make::Always && !goals.settled && goals.items.is_empty()))
        {
            return Due::Plan;
        }
        let stuck = goals.is_open() && plan::next(&goals.items).is_none();
        if stuck { Due::Nothing } else { Due::Turn }
    }

    /// Changes the plan, and tells of it.
    pub fn goal(&mut self, change: GoalChange) {
        self.change(Change::Goal(change));
        self.tell_plan();
    }

    pub fn tell_plan(&mut self) {
        let items = self.state.goals.items.clone();
        self.record.plan = Some(json!({"items": items}));
        self.fact(Fact::Event(Event::Plan { items }));
    }

    /// The item that is worked at from here on (S2.7, S2.8).
    pub fn take_up_item(&mut self) {
        let goals = &self.state.goals;
        let Some(item) = plan::next(&goals.items).filter(|item| item.status != ItemStatus::Running) else {
            return;
        };
        if goals.current().is_some() {
            return;
        }
        let position = item.position;
        tracing::info!(run_id = %self.run, step = position, desc = %item.description, "step_start");
        self.goal(GoalChange::Begun(position));
    }

    /// The person has rewritten the plan. True if these words were that.
    pub fn hear_edit(&mut self, text: &str) -> bool {
        let Some(wanted) = edit::read::<Vec<Wanted>>(text) else { return false };
        match self.state.goals.edited(&wanted, self.deps.limits.attempts) {
            Ok(items) => {
                self.goal(GoalChange::Edited(items));
                self.state_updated(None, true);
                self.change(Change::Note(String::from("the person changed the plan; go by it as it is now")));
            }
            Err(fault) => {
                let told = self.state.locale.pick("План не змінено", "The plan was not changed");
                self.fact(super::waiting::said(&format!("{told}: {fault}.")));
                self.tell_plan();
            }
        }
        true
    }
}
