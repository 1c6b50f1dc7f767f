//! What a new run begins with.

use crate::config::Limits;
use serde_json::Value;
use std::time::Duration;

/// How a run begins.
pub struct Beginning {
    /// Which program it is, for `Programs::load`.
    pub program: &'static str,
    pub node: &'static str,
    pub state: Value,
    /// What lists show.
    pub title: String,
    /// The version of the agent's file that it keeps, by content hash.
    pub version: Option<String>,
    /// Whether a restart of the service ends it (C3).
    pub ephemeral: bool,
    /// Whether it may call other agents, and so counts as one level of `limits.depth` (S0.26).
    pub calls_others: bool,
    /// It is an orchestration, and counts as one level of `limits.orchestration_depth` (S3.26).
    pub orchestrates: bool,
    /// The agent's own limits; none where it has nothing to use any.
    pub limits: Option<Limits>,
    /// It ends as exhausted when it takes longer; none where the program keeps the time itself.
    pub within: Option<Duration>,
}

impl Beginning {
    /// One that keeps no version, has no limits of its own and calls nobody.
    pub fn plain(program: &'static str, node: &'static str, state: Value, title: String) -> Self {
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
            within: None,
        }
    }
}
