//! Progress events of tasks. Progress is the finished share of the child's plan (of a conversation or of
//! lanes); without a plan, the elapsed share of its estimated duration. Events come in steps of 5 %, so a
//! task sends at most 21.

use crate::clock::Moment;
use crate::engine::program::task_state::TaskState;
use crate::protocol::Status;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::rows::{RunRow, TaskRow};
use serde_json::Value;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

/// Interval between two checks.
const PROGRESS_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Smallest step that is published.
const MIN_STEP: f64 = 0.05;
/// Highest progress of a task that has not ended.
const MAX_PROGRESS: f64 = 0.99;

/// Checks all tasks until it is dropped.
pub async fn publish_progress(store: &dyn Store, since: Option<Moment>) {
    let mut ticks = tokio::time::interval(PROGRESS_CHECK_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(fault) = publish_advances(store, since).await {
            tracing::warn!(%fault, "progress of tasks not published");
        }
    }
}

/// Publishes the progress of all tasks that have advanced. Skips tasks from before `since`.
async fn publish_advances(store: &dyn Store, since: Option<Moment>) -> Result<(), StoreError> {
    for task in store.living_tasks().await?.into_iter().filter(|task| store.owns(&task.root)) {
        let Some(child) = task.child.clone().filter(|_| since.is_none_or(|since| task.created_at >= since))
        else {
            continue;
        };
        let Some(row) = store.run(child).await? else { continue };
        let now = progress(&task, &row, Moment::now());
        if let Some(now) = now.filter(|now| is_step(task.progress.unwrap_or_default(), *now)) {
            let task = TaskRow { progress: Some(now), ..task };
            let event = TaskState::from_row(&task).event().body();
            store.add_progress(task, event).await?;
        }
    }
    Ok(())
}

/// True if the step is worth an event; the last step always is.
fn is_step(reported: f64, now: f64) -> bool {
    now >= reported + MIN_STEP || (now >= MAX_PROGRESS && reported < MAX_PROGRESS)
}

/// Returns the progress from 0 to 1, or `None` if it is unknown.
fn progress(task: &TaskRow, child: &RunRow, now: Moment) -> Option<f64> {
    let found = plan_share(child.plan.as_ref()).or(child.progress).or_else(|| {
        let took = now.millis().saturating_sub(task.started_at?.millis()).max(0);
        let expected = task.display.as_ref()?.get("estimated_duration_seconds")?.as_f64()?;
        let took = Duration::from_millis(took.unsigned_abs()).as_secs_f64();
        (expected > 0.0).then(|| took / expected)
    });
    found.map(|found| found.clamp(0.0, MAX_PROGRESS))
}

/// Returns the finished share of a plan's items.
fn plan_share(plan: Option<&Value>) -> Option<f64> {
    let plan = plan?;
    let items = plan.get("items").unwrap_or(plan).as_array().filter(|items| !items.is_empty())?;
    let done = items.iter().filter(|item| item["status"] == Status::Succeeded.word()).count();
    #[allow(clippy::cast_precision_loss, reason = "plans have few items")]
    Some(done as f64 / items.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // A bar at 95 % still gets its last step.
    #[test]
    fn the_last_progress_step_is_reported_however_small() {
        assert!(is_step(0.0, 0.05) && !is_step(0.5, 0.54) && is_step(0.96, MAX_PROGRESS));
        assert!(!is_step(MAX_PROGRESS, MAX_PROGRESS), "once");
    }

    // Progress follows the plan if there is one, otherwise the time, and stays below 1 before the end (S4.12,
    // S4.16).
    #[test]
    fn progress_follows_the_plan_or_the_time() {
        let half = json!([{"status": "succeeded"}, {"status": "running"}]);
        let complete = json!({"items": [{"status": "succeeded"}]});
        assert_eq!(
            (plan_share(Some(&half)), plan_share(Some(&complete)), plan_share(None)),
            (Some(0.5), Some(1.0), None)
        );
        assert_eq!(plan_share(Some(&json!([]))), None);
    }
}
