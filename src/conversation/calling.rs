//! Calls of other agents, as a conversation makes them: what a turn asks for becomes jobs (`tasks`), what follows
//! from them becomes changes, facts and children.

use super::change::{Change, Planned};
use super::cx::{Cx, Deps};
use super::state::State;
use crate::clock::Moment;
use crate::ids::RunId;
use crate::model::{ActionResult, Outcome};
use crate::program::{Call, ProgramError, Record};
use crate::protocol::server::{Event, Fact, Failure};
use crate::store::rows::TaskRow;
use crate::tasks::orders::{self, Known};
use crate::tasks::stepping::Stepping;
use crate::tasks::{self, Job, Standing, Tasks};
use crate::template;
use crate::turn::action::Action;
use crate::turn::inner::{Inner, TaskOperation};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// What has come of an action at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// It waits for agents.
    Waits,
    Over {
        ok: bool,
    },
}

/// How that stands which an action depends on (S4.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prerequisite {
    Met,
    UnderWay,
    Failed,
}

/// The jobs of the planned action, or why they cannot be; none of an action that calls nobody.
pub fn read(cx: &Cx, planned: &Planned, action: &Action) -> Result<Vec<Job>, String> {
    let (Action::Inner(Inner::Agent { .. } | Inner::Group { .. }), Some(call)) = (action, planned.call())
    else {
        return Ok(Vec::new());
    };
    let done: Vec<String> = planned.results.iter().map(|result| result.action_id.clone()).collect();
    let known = Known {
        callees: &cx.deps.callees,
        tasks: &cx.state.calls,
        done: &done,
        has_page: cx.deps.browsers.is_some(),
    };
    orders::read(call, &planned.action_id, known, Moment::now().millis())
}

/// Begins the planned call: an ASYNC one goes on beside the conversation, a SYNC one is waited for.
pub async fn begin(cx: &mut Cx, planned: &Planned) -> Result<Begun, ProgramError> {
    let action = planned.action.clone().unwrap_or(Action::Back);
    let mut jobs = match read(cx, planned, &action) {
        Ok(jobs) => jobs,
        Err(why) => {
            cx.finish_undone(planned, "invalid_params", why);
            return Ok(Begun::Over { ok: false });
        }
    };
    for job in &mut jobs {
        if let Some(wanted) = job.task.take() {
            job.task = Some(cx.deps.store.free_task_id(wanted).await?);
        }
    }
    let call = cx.state.calls.jobs.len();
    let mut step = stepping(&cx.state, &cx.deps);
    step.add(jobs);
    step.follow();
    let follows = Follows::of(&cx.state, step, Some(call));
    cx.follow(follows);
    let Some(job) = cx.state.calls.get(call).cloned() else { return Ok(Begun::Over { ok: false }) };
    match (&job.task, job.has_ended()) {
        (_, true) => Ok(Begun::Over { ok: returned(cx, planned, call) }),
        (None, false) => {
            cx.change(Change::Awaits(call));
            Ok(Begun::Waits)
        }
        (Some(id), false) => {
            let told = json!({"task_id": id, "status": job.status()});
            let result = planned.result(Outcome::Ok, Some(told.to_string()));
            cx.change(Change::Finished { result, dropped: Vec::new(), counts: true });
            Ok(Begun::Over { ok: true })
        }
    }
}

/// Whether the planned action is over when what it waits for has ended.
pub fn awaits_result(planned: &Planned) -> bool {
    matches!(
        planned.action,
        Some(Action::Inner(Inner::Agent { .. } | Inner::Group { .. } | Inner::TaskManager { .. }))
    )
}

/// The planned action is over with what this call has returned. True if that succeeded.
pub fn returned(cx: &mut Cx, planned: &Planned, call: usize) -> bool {
    let Some(job) = cx.state.calls.get(call).cloned() else { return false };
    if let Some(Action::Inner(Inner::TaskManager { .. })) = planned.action {
        // It has waited for a task; that is done, whatever became of the task.
        managed(cx, planned, Ok(status(&job, job.result.is_some().then_some(1.0))));
        return true;
    }
    let on_the_page = cx.deps.browsers.is_some()
        && cx.deps.tools.iter().any(|tool| tool.name == job.action && tool.browses);
    let dropped = match on_the_page && planned.next_call().is_some() {
        true => planned.rest("the agent that was called has worked on the page; look at it first"),
        false => Vec::new(),
    };
    if on_the_page {
        cx.change(Change::NeedsObserve);
    }
    let result = ActionResult { action_id: planned.action_id.clone(), ..result(&job) };
    cx.change(Change::Finished { result, dropped, counts: true });
    job.has_succeeded()
}

