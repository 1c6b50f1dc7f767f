//! The result of `ProgramFactory::begin`, from which `engine::new_run` builds the row of a run.

use crate::config::Limits;
use serde_json::Value;
use std::time::Duration;

/// The initial state and the settings of a new run.
pub struct RunStart {
    /// The name of the program, for `ProgramFactory::load`.
    pub program: &'static str,
    /// First node.
    pub node: &'static str,
    /// Whole state of the program.
    pub state: Value,
    /// The title shown in lists.
    pub title: String,
    /// Content hash of the version of the agent's file that the run keeps.
    pub version: Option<String>,
    /// True if a restart of the service ends the run (C3).
    pub ephemeral: bool,
    /// True if the run may call other agents. It then counts as one level of `limits.depth` (S0.26).
    pub calls_others: bool,
    /// True if the run is an orchestration. It then counts as one level of `limits.orchestration_depth`
    /// (S3.26).
    pub orchestrates: bool,
    /// The agent's own limits; `None` if the program uses nothing that is limited.
    pub limits: Option<Limits>,
    /// The run ends as exhausted after this time. `None` if the program keeps the time itself.
    pub timeout: Option<Duration>,
}

impl RunStart {
    /// Creates the start of a run that keeps no version, has no limits of its own and calls no other agent.
    pub fn without_limits(program: &'static str, node: &'static str, state: Value, title: String) -> Self {
        Self {
            program,
            node,
            state,
            title,
            version: None,
            ephemeral: false,
            calls_others: false,
            orchestrates: false,
            limits: None,
            timeout: None,
        }
    }
}
