//! Makes the plan, or replaces its open items (S2.5, S2.13): goals, with the criteria that show that each is
//! reached.

use crate::agent_spec::types::executor::Approve;
use crate::engine::program::ProgramError;
use crate::model::role_requests::PlanItemsRequest;
use crate::model::roles::PlannedItems;
use crate::plan::Item;
use crate::planning::PlanError;
use crate::programs::conversation::acting::scripted_turns;
use crate::programs::conversation::inbox;
use crate::programs::conversation::planning::plan_steps;
use crate::programs::conversation::planning::plan_steps::NextStep;
use crate::programs::conversation::progress_event;
use crate::programs::conversation::questions;
use crate::programs::conversation::questions::budget_check;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::plan_state::PlanChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        Made,
        /// The task is done in one step, or the person has edited the plan in the meantime.
        NotNeeded,
        /// The person is asked to approve the plan.
        NeedsApproval,
        /// The model's answer holds no plan.
        Unmade,
        OutOfIterations,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    if cx.state.iterations >= cx.state.iteration_limit(&cx.deps.limits) {
        return Ok(OutOfIterations);
    }
    cx.change(ConversationChange::Iterated);
    inbox::read_inbox(cx);
    if plan_steps::next_step(cx) != NextStep::Plan {
        return Ok(NotNeeded);
    }
    let goals = &cx.state.plan;
    let (is_replan, reason) = (!goals.items.is_empty(), goals.wanted.clone());
    let goal = scripted_turns::goal(cx).map_err(ProgramError::Failed)?;
    let observed = cx.working_set.observation();
    let request = PlanItemsRequest {
        locale: cx.state.locale,
        prefers: Some(&cx.deps.thinking.preference),
        goal: goal.as_deref(),
        mission: &goals.mission,
        answers: &cx.state.answers,
        items: &goals.items,
        reason: reason.as_deref(),
        tools: &cx.deps.calls.tools,
        history: &cx.state.messages,
        page: observed.as_ref().map(|observed| observed.observation.as_ref()),
    };
    match cx.deps.planner.plan_items(&request).await {
        Ok(PlannedItems { items, usage, .. }) => {
            budget_check::count_usage(cx, &usage);
            Ok(apply_plan(cx, items, is_replan))
        }
        Err(PlanError::Invalid { message, usage }) => {
            budget_check::count_usage(cx, &usage);
            Ok(go_on_without_plan(cx, &message))
        }
        Err(PlanError::Unavailable { message, usage }) => {
            budget_check::count_usage(cx, &usage);
            Err(ProgramError::Failed(message))
        }
    }
}

fn go_on_without_plan(cx: &mut VisitContext, message: &str) -> Outcome {
    cx.change(ConversationChange::Plan(PlanChange::Settled));
    let note = format!("no plan could be made ({message}); go on without a new one");
    cx.change(ConversationChange::Note(note));
    Unmade
}

fn apply_plan(cx: &mut VisitContext, items: Vec<Item>, is_replan: bool) -> Outcome {
    match (items.is_empty(), is_replan && cx.state.plan.is_open()) {
        (true, false) => skip_plan(cx),
        (true, true) => keep_plan(cx),
        (false, _) => adopt_plan(cx, items),
    }
}

fn skip_plan(cx: &mut VisitContext) -> Outcome {
    cx.change(ConversationChange::Plan(PlanChange::Settled));
    NotNeeded
}

/// An empty new plan does not mean that the work is done, so the open items stay (C22).
fn keep_plan(cx: &mut VisitContext) -> Outcome {
    cx.change(ConversationChange::Plan(PlanChange::Settled));
    cx.change(ConversationChange::Note(String::from(
        "the new plan was empty; what is open of the plan stays",
    )));
    ask_approval(cx).unwrap_or(Unmade)
}

fn adopt_plan(cx: &mut VisitContext, items: Vec<Item>) -> Outcome {
    plan_steps::change_plan(cx, PlanChange::Made { items, attempts: cx.deps.limits.attempts });
    progress_event::push_state_update(cx, None, true);
    ask_approval(cx).unwrap_or(Made)
}

fn ask_approval(cx: &mut VisitContext) -> Option<Outcome> {
    (cx.deps.thinking.plan.approve == Approve::Ask && cx.state.plan.is_open()).then(|| {
        cx.ask = Some(questions::plan_question(cx.state.locale, &cx.state.plan.items));
        NeedsApproval
    })
}
