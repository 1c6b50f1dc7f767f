//! Waits for a run, for requests that answer with its result.

use crate::engine::archive::AwaitArchive;
use crate::http::problem::Problem;
use crate::http::rest::runs::follow_run::{HaltReason, RunFollower};
use crate::http::service::Service;
use crate::ids::RunId;
use crate::store::rows::RunRow;
use std::time::Duration;

/// Default time to wait.
const DEFAULT_WAIT: Duration = Duration::from_secs(600);

/// Maximum wait for the archive to write the files of a run that has ended.
const ARCHIVE_WAIT: Duration = Duration::from_secs(2);

/// Waits until the run makes no more progress by itself. Returns `None` if the time is up.
pub async fn wait_until_halted(
    service: &Service,
    run: &RunId,
    timeout_ms: Option<u64>,
) -> Result<Option<HaltReason>, Problem> {
    let mut follower = RunFollower::begin(service, run, 0).await?;
    let wait = async {
        loop {
            let snapshot = follower.snapshot().await?;
            if let Some(halt_reason) = snapshot.halt_reason() {
                if let Some(ended_at) = snapshot.row.ended_at {
                    // A client that hears of the end must find the files.
                    let written = AwaitArchive { run: run.clone(), ended_at };
                    let _ = tokio::time::timeout(ARCHIVE_WAIT, service.services.archive.send(written)).await;
                }
                return Ok(Some(halt_reason));
            }
            follower.wait_for_event().await?;
        }
    };
    let time = timeout_ms.map_or(DEFAULT_WAIT, Duration::from_millis);
    tokio::time::timeout(time, wait).await.unwrap_or(Ok(None))
}

/// Waits until the run satisfies `is_reached`, at most for `time`. Returns the run, and true if it does.
pub async fn wait_until(
    service: &Service,
    run: &RunId,
    is_reached: impl Fn(&RunRow) -> bool,
    time: Duration,
) -> Result<(RunRow, bool), Problem> {
    let mut follower = RunFollower::begin(service, run, 0).await?;
    let mut row = service.run(run).await?;
    let wait = async {
        while !is_reached(&row) {
            follower.wait_for_event().await?;
            row = service.run(run).await?;
        }
        Ok::<_, Problem>(())
    };
    match tokio::time::timeout(time, wait).await {
        Ok(result) => result.map(|()| (row, true)),
        Err(_) => Ok((service.run(run).await?, false)),
    }
}
