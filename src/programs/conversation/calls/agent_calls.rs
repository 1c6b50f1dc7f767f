//! Agent calls of a conversation: the calls of a turn become jobs (`tasks`), which are started and awaited.

use crate::clock::Moment;
use crate::engine::program::ProgramError;
use crate::planning::{ActionResult, ActionStatus};
use crate::programs::conversation::acting::finish_action;
use crate::programs::conversation::calls::call_effects::{CallEffects, CallStart, call_result, new_job_step};
use crate::programs::conversation::calls::task_operations::{finish_operation, status};
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::turn::turn_progress::{TurnProgress, calls_agent};
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::tasks::read_jobs::CallContext;
use crate::programs::tasks::{Job, read_jobs};
use crate::record;
use crate::turn::action::Action;
use crate::turn::internal_action::InternalAction;
use serde_json::json;

/// The status of the action that another one depends on (S4.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependencyStatus {
    Met,
    UnderWay,
    Failed,
}

/// Returns the jobs of the planned action, or the reason why they are refused; no jobs if it calls no agent.
pub fn read_jobs(cx: &VisitContext, planned: &TurnProgress, action: &Action) -> Result<Vec<Job>, String> {
    if action.is_call() { read_call_jobs(cx, planned) } else { Ok(Vec::new()) }
}

fn read_call_jobs(cx: &VisitContext, planned: &TurnProgress) -> Result<Vec<Job>, String> {
    let Some(call) = planned.call() else { return Ok(Vec::new()) };
    let (done, begun) = planned.done_and_begun();
    let context = CallContext {
        callees: &cx.deps.calls.callees,
        tasks: &cx.state.calls,
        done_ids: &done,
        started_ids: &begun,
        has_page: cx.deps.browsers.is_some(),
        in_background: cx.deps.calls.in_background,
    };
    read_jobs::read_jobs(call, &planned.action_id, context, Moment::now().millis())
}

/// Starts the planned call. An ASYNC call goes on in the background; a SYNC call is awaited.
pub async fn start_call(cx: &mut VisitContext, planned: &TurnProgress) -> Result<CallStart, ProgramError> {
    let mut jobs = match read_call_jobs(cx, planned) {
        Ok(jobs) => jobs,
        Err(why) => {
            finish_action::finish_not_done(cx, planned, "invalid_params", why);
            return Ok(CallStart::Over { ok: false });
        }
    };
    let wanted: Vec<String> = jobs.iter().filter_map(|job| job.task.clone()).collect();
    if !wanted.is_empty() {
        let ids =
            record::record_input("task ids", cx.deps.store.reserve_task_ids(cx.run.clone(), wanted)).await?;
        jobs.iter_mut().filter(|job| job.is_async()).zip(ids).for_each(|(job, id)| job.task = Some(id));
    }
    let call = cx.state.calls.jobs.len();
    let mut step = new_job_step(&cx.state, &cx.deps);
    step.add(jobs);
    step.advance();
    let effects = CallEffects::from_step(&cx.state, step, Some(call));
    effects.apply_to(cx);
    let Some(job) = cx.state.calls.get(call).cloned() else { return Ok(CallStart::Over { ok: false }) };
    match (&job.task, job.has_ended()) {
        (_, true) => Ok(CallStart::Over { ok: finish_call(cx, planned, call) }),
        (None, false) => {
            cx.change(ConversationChange::Awaits(call));
            Ok(CallStart::Waits)
        }
        (Some(id), false) => {
            let status = json!({"task_id": id, "status": job.status()});
            let result = planned.result(ActionStatus::Ok, Some(status.to_string()));
            cx.change(ConversationChange::Finished { result, dropped: Vec::new(), counts: true });
            Ok(CallStart::Over { ok: true })
        }
    }
}

/// Finishes the planned action with the result of the call. Returns true if the call succeeded.
pub fn finish_call(cx: &mut VisitContext, planned: &TurnProgress, call: usize) -> bool {
    let Some(job) = cx.state.calls.get(call).cloned() else { return false };
    if let Some(InternalAction::TaskManager { .. }) = planned.action.as_ref().and_then(Action::inner) {
        // The action waited for a task. That succeeded, whatever the outcome of the task.
        finish_operation(cx, planned, Ok(status(&job, job.result.is_some().then_some(1.0))));
        return true;
    }
    let is_on_page = cx.deps.browsers.is_some()
        && cx.deps.calls.tools.iter().any(|tool| tool.name == job.action && tool.browses);
    let dropped = match is_on_page && planned.next_call().is_some() {
        true => {
            planned.remaining_as_dropped("the agent that was called has worked on the page; look at it first")
        }
        false => Vec::new(),
    };
    if is_on_page {
        cx.change(ConversationChange::NeedsObserve);
    }
    let result = ActionResult { action_id: planned.action_id.clone(), ..call_result(&job) };
    cx.change(ConversationChange::Finished { result, dropped, counts: true });
    job.has_succeeded()
}

/// Checks the dependency of an action that is no call. Calls wait for their dependencies themselves.
pub fn check_dependency(cx: &mut VisitContext, planned: &TurnProgress) -> DependencyStatus {
    let call = planned.call().filter(|call| !calls_agent(call));
    let wanted = call.and_then(|call| call.depends_on.clone()).filter(|id| !id.trim().is_empty());
    let Some(wanted) = wanted else { return DependencyStatus::Met };
    let (done, begun) = planned.done_and_begun();
    if done.contains(&wanted) {
        return DependencyStatus::Met;
    }
    let calls = &cx.state.calls;
    let found = if begun.contains(&wanted) { calls.find_newest(&wanted) } else { calls.find(&wanted) };
    let Some((call, job)) = found.and_then(|call| Some((call, cx.state.calls.get(call)?))) else {
        let why = format!("it depends on `{wanted}`, and there is no such action before it");
        finish_action::finish_not_done(cx, planned, "skipped", why);
        return DependencyStatus::Failed;
    };
    match (job.has_ended(), job.has_succeeded()) {
        (true, true) => DependencyStatus::Met,
        (true, false) => {
            let why = format!("`{wanted}` did not succeed, and this depends on it");
            finish_action::finish_not_done(cx, planned, "skipped", why);
            DependencyStatus::Failed
        }
        (false, _) => {
            cx.change(ConversationChange::Awaits(call));
            DependencyStatus::UnderWay
        }
    }
}
