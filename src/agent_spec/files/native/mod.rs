//! The service's own agents. They have no file, so nobody can change or remove them.

use crate::agent_name::is_service_agent;
use crate::agent_spec::check;
use crate::agent_spec::files::version::{Version, hash_text};
use std::sync::{Arc, LazyLock};

static OWN: LazyLock<Option<Version>> = LazyLock::new(|| {
    let text = include_str!("agent_orchestrate.yaml");
    let spec = check::parse(text).ok()?;
    Some(Version { hash: hash_text(text), text: Arc::from(text), spec: Arc::new(spec) })
});

/// Returns the service's own agent of that name.
pub fn version(name: &str) -> Option<Version> {
    if is_service_agent(name) { OWN.clone() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_name::ORCHESTRATE;

    // The orchestrator has its inputs and outputs under both names (S3.1, S3.7).
    #[test]
    fn the_orchestrator_is_an_agent_under_two_names() {
        let version = version("cp__agent_orchestrate").expect("it can be read");
        let names = |list: &[crate::agent_spec::types::spec::Variable]| {
            list.iter().map(|one| one.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&version.spec.inputs), ["prompt", "plan", "bindings", "timeout_ms", "max_parallel"]);
        assert_eq!(names(&version.spec.outputs), ["success", "steps", "bindings", "errors"]);
        assert!(version.spec.inputs.iter().all(|input| !input.is_required()));
        assert_eq!(version.spec.name, ORCHESTRATE);
        assert!(is_service_agent(ORCHESTRATE) && !is_service_agent("echo"));
    }
}
