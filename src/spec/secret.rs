//! Inputs that are secrets: those that say so, and those that are handed on to one that is.

use super::AgentSpec;
use super::check::Others;
use super::graph::CONTEXT;
use std::collections::{BTreeMap, BTreeSet};

/// Names of the inputs that say so.
pub fn declared(spec: &AgentSpec) -> impl Iterator<Item = &str> {
    spec.inputs.iter().filter(|input| input.secret).map(|input| input.name.as_str())
}

/// Names of all inputs that are secrets, as far as the agents are known that this one calls.
pub fn inputs(spec: &AgentSpec, others: &dyn Others) -> BTreeSet<String> {
    found(spec, others, &mut BTreeMap::new())
}

/// `known`: of the agents that were looked at already.
fn found(
    spec: &AgentSpec,
    others: &dyn Others,
    known: &mut BTreeMap<String, BTreeSet<String>>,
) -> BTreeSet<String> {
    if let Some(secrets) = known.get(&spec.name) {
        return secrets.clone();
    }
    let mut secrets: BTreeSet<String> = declared(spec).map(str::to_owned).collect();
    // One that calls itself is asked about what it says alone.
    known.insert(spec.name.clone(), secrets.clone());
    for item in spec.items() {
        let Some(called) = others.agent(&item.agent) else { continue };
        let taken = found(&called, others, known);
        let handed = item.bindings.iter().filter(|binding| binding.from_agent_item_id == CONTEXT);
        let own = |name: &str| spec.inputs.iter().any(|input| input.name == name);
        let to_secrets = handed.filter(|binding| taken.contains(&binding.to_var) && own(&binding.from_var));
        secrets.extend(to_secrets.map(|binding| binding.from_var.clone()));
    }
    known.insert(spec.name.clone(), secrets.clone());
    secrets
}
