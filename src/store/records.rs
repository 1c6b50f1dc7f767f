//! What is kept of a run so that its steps can be looked into, exported and taken again. A store that keeps nothing of
//! that is one all the same.

use super::Reply;
use super::rows::{CallRow, CallText};
use crate::ids::RunId;
use serde_json::Value;

pub trait Records {
    /// What models were asked by a run, in order.
    fn calls(&self, _run: RunId) -> Reply<Vec<CallRow>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// One of them, with its words.
    fn call(&self, _run: RunId, _n: u64) -> Reply<Option<(CallRow, CallText)>> {
        Box::pin(async { Ok(None) })
    }

    /// What else the steps of a run were told, by their numbers.
    fn heard(&self, _run: RunId) -> Reply<Vec<(u64, Value)>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// The last step of a run whose spans a collector has; 0 where it has none.
    fn exported(&self, _run: RunId) -> Reply<u64> {
        Box::pin(async { Ok(0) })
    }

    /// A collector has all up to this step.
    fn set_exported(&self, _run: RunId, _step: u64) -> Reply<()> {
        Box::pin(async { Ok(()) })
    }

    /// The state that a run began with; none of one that an older version began and that has gone further.
    fn beginning(&self, _run: RunId) -> Reply<Option<Value>> {
        Box::pin(async { Ok(None) })
    }
}
