//! Which agents drive the browser, by themselves or through those that they call.

use crate::spec::AgentSpec;
use crate::spec::check::Others;
use std::collections::BTreeSet;

/// Of the agents that one calls, those that do.
pub fn called(spec: &AgentSpec, others: &dyn Others) -> BTreeSet<String> {
    let drive = |name: &&str| drives(name, others, &mut BTreeSet::new());
    spec.called().filter(drive).map(str::to_owned).collect()
}

/// Whether an agent does, by itself or through those that it calls or uses.
pub fn drives(agent: &str, others: &dyn Others, seen: &mut BTreeSet<String>) -> bool {
    if !seen.insert(agent.to_owned()) {
        return false;
    }
    let Some(spec) = others.agent(agent) else { return false };
    let used = spec.llm.iter().flat_map(|llm| &llm.uses).map(String::as_str);
    let mut others_of = used.chain(spec.called());
    spec.browser.is_some() || others_of.any(|called| drives(called, others, seen))
}
