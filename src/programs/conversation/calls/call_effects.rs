//! The consequences of a step of agent calls for a conversation: changes, events, child runs and task rows.

use crate::agent_spec::template;
use crate::clock::Moment;
use crate::engine::program::task_state::TaskState;
use crate::engine::program::{ChildCall, StepRecord};
use crate::ids::RunId;
use crate::planning::{ActionResult, ActionStatus};
use crate::programs::conversation::calls::results_for_planner;
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::visit_context::{ConversationDeps, VisitContext};
use crate::programs::tasks;
use crate::programs::tasks::step::JobStep;
use crate::programs::tasks::{Job, JobStatus, Jobs};
use crate::protocol::event::{ActionEnd, Event, Failure};
use crate::protocol::server::Fact;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The result of starting an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallStart {
    /// The action waits for agents.
    Waits,
    Over {
        ok: bool,
    },
}

/// Cancels the calls that are under way when the conversation ends.
pub fn cancel_calls(cx: &mut VisitContext) {
    let mut step = new_job_step(&cx.state, &cx.deps);
    (0..cx.state.calls.jobs.len()).for_each(|job| step.cancel(job));
    CallEffects::from_step(&cx.state, step, None).apply_to(cx);
}

/// Cancels the task with this id; `None` if there is none.
pub fn cancel_task(state: &ConversationState, deps: &ConversationDeps, task: &str) -> Option<CallEffects> {
    let job = state.calls.find(task)?;
    let mut step = new_job_step(state, deps);
    step.cancel(job);
    step.advance();
    Some(CallEffects::from_step(state, step, None))
}

/// Creates a step of all calls from their current state.
pub fn new_job_step<'a>(state: &'a ConversationState, deps: &'a ConversationDeps) -> JobStep<'a> {
    let fill =
        Box::new(move |params: &Map<String, Value>, tasks: &Jobs| fill_templates(state, params, tasks));
    JobStep::new(state.calls.clone(), &deps.calls.callees, fill, Moment::now(), RunId::fresh)
}

/// Returns the parameters with their `${{ }}` templates filled in (S4.18, S4.19, C9).
pub fn fill_templates(
    state: &ConversationState,
    params: &Map<String, Value>,
    tasks: &Jobs,
) -> Result<Map<String, Value>, String> {
    let mut context = tasks.template_variables();
    for (name, values) in
        [("variables", &state.variables), ("answers", &state.answers), ("inputs", &state.inputs)]
    {
        context.insert(name.into(), json!(values));
    }
    params.iter().map(|(name, value)| Ok((name.clone(), fill(value, &context)?))).collect()
}

