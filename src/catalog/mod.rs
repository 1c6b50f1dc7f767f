//! Selects the program of each agent's run, with its inputs and the services that it needs, and decides which
//! inputs are secret.

pub mod agent_programs;
pub(crate) mod agent_tools;
pub(crate) mod browser_use;
pub(crate) mod conversation;
pub(crate) mod optional_features;
pub(crate) mod orchestration;
pub(crate) mod plan_secrets;
pub(crate) mod run_inputs;
pub(crate) mod service_agents;

use crate::agent_name;
use crate::agent_spec::mcp_tools::Patience;
use crate::agent_spec::types::conversation_parts::VisionMode;
use crate::agent_spec::types::executor::{Browser, Plan};
use crate::agent_spec::types::spec::{AgentSpec, Durability, Kind};
use crate::agent_spec::types::tool_ref::MissingTool;
use crate::agent_spec::{input_check, mcp_tools, secret_inputs};
use crate::browser::pool::messages::ReleaseBrowser;
use crate::catalog::agent_programs::AgentPrograms;
use crate::catalog::agent_tools::CallLimits;
use crate::catalog::run_inputs::RunInputs;
use crate::config::Limits;
use crate::engine::program::factory::{Concealment, ProgramFactory};
use crate::engine::program::refused_run::RefusedRun;
use crate::engine::program::run_bounds::TreePosition;
use crate::engine::program::run_start::RunStart;
use crate::engine::program::{Program, ProgramError};
use crate::ids::RunId;
use crate::planning::ModelPreference;
use crate::programs::conversation::Conversation;
use crate::programs::conversation::planning::compaction::SUMMARY;
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::visit_context::{
    CallSettings, ConversationDeps, HostSettings, TaskSettings, ThinkingSettings, ViewSettings,
};
use crate::programs::conversation::working_set::BrowserSettings;
use crate::programs::lanes::Lanes;
use crate::programs::orchestration::Orchestration;
use crate::programs::single::SingleCall;
use crate::programs::{lanes, single};
use crate::protocol::Locale;
use crate::secrets::scrub::Replacement;
use crate::store::rows::RunRow;
use crate::texts::endings;
use crate::turn::typed_secret;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

impl AgentPrograms {
    /// Returns the agent of a stored run, in the version that the run began with.
    fn find_agent(&self, row: &RunRow) -> Result<Arc<AgentSpec>, ProgramError> {
        let name = &row.agent;
        match &row.version {
            Some(version) => self.library.version_spec(name, version).ok_or_else(|| {
                ProgramError::Failed(endings::agent_version_missing(
                    version,
                    name,
                    Locale::from_input_or_english(&row.input),
                ))
            }),
            None => service_agents::agent(name)
                .or_else(|| self.library.get(name))
                .or_else(|| self.tool_of_stored_run(name))
                .ok_or_else(|| ProgramError::UnknownAgent(name.clone())),
        }
    }

    /// Returns an agent without a file: an internal agent, or a tool of an MCP server.
    fn find_without_file(&self, agent: &str) -> Result<Option<Arc<AgentSpec>>, ProgramError> {
        if let Some(spec) = service_agents::agent(agent) {
            return Ok(Some(spec));
        }
        let unknown =
            |missing: MissingTool| ProgramError::UnknownAgent(format!("{agent} ({})", missing.message));
        self.library.tool(agent).transpose().map_err(unknown)
    }

    fn start_composite(&self, spec: &AgentSpec, input: RunInputs) -> RunStart {
        let state = lanes::state::LanesState {
            browsing: browser_use::browsing_callees(spec, &*self.library),
            ..lanes::state::LanesState::begin(input.locale, input_check::context(spec, input.values))
        };
        let node = lanes::graph::LanesNode::EnterLane.word();
        RunStart::without_limits(Lanes::NAME, node, json!(state), input.title)
    }

    fn start_single(&self, spec: &AgentSpec, input: RunInputs) -> RunStart {
        let state = SingleCall::begin(spec, input.locale, input_check::context(spec, input.values));
        RunStart::without_limits(SingleCall::NAME, state.node.word(), json!(state), input.title)
    }

    fn single_deps(&self, spec: Arc<AgentSpec>, row: &RunRow) -> single::visit_context::Deps {
        let model = self.model.current();
        single::visit_context::Deps {
            gate: self.gate.clone(),
            sandbox: self.sandbox.clone(),
            builds: self.builds.clone(),
            servers: self.servers.clone(),
            writer: model.writer.clone(),
            model: resolve_model(row, spec.llm.as_ref().and_then(|llm| llm.model.clone())),
            store: Arc::clone(&self.store),
            files: self.files.clone(),
            vault: self.vaults.vault(&row.root),
            texts: self.texts.texts(&row.root),
            confirm_timeout_s: self.settings.confirm_timeout_s,
            summarizer: (spec.name == SUMMARY).then(|| model.planner.clone()),
            spec,
        }
    }

