//! Records of a run beside its state: model calls and received messages for `inspect` and replay, and how far its
//! trace was exported.

use crate::ids::RunId;
use crate::store::error::StoreFuture;
use crate::store::rows::llm_calls::{CallRow, CallText};
use serde_json::Value;

pub trait RunRecords {
    /// Model calls of a run, in order.
    fn calls(&self, run: RunId) -> StoreFuture<Vec<CallRow>>;

    /// One of them, with its words.
    fn call(&self, run: RunId, n: u64) -> StoreFuture<Option<(CallRow, CallText)>>;

    /// Recorded inputs of the steps of a run, by step number.
    fn step_inputs(&self, run: RunId) -> StoreFuture<Vec<(u64, Value)>>;

    /// The last step of a run whose spans a collector has; 0 where it has none.
    fn last_exported_step(&self, run: RunId) -> StoreFuture<u64>;

    /// A collector has all up to this step.
    fn set_last_exported_step(&self, run: RunId, step: u64) -> StoreFuture<()>;

    /// The state that a run began with; none of one that an older version began and that has gone further.
    fn initial_state(&self, run: RunId) -> StoreFuture<Option<Value>>;
}
