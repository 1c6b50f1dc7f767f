//! What carries an atomic agent out: one section a kind.

use super::script::Step;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which of the sections an agent has.
#[derive(Clone, Copy, Debug)]
pub enum Executor<'a> {
    Llm(&'a Llm),
    Python(&'a Python),
    Shell(&'a Shell),
    Browser(&'a Browser),
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
    pub plan: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Value>,
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
    pub knowledge: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub premoves: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Value>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vision: bool,
}

impl Llm {
    /// A single answer needs none of these.
    pub fn converses(&self) -> bool {
        let parts = [&self.knowledge, &self.premoves, &self.plan, &self.thinking];
        !self.uses.is_empty() || parts.into_iter().any(Option::is_some)
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
