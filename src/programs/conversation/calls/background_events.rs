//! Events next to the graph, handled at every node: ended child runs, edits of the plan, and cancelled tasks.
//! Pure except for the clock and ids.

use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::{BackgroundResult, StepRecord};
use crate::ids::RunId;
use crate::programs::conversation::acting::secret_input;
use crate::programs::conversation::calls::call_effects::{self, CallEffects, new_job_step};
use crate::programs::conversation::planning::plan_edit_effects::EditEffects;
use crate::programs::conversation::planning::{compaction, plan_edit_effects};
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::changes::{ConversationChange, ConversationChanges};
use crate::programs::conversation::state::node::ConversationNode;
use crate::programs::conversation::visit_context::ConversationDeps;
use crate::secrets::scrub::Replacement;
use crate::store::rows::RunReport;
use crate::store::rows::inbox::{InboxItem, InboxRow};
use serde_json::json;

/// Returns the child runs that the current node waits for.
pub fn awaited_children(state: &ConversationState) -> Vec<RunId> {
    if state.node == ConversationNode::RunPremoves {
        return state.memory.premoves.running_children().cloned().collect();
    }
    let awaited = state.awaited.and_then(|call| state.calls.get(call));
    match awaited.filter(|job| state.node == ConversationNode::AwaitCalls && !job.has_ended()) {
        Some(_) => state.calls.running_children().cloned().collect(),
        None => Vec::new(),
    }
}

/// Returns what follows from ended children, edits of the plan and cancelled tasks: further calls, messages
/// to the planner, and whether a resting conversation goes on. A text of the person waits for its turn in the
/// graph, and so do the messages after it.
pub fn handle_background(
    state: &ConversationState,
    deps: &ConversationDeps,
    ended: &[EndedChild],
    inbox: &[InboxRow],
) -> Option<BackgroundResult> {
    let handled: Vec<&InboxRow> =
        inbox.iter().take_while(|message| is_handled_anywhere(&message.item)).collect();
    if ended.is_empty() && handled.is_empty() {
        return None;
    }
    let (mut all, mut record) =
        if ended.is_empty() { Default::default() } else { apply_ended_children(state, deps, ended) };
    let is_resting = state.node == ConversationNode::Resting;
    let has_news =
        all.iter().any(|change| matches!(change, ConversationChange::Ended(_))) || !handled.is_empty();
    let to = if is_resting && has_news { ConversationNode::MaybeObserve } else { state.node };
    let mut after = state.clone();
    all.iter().cloned().for_each(|change| after.change(change));
    for message in handled {
        record.read_inbox = Some(message.n);
        let (changes, effects) = handle_message(&after, deps, &message.item);
        changes.iter().cloned().for_each(|change| after.change(change));
        all.extend(changes);
        record.facts.extend(effects.facts);
        record.calls.extend(effects.calls);
        record.cancel.extend(effects.cancel);
        record.tasks.extend(effects.tasks);
        record.report.plan = effects.report.plan.or(record.report.plan);
    }
    let mut changes = json!(ConversationChanges { to, changes: all });
    deps.vault.scrub(&mut changes, Replacement::Placeholder);
    Some(BackgroundResult { changes, record: secret_input::redact_record(&deps.vault, record) })
}

/// Reports whether the message is handled at every node: an edit of the plan, or the cancellation of a task.
fn is_handled_anywhere(item: &InboxItem) -> bool {
    match item {
        InboxItem::PlanEdit(_) | InboxItem::TaskCancel(_) => true,
        InboxItem::Words(_) | InboxItem::HandBack(_) => false,
    }
}

/// Returns what follows from such a message; texts have no consequences here.
fn handle_message(
    state: &ConversationState,
    deps: &ConversationDeps,
    item: &InboxItem,
) -> (Vec<ConversationChange>, StepRecord) {
    match item {
        InboxItem::PlanEdit(edit) => {
            let EditEffects { changes, facts, plan } = plan_edit_effects::apply_plan_edit(state, deps, edit);
            let report = RunReport { plan: Some(plan), ..RunReport::default() };
            (changes, StepRecord { facts, report, ..StepRecord::default() })
        }
        InboxItem::TaskCancel(task) => {
            let effects = call_effects::cancel_task(state, deps, task);
            effects.map(|effects| (effects.changes.clone(), effects.record())).unwrap_or_default()
        }
        InboxItem::Words(_) | InboxItem::HandBack(_) => Default::default(),
    }
}

fn apply_ended_children(
    state: &ConversationState,
    deps: &ConversationDeps,
    ended: &[EndedChild],
) -> (Vec<ConversationChange>, StepRecord) {
    let mut step = new_job_step(state, deps);
    step.process_ended(ended);
    step.advance();
    let effects = CallEffects::from_step(state, step, None);
    let mut all = effects.changes.clone();
    let mut record = effects.record();
    if let Some((changes, facts)) = compaction::apply_summary(state, deps, ended) {
        all.extend(changes);
        record.facts.extend(facts);
    }
    (all, record)
}

/// Returns what to store about the calls under way when the run is ended from outside its graph.
pub fn closing_record(state: &ConversationState, deps: &ConversationDeps) -> StepRecord {
    let mut step = new_job_step(state, deps);
    (0..state.calls.jobs.len()).for_each(|job| step.cancel(job));
    secret_input::redact_record(&deps.vault, CallEffects::from_step(state, step, None).record())
}
