//! What carries an atomic agent out: one section a kind.

use super::parts::{Knowledge, Mode, Part, Premove, Switch, Thinking};
use super::script::Step;
use super::tool::ToolRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which of the sections an agent has.
#[derive(Clone, Copy, Debug)]
pub enum Executor<'a> {
    Llm(&'a Llm),
    Python(&'a Python),
    Shell(&'a Shell),
    Browser(&'a Browser),
    /// Of a server of the Model Context Protocol.
    Tool(&'a ToolRef),
}

/// A conversation that drives a browser.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Browser {
    /// What the agent is and wants; a template over the inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// Opened first; a template over the inputs. A path alone is this service's own, as `/demo/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_url: Option<String>,
    /// Absent: every public host. Present: any other host is a question.
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
    /// Whether the oldest pieces of a long history become a summary; absent: yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Switch>,
    /// Whether agents may work in the background (ASYNC, `task_manager`); absent: yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Switch>,
    /// Whether the model is sent the screenshot too.
    pub vision: bool,
    /// A lasting profile's name; absent: a fresh context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The language that pages are asked for in; absent: that of the person who runs it.
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
    /// Whether the oldest pieces of a long history become a summary; absent: yes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Switch>,
    /// Whether agents may work in the background (ASYNC, `task_manager`); absent: yes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Switch>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vision: bool,
}

impl Llm {
    /// A single answer needs none of these.
    pub fn converses(&self) -> bool {
        let thinks = self.thinking.as_ref().map(|said| Thinking::of(Some(said)).mode);
        let plans = self.plan.map(|plan| Plan::rules(Some(plan)).make);
        !self.uses.is_empty()
            || Part::is_on(self.knowledge.as_ref())
            || Part::is_on(self.premoves.as_ref())
            || thinks.is_some_and(|mode| mode != Mode::Off)
            || plans.is_some_and(|make| make != Make::Never)
    }
}

/// Whether a conversation makes plans: a word, or how it is done.
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
    /// When one is made.
    pub make: Make,
    /// Whether the person is asked before it is worked through.
    pub approve: Approve,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Make {
    /// At the beginning of each task, unless it is done in one go.
    #[default]
    Always,
    /// When the model asks for one.
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
    /// Without a word in the file, a plan is made when the model asks for one.
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

/// Python code in the sandbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Python {
    pub code: String,
    /// Whether the run's files are there, in the folder `files`; then a person is asked first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub files: bool,
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
    /// Whether the run's files are there, in the folder `files`; then a person is asked first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub files: bool,
    /// Names of the variables that may pass, never values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}
