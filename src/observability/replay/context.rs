//! Inputs of a replay.

use crate::engine::program::factory::ProgramFactory;
use crate::store::Store;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Dependencies of the replayed steps.
pub struct ReplayContext<'a> {
    pub programs: &'a dyn ProgramFactory,
    /// Receives the writes of the steps. It is never read.
    pub store: Arc<dyn Store>,
}

/// Converts the inputs of a child call to JSON.
pub(crate) fn input(input: &Map<String, Value>) -> Value {
    Value::Object(input.clone())
}
