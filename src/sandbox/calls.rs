//! Calls of Python code and shell commands, and their results.

use crate::sandbox::container_engine::ContainerImage;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

/// Python code of an agent.
#[derive(Clone, Debug, Default)]
pub struct PythonCall {
    pub code: String,
    /// Inputs; each becomes a variable, and `context` contains all.
    pub inputs: Map<String, Value>,
    /// Names of the variables to return.
    pub outputs: Vec<String>,
    /// Folder made available to the code as `files`.
    pub files: Option<PathBuf>,
    /// True if the code may not change the files.
    pub files_read_only: bool,
    /// Defaults to `sandbox.timeout_s`.
    pub timeout: Option<Duration>,
    /// Read-only folder of packages to import.
    pub packages: Option<PathBuf>,
    /// Container image to run in, instead of the isolation backend.
    pub image: Option<ContainerImage>,
}

/// Result of Python code.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonResult {
    /// The declared outputs.
    pub vars: Map<String, Value>,
    pub printed: String,
}

/// A command of an agent.
#[derive(Clone, Debug, Default)]
pub struct ShellCall {
    /// A program, never a shell command line.
    pub command: String,
    pub args: Vec<String>,
    /// Initial folder, relative to the working folder.
    pub cwd: Option<String>,
    /// Variables of the service to pass on.
    pub env: Vec<String>,
    /// Inputs, passed on standard input as JSON.
    pub inputs: Map<String, Value>,
    pub files: Option<PathBuf>,
    /// True if the command may not change the files.
    pub files_read_only: bool,
    pub timeout: Option<Duration>,
    /// True if an exit status other than 0 is a result instead of an error.
    pub allow_failure: bool,
    /// Container image to run in, instead of the isolation backend.
    pub image: Option<ContainerImage>,
}

/// Result of a command. `status` is its exit status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellResult {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}
