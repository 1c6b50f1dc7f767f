//! Reads the actions of a turn as jobs, and refuses what is wrong before anything is started.

use crate::programs::tasks::{Callee, Job, JobStatus, Jobs};
use crate::protocol::event::Display;
use crate::text::invisible_chars;
use crate::turn::Call;
use serde_json::Value;

/// The greatest number of jobs of one conversation that have not ended.
const MAX_UNFINISHED: usize = 100;

/// Longest id, in characters. It becomes a part of file names, addresses and texts on screen.
const MAX_ID_CHARS: usize = 64;

/// The context in which actions are read.
#[derive(Clone, Copy)]
pub struct CallContext<'a> {
    pub callees: &'a [Callee],
    pub tasks: &'a Jobs,
    /// Ids of actions of this turn that are over.
    pub done_ids: &'a [String],
    /// Ids of actions of this turn that go on in the background.
    pub started_ids: &'a [String],
    /// True if the conversation drives a page itself.
    pub has_page: bool,
    /// True if agents may run in the background.
    pub in_background: bool,
}

/// Returns the jobs of one action: the action first, each job before its sub-actions. Indices are those in
/// the list of all jobs. ASYNC jobs have the id of their action as a preliminary task id.
pub fn read_jobs(call: &Call, id: &str, context: CallContext<'_>, now: i64) -> Result<Vec<Job>, String> {
    let mut reading = Reading { context, now, jobs: Vec::new() };
    reading.read_job(call, id.to_owned(), None, false)?;
    let unfinished = context.tasks.jobs.iter().filter(|job| !job.has_ended()).count();
    if unfinished + reading.jobs.len() > MAX_UNFINISHED {
        return Err(format!(
            "`{id}` is too much: {} actions with {unfinished} under way, of {MAX_UNFINISHED} at most; begin fewer, or wait for \
             some of them (task_manager)",
            reading.jobs.len()
        ));
    }
    Ok(reading.jobs)
}

struct Reading<'a> {
    context: CallContext<'a>,
    now: i64,
    jobs: Vec<Job>,
}

impl Reading<'_> {
    fn read_job(
        &mut self,
        call: &Call,
        id: String,
        parent: Option<usize>,
        in_background: bool,
    ) -> Result<(), String> {
        if !is_id(&id) {
            return Err(format!(
                "`{}`: an `action_id` has 1 to {MAX_ID_CHARS} visible characters; give a short one, or none",
                printable(&id)
            ));
        }
        let callee = self.context.callees.iter().find(|callee| callee.name() == call.action);
        if callee.is_none() && call.sub_actions.is_empty() {
            let names: Vec<&str> = self.context.callees.iter().map(Callee::name).collect();
            return Err(format!(
                "`{id}`: there is no agent `{}`; there are: {}",
                printable(&call.action),
                names.join(", ")
            ));
        }
        self.check_placement(call, &id, in_background, callee)?;
        let depends_on = call.depends_on.as_deref().filter(|wanted| !wanted.trim().is_empty());
        let depends_on =
            depends_on.map(|wanted| self.find_prerequisite(wanted, &id, parent)).transpose()?.flatten();
        let job_index = self.context.tasks.jobs.len() + self.jobs.len();
        let group = callee.is_none();
        self.jobs.push(Job { parent, group, depends_on, ..new_job(call, &id, self.now) });
        for (index, sub) in call.sub_actions.iter().enumerate() {
            let own = sub.action_id.clone().filter(|own| !own.trim().is_empty());
            let own = own.unwrap_or_else(|| format!("{id}.{}", index + 1));
            if self.jobs.iter().any(|job| job.action_id == own) {
                return Err(format!("`{own}`: two actions have this id"));
            }
            self.read_job(sub, own, Some(job_index), in_background || is_async(call))?;
        }
        Ok(())
    }

    /// Checks that the call may run where it is to run: in the background, or on the page.
    fn check_placement(
        &self,
        call: &Call,
        id: &str,
        in_background: bool,
        callee: Option<&Callee>,
    ) -> Result<(), String> {
        let runs_async = is_async(call);
        if runs_async && !self.context.in_background {
            return Err(format!(
                "`{id}`: this agent does nothing in the background; call {} with `execution`: SYNC",
                printable(&call.action)
            ));
        }
        if self.context.has_page
            && (runs_async || in_background)
            && callee.is_some_and(|callee| callee.tool.browses)
        {
            return Err(format!(
                "`{id}`: {} works on the page that you work on; call it with `execution`: SYNC, by itself",
                call.action
            ));
        }
        Ok(())
    }

    /// Returns the index of the job that this one depends on: an earlier one that does not wait for it.
    /// Returns `None` if that action is done already.
    fn find_prerequisite(
        &self,
        wanted: &str,
        id: &str,
        parent: Option<usize>,
    ) -> Result<Option<usize>, String> {
        let base = self.context.tasks.jobs.len();
        let in_turn = self.jobs.iter().rposition(|job| job.action_id == wanted).map(|at| base + at);
        let contains = |ids: &[String]| ids.iter().any(|id| id == wanted);
        if in_turn.is_none() && contains(self.context.done_ids) {
            return Ok(None);
        }
        let tasks = self.context.tasks;
        let earlier = || {
            if contains(self.context.started_ids) { tasks.find_newest(wanted) } else { tasks.find(wanted) }
        };
        let Some(found) = in_turn.or_else(earlier) else {
            return Err(format!(
                "`{id}` depends on `{}`, and there is no such action before it; name an action that \
                 comes earlier, or a task",
                printable(wanted)
            ));
        };
        let mut ancestor = parent;
        while let Some(index) = ancestor {
            if index == found {
                return Err(format!("`{id}` depends on `{wanted}`, which waits for it"));
            }
            ancestor = self.jobs.get(index - base).and_then(|job| job.parent);
        }
        Ok(Some(found))
    }
}

fn is_id(id: &str) -> bool {
    id.chars().count() <= MAX_ID_CHARS && invisible_chars::is_safe_name(id)
}

/// Shortens a text of a model for an error message, without control characters.
fn printable(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(MAX_ID_CHARS).map(plain).collect()
}

/// Creates the job of a call, without its sub-actions.
fn new_job(call: &Call, id: &str, now: i64) -> Job {
    Job {
        action_id: id.to_owned(),
        action: call.action.clone(),
        task: is_async(call).then(|| id.to_owned()),
        parent: None,
        group: false,
        params: call.params.clone(),
        input: None,
        depends_on: None,
        display: call.display.as_ref().and_then(read_display),
        status: JobStatus::Waiting,
        tries: 0,
        created_at: now,
        started_at: None,
        ended_at: None,
        result: None,
    }
}

pub fn is_async(call: &Call) -> bool {
    call.execution.as_deref().is_some_and(|word| word.eq_ignore_ascii_case("async"))
}

/// Reads the display of a task. A model may leave out any of its members.
fn read_display(value: &Value) -> Option<Display> {
    let word = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let label = word("label").unwrap_or_default();
    let estimate = value.get("estimated_duration_seconds").and_then(Value::as_f64);
    let kind = word("type").or_else(|| (!label.is_empty()).then(|| String::from("status_message")))?;
    Some(Display { r#type: kind, label, estimated_duration_seconds: estimate.filter(|time| *time > 0.0) })
}