/// How that stands which an action other than a call depends on; calls wait for theirs by themselves.
pub fn prerequisite(cx: &mut Cx, planned: &Planned, action: &Action) -> Prerequisite {
    let wanted = planned.call().and_then(|call| call.depends_on.clone()).filter(|id| !id.trim().is_empty());
    let calls = matches!(action, Action::Inner(Inner::Agent { .. } | Inner::Group { .. }));
    let Some(wanted) = wanted.filter(|_| !calls) else { return Prerequisite::Met };
    if planned.results.iter().any(|result| result.action_id == wanted && result.outcome == Outcome::Ok)
        && cx.state.calls.find(&wanted).is_none()
    {
        return Prerequisite::Met;
    }
    let found = cx.state.calls.find(&wanted);
    let Some((call, job)) = found.and_then(|call| Some((call, cx.state.calls.get(call)?))) else {
        let why = format!("it depends on `{wanted}`, and there is no such action before it");
        cx.finish_undone(planned, "skipped", why);
        return Prerequisite::Failed;
    };
    match (job.has_ended(), job.has_succeeded()) {
        (true, true) => Prerequisite::Met,
        (true, false) => {
            let why = format!("`{wanted}` did not succeed, and this depends on it");
            cx.finish_undone(planned, "skipped", why);
            Prerequisite::Failed
        }
        (false, _) => {
            cx.change(Change::Awaits(call));
            Prerequisite::UnderWay
        }
    }
}

/// Carries out what `task_manager` is asked for (S4.17).
pub async fn manage(
    cx: &mut Cx,
    planned: &Planned,
    operation: TaskOperation,
    task: Option<&str>,
) -> Result<Begun, ProgramError> {
    started(cx, planned);
    if operation == TaskOperation::List {
        let mut listed = Vec::new();
        for job in cx.state.calls.tasks() {
            listed.push(status(job, progress(cx, job).await?));
        }
        managed(cx, planned, Ok(Value::Array(listed)));
        return Ok(Begun::Over { ok: true });
    }
    let wanted = task.unwrap_or_default();
    let Some(call) = cx.state.calls.find(wanted) else {
        let known: Vec<&str> = cx.state.calls.tasks().map(Job::id).collect();
        let why = format!("there is no task `{wanted}`; there are: {}", known.join(", "));
        managed(cx, planned, Err(why));
        return Ok(Begun::Over { ok: false });
    };
    if operation == TaskOperation::Cancel {
        let mut step = stepping(&cx.state, &cx.deps);
        step.cancel(call);
        step.follow();
        let follows = Follows::of(&cx.state, step, Some(call));
        cx.follow(follows);
    }
    let Some(job) = cx.state.calls.get(call).cloned() else { return Ok(Begun::Over { ok: false }) };
    if operation == TaskOperation::Wait && !job.has_ended() {
        cx.change(Change::Awaits(call));
        return Ok(Begun::Waits);
    }
    let progress = progress(cx, &job).await?;
    managed(cx, planned, Ok(status(&job, progress)));
    Ok(Begun::Over { ok: true })
}

/// Calls that are under way when the conversation ends.
pub fn close(cx: &mut Cx) {
    let mut step = stepping(&cx.state, &cx.deps);
    (0..cx.state.calls.jobs.len()).for_each(|job| step.cancel(job));
    let follows = Follows::of(&cx.state, step, None);
    cx.follow(follows);
}

/// A step of all calls, from how they stand now.
pub fn stepping<'a>(state: &'a State, deps: &'a Deps) -> Stepping<'a> {
    let fill = Box::new(move |params: &Map<String, Value>, tasks: &Tasks| filled(state, params, tasks));
    Stepping::new(state.calls.clone(), &deps.callees, fill, Moment::now(), RunId::fresh)
}

