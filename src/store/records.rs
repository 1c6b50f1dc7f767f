//! Recordings of runs, for inspection, export and replay. The defaults suit a store that keeps no recordings.

use super::Reply;
use super::rows::{CallRow, CallText};
use crate::ids::RunId;
use serde_json::Value;

pub trait Records {
    /// Returns the model calls of a run, in order.
    fn calls(&self, _run: RunId) -> Reply<Vec<CallRow>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Returns one call with its texts.
    fn call(&self, _run: RunId, _n: u64) -> Reply<Option<(CallRow, CallText)>> {
        Box::pin(async { Ok(None) })
    }

    /// Returns the other inputs of a run's steps, each with its step number.
    fn heard(&self, _run: RunId) -> Reply<Vec<(u64, Value)>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Returns the last step of a run whose spans have been exported to a collector, or 0.
    fn exported(&self, _run: RunId) -> Reply<u64> {
        Box::pin(async { Ok(0) })
    }

    /// Stores that the collector has all spans up to this step.
    fn set_exported(&self, _run: RunId, _step: u64) -> Reply<()> {
        Box::pin(async { Ok(()) })
    }

    /// Returns the initial state of a run. `None` for a run begun by an older version that has a later
    /// snapshot.
    fn beginning(&self, _run: RunId) -> Reply<Option<Value>> {
        Box::pin(async { Ok(None) })
    }
}
