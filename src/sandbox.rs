//! Where code and commands of agents run. This build has no means to hold them, and refuses them with words.

use crate::config;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Sandbox {
    isolates: bool,
}

#[derive(Clone, Debug, Default)]
pub struct PythonCall {
    pub code: String,
    pub inputs: Map<String, Value>,
    pub outputs: Vec<String>,
    pub files: Option<PathBuf>,
    pub timeout: Option<Duration>,
}

#[derive(Clone, Debug)]
pub struct PythonResult {
    pub vars: Map<String, Value>,
    pub printed: String,
}

#[derive(Clone, Debug, Default)]
pub struct ShellCall {
    pub command: String,
    pub args: Vec<String>,
    pub cwd: Option<String>,
    pub env: Vec<String>,
    pub inputs: Map<String, Value>,
    pub files: Option<PathBuf>,
    pub timeout: Option<Duration>,
    pub allow_failure: bool,
}

#[derive(Clone, Debug)]
pub struct ShellResult {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("code and commands of agents are refused: this build has no sandbox")]
    Refused,
}

impl SandboxError {
    pub fn code(&self) -> &'static str {
        "sandbox_refused"
    }

    pub fn traceback(&self) -> Option<&str> {
        None
    }
}

impl Sandbox {
    pub fn open(settings: &config::Sandbox, _scratch: PathBuf) -> Self {
        Self { isolates: settings.means != config::SandboxMeans::None }
    }

    pub fn isolates(&self) -> bool {
        self.isolates
    }

    pub async fn python(&self, _call: PythonCall) -> Result<PythonResult, SandboxError> {
        Err(SandboxError::Refused)
    }

    pub async fn shell(&self, _call: ShellCall) -> Result<ShellResult, SandboxError> {
        Err(SandboxError::Refused)
    }
}