/// The parameters with what `${{ }}` stands for in them (S4.18, S4.19, C9).
fn filled(state: &State, params: &Map<String, Value>, tasks: &Tasks) -> Result<Map<String, Value>, String> {
    let mut context = tasks.known();
    for (name, known) in
        [("variables", &state.variables), ("answers", &state.answers), ("inputs", &state.inputs)]
    {
        context.insert(name.into(), json!(known));
    }
    params.iter().map(|(name, value)| Ok((name.clone(), fill(value, &context)?))).collect()
}

fn fill(value: &Value, context: &Map<String, Value>) -> Result<Value, String> {
    match value {
        Value::String(text) if text.contains("${{") => {
            template::value(text, context).map_err(|fault| format!("`{text}`: {fault}"))
        }
        Value::Array(items) => items.iter().map(|item| fill(item, context)).collect(),
        Value::Object(map) => {
            let filled = map.iter().map(|(name, value)| Ok((name.clone(), fill(value, context)?)));
            filled.collect::<Result<_, String>>().map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

/// What follows from a step of the calls, as a conversation keeps and tells it.
pub struct Follows {
    pub changes: Vec<Change>,
    facts: Vec<Fact>,
    calls: Vec<Call>,
    cancel: Vec<RunId>,
    tasks: Vec<Touched>,
}

/// A task as it stands now; its row needs to know whose it is.
struct Touched(Job);

impl Follows {
    /// `told` is a call whose end the planner hears of by itself.
    pub fn of(state: &State, step: Stepping<'_>, told: Option<usize>) -> Self {
        let Stepping { tasks, changes, mut calls, cancel, .. } = step;
        // The language of the answer is that of the question, all the way down.
        for call in &mut calls {
            call.input.entry("locale").or_insert_with(|| json!(state.locale.pick("uk", "en")));
        }
        let mut follows = Self { changes: Vec::new(), facts: Vec::new(), calls, cancel, tasks: Vec::new() };
        let (mut before, mut touched) = (state.calls.clone(), BTreeSet::new());
        // Who asked to wait for a task is answered with its result.
        let waits = state.planned_action.as_ref().is_some_and(awaits_result);
        let mut ended = Vec::new();
        for change in &changes {
            let place = match change {
                tasks::Change::Added(_) => before.jobs.len(),
                tasks::Change::Started { job, run, .. } => {
                    follows.starts(before.get(*job), run);
                    *job
                }
                tasks::Change::Ended { job, .. } => {
                    ended.push(*job);
                    *job
                }
            };
            before.change(change.clone());
            touched.insert(place);
        }
        if !changes.is_empty() {
            follows.changes.push(Change::Calls(changes));
        }
        for place in ended {
            let Some(job) = tasks.get(place) else { continue };
            follows.facts.push(finished(job));
            let heard = told == Some(place) || (state.awaited == Some(place) && waits);
            if job.is_async() && job.parent.is_none() && !heard {
                follows.changes.push(Change::Ended(result(job)));
            }
        }
        let jobs = touched.into_iter().filter_map(|place| tasks.get(place)).filter(|job| job.is_async());
        follows.tasks = jobs.cloned().map(Touched).collect();
        follows.facts.extend(follows.tasks.iter().map(|Touched(job)| task_fact(job)));
        follows
    }

    fn starts(&mut self, job: Option<&Job>, run: &RunId) {
        let Some(job) = job.filter(|job| job.tries == 0) else { return };
        let params = self.calls.iter().find(|call| call.run == *run).map(|call| call.input.clone());
        self.facts.push(Fact::Event(Event::ActionStarted {
            action_id: job.action_id.clone(),
            action: job.action.clone(),
            params: params.unwrap_or_default(),
            target: None,
        }));
    }

    /// All but the changes; whose tasks they are is the engine's to say.
    pub fn record(self) -> Record {
        let tasks = self.tasks.iter().map(|Touched(job)| row(job)).collect();
        Record { facts: self.facts, calls: self.calls, cancel: self.cancel, tasks, ..Record::default() }
    }
}

impl Cx {
    fn follow(&mut self, follows: Follows) {
        follows.changes.iter().for_each(|change| self.change(change.clone()));
        let Record { facts, calls, cancel, tasks, .. } = follows.record();
        self.record.facts.extend(facts);
        self.record.calls.extend(calls);
        self.record.cancel.extend(cancel);
        self.record.tasks.extend(tasks);
    }
}

fn row(job: &Job) -> TaskRow {
    TaskRow {
        id: job.id().to_owned(),
        action_id: job.action_id.clone(),
        // The engine knows whose it is.
        run: RunId::from(""),
        root: RunId::from(""),
        child: job.run().cloned(),
        agent: job.action.clone(),
        status: job.status().word().to_owned(),
        progress: job.has_succeeded().then_some(1.0),
        display: job.display.as_ref().map(|display| json!(display)),
        result: job.result.clone(),
        error: job.error().map(|fault| fault.message.clone()),
        created_at: Moment::from_millis(job.created_at),
        started_at: job.started_at.map(Moment::from_millis),
        ended_at: job.ended_at.map(Moment::from_millis),
    }
}

fn task_fact(job: &Job) -> Fact {
    Fact::Event(Event::Task {
        task_id: job.id().to_owned(),
        action_id: job.action_id.clone(),
        status: job.status(),
        progress: job.has_succeeded().then_some(1.0),
        display: job.display.clone(),
        result: job.result.clone(),
        agent: job.action.clone(),
        child_run_id: job.run().cloned(),
        started_at: job.started_at.map(|at| Moment::from_millis(at).rfc3339()),
    })
}

fn finished(job: &Job) -> Fact {
    let error = job.error().map(|fault| Failure { code: fault.code.clone(), message: fault.message.clone() });
    let began = job.started_at.unwrap_or(job.created_at);
    let took = job.ended_at.unwrap_or(began).saturating_sub(began).max(0);
    Fact::Event(Event::ActionFinished {
        action_id: job.action_id.clone(),
        action: job.action.clone(),
        ok: job.has_succeeded(),
        result: job.result.clone(),
        error,
        took_ms: took.unsigned_abs(),
        settled: None,
        files: Vec::new(),
        dropped: Vec::new(),
    })
}

/// What the planner is told of a call that has ended: what it returned is not to be trusted.
fn result(job: &Job) -> ActionResult {
    let outcome = match &job.standing {
        Standing::Ended { error: Some(fault), .. } => {
            Outcome::Failed { code: fault.code.clone(), message: fault.message.clone() }
        }
        Standing::Ended { error: None, .. } | Standing::Waiting | Standing::Running { .. } => Outcome::Ok,
    };
    ActionResult {
        action_id: job.id().to_owned(),
        action: job.action.clone(),
        outcome,
        returned: job.result.as_ref().map(Value::to_string),
        said: None,
    }
}

fn status(job: &Job, progress: Option<f64>) -> Value {
    json!({
        "task_id": job.id(),
        "agent": job.action,
        "status": job.status(),
        "progress": progress,
        "result": job.result,
        "error": job.error().map(|fault| &fault.message),
    })
}

async fn progress(cx: &Cx, job: &Job) -> Result<Option<f64>, ProgramError> {
    Ok(cx.deps.store.task(job.id().to_owned()).await?.and_then(|row| row.progress))
}

fn started(cx: &mut Cx, planned: &Planned) {
    cx.fact(Fact::Event(Event::ActionStarted {
        action_id: planned.action_id.clone(),
        action: String::from("task_manager"),
        params: planned.params(),
        target: None,
    }));
}

fn managed(cx: &mut Cx, planned: &Planned, found: Result<Value, String>) {
    let (outcome, value) = match found {
        Ok(value) => (Outcome::Ok, Some(value)),
        Err(message) => (Outcome::Failed { code: String::from("unknown_task"), message }, None),
    };
    let error = match &outcome {
        Outcome::Failed { code, message } => Some(Failure { code: code.clone(), message: message.clone() }),
        Outcome::Ok | Outcome::Dropped { .. } => None,
    };
    cx.fact(Fact::Event(Event::ActionFinished {
        action_id: planned.action_id.clone(),
        action: String::from("task_manager"),
        ok: error.is_none(),
        result: value.clone(),
        error,
        took_ms: 0,
        settled: None,
        files: Vec::new(),
        dropped: Vec::new(),
    }));
    let result = planned.result(outcome, value.map(|value| value.to_string()));
    cx.change(Change::Finished { result, dropped: Vec::new(), counts: true });
}
