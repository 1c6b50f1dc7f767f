//! Names of built-in agents, and their aliases.

/// Runs a plan that calls other agents.
pub const ORCHESTRATE: &str = "agent_orchestrate";
/// Alias of [`ORCHESTRATE`] that models also know.
const ALIAS: &str = "cp__agent_orchestrate";

/// Returns the canonical name of an agent: an alias is replaced, any other name is returned unchanged.
pub fn canonical(name: &str) -> &str {
    if name == ALIAS { ORCHESTRATE } else { name }
}

/// Executor name of the service's own agents in lists.
pub const ORCHESTRATION: &str = "orchestration";

/// True if the name is reserved for one of the service's own agents.
pub fn is_service_agent(name: &str) -> bool {
    canonical(name) == ORCHESTRATE
}
