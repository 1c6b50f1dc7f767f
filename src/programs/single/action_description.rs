//! Describes the action of a single-call run, for people, the gate and the store.

use crate::agent_spec::template;
use crate::agent_spec::types::executor::{Executor, FilesAccess, Python, Shell};
use crate::agent_spec::types::spec::AgentSpec;
use crate::agent_spec::types::tool_ref::ToolRef;
use crate::engine::program::ProgramError;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Action id of the only action.
pub const ID: &str = "a1";

/// Executors that need the gate's permission.
#[derive(Clone, Copy, Debug)]
pub enum Executable<'a> {
    Python(&'a Python),
    Shell(&'a Shell),
    /// A tool of an MCP server.
    Tool(&'a ToolRef),
}

/// Returns the code, command or tool of an agent. Fails for other executors, so that they cannot pass the
/// gate.
pub fn executable_of(spec: &AgentSpec) -> Result<Executable<'_>, ProgramError> {
    match spec.section() {
        Some(Executor::Python(python)) => Ok(Executable::Python(python)),
        Some(Executor::Shell(shell)) => Ok(Executable::Shell(shell)),
        Some(Executor::Tool(tool)) => Ok(Executable::Tool(tool)),
        Some(Executor::Llm(_) | Executor::Browser(_)) | None => {
            Err(ProgramError::Failed(format!("agent {} is neither code nor a command", spec.name)))
        }
    }
}

impl Executable<'_> {
    /// Returns the name of the executor.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python(_) => "python",
            Self::Shell(_) => "shell",
            Self::Tool(_) => "tool",
        }
    }

    /// Returns the access of the executor to the files of the run tree.
    pub fn files_access(self) -> FilesAccess {
        match self {
            Self::Python(python) => python.files,
            Self::Shell(shell) => shell.files,
            Self::Tool(_) => FilesAccess::default(),
        }
    }

    /// Hashes the code, so that a replay detects changes of it.
    pub fn hash(self) -> String {
        let runs = match self {
            Self::Python(python) => json!([self.name(), python.code]),
            Self::Shell(shell) => {
                json!([self.name(), shell.command, shell.args, shell.cwd, shell.env, shell.allow_failure])
            }
            Self::Tool(tool) => json!([self.name(), tool.server, tool.tool]),
        };
        format!("{:x}", Sha256::digest(runs.to_string()))
    }

    /// Describes the action for people and the store, with the arguments filled in.
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
                "arguments": tool_arguments(spec, context),
            }),
        };
        Ok(json!({"action_id": ID, "action": self.name(), "agent": spec.name, "params": params}))
    }
}

/// Returns the arguments of a tool: the declared inputs, except optional ones without a value. If the inputs
/// of the tool are unknown, all inputs are passed.
pub fn tool_arguments(spec: &AgentSpec, context: &Map<String, Value>) -> Map<String, Value> {
    let arguments =
        context.iter().filter(|(name, value)| match spec.inputs.iter().find(|i| i.name == **name) {
            Some(input) => input.is_required() || !value.is_null(),
            None => spec.inputs.is_empty() && *name != "locale",
        });
    arguments.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Fills in the arguments of a command.
pub async fn arguments(shell: &Shell, context: &Map<String, Value>) -> Result<Vec<String>, String> {
    let rendered = template::render_texts(shell.args.clone(), context.clone()).await;
    rendered.map_err(|(arg, fault)| format!("`{arg}`: {fault}"))
}
