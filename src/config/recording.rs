//! Setting `telemetry.record_model`: which model calls are recorded.

use serde::Deserialize;

/// Parts of the model calls that are stored with each run, for inspection and replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recording {
    #[default]
    All,
    /// Answers and costs, without the requests.
    Answers,
    Off,
}
