//! Schemas of bodies about agents, for the OpenAPI document. The format of an agent's file has a schema of
//! its own, `/api/schema/agent`.
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

/// An error or a warning about an agent's file.
#[derive(ToSchema)]
pub struct FileFault {
    /// Path of the faulty value, such as `graph.lanes[0].items[1].agent`; empty for the whole file.
    path: String,
    #[schema(required)]
    line: Option<u64>,
    message: String,
    /// Suggested correction.
    #[schema(required)]
    hint: Option<String>,
    /// error or warning
    severity: String,
}

/// A file in the agents folder that is not a valid agent.
#[derive(ToSchema)]
pub struct FaultyFile {
    name: String,
    faults: Vec<FileFault>,
}

/// Result of a check.
#[derive(ToSchema)]
pub struct Checked {
    /// True if the agent can be saved: there are no errors, at most warnings.
    ok: bool,
    faults: Vec<FileFault>,
    /// The agent with all its keys in order; null if the file cannot be read as an agent.
    #[schema(required)]
    spec: Option<AgentFile>,
    /// The text that the line numbers of `faults` refer to: the text sent, or the text that would be saved.
    #[schema(required)]
    yaml: Option<String>,
}

/// Imported agents.
#[derive(ToSchema)]
pub struct ImportedAgents {
    agents: Vec<ImportedAgent>,
}

/// An imported agent.
#[derive(ToSchema)]
pub struct ImportedAgent {
    name: String,
    /// saved, replaced or unchanged
    done: String,
}

/// A stored version of an agent.
#[derive(ToSchema)]
pub struct KeptVersion {
    /// SHA-256 of the text.
    hash: String,
    #[schema(required)]
    kept_at: Option<String>,
    /// True if the file has this version.
    current: bool,
}
