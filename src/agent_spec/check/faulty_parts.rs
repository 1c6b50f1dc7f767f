//! Removes faulty parts of a text, so that the remaining parts can be checked too.

use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::parse::yaml;
use crate::agent_spec::types::spec::{AgentSpec, Kind};
use serde_json::Value;

/// Paths whose faults make further checks pointless.
const BEARING: [&str; 7] = ["", "name", "kind", "inputs", "outputs", "locals", "graph"];

/// Returns the agent without its faulty parts; `None` if the rest is not an agent.
pub fn without_faulty_parts(text: &str, faults: &[SpecFault]) -> Option<AgentSpec> {
    let mut value: Value = yaml::value(text).ok()?;
    for fault in faults.iter().filter(|fault| fault.is_error()) {
        if BEARING.contains(&fault.path.as_str()) {
            return None;
        }
        remove(&mut value, &fault.path);
    }
    let spec: AgentSpec = serde_json::from_value(value).ok()?;
    // A misspelt section is already reported once.
    let works = match spec.kind {
        Kind::Atomic => spec.executor().is_some(),
        Kind::Composite => spec.graph.is_some(),
    };
    works.then_some(spec)
}

/// True if `path` is `other` or lies within it.
pub fn is_within(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Removes the value at a path such as `graph.lanes[0].items[1].on_error`, if there is one.
fn remove(value: &mut Value, path: &str) {
    let pointer = path.replace(['.', '['], "/").replace(']', "");
    let Some((above, key)) = pointer.rsplit_once('/') else {
        value.as_object_mut().map(|members| members.shift_remove(&pointer));
        return;
    };
    if let Some(Value::Object(members)) = value.pointer_mut(&format!("/{above}")) {
        members.shift_remove(key);
    }
}
