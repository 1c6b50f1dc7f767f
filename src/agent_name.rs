//! Names that mean something to the service itself, wherever agents are named.

/// Carries out a plan of other agents (document 003).
pub const ORCHESTRATE: &str = "agent_orchestrate";
/// The name that document 003 has for it, which models know it by, too.
const ALIAS: &str = "cp__agent_orchestrate";

/// The name that an agent goes by, whichever of its names is given.
pub fn canonical(name: &str) -> &str {
    if name == ALIAS { ORCHESTRATE } else { name }
}
