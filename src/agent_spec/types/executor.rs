//! The sections of an agent file that execute an atomic agent, one for each kind of executor.

use crate::agent_spec::types::conversation_parts::{
    Knowledge, Mode, Part, Premove, Switch, Thinking, Vision,
};
use crate::agent_spec::types::script::Step;
use crate::agent_spec::types::tool_ref::ToolRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The executor section of an agent.
#[derive(Clone, Copy, Debug)]
pub enum Executor<'a> {
    Llm(&'a Llm),
    Python(&'a Python),
    Shell(&'a Shell),
    Browser(&'a Browser),
    /// A tool of an MCP server.
    Tool(&'a ToolRef),
}

/// A conversation that drives a browser.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Browser {
    /// Role and task of the agent; a template over the inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The first page; a template over the inputs. A path such as `/demo/` is a page of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_url: Option<String>,
    /// Absent: every public host. Present: any other host needs an approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_hosts: Option<Vec<String>>,
    /// Names of the agents that it may call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<Part<Knowledge>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub premoves: Option<Part<Vec<Premove>>>,
    /// Summarizes the oldest parts of a long history. On if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Switch>,
    /// Lets agents run in the background (ASYNC, `task_manager`). On if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Switch>,
    /// Sends the screenshot to the model too: off, auto (where the text does not tell enough) or always.
    pub vision: Vision,
    /// Name of a persistent profile; absent: a fresh browser context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Language of page requests, uk or en; absent: the language of the person who starts the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Actions that are played without a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Vec<Step>>,
}

/// A model call, or a conversation without a browser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Llm {
    pub prompt: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parse_json: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<Part<Knowledge>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub premoves: Option<Part<Vec<Premove>>>,
    /// Summarizes the oldest parts of a long history. On if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Switch>,
    /// Lets agents run in the background (ASYNC, `task_manager`). On if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Switch>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking>,
    #[serde(default, skip_serializing_if = "Vision::is_default")]
    pub vision: Vision,
}

impl Llm {
    /// True if the agent uses tools, knowledge, premoves, thinking or plans. A single model call needs none
    /// of them.
    pub fn converses(&self) -> bool {
        let thinks = self.thinking.as_ref().map(|thinking| Thinking::resolve(Some(thinking)).mode);
        let plans = self.plan.map(|plan| Plan::rules(Some(plan)).make);
        !self.uses.is_empty()
            || Part::is_on(self.knowledge.as_ref())
            || Part::is_on(self.premoves.as_ref())
            || thinks.is_some_and(|mode| mode != Mode::Off)
            || plans.is_some_and(|make| make != Make::Never)
    }
}

/// Planning of a conversation: a word, or detailed rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Plan {
    Switch(bool),
    Word(PlanWord),
    Rules(PlanRules),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanWord {
    Off,
    Auto,
    Always,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlanRules {
    /// The time when a plan is made.
    pub make: Make,
    /// Approval of a plan by the person before it is executed.
    pub approve: Approve,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Make {
    /// At the beginning of each task, unless a single turn completes it.
    #[default]
    Always,
    /// Only when the model requests one.
    Asked,
    Never,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Approve {
    #[default]
    Auto,
    Ask,
}

impl Plan {
    /// Returns the rules of a section. Without a setting, a plan is made when the model requests one.
    pub fn rules(plan: Option<Self>) -> PlanRules {
        let make = |make| PlanRules { make, approve: Approve::Auto };
        match plan {
            None | Some(Self::Word(PlanWord::Auto)) => make(Make::Asked),
            Some(Self::Switch(false) | Self::Word(PlanWord::Off)) => make(Make::Never),
            Some(Self::Switch(true) | Self::Word(PlanWord::Always)) => make(Make::Always),
            Some(Self::Rules(rules)) => rules,
        }
    }
}

/// Access of code to the files of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FilesAccess {
    Switch(bool),
    Word(FilesWord),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FilesWord {
    Read,
}

impl Default for FilesAccess {
    fn default() -> Self {
        Self::Switch(false)
    }
}

impl FilesAccess {
    /// True if the code sees no file of its run.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::Switch(false))
    }

    /// True if the code may change the files.
    pub fn may_write(self) -> bool {
        self == Self::Switch(true)
    }
}

/// Python code in the sandbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Python {
    pub code: String,
    /// Mounts the run's files in the folder `files`: `read`, or `true` to change them too, which a person must
    /// approve first.
    #[serde(default, skip_serializing_if = "FilesAccess::is_none")]
    pub files: FilesAccess,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u64>,
}

/// A command in the sandbox (S0.32, S0.33).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shell {
    pub command: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u64>,
    #[serde(default)]
    pub allow_failure: bool,
    /// Mounts the run's files in the folder `files`: `read`, or `true` to change them too, which a person must
    /// approve first.
    #[serde(default, skip_serializing_if = "FilesAccess::is_none")]
    pub files: FilesAccess,
    /// Names of the environment variables that are passed on, never values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}
