//! A sandbox for a test, with each backend in turn, and a check of what it leaves behind.

use crate::support::app::until;
use askfirst::config;
use askfirst::config::layers::Flags;
use askfirst::config::{SandboxMeans, Settings};
use askfirst::sandbox::Sandbox;
use askfirst::sandbox::calls::{PythonCall, PythonResult, ShellCall, ShellResult};
use askfirst::sandbox::error::SandboxError;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// Backends that isolate code.
pub const HELD: [SandboxMeans; 2] = [SandboxMeans::Bubblewrap, SandboxMeans::Landlock];

/// Time within which processes and files must be gone.
const SOON: Duration = Duration::from_secs(10);

pub struct TestSandbox {
    pub data: TempDir,
    pub sandbox: Sandbox,
}

/// Returns the default settings with this backend.
pub fn settings(means: SandboxMeans) -> config::Sandbox {
    let home = [(String::from("HOME"), String::from("/home/olena"))];
    config::Sandbox { means, ..Settings::load(&Flags::default(), home).unwrap().sandbox }
}

impl TestSandbox {
    pub fn open(settings: config::Sandbox) -> Self {
        let data = tempfile::tempdir().unwrap();
        let sandbox = Sandbox::open(&settings, data.path().join("sandbox"));
        assert_eq!(sandbox.refusal(), None);
        Self { data, sandbox }
    }

    pub fn held_by(means: SandboxMeans) -> Self {
        Self::open(settings(means))
    }

    /// Creates the file folder of a run.
    pub fn files(&self) -> PathBuf {
        let files = self.data.path().join("runs/one/files");
        std::fs::create_dir_all(&files).unwrap();
        files
    }

    pub async fn python(&self, code: &str, outputs: &[&str]) -> Result<PythonResult, SandboxError> {
        self.sandbox.python(python(code, outputs)).await
    }

    pub async fn shell(&self, line: &str) -> Result<ShellResult, SandboxError> {
        self.sandbox.shell(shell(line)).await
    }

    /// Checks that no process of the sandbox is left, and that its scratch folder is empty.
    pub async fn is_clean(&self) {
        until("the processes' end", SOON, || self.sandbox.processes().is_empty()).await;
        let left = || std::fs::read_dir(self.data.path().join("sandbox")).map_or(0, Iterator::count);
        until("the scratch folder's end", SOON, || left() == 0).await;
    }
}

pub fn python(code: &str, outputs: &[&str]) -> PythonCall {
    let outputs = outputs.iter().map(|name| (*name).to_owned()).collect();
    PythonCall { code: code.to_owned(), outputs, ..PythonCall::default() }
}

pub fn shell(line: &str) -> ShellCall {
    let args = ["-c", line].map(str::to_owned).to_vec();
    ShellCall { command: String::from("sh"), args, ..ShellCall::default() }
}

pub fn map(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}
