//! Edits of the plan by the person, and their consequences.

use crate::plan::edit::Edit;
use crate::programs::conversation::agent_message::agent_message;
use crate::programs::conversation::progress_event;
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::visit_context::{ConversationDeps, VisitContext};
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::texts;
use serde::Deserialize;
use serde_json::{Value, json};

/// The consequences of a person's edit of the plan.
pub struct EditEffects {
    pub changes: Vec<ConversationChange>,
    pub facts: Vec<Fact>,
    /// The plan after the edit.
    pub plan: Value,
}

impl EditEffects {
    /// Adds the consequences to the visit.
    pub fn apply_to(self, cx: &mut VisitContext) {
        self.changes.into_iter().for_each(|change| cx.change(change));
        cx.record.facts.extend(self.facts);
        cx.record.report.plan = Some(self.plan);
    }
}

/// Applies an edit of the plan. An edit that is invalid or cannot be read is reported, together with the
/// unchanged plan.
pub fn apply_plan_edit(state: &ConversationState, deps: &ConversationDeps, edit: &Value) -> EditEffects {
    let applied = Edit::deserialize(edit).map_err(|fault| fault.to_string()).and_then(|edit| {
        let items =
            edit.apply_to(&state.plan.items, deps.limits.attempts).map_err(|fault| fault.to_string())?;
        Ok((edit, items))
    });
    let (changes, items, message) = match applied {
        Ok((edit, items)) => {
            let goals = state.plan.edit_changes(&edit, &items).into_iter().map(ConversationChange::Plan);
            let changes = goals.chain([ConversationChange::PlanEdited]).collect();
            (changes, items, progress_event::progress_event(state, deps, None, true))
        }
        Err(fault) => {
            let message = texts::page::plan_not_changed(&fault, state.locale);
            (Vec::new(), state.plan.items.clone(), agent_message(&message))
        }
    };
    let plan = json!({"items": items});
    EditEffects { changes, facts: vec![Fact::Event(Event::Plan { items }), message], plan }
}
