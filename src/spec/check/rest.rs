//! What can be said of a text beside its faults of shape: the rest of it, without what they are about.

use crate::spec::fault::Fault;
use crate::spec::{AgentSpec, Kind, yaml};
use serde_json::Value;

/// Without these nothing else can be judged.
const BEARING: [&str; 7] = ["", "name", "kind", "inputs", "outputs", "locals", "graph"];

/// The agent without what is faulty, if it is one then.
pub fn rest(text: &str, faults: &[Fault]) -> Option<AgentSpec> {
    let mut value: Value = yaml::value(text).ok()?;
    for fault in faults.iter().filter(|fault| fault.is_error()) {
        if BEARING.contains(&fault.path.as_str()) {
            return None;
        }
        remove(&mut value, &fault.path);
    }
    let spec: AgentSpec = serde_json::from_value(value).ok()?;
    // A section that is misspelt is told once.
    let works = match spec.kind {
        Kind::Atomic => spec.executor().is_some(),
        Kind::Composite => spec.graph.is_some(),
    };
    works.then_some(spec)
}

/// Whether one fault is of the same place as another, or of a place within it.
pub fn within(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// `graph.lanes[0].items[1].on_error`; what is not there stays so.
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