    fn browser_settings(&self, browser: &Browser) -> BrowserSettings {
        BrowserSettings {
            supervisor: self.supervisor.clone(),
            profile: browser.profile.clone(),
            store: Arc::clone(&self.store),
            language: browser.language.as_deref().map(Locale::from_tag),
        }
    }

    fn conversation_deps(&self, agent: &AgentSpec, row: &RunRow) -> ConversationDeps {
        let (browser, llm) = (agent.browser.as_ref(), agent.llm.as_ref());
        let preference = optional_features::model_preference(agent);
        ConversationDeps {
            planner: self.model.current().planner.clone(),
            gate: self.gate.clone(),
            browsers: browser.map(|browser| self.browser_settings(browser)),
            store: Arc::clone(&self.store),
            vault: self.vaults.vault(&row.root),
            texts: self.texts.texts(&row.root),
            shown_pages: Arc::clone(&self.shown_pages),
            approvals: Arc::default(),
            named_secrets: self.vaults.keys().clone(),
            files: self.files.clone(),
            pdfs: Arc::clone(&self.pdfs),
            knowledge: optional_features::knowledge_access(agent, &self.knowledge),
            limits: agent.limits(&self.settings.limits),
            caller: row.parent.clone(),
            task: task_settings(agent),
            thinking: ThinkingSettings {
                preference: ModelPreference { model: resolve_model(row, preference.model), ..preference },
                plan: Plan::rules(browser.and_then(|browser| browser.plan).or(llm.and_then(|llm| llm.plan))),
                premoves: optional_features::premove_settings(agent),
                thoughts: optional_features::thinking_settings(agent),
                compacts: optional_features::compaction_enabled(agent),
            },
            calls: self.call_settings(agent),
            view: ViewSettings {
                full_every: self.settings.full_every,
                vision: vision_mode(agent),
                viewport: self.settings.viewport,
            },
            hosts: self.host_settings(browser, row),
            confirm_timeout_s: self.settings.confirm_timeout_s,
            drafts: self.drafts.clone(),
        }
    }

    fn host_settings(&self, browser: Option<&Browser>, row: &RunRow) -> HostSettings {
        HostSettings {
            inherited: TreePosition::from_row(row).bounds.hosts,
            allowed: browser.and_then(|browser| browser.allowed_hosts.clone()),
            private: self.settings.private_hosts.clone(),
            own_origin: self.settings.own_origin.clone(),
        }
    }

    fn call_settings(&self, agent: &AgentSpec) -> CallSettings {
        let (isolated, build) = (self.sandbox.isolates(), self.builds.timeout());
        let bounds = CallLimits { limits: &self.settings.limits, isolated, build };
        let callees = agent_tools::callees(agent, &*self.library, bounds);
        let tools = callees.iter().map(|callee| callee.tool.clone()).collect();
        CallSettings { tools, callees, in_background: optional_features::runs_agents_in_background(agent) }
    }
}

/// Returns when the agent's model is sent the picture of the page.
fn vision_mode(agent: &AgentSpec) -> VisionMode {
    let of_llm = agent.llm.as_ref().map(|llm| llm.vision);
    agent.browser.as_ref().map(|browser| browser.vision).or(of_llm).unwrap_or_default().mode()
}

fn task_settings(agent: &AgentSpec) -> TaskSettings {
    let (browser, llm) = (agent.browser.as_ref(), agent.llm.as_ref());
    TaskSettings {
        agent: agent.name.clone(),
        goal: browser.map_or(llm.and_then(|llm| llm.system.clone()), |browser| browser.goal.clone()),
        start_url: browser.and_then(|browser| browser.start_url.clone()),
        script: browser.and_then(|browser| browser.script.clone()).unwrap_or_default(),
        secret_inputs: secret_inputs::declared_secrets(agent).map(str::to_owned).collect(),
        outputs: agent.outputs.iter().map(|output| output.name.clone()).collect(),
    }
}

/// Returns the model of a run. For a child run, the model in the agent's file takes precedence over the one
/// chosen for the run; for other runs, the chosen one does.
fn resolve_model(row: &RunRow, preference: Option<String>) -> Option<String> {
    let chosen = row.model.clone();
    if row.parent.is_none() { chosen.or(preference) } else { preference.or(chosen) }
}

impl AgentPrograms {
    /// Explains why there is no such agent.
    fn missing_agent_error(&self, agent: &str) -> ProgramError {
        match self.library.broken(agent) {
            Some(broken) => {
                ProgramError::FaultyAgent { agent: agent.to_owned(), faults: json!(broken.faults) }
            }
            None => ProgramError::UnknownAgent(agent.to_owned()),
        }
    }
}

