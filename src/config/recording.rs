//! How much is kept of what the steps of runs hear.

use serde::Deserialize;

/// What is kept of each run, for looking into it and for taking its steps again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recording {
    #[default]
    All,
    /// What models answered and what that cost, without what they were asked.
    Answers,
    Off,
}
