//! The actions that are offered to the planner.

use crate::programs::conversation::planning::plan_steps;
use crate::programs::conversation::planning::premove_runs;
use crate::programs::conversation::visit_context::VisitContext;
use crate::turn::action;

/// Returns the names of the actions that the agent may use now.
pub fn available_actions(cx: &VisitContext) -> Vec<&'static str> {
    let page = cx.deps.browsers.is_some();
    let has_tools =
        cx.working_set.observation().is_some_and(|observed| !observed.observation.tools.is_empty());
    // An agent that is called as an action of the service keeps its name.
    let is_agent = |name: &str| cx.deps.calls.tools.iter().any(|tool| tool.name == name);
    let own = action::NAMES
        .into_iter()
        .filter(|name| page || (action::WITHOUT_PAGE.contains(name) && !is_agent(name)));
    let own = own.filter(|name| *name != action::PAGE_TOOL || has_tools);
    let beside = cx.deps.calls.in_background && !cx.deps.calls.tools.is_empty();
    let own = own.chain(beside.then_some("task_manager"));
    let recalls =
        cx.deps.knowledge.is_some() && cx.working_set.relics().is_none_or(|relics| !relics.is_empty());
    let own =
        own.chain(recalls.then_some("recall")).chain(premove_runs::may_premove(cx).then_some("premove"));
    own.chain(plan_steps::may_plan(cx).then_some("replan")).collect()
}
