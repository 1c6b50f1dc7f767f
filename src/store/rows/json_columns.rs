//! JSON in columns of text.

use crate::ids::RunId;
use crate::store::error::StoreError;
use serde_json::{Map, Value};

/// Parses stored JSON. Text damaged by hand reads as null.
pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

pub(crate) fn object(text: Option<String>) -> Map<String, Value> {
    match text.map(|text| json(&text)) {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

pub(crate) fn corrupt(run: &RunId, reason: &str) -> StoreError {
    StoreError::Corrupt { what: format!("run {run}"), reason: reason.to_owned() }
}
