//! Secret inputs: declared ones, and those that a composite passes on to a secret input.

use crate::agent_spec::agent_lookup::AgentLookup;
use crate::agent_spec::types::graph::CONTEXT;
use crate::agent_spec::types::spec::AgentSpec;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the names of the inputs declared secret.
pub fn declared_secrets(spec: &AgentSpec) -> impl Iterator<Item = &str> {
    spec.inputs.iter().filter(|input| input.secret).map(|input| input.name.as_str())
}

/// Returns the names of all secret inputs, as far as the called agents are known.
pub fn inputs(spec: &AgentSpec, others: &dyn AgentLookup) -> BTreeSet<String> {
    collect_secrets(spec, others, &mut BTreeMap::new())
}

/// Implements `inputs`. `known` contains the results for agents already visited.
fn collect_secrets(
    spec: &AgentSpec,
    others: &dyn AgentLookup,
    known: &mut BTreeMap<String, BTreeSet<String>>,
) -> BTreeSet<String> {
    if let Some(secrets) = known.get(&spec.name) {
        return secrets.clone();
    }
    let mut secrets: BTreeSet<String> = declared_secrets(spec).map(str::to_owned).collect();
    // Ends the recursion: an agent that calls itself contributes only its declared secrets.
    known.insert(spec.name.clone(), secrets.clone());
    for item in spec.items() {
        let Some(called) = others.agent(&item.agent) else { continue };
        let taken = collect_secrets(&called, others, known);
        let handed = item.bindings.iter().filter(|binding| binding.from_agent_item_id == CONTEXT);
        let own = |name: &str| spec.inputs.iter().any(|input| input.name == name);
        let to_secrets = handed.filter(|binding| taken.contains(&binding.to_var) && own(&binding.from_var));
        secrets.extend(to_secrets.map(|binding| binding.from_var.clone()));
    }
    known.insert(spec.name.clone(), secrets.clone());
    secrets
}