impl ProgramFactory for AgentPrograms {
    fn begin(&self, agent: &str, input: &Map<String, Value>) -> Result<RunStart, ProgramError> {
        if agent_name::is_service_agent(agent) {
            return self.orchestration(input);
        }
        if let Some(spec) = self.find_without_file(agent)? {
            return Ok(self.start_single(&spec, RunInputs::complete(&spec, input)?));
        }
        let pinned = self.library.pin(agent);
        let (spec, version) = pinned.ok_or_else(|| self.missing_agent_error(agent))?;
        let limits = spec.limits(&self.settings.limits);
        let start = if spec.converses() {
            conversation::conversation(&spec, input)?
        } else {
            let inputs = RunInputs::complete(&spec, input)?;
            let start = match spec.kind {
                Kind::Composite => self.start_composite(&spec, inputs),
                Kind::Atomic => self.start_single(&spec, inputs),
            };
            // A conversation enforces its own time limit, from one message to the next.
            RunStart { timeout: limits.wall_s.map(Duration::from_secs), ..start }
        };
        let ephemeral = spec.durability == Some(Durability::Ephemeral);
        let calls_others = spec.calls_others();
        Ok(RunStart { version: Some(version), limits: Some(limits), ephemeral, calls_others, ..start })
    }

    fn prepare_start(&self, agent: &str) -> BoxFuture<'static, ()> {
        self.library.wait_for_servers(mcp_tools::servers([agent]), Patience::Brief)
    }

    fn prepare_load(&self, row: &RunRow) -> Option<BoxFuture<'static, ()>> {
        let servers = agent_tools::servers(&*self.find_agent(row).ok()?);
        (!servers.is_empty()).then(|| self.library.wait_for_servers(servers, Patience::Long))
    }

    fn uses_browser(&self, program: &str) -> bool {
        program == Conversation::NAME
    }

    fn accepts_messages(&self, program: &str) -> bool {
        [Conversation::NAME, Conversation::WITHOUT_PAGE].contains(&program)
    }

    fn load(&self, row: &RunRow, state: Value) -> Result<Box<dyn Program>, ProgramError> {
        if row.program == RefusedRun::NAME {
            return Ok(Box::new(RefusedRun::load(state)?));
        }
        let texts = self.texts.texts(&row.root);
        texts.begin_run(&row.id, row.parent.as_ref(), &row.input);
        if row.program == Orchestration::NAME {
            let deps = Arc::new(self.orchestration_deps(row));
            return Ok(Box::new(Orchestration::load(state, deps)?));
        }
        let spec = self.find_agent(row)?;
        texts.add_agent_file(&self.texts.index_agent_file(&json!(*spec).to_string()));
        Ok(match row.program.as_str() {
            Lanes::NAME => Box::new(Lanes::load(&spec, state)?),
            SingleCall::NAME => Box::new(SingleCall::load(state, Arc::new(self.single_deps(spec, row)))?),
            Conversation::NAME | Conversation::WITHOUT_PAGE => {
                let state: ConversationState = serde_json::from_value(state)?;
                texts.restore_sources(&row.id, &state.sources);
                texts.add_consents(state.consents.iter().cloned());
                Box::new(Conversation::new(state, Arc::new(self.conversation_deps(&spec, row))))
            }
            other => {
                return Err(ProgramError::Failed(endings::program_missing(
                    other,
                    Locale::from_input_or_english(&row.input),
                )));
            }
        })
    }

    fn origin(&self) -> Option<String> {
        Some(self.settings.own_origin.clone())
    }

    fn limits(&self, agent: &str) -> Option<Limits> {
        self.library.get(agent).map(|agent| agent.limits(&self.settings.limits))
    }

    fn release_run(&self, run: &RunId) {
        self.shown_pages.forget_run(run);
    }

    fn release_tree(&self, root: &RunId) {
        self.shown_pages.forget_tree(root);
        self.vaults.forget(root);
        self.texts.end(root);
        self.supervisor.do_send(ReleaseBrowser { owner: root.clone(), linger: None });
    }

    fn forget_tree(&self, root: &RunId) {
        self.release_tree(root);
        self.texts.forget(root);
    }
}

impl Concealment for AgentPrograms {
    fn conceal(&self, root: &RunId, text: &str, question: Option<&Value>) -> String {
        match question {
            Some(question) => self.vaults.vault(root).conceal_answer(text, question),
            None => self.vaults.vault(root).conceal(text),
        }
    }

    fn conceal_inputs(&self, root: &RunId, agent: &str, input: Map<String, Value>) -> Map<String, Value> {
        let vault = self.vaults.vault(root);
        vault.replace_named_values(match self.library.get(agent) {
            Some(spec) => plan_secrets::conceal_inputs(&vault, &spec, &*self.library, input),
            None => input,
        })
    }

    fn conceal_metadata(&self, metadata: Map<String, Value>) -> Map<String, Value> {
        self.vaults.scratch().replace_named_values(metadata)
    }

    fn shown_inputs(&self, agent: &str, input: Map<String, Value>) -> Map<String, Value> {
        let vault = self.vaults.scratch();
        let concealed = match self.library.get(agent) {
            Some(spec) => plan_secrets::conceal_inputs(&vault, &spec, &*self.library, input),
            None => input,
        };
        typed_secret::mask_input(vault.replace_named_values(concealed))
    }

    fn scrub(&self, root: &RunId, value: &mut Value) {
        self.vaults.vault(root).scrub(value, Replacement::Placeholder);
    }
}
