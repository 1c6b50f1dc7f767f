//! Agent calls of a conversation (S4.6 to S4.13, S4.16 to S4.27): their state, and the functions that change
//! it. Pure: from ended children `step` derives changes and new calls.
//!
//! An action is one job; its sub-actions are jobs of their own that it waits for. A job has at most one
//! running try, and a job that depends on another starts when that one has succeeded.

pub mod read_jobs;
pub mod step;

#[cfg(test)]
mod tests;

use crate::ids::RunId;
use crate::protocol::Status;
use crate::protocol::event::Display;
use crate::turn::agent_tools::Tool;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// An agent that may be called, with the settings of its calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Callee {
    pub tool: Tool,
    /// The greatest number of tries; 1 if another try could repeat an effect that must happen only once
    /// (C11).
    pub tries: u32,
    /// The time limit of one try.
    pub timeout: Option<Duration>,
}

/// The job of one action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    pub action_id: String,
    /// The name of the agent; without meaning for a group.
    pub action: String,
    /// The id of an ASYNC action, unique among all runs.
    pub task: Option<String>,
    /// Index of the job that waits for this one. It comes earlier in the list.
    pub parent: Option<usize>,
    /// True if the job only waits for its sub-actions.
    pub group: bool,
    /// The parameters as written.
    pub params: Map<String, Value>,
    /// The input of the first try.
    #[serde(default)]
    pub input: Option<Map<String, Value>>,
    /// Index of an earlier job that must have succeeded.
    pub depends_on: Option<usize>,
    pub display: Option<Display>,
    #[serde(rename = "standing")]
    pub status: JobStatus,
    pub tries: u32,
    pub created_at: i64,
    pub started_at: Option<i64>,
    pub ended_at: Option<i64>,
    /// A map with at least `success`, `tool` and `attempt` (S2.22); `None` before the job has ended.
    pub result: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    Waiting,
    Running { run: RunId },
    Ended { outcome: Status, error: Option<JobError> },
}

/// The reason why a job did not succeed: a code for programs and a message for the planner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobError {
    pub code: String,
    pub message: String,
}

/// All agent calls of a conversation, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Jobs {
    pub jobs: Vec<Job>,
}

/// A change of the jobs, as a step stores it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobChange {
    Added(Box<Job>),
    /// A try has started.
    Started {
        job: usize,
        run: RunId,
        at: i64,
        #[serde(default)]
        input: Option<Map<String, Value>>,
    },
    Ended {
        job: usize,
        outcome: Status,
        error: Option<JobError>,
        result: Value,
        at: i64,
    },
}

impl Callee {
    pub fn name(&self) -> &str {
        &self.tool.name
    }
}

impl Job {
    pub fn is_async(&self) -> bool {
        self.task.is_some()
    }

    pub fn has_ended(&self) -> bool {
        matches!(self.status, JobStatus::Ended { .. })
    }

    /// Reports whether the job has succeeded. A partial result is no success (C22); it is kept in `result`.
    pub fn has_succeeded(&self) -> bool {
        matches!(self.status, JobStatus::Ended { outcome: Status::Succeeded, .. })
    }

    pub fn run(&self) -> Option<&RunId> {
        match &self.status {
            JobStatus::Running { run } => Some(run),
            JobStatus::Waiting | JobStatus::Ended { .. } => None,
        }
    }

    pub fn error(&self) -> Option<&JobError> {
        match &self.status {
            JobStatus::Ended { error, .. } => error.as_ref(),
            JobStatus::Waiting | JobStatus::Running { .. } => None,
        }
    }

    pub fn status(&self) -> Status {
        match &self.status {
            // Its sub-actions are at work, or wait for its dependency.
            JobStatus::Waiting if self.group => Status::Running,
            JobStatus::Waiting => Status::Queued,
            JobStatus::Running { .. } => Status::Running,
            JobStatus::Ended { outcome, .. } => *outcome,
        }
    }

    /// Returns the id by which people and planners ask for the job.
    pub fn id(&self) -> &str {
        self.task.as_deref().unwrap_or(&self.action_id)
    }
}

impl Jobs {
    pub fn apply(&mut self, change: JobChange) {
        match change {
            JobChange::Added(job) => self.jobs.push(*job),
            JobChange::Started { job, run, at, input } => {
                if let Some(job) = self.jobs.get_mut(job) {
                    job.tries += 1;
                    job.input = job.input.take().or(input);
                    job.started_at.get_or_insert(at);
                    job.status = JobStatus::Running { run };
                }
            }
            JobChange::Ended { job, outcome, error, result, at } => {
                if let Some(job) = self.jobs.get_mut(job) {
                    job.ended_at = Some(at);
                    job.result = Some(result);
                    job.status = JobStatus::Ended { outcome, error };
                }
            }
        }
    }

    pub fn get(&self, job: usize) -> Option<&Job> {
        self.jobs.get(job)
    }

    /// Finds the task with this id, or the newest task whose action had it.
    pub fn find(&self, id: &str) -> Option<usize> {
        let by_task = self.jobs.iter().rposition(|job| job.task.as_deref() == Some(id));
        by_task.or_else(|| self.jobs.iter().rposition(|job| job.is_async() && job.action_id == id))
    }

    /// Finds the newest job of an action id. Action ids are unique within a turn only, and the next turn uses
    /// them again.
    pub fn find_newest(&self, action_id: &str) -> Option<usize> {
        self.jobs.iter().rposition(|job| job.action_id == action_id)
    }

    /// Returns the child runs at work.
    pub fn running_children(&self) -> impl Iterator<Item = &RunId> {
        self.jobs.iter().filter_map(Job::run)
    }

    /// Reports whether an ASYNC action is under way.
    pub fn has_unfinished_tasks(&self) -> bool {
        self.jobs.iter().any(|job| job.is_async() && !job.has_ended())
    }

    /// Returns the ASYNC jobs, which people and planners can ask for by id.
    pub fn tasks(&self) -> impl Iterator<Item = &Job> {
        self.jobs.iter().filter(|job| job.is_async())
    }

    pub fn children(&self, index: usize) -> impl Iterator<Item = (usize, &Job)> {
        self.jobs.iter().enumerate().filter(move |(_, job)| job.parent == Some(index))
    }

    /// Returns the job and its sub-actions at every level.
    pub fn subtree(&self, index: usize) -> Vec<usize> {
        let mut all = vec![index];
        for (at, job) in self.jobs.iter().enumerate() {
            if job.parent.is_some_and(|parent| all.contains(&parent)) {
                all.push(at);
            }
        }
        all
    }

    /// Returns the variables that templates of later actions may use: `task_id`, `result`, `tasks` and
    /// `results` (S4.18, S4.19).
    pub fn template_variables(&self) -> Map<String, Value> {
        let mut context = Map::new();
        let (mut tasks, mut results) = (Map::new(), Map::new());
        for job in &self.jobs {
            if let Some(result) = &job.result {
                results.insert(job.action_id.clone(), result.clone());
            }
            if let Some(id) = &job.task {
                tasks.insert(id.clone(), json!({"status": job.status(), "result": job.result}));
            }
        }
        let last = self.jobs.iter().filter(|job| job.has_ended()).max_by_key(|job| job.ended_at);
        context.insert("task_id".into(), json!(self.tasks().last().and_then(|job| job.task.clone())));
        context.insert("result".into(), json!(last.and_then(|job| job.result.clone())));
        context.insert("tasks".into(), Value::Object(tasks));
        context.insert("results".into(), Value::Object(results));
        context
    }
}
