//! Finds the agents that use a browser, directly or through agents that they call.

use crate::agent_spec::agent_lookup::AgentLookup;
use crate::agent_spec::types::spec::AgentSpec;
use std::collections::BTreeSet;

/// Returns the agents called by this one that use a browser.
pub fn browsing_callees(spec: &AgentSpec, others: &dyn AgentLookup) -> BTreeSet<String> {
    let uses_page = |name: &&str| uses_browser(name, others, &mut BTreeSet::new());
    spec.lane_agents().filter(uses_page).map(str::to_owned).collect()
}

/// Reports whether an agent uses a browser, directly or through agents that it calls or uses. `visited` holds
/// the agents visited so far, because calls may be cyclic.
pub fn uses_browser(agent: &str, others: &dyn AgentLookup, visited: &mut BTreeSet<String>) -> bool {
    if !visited.insert(agent.to_owned()) {
        return false;
    }
    let Some(spec) = others.agent(agent) else { return false };
    let used = spec.llm.iter().flat_map(|llm| &llm.uses).map(String::as_str);
    let mut callees = used.chain(spec.lane_agents());
    spec.browser.is_some() || callees.any(|called| uses_browser(called, others, visited))
}
