//! An agent file as checked types (PROTOCOL section 4): YAML and JSON map to `AgentSpec` one to one,
//! both ways. What a file may say stands here; whether it makes sense, in `check`.

pub mod build;
pub mod built_in;
pub mod check;
pub mod comments;
pub mod executor;
pub mod env;
pub mod fault;
mod folder;
pub use folder::read as text_of_file;
pub mod graph;
pub mod inputs;
mod legacy;
pub mod library;
pub mod limits;
pub mod native;
pub mod parts;
pub mod schema;
pub mod script;
pub mod secret;
pub mod shape;
pub mod tool;
pub mod version;
mod yaml;
pub use yaml::map as map_in;

use executor::{Browser, Executor, Llm, Python, Shell};
use graph::Graph;
use limits::Limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One agent (S0.5, S0.6).
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
    /// What is made before its first run (S4.28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<build::Build>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<Graph>,
    /// Not of any file: the tool that it is.
    #[serde(skip)]
    pub mcp: Option<tool::ToolRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// A second call does what one does: it may be tried again (C11).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idempotent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Atomic,
    Composite,
}

/// Whether a run is kept over a restart (C3).
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
    /// The same for whoever reads Ukrainian (C18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description_ua: Option<String>,
    /// What it is where nothing is given; null counts.
    #[serde(default, deserialize_with = "graph::given", skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// What is given for it is known in memory only and typed into secret fields alone.
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

/// What the person reads in which language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tongue {
    Uk,
    En,
}

impl AgentSpec {
    /// The section that carries it out; none for a composite.
    pub fn section(&self) -> Option<Executor<'_>> {
        let llm = self.llm.as_ref().map(Executor::Llm);
        let python = self.python.as_ref().map(Executor::Python);
        let shell = self.shell.as_ref().map(Executor::Shell);
        let tool = self.mcp.as_ref().map(Executor::Tool);
        llm.or(python).or(shell).or(tool).or(self.browser.as_ref().map(Executor::Browser))
    }

    /// An agent that says nothing yet.
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

    /// The title in a language; the other one, or the name, where that is empty (S0.6, C18).
    pub fn title(&self, tongue: Tongue) -> &str {
        let en = self.title_en.as_deref().unwrap_or_default();
        let wanted = match tongue {
            Tongue::Uk => [self.title_ua.as_str(), &self.name],
            Tongue::En => [en, self.title_ua.as_str()],
        };
        wanted.into_iter().find(|title| !title.trim().is_empty()).unwrap_or(&self.name)
    }

    /// Whether a run of it is a conversation: it plans, asks and hears further messages.
    pub fn converses(&self) -> bool {
        self.browser.is_some() || self.llm.as_ref().is_some_and(Llm::converses)
    }

    /// Whether other agents are called by it, in lanes, as tools or before its plans.
    pub fn calls_others(&self) -> bool {
        let tools = self.llm.iter().map(|llm| (&llm.uses, &llm.premoves));
        let mut tools = tools.chain(self.browser.iter().map(|browser| (&browser.uses, &browser.premoves)));
        let by_tools =
            tools.any(|(uses, premoves)| !uses.is_empty() || parts::Part::is_on(premoves.as_ref()));
        self.kind == Kind::Composite || by_tools
    }

    /// Its calls of other agents, lane by lane.
    pub fn items(&self) -> impl Iterator<Item = &graph::Item> {
        self.graph.iter().flat_map(|graph| &graph.lanes).flat_map(|lane| &lane.items)
    }

    /// Names of the agents that it calls.
    pub fn called(&self) -> impl Iterator<Item = &str> {
        self.items().map(|item| item.agent.as_str())
    }

    /// The same, and of those that it may call.
    pub fn may_call(&self) -> Vec<String> {
        let llm = self.llm.iter().flat_map(|llm| &llm.uses);
        let used = self.browser.iter().flat_map(|browser| &browser.uses).chain(llm).map(String::as_str);
        self.called().chain(used).map(str::to_owned).collect()
    }

    /// The word of the API for what carries the agent out; none for lanes.
    pub fn executor(&self) -> Option<&'static str> {
        native::executor(self).or_else(|| self.sections().first().copied())
    }

    /// The sections of executors that are there; one, if the agent makes sense.
    pub fn sections(&self) -> Vec<&'static str> {
        let all = [
            ("llm", self.llm.is_some()),
            ("python", self.python.is_some()),
            ("shell", self.shell.is_some()),
            ("browser", self.browser.is_some()),
            ("mcp", self.mcp.is_some()),
        ];
        all.into_iter().filter_map(|(word, given)| given.then_some(word)).collect()
    }
}