fn fill(value: &Value, context: &Map<String, Value>) -> Result<Value, String> {
    match value {
        Value::String(text) if text.contains("${{") => {
            template::evaluate(text, context).map_err(|fault| format!("`{text}`: {fault}"))
        }
        Value::Array(items) => items.iter().map(|item| fill(item, context)).collect(),
        Value::Object(map) => {
            let values = map.iter().map(|(name, value)| Ok((name.clone(), fill(value, context)?)));
            values.collect::<Result<_, String>>().map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

/// The consequences of a step of the calls.
pub struct CallEffects {
    pub changes: Vec<ConversationChange>,
    facts: Vec<Fact>,
    calls: Vec<ChildCall>,
    cancel: Vec<RunId>,
    tasks: Vec<TaskState>,
}

impl CallEffects {
    /// Collects the consequences of a step. `reported` is a call whose end the planner receives as the result of
    /// its action.
    pub fn from_step(state: &ConversationState, step: JobStep<'_>, reported: Option<usize>) -> Self {
        let JobStep { tasks, changes, mut calls, cancel, .. } = step;
        // All agents below answer in the language of the question.
        for call in &mut calls {
            call.input.entry("locale").or_insert_with(|| json!(state.locale.tag()));
        }
        let mut effects = Self { changes: Vec::new(), facts: Vec::new(), calls, cancel, tasks: Vec::new() };
        let (mut before, mut touched) = (state.calls.clone(), BTreeSet::new());
        // An action that waits for a task receives the task's result.
        let waits_for = state.awaited_call();
        let mut ended = Vec::new();
        for change in &changes {
            let index = match change {
                tasks::JobChange::Added(_) => before.jobs.len(),
                tasks::JobChange::Started { job, run, .. } => {
                    effects.push_started(before.get(*job), run);
                    *job
                }
                tasks::JobChange::Ended { job, .. } => {
                    ended.push(*job);
                    *job
                }
            };
            before.apply(change.clone());
            touched.insert(index);
        }
        if !changes.is_empty() {
            effects.changes.push(ConversationChange::Calls(changes));
        }
        for index in ended {
            let Some(job) = tasks.get(index) else { continue };
            effects.facts.push(finished_event(job));
            let is_reported = reported == Some(index) || waits_for == Some(index);
            if job.is_async() && job.parent.is_none() && !is_reported {
                effects.changes.push(ConversationChange::Ended(call_result(job)));
            }
        }
        let jobs = touched.into_iter().filter_map(|index| tasks.get(index)).filter(|job| job.is_async());
        effects.tasks = jobs.map(task_state).collect();
        effects.facts.extend(effects.tasks.iter().map(TaskState::event));
        effects
    }

    fn push_started(&mut self, job: Option<&Job>, run: &RunId) {
        let Some(job) = job.filter(|job| job.tries == 0) else { return };
        let params = self.calls.iter().find(|call| call.run == *run).map(|call| call.input.clone());
        self.facts.push(Fact::Event(Event::ActionStarted {
            action_id: job.action_id.clone(),
            action: job.action.clone(),
            params: params.unwrap_or_default(),
            target: None,
        }));
    }

    /// Adds the consequences to the visit.
    pub fn apply_to(self, cx: &mut VisitContext) {
        self.changes.iter().for_each(|change| cx.change(change.clone()));
        let StepRecord { facts, calls, cancel, tasks, .. } = self.record();
        cx.record.facts.extend(facts);
        cx.record.calls.extend(calls);
        cx.record.cancel.extend(cancel);
        cx.record.tasks.extend(tasks);
    }

    /// Returns everything except the changes.
    pub fn record(self) -> StepRecord {
        let Self { facts, calls, cancel, tasks, .. } = self;
        StepRecord { facts, calls, cancel, tasks, ..StepRecord::default() }
    }
}

fn task_state(job: &Job) -> TaskState {
    TaskState {
        id: job.id().to_owned(),
        action_id: job.action_id.clone(),
        child: job.run().cloned(),
        agent: job.action.clone(),
        status: job.status(),
        progress: job.has_succeeded().then_some(1.0),
        display: job.display.clone(),
        result: job.result.clone(),
        error: job.error().map(|fault| fault.message.clone()),
        created_at: Moment::from_millis(job.created_at),
        started_at: job.started_at.map(Moment::from_millis),
        ended_at: job.ended_at.map(Moment::from_millis),
    }
}

fn finished_event(job: &Job) -> Fact {
    let error = job.error().map(|fault| Failure { code: fault.code.clone(), message: fault.message.clone() });
    let began = job.started_at.unwrap_or(job.created_at);
    let took = job.ended_at.unwrap_or(began).saturating_sub(began).max(0);
    Fact::Event(Event::from(ActionEnd {
        action_id: job.action_id.clone(),
        action: job.action.clone(),
        ok: job.has_succeeded(),
        result: job.result.clone(),
        error,
        took_ms: took.unsigned_abs(),
        ..ActionEnd::default()
    }))
}

/// Returns the result of an ended call for the planner, which must not trust its content.
pub fn call_result(job: &Job) -> ActionResult {
    let outcome = match &job.status {
        JobStatus::Ended { error: Some(fault), .. } => {
            ActionStatus::Failed { code: fault.code.clone(), message: fault.message.clone() }
        }
        JobStatus::Ended { error: None, .. } | JobStatus::Waiting | JobStatus::Running { .. } => {
            ActionStatus::Ok
        }
    };
    ActionResult {
        action_id: job.id().to_owned(),
        action: job.action.clone(),
        outcome,
        returned: job
            .result
            .as_ref()
            .map(|result| results_for_planner::simplify_agent_result(&job.action, result).to_string()),
        answer: None,
        effect_summary: None,
    }
}
