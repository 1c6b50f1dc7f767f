//! The files that every run leaves: `runs/<run_id>/state.json` and `trace.json` (S0.50), written
//! whenever the run comes to rest. They are for people and tools; nothing is ever read back.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::rows::StepRow;
use crate::store::{Store, StoreError};
use actix::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Version of the shape of both files.
const VERSION: u32 = 1;

/// A run has come to rest in this state: write its files.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Write {
    pub run: RunId,
    pub state: Value,
}

/// Answered when every write asked for before is done.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Flush;

/// The archive actor: writes one run after the other, so that a run never waits for its files and an
/// older state never replaces a newer one.
pub struct Archive {
    folder: PathBuf,
    store: Arc<dyn Store>,
}

impl Archive {
    /// `folder` holds one folder a run.
    pub fn new(folder: PathBuf, store: Arc<dyn Store>) -> Self {
        Self { folder, store }
    }
}

impl Actor for Archive {
    type Context = Context<Self>;
}

impl Handler<Write> for Archive {
    type Result = AtomicResponse<Self, ()>;

    fn handle(&mut self, Write { run, state }: Write, _: &mut Self::Context) -> Self::Result {
        let (folder, store) = (self.folder.join(run.as_str()), Arc::clone(&self.store));
        AtomicResponse::new(Box::pin(write(folder, store, run, state).into_actor(self)))
    }
}

impl Handler<Flush> for Archive {
    type Result = ();

    fn handle(&mut self, _: Flush, _: &mut Self::Context) {}
}

/// A disk that does not take the files is logged: the store has it all.
async fn write(folder: PathBuf, store: Arc<dyn Store>, run: RunId, state: Value) {
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
