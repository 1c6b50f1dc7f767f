//! Items of the plan that hold without a further turn.

use crate::plan::ItemStatus;
use crate::programs::conversation::planning::evidence::JudgeInput;
use crate::programs::conversation::planning::plan_steps;
use crate::programs::conversation::state::plan_state::PlanChange;
use crate::programs::conversation::visit_context::VisitContext;

/// Takes up the next item of the plan. After one was reached, those whose own conditions hold already are closed
/// without a call.
pub async fn take_up_open_item(cx: &mut VisitContext) {
    plan_steps::take_up_item(cx);
    for _ in 0..cx.state.plan.items.len() {
        let Some(item) = cx.state.plan.current().cloned() else { return };
        let follows = cx.state.plan.items.iter().any(|item| item.status == ItemStatus::Succeeded);
        if item.predicates.is_empty() || !follows {
            return;
        }
        let evidence = JudgeInput::collect(cx, item.position).await.check_predicates(&item);
        let Some(evidence) = evidence.filter(|evidence| evidence.accepted) else { return };
        let position = item.position;
        plan_steps::change_plan(cx, PlanChange::Judged { position, evidence, claimed: false });
        plan_steps::take_up_item(cx);
    }
}
