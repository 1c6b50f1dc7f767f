//! Waits for a run, for requests that answer with its result.

use crate::engine::archive::AwaitArchive;
use crate::http::problem::Problem;
use crate::http::rest::runs::follow_run::{Following, Over};
use crate::http::service::Service;
use crate::ids::RunId;
use crate::store::rows::RunRow;
use std::time::Duration;

/// Default time to wait.
const PATIENCE: Duration = Duration::from_secs(600);

/// Maximum wait for the archive to write the files of a run that has ended.
const FILES: Duration = Duration::from_secs(2);

/// Waits until the run makes no more progress by itself. Returns `None` if the time is up.
pub async fn settled(
    service: &Service,
    run: &RunId,
    timeout_ms: Option<u64>,
) -> Result<Option<Over>, Problem> {
    let mut following = Following::begin(service, run, 0).await?;
    let look = async {
        loop {
            let stood = following.stood().await?;
            if let Some(over) = stood.over() {
                if let Some(ended_at) = stood.row.ended_at {
                    // A client that hears of the end must find the files.
                    let written = AwaitArchive { run: run.clone(), ended_at };
                    let _ = tokio::time::timeout(FILES, service.engine.archive.send(written)).await;
                }
                return Ok(Some(over));
            }
            following.rung().await?;
        }
    };
    let time = timeout_ms.map_or(PATIENCE, Duration::from_millis);
    tokio::time::timeout(time, look).await.unwrap_or(Ok(None))
}

/// Waits until the run satisfies `wanted`, at most for `time`. Returns the run, and true if it does.
pub async fn stands(
    service: &Service,
    run: &RunId,
    wanted: impl Fn(&RunRow) -> bool,
    time: Duration,
) -> Result<(RunRow, bool), Problem> {
    let mut following = Following::begin(service, run, 0).await?;
    let mut row = service.run(run).await?;
    let look = async {
        while !wanted(&row) {
            following.rung().await?;
            row = service.run(run).await?;
        }
        Ok::<_, Problem>(())
    };
    match tokio::time::timeout(time, look).await {
        Ok(result) => result.map(|()| (row, true)),
        Err(_) => Ok((service.run(run).await?, false)),
    }
}
