//! The files of runs that ended when the service died before it had written them (S0.50): written when
//! it starts again.

use super::Engine;
use super::archive::{Lacking, Write};
use crate::store::StoreError;

/// Files are written in the order of the ends, or nearly so: the first of so many that lack none is the
/// last to be looked at.
const AT_ONCE: usize = 100;

/// What cannot be written is logged: the store has it all.
pub async fn make_up(engine: &Engine) {
    if let Err(fault) = made_up(engine).await {
        tracing::warn!(%fault, "files of runs that had ended not looked at");
    }
}

async fn made_up(engine: &Engine) -> Result<(), StoreError> {
    let mut seen = 0;
    loop {
        let ends = engine.store.last_ended(seen, AT_ONCE).await?;
        seen += ends.len();
        // An archive that is gone has nothing to be made up.
        let lacking = engine.archive.send(Lacking(ends)).await.unwrap_or_default();
        if lacking.is_empty() {
            return Ok(());
        }
        for run in lacking {
            let Some(stored) = engine.store.restore(run.clone()).await? else { continue };
            match engine.state(stored).await {
                // One at a time: whoever ends meanwhile waits for no more than one.
                Ok(state) => drop(engine.archive.send(Write { run, state, last: true }).await),
                Err(fault) => tracing::warn!(run_id = %run, %fault, "state and trace not written"),
            }
        }
    }
}
