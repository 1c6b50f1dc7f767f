//! The step of all agent calls of a conversation: applies what happened and derives the changes and calls
//! that follow.

use crate::clock::Moment;
use crate::engine::program::ChildCall;
use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::retries::{Tries, has_room, retry_delay};
use crate::ids::RunId;
use crate::programs::tasks::{Callee, Job, JobChange, JobError, JobStatus, Jobs};
use crate::protocol::Status;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The greatest number of agents at work at once in the background; the others wait.
const MAX_BACKGROUND_AGENTS: usize = 8;

/// Fills in the parameters of an action when it starts.
pub type Fill<'a> = Box<dyn Fn(&Map<String, Value>, &Jobs) -> Result<Map<String, Value>, String> + 'a>;

/// Applies what happened, and collects what follows.
pub struct JobStep<'a> {
    /// The jobs with the changes so far.
    pub tasks: Jobs,
    pub changes: Vec<JobChange>,
    pub calls: Vec<ChildCall>,
    /// Child runs to stop.
    pub cancel: Vec<RunId>,
    callees: &'a [Callee],
    fill: Fill<'a>,
    now: Moment,
    new_run_id: fn() -> RunId,
}

/// The next transition of a waiting job.
enum Transition {
    Wait,
    Begin,
    End(Status, Option<JobError>),
}

impl<'a> JobStep<'a> {
    pub fn new(
        tasks: Jobs,
        callees: &'a [Callee],
        fill: Fill<'a>,
        now: Moment,
        new_run_id: fn() -> RunId,
    ) -> Self {
        Self {
            tasks,
            changes: Vec::new(),
            calls: Vec::new(),
            cancel: Vec::new(),
            callees,
            fill,
            now,
            new_run_id,
        }
    }

    fn change(&mut self, change: JobChange) {
        self.tasks.apply(change.clone());
        self.changes.push(change);
    }

    /// Adds jobs that `read_jobs::read_jobs` has returned.
    pub fn add(&mut self, jobs: Vec<Job>) {
        jobs.into_iter().for_each(|job| self.change(JobChange::Added(Box::new(job))));
    }

    /// Processes the ends of child runs.
    pub fn process_ended(&mut self, ended: &[EndedChild]) {
        for child in ended {
            let found = self.tasks.jobs.iter().position(|job| job.run() == Some(&child.run));
            let Some((at, job)) = found.and_then(|at| Some((at, self.tasks.get(at)?.clone()))) else {
                continue;
            };
            // Another try is made only if no effect can happen twice (S2.23).
            let most = self.find_callee(&job.action).map_or(1, |callee| callee.tries);
            match retry_delay(child, Tries { made: job.tries, most }, None) {
                Some(wait) => self.start(at, job.action.clone(), self.first_input(&job), Some(wait)),
                None => self.end_with_child(at, &job, child),
            }
        }
    }

    /// Cancels a job and everything that it waits for. Jobs that have ended stay as they are.
    pub fn cancel(&mut self, job: usize) {
        for at in self.tasks.subtree(job) {
            let Some(job) = self.tasks.get(at).filter(|job| !job.has_ended()).cloned() else { continue };
            self.cancel.extend(job.run().cloned());
            self.end(at, Status::Cancelled, Some(job_error("cancelled", "it was cancelled")), Map::new());
        }
    }

    /// Starts and ends jobs until nothing more follows.
    pub fn advance(&mut self) {
        loop {
            let before = self.changes.len();
            for at in 0..self.tasks.jobs.len() {
                match self.next_transition(at) {
                    Transition::Wait => {}
                    Transition::Begin => self.begin(at),
                    Transition::End(outcome, error) => self.end_without_try(at, outcome, error),
                }
            }
            if self.changes.len() == before {
                return;
            }
        }
    }

    fn next_transition(&self, at: usize) -> Transition {
        let Some(job) = self.tasks.get(at).filter(|job| job.status == JobStatus::Waiting) else {
            return Transition::Wait;
        };
        // A job may start only when all jobs above it may.
        let mut ancestor = Some((at, job));
        while let Some((index, job)) = ancestor {
            if let Some(next) = self.blocked_by(index, job) {
                return next;
            }
            ancestor = job.parent.and_then(|parent| Some((parent, self.tasks.get(parent)?)));
            if let Some((_, parent)) = ancestor.filter(|(_, parent)| parent.has_ended()) {
                return skip(format!("`{}` has ended without it", parent.action_id));
            }
        }
        self.start_or_end(at, job)
    }

    /// Returns `Wait` or a skip if the job's dependency or an earlier SYNC sibling requires it.
    fn blocked_by(&self, at: usize, job: &Job) -> Option<Transition> {
        match job.depends_on.and_then(|on| self.tasks.get(on)) {
            Some(on) if !on.has_ended() => return Some(Transition::Wait),
            Some(on) if !on.has_succeeded() => {
                return Some(skip(format!("`{}` did not succeed, and this depends on it", on.action_id)));
            }
            Some(_) | None => {}
        }
        let siblings = self.tasks.children(job.parent?);
        for (_, other) in siblings.filter(|(index, other)| *index < at && !other.is_async()) {
            if !other.has_ended() {
                return Some(Transition::Wait);
            }
            if !other.has_succeeded() && job.depends_on.is_none() {
                return Some(skip(format!("`{}` before it failed", other.action_id)));
            }
        }
        None
    }

