//! The planner's operations on its tasks (S4.17): status, list, wait and cancel.

use crate::engine::program::ProgramError;
use crate::planning::ActionStatus;
use crate::programs::conversation::calls::call_effects::{CallEffects, CallStart, new_job_step};
use crate::programs::conversation::calls::results_for_planner;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::turn::turn_progress::TurnProgress;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::tasks::Job;
use crate::protocol::event::{ActionEnd, Event, Failure};
use crate::protocol::server::Fact;
use crate::record;
use crate::turn::internal_action::TaskOperation;
use serde_json::{Value, json};

/// Carries out an operation of `task_manager` (S4.17).
pub async fn run_operation(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    operation: TaskOperation,
    task: Option<&str>,
) -> Result<CallStart, ProgramError> {
    push_started_event(cx, planned);
    if operation == TaskOperation::List {
        let mut statuses = Vec::new();
        for job in cx.state.calls.tasks() {
            statuses.push(status(job, progress(cx, job).await?));
        }
        finish_operation(cx, planned, Ok(Value::Array(statuses)));
        return Ok(CallStart::Over { ok: true });
    }
    let wanted = task.unwrap_or_default();
    let Some(call) = cx.state.calls.find(wanted) else {
        let ids: Vec<&str> = cx.state.calls.tasks().map(Job::id).collect();
        let why = format!("there is no task `{wanted}`; there are: {}", ids.join(", "));
        finish_operation(cx, planned, Err(why));
        return Ok(CallStart::Over { ok: false });
    };
    if operation == TaskOperation::Cancel {
        let mut step = new_job_step(&cx.state, &cx.deps);
        step.cancel(call);
        step.advance();
        let effects = CallEffects::from_step(&cx.state, step, Some(call));
        effects.apply_to(cx);
    }
    let Some(job) = cx.state.calls.get(call).cloned() else { return Ok(CallStart::Over { ok: false }) };
    if operation == TaskOperation::Wait && !job.has_ended() {
        cx.change(ConversationChange::Awaits(call));
        return Ok(CallStart::Waits);
    }
    let progress = progress(cx, &job).await?;
    finish_operation(cx, planned, Ok(status(&job, progress)));
    Ok(CallStart::Over { ok: true })
}

/// Returns the state of a task, for viewers.
pub fn status(job: &Job, progress: Option<f64>) -> Value {
    json!({
        "task_id": job.id(),
        "agent": job.action,
        "status": job.status(),
        "progress": progress,
        "result": job.result,
        "error": job.error().map(|fault| &fault.message),
    })
}

async fn progress(cx: &VisitContext, job: &Job) -> Result<Option<f64>, ProgramError> {
    let progress = record::record_input("task", async {
        Ok(cx.deps.store.task(job.id().to_owned()).await?.and_then(|row| row.progress))
    });
    progress.await
}

fn push_started_event(cx: &mut VisitContext, planned: &TurnProgress) {
    cx.push_event(Fact::Event(Event::ActionStarted {
        action_id: planned.action_id.clone(),
        action: String::from("task_manager"),
        params: planned.params(),
        target: None,
    }));
}

/// Simplifies the state of a task for the planner.
fn simplify_task_status(mut status: Value) -> Value {
    let agent = status["agent"].as_str().unwrap_or_default().to_owned();
    if let Some(result) = status.get_mut("result").filter(|result| result.is_object()) {
        *result = results_for_planner::simplify_agent_result(&agent, result);
    }
    status
}

/// Finishes the operation with its result, or with the reason why it failed.
pub fn finish_operation(cx: &mut VisitContext, planned: &TurnProgress, found: Result<Value, String>) {
    let (outcome, value) = match found {
        Ok(value) => (ActionStatus::Ok, Some(value)),
        Err(message) => (ActionStatus::Failed { code: String::from("unknown_task"), message }, None),
    };
    let error = match &outcome {
        ActionStatus::Failed { code, message } => {
            Some(Failure { code: code.clone(), message: message.clone() })
        }
        ActionStatus::Ok | ActionStatus::Dropped { .. } => None,
    };
    cx.push_event(Fact::Event(Event::from(ActionEnd {
        action_id: planned.action_id.clone(),
        action: String::from("task_manager"),
        ok: error.is_none(),
        result: value.clone(),
        error,
        ..ActionEnd::default()
    })));
    let result = planned.result(outcome, value.map(|value| simplify_task_status(value).to_string()));
    cx.change(ConversationChange::Finished { result, dropped: Vec::new(), counts: true });
}
