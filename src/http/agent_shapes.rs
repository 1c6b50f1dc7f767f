//! The shapes of bodies about agents, for the OpenAPI document; what an agent's file may say stands in
//! its own schema, `/api/schema/agent`.
#![allow(dead_code, reason = "only their derive reads them")]

use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// An agent's file as JSON; its schema is `/api/schema/agent`.
#[derive(ToSchema)]
pub struct AgentFile {
    name: String,
    /// atomic or composite
    kind: String,
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

/// One thing that is wrong with an agent's file.
#[derive(ToSchema)]
pub struct FileFault {
    /// Where: `graph.lanes[0].items[1].agent`; empty for the whole.
    path: String,
    #[schema(required)]
    line: Option<u64>,
    message: String,
    /// What to write instead.
    #[schema(required)]
    hint: Option<String>,
    /// error or warning
    severity: String,
}

/// A file that is no agent.
#[derive(ToSchema)]
pub struct FaultyFile {
    name: String,
    faults: Vec<FileFault>,
}

/// What a check found.
#[derive(ToSchema)]
pub struct Checked {
    /// Whether it could be saved: there are no errors, at most warnings.
    ok: bool,
    faults: Vec<FileFault>,
    /// The agent with all its keys in order; none where it has not the shape of one.
    #[schema(required)]
    spec: Option<AgentFile>,
    /// The text that the lines of the faults are about: what was sent, or what would be saved.
    #[schema(required)]
    yaml: Option<String>,
}

/// Agents that were imported.
#[derive(ToSchema)]
pub struct ImportedAgents {
    agents: Vec<ImportedAgent>,
}

/// An agent that was imported.
#[derive(ToSchema)]
pub struct ImportedAgent {
    name: String,
    /// saved, replaced or unchanged
    done: String,
}

/// A version that is kept.
#[derive(ToSchema)]
pub struct KeptVersion {
    /// SHA-256 of the text.
    hash: String,
    #[schema(required)]
    kept_at: Option<String>,
    /// Whether the file is this one.
    current: bool,
}
