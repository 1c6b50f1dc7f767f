//! The actions that are offered to the planner.

use crate::programs::conversation::visit_context::VisitContext;
use crate::turn::action;

impl VisitContext {
    /// Returns the names of the actions that the agent may use now.
    pub fn available_actions(&self) -> Vec<&'static str> {
        let page = self.deps.browsers.is_some();
        let own = action::NAMES.into_iter().filter(|name| page || action::WITHOUT_PAGE.contains(name));
        let beside = self.deps.calls.in_background && !self.deps.calls.tools.is_empty();
        let own = own.chain(beside.then_some("task_manager"));
        let recalls =
            self.deps.knows.is_some() && self.working_set.relics().is_none_or(|relics| !relics.is_empty());
        let own = own.chain(recalls.then_some("recall")).chain(self.may_premove().then_some("premove"));
        own.chain(self.may_plan().then_some("replan")).collect()
    }
}
