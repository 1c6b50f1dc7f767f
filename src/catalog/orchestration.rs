//! Initial state and dependencies of an orchestration, and the agents that its plan may call.

use crate::agent_name;
use crate::agent_name::ORCHESTRATE;
use crate::agent_spec::files::library::Library;
use crate::agent_spec::files::native;
use crate::agent_spec::mcp_tools;
use crate::agent_spec::mcp_tools::Patience;
use crate::agent_spec::types::spec::AgentSpec;
use crate::catalog::agent_programs::AgentPrograms;
use crate::catalog::run_inputs::RunInputs;
use crate::catalog::{agent_tools, browser_use};
use crate::config::Limits;
use crate::engine::program::ProgramError;
use crate::engine::program::run_bounds::TreePosition;
use crate::engine::program::run_start::RunStart;
use crate::model::role_requests::OfferedAgent;
use crate::programs::orchestration::Orchestration;
use crate::programs::orchestration::dependencies::{AgentOffers, Deps, PlanningDeps};
use crate::programs::orchestration::graph::OrchestrationNode;
use crate::programs::orchestration::observers::LogObserver;
use crate::programs::orchestration::plan::AgentProperties;
use crate::programs::orchestration::plan::check::AgentLookupResult;
use crate::programs::orchestration::planning::request;
use crate::programs::orchestration::state::OrchestrationState;
use crate::programs::single::SingleCall;
use crate::store::rows::RunRow;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Extra time beyond the orchestration's own limit, to report its result.
const GRACE: Duration = Duration::from_secs(10);

impl AgentPrograms {
    pub(crate) fn orchestration(&self, input: &Map<String, Value>) -> Result<RunStart, ProgramError> {
        // Orchestrations can be disabled (S3.16, S3.37).
        let Some(agent) = native::version(ORCHESTRATE).filter(|_| self.settings.orchestration.enabled) else {
            let message = "orchestrations are switched off (`orchestration.enabled`)";
            return Err(ProgramError::Unsupported(String::from(message)));
        };
        let inputs = RunInputs::complete(&agent.spec, input)?;
        let request = request::read_request(&inputs.values).map_err(ProgramError::BadInput)?;
        let wall = self.settings.limits.wall_s.map(Duration::from_secs);
        let own_time = request.timeout_ms.map(|time| Duration::from_millis(time) + GRACE);
        let state = OrchestrationState::begin(inputs.locale, request);
        Ok(RunStart {
            limits: Some(self.settings.limits.clone()),
            calls_others: true,
            orchestrates: true,
            timeout: wall.into_iter().chain(own_time).min(),
            ..RunStart::without_limits(
                Orchestration::NAME,
                OrchestrationNode::PlanInit.word(),
                json!(state),
                inputs.title,
            )
        })
    }

    pub(crate) fn orchestration_deps(&self, row: &RunRow) -> Deps {
        let (bounds, settings) = (TreePosition::from_row(row).bounds, &self.settings.orchestration);
        let width = self.settings.limits.orchestration_width.min(bounds.orchestration_width);
        let isolated = self.sandbox.isolates();
        let library = Arc::clone(&self.library);
        let planning = PlanningDeps {
            offers: Arc::new(PlanAgents { library, isolated, limits: self.settings.limits.clone() }),
            planner: self.model.current().planner.clone(),
            agent: settings.planner_agent.clone(),
            model: row.model.clone().or_else(|| settings.planner_model.clone()),
            steps: self.settings.limits.orchestration_steps.min(bounds.orchestration_steps),
        };
        Deps {
            planning,
            store: Arc::clone(&self.store),
            width: usize::try_from(width).unwrap_or(usize::MAX).max(1),
            observers: vec![Arc::new(LogObserver)],
        }
    }
}

/// The agents that plans can call.
struct PlanAgents {
    library: Arc<Library>,
    isolated: bool,
    limits: Limits,
}

impl AgentOffers for PlanAgents {
    fn look_up_agent(&self, name: &str) -> AgentLookupResult {
        match self.library.get(name) {
            Some(spec) => AgentLookupResult::Agent(self.agent_properties(&spec)),
            None if self.library.broken(name).is_some() => AgentLookupResult::Faulty,
            // A name without a file may be a tool of an MCP server.
            None => match self.library.tool(name) {
                Some(Ok(spec)) => AgentLookupResult::Agent(self.agent_properties(&spec)),
                Some(Err(_)) | None => AgentLookupResult::Missing,
            },
        }
    }

    fn await_offers(&self, names: &BTreeSet<String>) -> BoxFuture<'static, ()> {
        self.library.wait_for_servers(mcp_tools::servers(names.iter().map(String::as_str)), Patience::Long)
    }

    fn list_offered(&self) -> Vec<OfferedAgent> {
        let bounds = agent_tools::CallLimits {
            limits: &self.limits,
            isolated: self.isolated,
            build: Duration::default(),
        };
        let others =
            self.library.list().into_iter().filter(|one| !agent_name::is_service_agent(&one.spec.name));
        let offered = others.map(|one| OfferedAgent {
            tool: agent_tools::callee(&one.spec, &*self.library, bounds).tool,
            outputs: one.spec.outputs.iter().map(|output| output.name.clone()).collect(),
        });
        offered.collect()
    }

    fn may_plan(&self, name: &str) -> Result<(), String> {
        let Some(spec) = self.library.get(name) else {
            return Err(format!("there is no agent `{name}` to make plans"));
        };
        if spec.llm.is_none() || spec.calls_others() {
            return Err(format!("`{name}` must be an `llm` agent that calls no other agent"));
        }
        Ok(())
    }
}

impl PlanAgents {
    fn agent_properties(&self, spec: &AgentSpec) -> AgentProperties {
        let of = |of: &Option<String>| of.clone().unwrap_or_else(|| String::from("any"));
        let inputs = spec.inputs.iter().map(|input| (input.name.clone(), of(&input.of)));
        AgentProperties {
            inputs: inputs.collect(),
            browses: browser_use::uses_browser(&spec.name, &*self.library, &mut BTreeSet::new()),
            repeatable: spec.idempotent || SingleCall::is_pure(spec, self.isolated),
        }
    }
}