    /// Starts the job, or ends a group, when all of its sub-actions have succeeded.
    fn start_or_end(&self, at: usize, job: &Job) -> Transition {
        if self.tasks.children(at).any(|(_, job)| !job.has_ended()) {
            return Transition::Wait;
        }
        let mut sub_actions = self.tasks.children(at).map(|(_, job)| job);
        if let Some(failed) = sub_actions.find(|job| !job.has_succeeded()) {
            let why = failed.error().map(|fault| fault.message.clone()).unwrap_or_default();
            let why = format!("`{}`: {why}", failed.action_id);
            return Transition::End(Status::Failed, Some(job_error("sub_action", &why)));
        }
        if job.group {
            return Transition::End(Status::Succeeded, None);
        }
        // Background agents must leave room for others, and for checks of the budget.
        let width = if job.is_async() || job.parent.is_some() { MAX_BACKGROUND_AGENTS } else { usize::MAX };
        let running = self.tasks.jobs.iter().filter(|job| job.run().is_some());
        let has_room = has_room(running.map(|job| self.uses_browser(job)), width, self.uses_browser(job));
        if has_room { Transition::Begin } else { Transition::Wait }
    }

    fn uses_browser(&self, job: &Job) -> bool {
        self.find_callee(&job.action).is_some_and(|callee| callee.tool.browses)
    }

    fn begin(&mut self, at: usize) {
        let Some(job) = self.tasks.get(at).cloned() else { return };
        match self.fill_input(&job) {
            Ok(input) => self.start(at, job.action, input, None),
            // Input that does not fit now will not fit at the next try either (S2.21).
            Err(why) => self.end(at, Status::Failed, Some(job_error("invalid_params", &why)), Map::new()),
        }
    }

    /// Fills in the parameters and checks them against the inputs of the agent.
    fn fill_input(&self, job: &Job) -> Result<Map<String, Value>, String> {
        let Some(callee) = self.find_callee(&job.action) else {
            return Err(format!("there is no agent `{}` any more", job.action));
        };
        let (mut input, templates) = callee.tool.split_verbatim(&job.params);
        input.extend((self.fill)(&templates, &self.tasks)?);
        callee.tool.complete(&input)
    }

    /// Returns the input of the first try.
    fn first_input(&self, job: &Job) -> Map<String, Value> {
        job.input.clone().or_else(|| self.fill_input(job).ok()).unwrap_or_default()
    }

    fn find_callee(&self, name: &str) -> Option<&'a Callee> {
        self.callees.iter().find(|callee| callee.name() == name)
    }

    fn start(&mut self, at: usize, agent: String, input: Map<String, Value>, after: Option<Duration>) {
        let run = (self.new_run_id)();
        let timeout = self.find_callee(&agent).and_then(|callee| callee.timeout);
        // Every try gets the same input, whatever has changed in between.
        let first = after.is_none().then(|| input.clone());
        self.calls.push(ChildCall { run: run.clone(), agent, input, timeout, after });
        self.change(JobChange::Started { job: at, run, at: self.now.millis(), input: first });
    }

    fn end_with_child(&mut self, at: usize, job: &Job, child: &EndedChild) {
        let mut result = child.vars.clone();
        let ended_well = child.outcome == Status::Succeeded;
        let success = result.get("success").and_then(Value::as_bool);
        let succeeded = ended_well && success != Some(false);
        if (ended_well || child.outcome == Status::Partial) && result.is_empty() {
            result.extend(child.response.as_ref().map(|text| (String::from("response"), json!(text))));
        }
        if succeeded {
            return self.end(at, child.outcome, None, result);
        }
        let outcome = if ended_well { Status::Failed } else { child.outcome };
        let own = result.get("error").and_then(Value::as_str).map(str::to_owned);
        let why = own.filter(|_| ended_well).or_else(|| child.response.clone()).unwrap_or_default();
        let why = match &child.cause {
            _ if child.late && !ended_well => job_error("timeout", &self.timeout_text(job).unwrap_or(why)),
            Some(cause) if !ended_well => {
                result
                    .extend(cause.traceback.as_ref().map(|lines| (String::from("traceback"), json!(lines))));
                job_error(&cause.error_type, &cause.error)
            }
            _ => job_error(outcome.word(), &why),
        };
        result.insert("retries".into(), json!(job.tries.saturating_sub(1)));
        self.end(at, outcome, Some(why), result);
    }

    fn timeout_text(&self, job: &Job) -> Option<String> {
        let time = self.find_callee(&job.action)?.timeout?;
        Some(format!("timed out after {} s", time.as_secs_f64()))
    }

    /// Ends a job without a try of its own. Its result holds those of its sub-actions.
    fn end_without_try(&mut self, at: usize, outcome: Status, error: Option<JobError>) {
        let results: Map<String, Value> = self
            .tasks
            .children(at)
            .map(|(_, job)| (job.action_id.clone(), job.result.clone().unwrap_or_default()))
            .collect();
        let result = if results.is_empty() {
            Map::new()
        } else {
            Map::from_iter([("results".into(), json!(results))])
        };
        self.end(at, outcome, error, result);
    }

    /// Ends a job. The result is always a map with `success`, `tool` and `attempt` (S2.22).
    fn end(&mut self, at: usize, outcome: Status, error: Option<JobError>, mut result: Map<String, Value>) {
        let Some(job) = self.tasks.get(at) else { return };
        result.insert("success".into(), json!(error.is_none()));
        result.insert("tool".into(), json!(job.action));
        result.insert("attempt".into(), json!(job.tries.max(1)));
        if let Some(fault) = &error {
            result.insert("error".into(), json!(fault.message));
            result.insert("error_type".into(), json!(fault.code));
        }
        let (result, now) = (Value::Object(result), self.now.millis());
        self.change(JobChange::Ended { job: at, outcome, error, result, at: now });
    }
}

fn skip(why: String) -> Transition {
    Transition::End(Status::Skipped, Some(job_error("skipped", &why)))
}

fn job_error(code: &str, message: &str) -> JobError {
    JobError { code: code.to_owned(), message: message.to_owned() }
}
