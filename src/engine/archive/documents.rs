//! Documents of a run's state and trace (S0.50, S2.30), the same in files and over HTTP: the state or the
//! steps, a save counter, and the time of the last save.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::page::masked_address::mask_json_addresses;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::rows::StepRow;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Version of the document format (C10).
const FORMAT_VERSION: u32 = 1;
/// Prefix of the save counter near the beginning of a file, where [`saved_version`] looks for it.
const VERSION_PREFIX: &str = "\"_version\": ";

/// Kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    State,
    Trace,
}

impl DocumentKind {
    /// Returns the name of the file in the run's folder.
    pub fn file(self) -> &'static str {
        match self {
            Self::State => "state.json",
            Self::Trace => "trace.json",
        }
    }

    fn body(self) -> &'static str {
        match self {
            Self::State => "state_data",
            Self::Trace => "steps",
        }
    }
}

/// Save counter and time of a document.
#[derive(Clone, Debug, Deserialize)]
pub struct SaveStamp {
    #[serde(rename = "_version")]
    version: u64,
    #[serde(rename = "_updated_at")]
    at: String,
}

impl SaveStamp {
    /// Returns the counter and time of a save that happens now into this folder.
    pub fn next(folder: &Path) -> Self {
        Self {
            version: saved_version(&folder.join(DocumentKind::State.file())) + 1,
            at: Moment::now().rfc3339(),
        }
    }

    /// Returns the number of times that the document was saved, this time included.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Builds the document, with the secrets in addresses masked.
    pub fn document(&self, run: &RunId, kind: DocumentKind, mut body: Value) -> Value {
        mask_json_addresses(&mut body);
        json!({
            "_version": self.version,
            "_updated_at": self.at,
            "_schema": FORMAT_VERSION,
            "run_id": run,
            "session_id": run,
            "timestamp": self.at,
            kind.body(): body,
        })
    }
}

/// Returns the document as its file has it, if the file is up to date; otherwise as the next save would write
/// it.
pub fn current_document(folder: &Path, run: &RunId, kind: DocumentKind, body: &Value) -> Value {
    let stored = std::fs::read_to_string(folder.join(kind.file())).ok().and_then(|text| {
        let file = serde_json::from_str::<SaveStamp>(&text).ok()?.document(run, kind, body.clone());
        (serialize(&file) == text).then_some(file)
    });
    stored.unwrap_or_else(|| SaveStamp::next(folder).document(run, kind, body.clone()))
}

/// Serializes a document as its file holds it.
pub fn serialize(document: &Value) -> String {
    format!("{document:#}")
}

/// Returns every step of a run from the store.
pub async fn steps(store: &dyn Store, run: &RunId) -> Result<Value, StoreError> {
    Ok(store.steps(run.clone()).await?.into_iter().map(step).collect())
}

fn step(step: StepRow) -> Value {
    json!({
        "n": step.n,
        "node": step.node,
        "outcome": step.outcome,
        "at": step.at.rfc3339(),
        "took_ms": step.took_ms,
        "changes": step.changes,
    })
}

/// Returns the save counter of an existing file, or 0.
fn saved_version(path: &Path) -> u64 {
    let mut head = String::new();
    let file = File::open(path).map(|file| file.take(200));
    let read = file.and_then(|mut file| file.read_to_string(&mut head));
    let count =
        head.split_once(VERSION_PREFIX).map(|(_, rest)| rest.split([',', '\n']).next().unwrap_or_default());
    // The limit may cut a character in two. The text before it is still read.
    let _ = read;
    count.and_then(|digits| digits.trim().parse().ok()).unwrap_or(0)
}
