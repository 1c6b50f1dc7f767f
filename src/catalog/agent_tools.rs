//! Agents as tools of a planner: their descriptions and inputs, and the retries and time limit of their
//! calls.

use crate::agent_spec::agent_lookup::AgentLookup;
use crate::agent_spec::mcp_tools;
use crate::agent_spec::types::spec::{AgentSpec, Kind, TitleLanguage, Variable};
use crate::agent_spec::types::tool_ref::ToolRef;
use crate::catalog::agent_programs::AgentPrograms;
use crate::catalog::browser_use;
use crate::config::Limits;
use crate::programs::single::SingleCall;
use crate::programs::tasks::Callee;
use crate::turn::agent_tools::{Input, Tool};
use crate::{agent_name, mcp_client};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Extra time of a call beyond its code, to start and to report.
const GRACE: Duration = Duration::from_secs(5);

/// Limits of a call, in addition to those of its agent.
#[derive(Clone, Copy, Debug)]
pub struct CallLimits<'a> {
    pub limits: &'a Limits,
    /// True if code runs in a sandbox.
    pub isolated: bool,
    /// Maximum duration of the build of an agent.
    pub build: Duration,
}

/// Returns the existing agents that an agent uses, in the order of its file.
pub fn callees(spec: &AgentSpec, others: &dyn AgentLookup, bounds: CallLimits<'_>) -> Vec<Callee> {
    let found = used_agents(spec).filter_map(|name| {
        let mut callee = callee(&*others.agent(name)?, others, bounds);
        // An orchestration may use the page of its caller.
        callee.tool.browses |= agent_name::is_service_agent(name) && spec.browser.is_some();
        Some(callee)
    });
    found.collect()
}

/// Returns the names of the agents that an agent may call freely.
pub fn used_agents(spec: &AgentSpec) -> impl Iterator<Item = &str> {
    let llm = spec.llm.iter().flat_map(|llm| &llm.uses);
    spec.browser.iter().flat_map(|browser| &browser.uses).chain(llm).map(String::as_str)
}

/// Returns the MCP servers whose tools an agent uses, or is a tool of.
pub fn servers(spec: &AgentSpec) -> BTreeSet<String> {
    let own = spec.mcp.iter().map(|tool| tool.server.clone());
    mcp_tools::servers(used_agents(spec)).into_iter().chain(own).collect()
}

/// Describes an agent to its callers: retries, time limits and place of work.
pub fn callee(
    spec: &AgentSpec,
    others: &dyn AgentLookup,
    CallLimits { limits, isolated, build }: CallLimits<'_>,
) -> Callee {
    let limits = spec.limits(limits);
    let safe = spec.idempotent || SingleCall::is_pure(spec, isolated);
    let own_timeout = spec.python.as_ref().and_then(|python| python.timeout_s);
    let own_timeout = own_timeout.or_else(|| spec.shell.as_ref().and_then(|shell| shell.timeout_s));
    // Agents that ask people may wait for long; conversations and composites have limits of their own.
    let has_timeout = spec.kind == Kind::Atomic && !spec.converses() && SingleCall::is_pure(spec, isolated);
    let timeout = has_timeout.then(|| {
        own_timeout.map_or(Duration::from_secs(limits.try_timeout_s), |own_timeout| {
            Duration::from_secs(own_timeout) + GRACE
        })
    });
    // The first call also waits for the build, which has a limit of its own.
    let has_build = spec.build.is_some() || others.build_beside(&spec.name).is_some();
    let timeout = timeout.map(|timeout| if has_build { timeout + build + GRACE } else { timeout });
    Callee { tool: tool(spec, others), tries: if safe { limits.tries } else { 1 }, timeout }
}

fn tool(spec: &AgentSpec, others: &dyn AgentLookup) -> Tool {
    let description = spec.description_en.clone().or_else(|| spec.description_ua.clone());
    let mut inputs: Vec<Input> = spec.inputs.iter().map(input).collect();
    // Templates in the plan are for its own steps.
    inputs
        .iter_mut()
        .for_each(|input| input.verbatim = agent_name::is_service_agent(&spec.name) && input.name == "plan");
    // Every agent with a browser takes the task as `text`.
    if spec.browser.is_some() && inputs.iter().all(|input| input.name != "text") {
        let required = spec.browser.as_ref().is_some_and(|browser| browser.script.is_none());
        inputs.push(Input { name: "text".into(), type_name: "string".into(), required, ..Input::default() });
    }
    Tool {
        name: spec.name.clone(),
        description: description.unwrap_or_else(|| spec.title(TitleLanguage::En).to_owned()),
        inputs,
        composite: spec.kind == Kind::Composite,
        browses: browser_use::uses_browser(&spec.name, others, &mut BTreeSet::new()),
    }
}

fn input(variable: &Variable) -> Input {
    Input {
        name: variable.name.clone(),
        type_name: variable.of.clone().unwrap_or_else(|| String::from("any")),
        description: variable.description.clone().unwrap_or_default(),
        required: variable.is_required(),
        default: variable.default.clone(),
        verbatim: false,
    }
}

impl AgentPrograms {
    /// Returns a specification for the tool of a stored run, even if the server no longer offers the tool, so
    /// that the run can be loaded and report the problem.
    pub(crate) fn tool_of_stored_run(&self, agent: &str) -> Option<Arc<AgentSpec>> {
        let tool = ToolRef::read(agent)?;
        let found = self.library.tool(agent).and_then(Result::ok);
        Some(found.unwrap_or_else(|| Arc::new(mcp_client::tool_agent::unknown(&tool))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_spec::check;
    use crate::config::Settings;
    use crate::config::layers::Flags;

    struct ListedAgents(Vec<Arc<AgentSpec>>);

    impl AgentLookup for ListedAgents {
        fn agent(&self, name: &str) -> Option<Arc<AgentSpec>> {
            self.0.iter().find(|spec| spec.name == name).cloned()
        }

        fn names(&self) -> Vec<String> {
            self.0.iter().map(|spec| spec.name.clone()).collect()
        }
    }

    fn agent(text: &str) -> Arc<AgentSpec> {
        Arc::new(check::parse(text).unwrap())
    }

    // The time limit includes the build (S4.28, C11).
    #[test]
    fn a_try_has_extra_time_for_the_build_of_the_agent() {
        let agents = ListedAgents(vec![
            agent("{name: plain, kind: atomic, python: {code: 'x = 1'}}"),
            agent("{name: own, kind: atomic, python: {code: 'x = 1', timeout_s: 7}}"),
            agent(
                "{name: built, kind: atomic, python: {code: 'x = 1'}, build: {pip: {lock: requirements.lock}}}",
            ),
            agent(
                "{name: asks, kind: atomic, python: {code: 'x = 1', files: true}, build: {pip: {lock: a.lock}}}",
            ),
        ]);
        let caller =
            agent("{name: caller, kind: atomic, llm: {prompt: x, uses: [plain, own, built, asks, nobody]}}");
        let limits =
            Settings::load(&Flags { data_dir: Some("d".into()), ..Flags::default() }, []).unwrap().limits;
        let bounds = CallLimits { limits: &limits, isolated: true, build: Duration::from_secs(600) };
        let timeouts: Vec<_> =
            callees(&caller, &agents, bounds).into_iter().map(|callee| callee.timeout).collect();
        let try_time = Duration::from_secs(limits.try_timeout_s);
        let expected = [
            Some(try_time),
            Some(Duration::from_secs(7) + GRACE),
            Some(try_time + Duration::from_secs(600) + GRACE),
            None,
        ];
        assert_eq!(timeouts, expected);
    }
}
