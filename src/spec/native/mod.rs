//! Agents of the service's own that people may call: they have no file, so nobody can change or remove them.

use super::AgentSpec;
use super::check;
use super::version::{Version, hash_of};
use crate::agent_name::{ORCHESTRATE, canonical};
use std::sync::{Arc, LazyLock};

/// What carries it out, as lists show it.
pub const ORCHESTRATION: &str = "orchestration";

static OWN: LazyLock<Option<Version>> = LazyLock::new(|| {
    let text = include_str!("agent_orchestrate.yaml");
    let spec = check::parse(text).ok()?;
    Some(Version { hash: hash_of(text), text: Arc::from(text), spec: Arc::new(spec) })
});

/// Whether no file may have this name.
pub fn is_own(name: &str) -> bool {
    canonical(name) == ORCHESTRATE
}

/// The agent of that name, if it is one of them.
pub fn version(name: &str) -> Option<Version> {
    if is_own(name) { OWN.clone() } else { None }
}

/// What carries an agent of that name out, if it is one of them.
pub fn executor(spec: &AgentSpec) -> Option<&'static str> {
    is_own(&spec.name).then_some(ORCHESTRATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    // S3.1, S3.7: the inputs and outputs of the document, under both names.
    #[test]
    fn the_orchestrator_is_an_agent_under_two_names() {
        let version = version("cp__agent_orchestrate").expect("it can be read");
        let names =
            |list: &[super::super::Variable]| list.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&version.spec.inputs), ["prompt", "plan", "bindings", "timeout_ms", "max_parallel"]);
        assert_eq!(names(&version.spec.outputs), ["success", "steps", "bindings", "errors"]);
        assert!(version.spec.inputs.iter().all(|input| !input.is_required()));
        assert_eq!(version.spec.name, ORCHESTRATE);
        assert!(is_own(ORCHESTRATE) && !is_own("echo"));
    }
}
