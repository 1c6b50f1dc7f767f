//! Records of a run beside its state: model calls and inputs of steps for `inspect` and replay, and the last step
//! whose spans a collector has.

use crate::ids::RunId;
use crate::store::error::StoreFuture;
use crate::store::rows::recordings::{CallRow, CallText};
use serde_json::Value;

/// Recordings and spans of runs.
pub trait RunRecords {
    /// Returns the model calls of a run, in order.
    fn calls(&self, run: RunId) -> StoreFuture<Vec<CallRow>>;

    /// Returns one model call with its texts.
    fn call(&self, run: RunId, n: u64) -> StoreFuture<Option<(CallRow, CallText)>>;

    /// Returns the recorded inputs of the steps of a run, by step number.
    fn step_inputs(&self, run: RunId) -> StoreFuture<Vec<(u64, Value)>>;

    /// Returns the last step whose spans a collector has; 0 if none.
    fn last_exported_step(&self, run: RunId) -> StoreFuture<u64>;

    /// Records that a collector has all steps up to `step`.
    fn set_last_exported_step(&self, run: RunId, step: u64) -> StoreFuture<()>;

    /// Returns the initial state of a run; `None` if the run is unknown.
    fn initial_state(&self, run: RunId) -> StoreFuture<Option<Value>>;
}
