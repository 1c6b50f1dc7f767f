//! The agent specification: one agent file as typed data.

use crate::agent_name::{ORCHESTRATION, is_service_agent};
use crate::agent_spec::types::build::Build;
use crate::agent_spec::types::conversation_parts::Part;
use crate::agent_spec::types::executor::{Browser, Executor, Llm, Python, Shell};
use crate::agent_spec::types::graph;
use crate::agent_spec::types::graph::{Graph, Item};
use crate::agent_spec::types::limits::Limits;
use crate::agent_spec::types::tool_ref::ToolRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An agent (S0.5, S0.6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentSpec {
    /// The key; equals the file's name.
    pub name: String,
    #[serde(default)]
    pub title_ua: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title_en: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description_ua: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description_en: Option<String>,
    pub kind: Kind,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Variable>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locals: Vec<Local>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Variable>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm: Option<Llm>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<Python>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<Shell>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<Browser>,
    /// Packages or image built before the first run (S4.28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<Graph>,
    /// Set for tools of MCP servers, which have no file.
    #[serde(skip)]
    pub mcp: Option<ToolRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// A repeated call has the same effect as one call, so a failed one may be retried (C11).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idempotent: bool,
}

impl AgentSpec {
    /// Returns the section that executes the agent; `None` for a composite.
    pub fn section(&self) -> Option<Executor<'_>> {
        let llm = self.llm.as_ref().map(Executor::Llm);
        let python = self.python.as_ref().map(Executor::Python);
        let shell = self.shell.as_ref().map(Executor::Shell);
        let tool = self.mcp.as_ref().map(Executor::Tool);
        llm.or(python).or(shell).or(tool).or(self.browser.as_ref().map(Executor::Browser))
    }

    /// Returns an agent with empty fields.
    pub fn blank(kind: Kind) -> Self {
        Self {
            name: String::new(),
            title_ua: String::new(),
            title_en: None,
            description_ua: None,
            description_en: None,
            kind,
            inputs: Vec::new(),
            locals: Vec::new(),
            outputs: Vec::new(),
            llm: None,
            python: None,
            shell: None,
            browser: None,
            build: None,
            graph: None,
            mcp: None,
            limits: None,
            durability: None,
            idempotent: false,
        }
    }

    /// Returns the title in a language; if it is empty, the other title or the name (S0.6, C18).
    pub fn title(&self, tongue: TitleLanguage) -> &str {
        let en = self.title_en.as_deref().unwrap_or_default();
        let wanted = match tongue {
            TitleLanguage::Uk => [self.title_ua.as_str(), &self.name],
            TitleLanguage::En => [en, self.title_ua.as_str()],
        };
        wanted.into_iter().find(|title| !title.trim().is_empty()).unwrap_or(&self.name)
    }

    /// True if a run is a conversation: it plans, asks questions and receives further messages.
    pub fn converses(&self) -> bool {
        self.browser.is_some() || self.llm.as_ref().is_some_and(Llm::converses)
    }

    /// True if it calls other agents, in lanes, as tools or as premoves.
    pub fn calls_others(&self) -> bool {
        let tools = self.llm.iter().map(|llm| (&llm.uses, &llm.premoves));
        let mut tools = tools.chain(self.browser.iter().map(|browser| (&browser.uses, &browser.premoves)));
        let by_tools = tools.any(|(uses, premoves)| !uses.is_empty() || Part::is_on(premoves.as_ref()));
        self.kind == Kind::Composite || by_tools
    }

    /// Yields the items of all lanes.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.graph.iter().flat_map(|graph| &graph.lanes).flat_map(|lane| &lane.items)
    }

    /// Yields the names of the agents in its lanes.
    pub fn lane_agents(&self) -> impl Iterator<Item = &str> {
        self.items().map(|item| item.agent.as_str())
    }

    /// Returns the names of the agents in its lanes and of those that it may call as tools.
    pub fn callable_agents(&self) -> Vec<String> {
        let llm = self.llm.iter().flat_map(|llm| &llm.uses);
        let used = self.browser.iter().flat_map(|browser| &browser.uses).chain(llm).map(String::as_str);
        self.lane_agents().chain(used).map(str::to_owned).collect()
    }

    /// Returns the executor's name in the API; `None` for lanes.
    pub fn executor(&self) -> Option<&'static str> {
        is_service_agent(&self.name).then_some(ORCHESTRATION).or_else(|| self.sections().first().copied())
    }

    /// Returns the executor sections that are present; a valid atomic agent has exactly one.
    pub fn sections(&self) -> Vec<&'static str> {
        let all = [
            ("llm", self.llm.is_some()),
            ("python", self.python.is_some()),
            ("shell", self.shell.is_some()),
            ("browser", self.browser.is_some()),
            ("mcp", self.mcp.is_some()),
        ];
        all.into_iter().filter_map(|(word, is_set)| is_set.then_some(word)).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Atomic,
    Composite,
}

/// Persistence of a run over a restart (C3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    Durable,
    Ephemeral,
}

/// An input or an output (S0.7).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    pub name: String,
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The description in Ukrainian (C18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description_ua: Option<String>,
    /// Value if none is given; null counts as a value.
    #[serde(default, deserialize_with = "graph::present", skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// The value is kept in memory only and typed only into secret fields.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
}

/// A constant of the agent (S0.8).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Local {
    pub name: String,
    #[serde(default)]
    pub value: Value,
}

/// Language of titles and descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TitleLanguage {
    Uk,
    En,
}
