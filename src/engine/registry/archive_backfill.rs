//! Archive backfill at startup: writes the files of runs that ended shortly before the service died (S0.50).

use crate::engine::archive::{FindMissingArchives, WriteArchive};
use crate::engine::services::RunServices;
use crate::ids::RunId;
use crate::store::error::StoreError;

/// Number of ended runs checked at a time, newest first. Files are written roughly in the order in which runs
/// end, so the backfill stops at the first batch without a gap.
const BATCH: usize = 100;

/// Writes the missing files. Errors are logged only: the store holds all data.
pub async fn backfill_archive(services: &RunServices) {
    if let Err(fault) = try_backfill_archive(services).await {
        tracing::warn!(%fault, "archive backfill failed");
    }
}

async fn try_backfill_archive(services: &RunServices) -> Result<(), StoreError> {
    let mut offset = 0;
    loop {
        let ends = services.store.latest_ended_runs(offset, BATCH).await?;
        offset += ends.len();
        // A stopped archive reports no gaps.
        let missing = services.archive.send(FindMissingArchives(ends)).await.unwrap_or_default();
        if missing.is_empty() {
            return Ok(());
        }
        write_archives(services, missing).await?;
    }
}

/// Writes the files of these runs.
pub(crate) async fn write_archives(services: &RunServices, runs: Vec<RunId>) -> Result<(), StoreError> {
    for run in runs {
        let Some(stored) = services.store.restore(run.clone()).await? else { continue };
        match services.stored_state(stored).await {
            // Write one run at a time, so that a run that ends meanwhile waits for at most one other.
            Ok(state) => drop(services.archive.send(WriteArchive { run, state, last: true }).await),
            Err(fault) => tracing::warn!(run_id = %run, %fault, "state and trace not written"),
        }
    }
    Ok(())
}
