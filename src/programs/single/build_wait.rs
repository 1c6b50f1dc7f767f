//! Waits for the build that an agent needs before its first executing step. Each run reports the build as a
//! task of its own, even if several runs wait for the same build.

use crate::clock::{Moment, Stopwatch};
use crate::engine::program::ProgramError;
use crate::engine::program::journal::Journal;
use crate::engine::program::task_state::TaskState;
use crate::programs::single::action_description;
use crate::programs::single::visit_context::SingleVisit;
use crate::protocol::event::Display;
use crate::protocol::{Locale, Status};
use crate::sandbox::build::build_progress::BuildProgress;
use crate::sandbox::build::{BuildResult, BuildState, PendingBuild};
use crate::texts::endings;
use serde_json::{Value, json};
use std::sync::Arc;

/// Minimum interval of progress events in milliseconds, and their maximum number.
const MIN_INTERVAL_MS: u64 = 500;
const MAX_REPORTS: u32 = 20;
/// Number of characters of a hash that people see.
const SHOWN_HASH_CHARS: usize = 12;

/// Returns the build that the agent needs, if any, or a message why it failed.
pub async fn wait_for_build(
    cx: &SingleVisit,
) -> Result<Result<Option<Arc<BuildResult>>, String>, ProgramError> {
    let locale = cx.state.locale;
    Ok(match cx.deps.builds.start(&cx.deps.spec).await {
        Ok(None) => Ok(None),
        Ok(Some(BuildState::Ready(built))) => Ok(Some(built)),
        Ok(Some(BuildState::Building(building))) => await_build(cx, building).await?.map(Some),
        Err(fault) => Err(endings::build_failed(&fault.to_string(), locale)),
    })
}

async fn await_build(
    cx: &SingleVisit,
    building: PendingBuild,
) -> Result<Result<Arc<BuildResult>, String>, ProgramError> {
    let PendingBuild { key, mut outcome, mut progress } = building;
    let mut task = Task::begin(cx, &key).await?;
    let mut goes_on = true;
    let done = loop {
        tokio::select! {
            done = &mut outcome => break done,
            changed = progress.changed(), if goes_on => match changed {
                Ok(()) => {
                    let now = progress.borrow_and_update().clone();
                    task.report_progress(&now).await?;
                }
                Err(_) => goes_on = false,
            },
        }
    };
    let done = done.map_err(|fault| endings::build_failed(&fault.to_string(), cx.state.locale));
    task.report_end(&done).await?;
    Ok(done)
}

/// The task that viewers see. Dropping it before its end reports that the run no longer waits.
struct Task {
    journal: Journal,
    locale: Locale,
    agent: String,
    id: String,
    started_at: Moment,
    share: f64,
    reports: u32,
    last_report: Stopwatch,
    open: bool,
}

impl Task {
    async fn begin(cx: &SingleVisit, key: &str) -> Result<Self, ProgramError> {
        let agent = cx.deps.spec.name.clone();
        let mut task = Self {
            journal: cx.input.journal.clone(),
            locale: cx.state.locale,
            id: format!("build-{agent}-{}", key.get(..SHOWN_HASH_CHARS).unwrap_or(key)),
            agent,
            started_at: Moment::now(),
            share: 0.0,
            reports: 0,
            last_report: Stopwatch::start(),
            open: false,
        };
        let label = endings::building(&task.agent, task.locale);
        // Other runs that wait for the same build have tasks of their own, so the id may be taken.
        let wanted = task.id.clone();
        while !task.journal.start_task(task.task_state(Status::Running, label.clone(), None)).await? {
            task.id = task.journal.reserve_task_id(&wanted).await?;
        }
        task.open = true;
        task.store_status(Status::Running, label, None).await?;
        Ok(task)
    }

    async fn report_progress(&mut self, progress: &BuildProgress) -> Result<(), ProgramError> {
        self.share = progress.share().max(self.share);
        if self.reports >= MAX_REPORTS || self.last_report.millis() < MIN_INTERVAL_MS {
            return Ok(());
        }
        (self.reports, self.last_report) = (self.reports + 1, Stopwatch::start());
        let label = endings::building(&self.agent, self.locale);
        let label = if progress.at.is_empty() { label } else { format!("{label}: {}", progress.at) };
        self.store_status(Status::Running, label, None).await
    }

    async fn report_end(&mut self, done: &Result<Arc<BuildResult>, String>) -> Result<(), ProgramError> {
        self.open = false;
        let (status, result) = match done {
            Ok(_) => (Status::Succeeded, json!({"success": true})),
            Err(message) => (Status::Failed, json!({"success": false, "error": message})),
        };
        self.share = if done.is_ok() { 1.0 } else { self.share };
        let label = match done {
            Ok(_) => endings::built(&self.agent, self.locale),
            Err(_) => endings::not_built(&self.agent, self.locale),
        };
        self.store_status(status, label, Some(result)).await
    }

    async fn store_status(
        &self,
        status: Status,
        label: String,
        result: Option<Value>,
    ) -> Result<(), ProgramError> {
        Ok(self.journal.store_task(self.task_state(status, label, result)).await?)
    }

    fn task_state(&self, status: Status, label: String, result: Option<Value>) -> TaskState {
        let display =
            Display { r#type: String::from("progress_bar"), label, estimated_duration_seconds: None };
        TaskState {
            id: self.id.clone(),
            action_id: action_description::ID.to_owned(),
            child: None,
            agent: self.agent.clone(),
            status,
            progress: Some(self.share),
            display: Some(display),
            error: result.as_ref().and_then(|result| result["error"].as_str()).map(str::to_owned),
            result,
            created_at: self.started_at,
            started_at: Some(self.started_at),
            ended_at: status.is_outcome().then(Moment::now),
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if self.open {
            let label = endings::not_built(&self.agent, self.locale);
            drop(self.journal.store_task(self.task_state(Status::Cancelled, label, None)));
        }
    }
}
