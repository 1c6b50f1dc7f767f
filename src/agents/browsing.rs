//! Finds the agents that use a browser, directly or through agents that they call.

use crate::spec::AgentSpec;
use crate::spec::check::Others;
use std::collections::BTreeSet;

/// Returns the agents called by this one that use a browser.
pub fn called(spec: &AgentSpec, others: &dyn Others) -> BTreeSet<String> {
    let drive = |name: &&str| drives(name, others, &mut BTreeSet::new());
    spec.called().filter(drive).map(str::to_owned).collect()
}

/// Reports whether an agent uses a browser, directly or through agents that it calls or uses. `seen` holds
/// the agents visited so far, because calls may be cyclic.
pub fn drives(agent: &str, others: &dyn Others, seen: &mut BTreeSet<String>) -> bool {
    if !seen.insert(agent.to_owned()) {
        return false;
    }
    let Some(spec) = others.agent(agent) else { return false };
    let used = spec.llm.iter().flat_map(|llm| &llm.uses).map(String::as_str);
    let mut others_of = used.chain(spec.called());
    spec.browser.is_some() || others_of.any(|called| drives(called, others, seen))
}
