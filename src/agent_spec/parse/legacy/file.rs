//! A file in an older format during its conversion.

use crate::agent_spec::parse::fault::SpecFault;
use serde_json::{Map, Value};

/// A file during conversion.
pub(crate) struct LegacyFile {
    pub(crate) members: Map<String, Value>,
    pub(crate) faults: Vec<SpecFault>,
    /// True if anything was written in an older format.
    pub(crate) old: bool,
}

/// Returns the current kind for an older word; `None` for current and unknown words.
pub(crate) fn convert_kind(word: &str) -> Option<&'static str> {
    match word.to_lowercase().as_str() {
        "workflow" | "flow" | "pipeline" | "composite_agent" => Some("composite"),
        "tool" | "node" | "step" | "atomic_agent" => Some("atomic"),
        lower @ ("atomic" | "composite") if lower != word => {
            Some(if lower == "atomic" { "atomic" } else { "composite" })
        }
        _ => None,
    }
}
