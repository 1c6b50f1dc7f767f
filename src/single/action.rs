//! What a run of one call does, as people, the gate and the store read it.

use crate::program::ProgramError;
use crate::spec::AgentSpec;
use crate::spec::executor::{Executor, Python, Shell};
use crate::spec::tool::ToolRef;
use crate::template;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// What it is called where an action has an id.
pub const ID: &str = "a1";

/// What is carried out here after the gate.
#[derive(Clone, Copy, Debug)]
pub enum Code<'a> {
    Python(&'a Python),
    Shell(&'a Shell),
    /// Of another server.
    Tool(&'a ToolRef),
}

/// What an agent is carried out by; whatever is none of these does not get past the gate.
pub fn code(spec: &AgentSpec) -> Result<Code<'_>, ProgramError> {
    match spec.section() {
        Some(Executor::Python(python)) => Ok(Code::Python(python)),
        Some(Executor::Shell(shell)) => Ok(Code::Shell(shell)),
        Some(Executor::Tool(tool)) => Ok(Code::Tool(tool)),
        Some(Executor::Llm(_) | Executor::Browser(_)) | None => {
            Err(ProgramError::Failed(format!("agent {} is neither code nor a command", spec.name)))
        }
    }
}

impl Code<'_> {
    /// The word for what is done.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python(_) => "python",
            Self::Shell(_) => "shell",
            Self::Tool(_) => "tool",
        }
    }

    /// Whether it is lent the files of the run tree.
    pub fn files(self) -> bool {
        match self {
            Self::Python(python) => python.files,
            Self::Shell(shell) => shell.files,
            Self::Tool(_) => false,
        }
    }

    /// A hash of what it runs, by which a replay knows whether it is the same still.
    pub fn hash(self) -> String {
        let runs = match self {
            Self::Python(python) => json!([self.name(), python.code]),
            Self::Shell(shell) => {
                json!([self.name(), shell.command, shell.args, shell.cwd, shell.env, shell.allow_failure])
            }
            Self::Tool(tool) => json!([self.name(), tool.server, tool.tool]),
        };
        let digest = Sha256::digest(runs.to_string());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What is done, for people and for the store; arguments as they will be.
    pub async fn action(self, spec: &AgentSpec, context: &Map<String, Value>) -> Result<Value, String> {
        let params = match self {
            Self::Python(python) => json!({"code": python.code, "files": python.files}),
            Self::Shell(shell) => json!({
                "command": shell.command,
                "args": arguments(shell, context).await?,
                "cwd": shell.cwd,
                "env": shell.env,
                "files": shell.files,
            }),
            Self::Tool(tool) => json!({
                "server": tool.server,
                "tool": tool.tool,
                "arguments": passed(spec, context),
            }),
        };
        Ok(json!({"action_id": ID, "action": self.name(), "agent": spec.name, "params": params}))
    }
}

/// What a tool is given: what it declares, without what may be left out and was; of one that nobody could ask
/// what it takes, everything.
pub fn passed(spec: &AgentSpec, context: &Map<String, Value>) -> Map<String, Value> {
    let given = context.iter().filter(|(name, value)| match spec.inputs.iter().find(|i| i.name == **name) {
        Some(input) => input.is_required() || !value.is_null(),
        None => spec.inputs.is_empty() && *name != "locale",
    });
    given.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Each argument of a command with its values.
pub async fn arguments(shell: &Shell, context: &Map<String, Value>) -> Result<Vec<String>, String> {
    let filled = template::texts(shell.args.clone(), context.clone()).await;
    filled.map_err(|(arg, fault)| format!("`{arg}`: {fault}"))
}
