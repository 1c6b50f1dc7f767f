//! The files that every run leaves: `runs/<run_id>/state.json` and `trace.json` (S0.50), written
//! whenever the run comes to rest. They are for people and tools; nothing is ever read back.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::rows::StepRow;
use crate::store::{Store, StoreError};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Version of the shape of both files.
const VERSION: u32 = 1;

#[derive(Clone)]
pub struct Archive {
    folder: PathBuf,
}

impl Archive {
    /// `folder` holds one folder a run.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Writes both files. A disk that does not take them is logged: the store has it all.
    pub fn write(&self, store: Arc<dyn Store>, run: RunId, state: Value) -> BoxFuture<'static, ()> {
        let folder = self.folder.join(run.as_str());
        Box::pin(async move {
            let trace = match trace(store.as_ref(), &run).await {
                Ok(trace) => trace,
                Err(fault) => return tracing::warn!(run_id = %run, %fault, "trace not written"),
            };
            let state = state_file(&run, state);
            let written = tokio::task::spawn_blocking(move || {
                std::fs::create_dir_all(&folder)?;
                replace(&folder.join("state.json"), &state)?;
                replace(&folder.join("trace.json"), &trace)
            });
            match written.await {
                Ok(Ok(())) => {}
                Ok(Err(fault)) => tracing::warn!(run_id = %run, %fault, "state and trace not written"),
                Err(fault) => tracing::warn!(run_id = %run, %fault, "state and trace not written"),
            }
        })
    }
}

/// The whole state with its version (C10, S2.30).
pub fn state_file(run: &RunId, state: Value) -> Value {
    json!({"_version": VERSION, "_updated_at": Moment::now().rfc3339(), "run_id": run, "state": state})
}

/// Every step, from the store.
pub async fn trace(store: &dyn Store, run: &RunId) -> Result<Value, StoreError> {
    let steps: Vec<Value> = store.steps(run.clone()).await?.into_iter().map(line).collect();
    Ok(json!({"_version": VERSION, "run_id": run, "steps": steps}))
}

fn line(step: StepRow) -> Value {
    json!({
        "n": step.n,
        "node": step.node,
        "outcome": step.outcome,
        "at": step.at.rfc3339(),
        "took_ms": step.took_ms,
        "changes": step.changes,
    })
}

/// Renamed into place, so that a reader never sees half a file.
fn replace(path: &Path, value: &Value) -> std::io::Result<()> {
    let part = path.with_extension("part");
    std::fs::write(&part, format!("{value:#}"))?;
    std::fs::rename(part, path)
}
