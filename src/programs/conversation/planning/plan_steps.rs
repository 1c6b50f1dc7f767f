//! The plan within the graph: when one is due, which item is under way, and the events about it.

use crate::agent_spec::types::executor::Make;
use crate::plan::{self, ItemStatus};
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::plan_state::PlanChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use serde_json::json;

/// The step that comes before the next turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    Turn,
    /// A plan must be made first.
    Plan,
    /// The plan has open items, but none that can be worked on.
    Nothing,
}

/// Reports whether a plan may be made at all.
pub fn may_plan(cx: &VisitContext) -> bool {
    let rules = cx.deps.thinking.plan;
    rules.make != Make::Never && cx.deps.asks_model()
}

/// Returns the step that comes before the next turn.
pub fn next_step(cx: &VisitContext) -> NextStep {
    let goals = &cx.state.plan;
    if may_plan(cx)
        && (goals.wanted.is_some()
            || (cx.deps.thinking.plan.make == Make::Always && !goals.settled && goals.items.is_empty()))
    {
        return NextStep::Plan;
    }
    let stuck = goals.is_open() && plan::next_item(&goals.items).is_none();
    if stuck { NextStep::Nothing } else { NextStep::Turn }
}

/// Changes the plan, and sends the event about it.
pub fn change_plan(cx: &mut VisitContext, change: PlanChange) {
    cx.change(ConversationChange::Plan(change));
    let items = cx.state.plan.items.clone();
    cx.record.report.plan = Some(json!({"items": items}));
    cx.push_event(Fact::Event(Event::Plan { items }));
}

/// Begins the next item if none is under way (S2.7, S2.8).
pub fn take_up_item(cx: &mut VisitContext) {
    let goals = &cx.state.plan;
    let Some(item) = plan::next_item(&goals.items).filter(|item| item.status != ItemStatus::Running) else {
        return;
    };
    if goals.current().is_some() {
        return;
    }
    let position = item.position;
    tracing::info!(run_id = %cx.run, step = position, desc = %item.description, "step_start");
    change_plan(cx, PlanChange::Begun(position));
}
