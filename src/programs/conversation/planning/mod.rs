//! The plan within the graph: when one is due, which item is under way, and the events about it.

pub mod knowledge_recall;
pub(crate) mod memory_changes;
pub mod plan_state;
pub(crate) mod premove_runs;
pub(crate) mod thinking_policy;
pub mod thought_turns;
pub(crate) mod turn_progress;
pub mod compaction;
pub(crate) mod evidence;
pub mod memory;
pub mod premoves;

use crate::agent_spec::types::executor::Make;
use crate::plan::edit::Edit;
use crate::plan::{self, ItemStatus};
use crate::programs::conversation::planning::plan_state::PlanChange;
use crate::programs::conversation::progress_event;
use crate::programs::conversation::questions::browser_slot;
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state_changes::ConversationChange;
use crate::programs::conversation::visit_context::{ConversationDeps, VisitContext};
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::texts;
use serde::Deserialize;
use serde_json::{Value, json};

/// The step that comes before the next turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    Turn,
    /// A plan must be made first.
    Plan,
    /// The plan has open items, but none that can be worked on.
    Nothing,
}

impl VisitContext {
    /// Reports whether a plan may be made at all.
    pub fn may_plan(&self) -> bool {
        let rules = self.deps.thinking.plan;
        rules.make != Make::Never && self.deps.asks_model()
    }

    pub fn next_step(&self) -> NextStep {
        let goals = &self.state.goals;
        if self.may_plan()
            && (goals.wanted.is_some()
                || (self.deps.thinking.plan.make == Make::Always && !goals.settled && goals.items.is_empty()))
        {
            return NextStep::Plan;
        }
        let stuck = goals.is_open() && plan::next_item(&goals.items).is_none();
        if stuck { NextStep::Nothing } else { NextStep::Turn }
    }

    /// Reports whether the person has edited the plan since the planner was last told of it.
    pub fn was_edited(&self) -> bool {
        self.state.goals.edited
    }

    /// Changes the plan, and sends the event about it.
    pub fn change_plan(&mut self, change: PlanChange) {
        self.change(ConversationChange::Goal(change));
        self.push_plan_event();
    }

    pub fn push_plan_event(&mut self) {
        let items = self.state.goals.items.clone();
        self.record.report.plan = Some(json!({"items": items}));
        self.push_event(Fact::Event(Event::Plan { items }));
    }

    /// Begins the next item if none is under way (S2.7, S2.8).
    pub fn take_up_item(&mut self) {
        let goals = &self.state.goals;
        let Some(item) = plan::next_item(&goals.items).filter(|item| item.status != ItemStatus::Running)
        else {
            return;
        };
        if goals.current().is_some() {
            return;
        }
        let position = item.position;
        tracing::info!(run_id = %self.run, step = position, desc = %item.description, "step_start");
        self.change_plan(PlanChange::Begun(position));
    }

    /// Applies the person's edit of the plan.
    pub fn apply_edit(&mut self, edit: &Value) {
        let rewritten = apply_plan_edit(&self.state, &self.deps, edit);
        rewritten.changes.into_iter().for_each(|change| self.change(change));
        self.record.facts.extend(rewritten.facts);
        self.record.report.plan = Some(rewritten.plan);
    }
}

/// The consequences of a person's edit of the plan.
pub struct EditEffects {
    pub changes: Vec<ConversationChange>,
    pub facts: Vec<Fact>,
    /// The plan after the edit.
    pub plan: Value,
}

/// Applies an edit of the plan. An edit that is invalid or cannot be read is reported, together with the
/// unchanged plan.
pub fn apply_plan_edit(state: &ConversationState, deps: &ConversationDeps, edit: &Value) -> EditEffects {
    let applied = Edit::deserialize(edit).map_err(|fault| fault.to_string()).and_then(|edit| {
        let items = state.goals.apply_edit(&edit, deps.limits.attempts).map_err(|fault| fault.to_string())?;
        Ok((edit, items))
    });
    let (changes, items, message) = match applied {
        Ok((edit, items)) => {
            let goals = state.goals.edit_changes(&edit, &items).into_iter().map(ConversationChange::Goal);
            let changes = goals.chain([ConversationChange::PlanEdited]).collect();
            (changes, items, progress_event::progress_event(state, deps, None, true))
        }
        Err(fault) => {
            let message = texts::page::plan_not_changed(&fault, state.locale);
            (Vec::new(), state.goals.items.clone(), browser_slot::agent_message(&message))
        }
    };
    let plan = json!({"items": items});
    EditEffects { changes, facts: vec![Fact::Event(Event::Plan { items }), message], plan }
}
