//! Third-party client libraries from their registries: `scripts/test-packages.sh` installs them in the target
//! directory, and `tests/clients/` contains the scripts that use them.

use super::installed::installed_program;
use std::path::Path;
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

/// Starts a script of `tests/clients/` with these arguments.
pub fn start(script: &str, words: &[&str]) -> Child {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(script);
    let mut command = Command::new(installed_program("clients/bin/python", "scripts/test-packages.sh"));
    command.arg(path).args(words).env_remove("PYTHONPATH").kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    command.spawn().unwrap()
}

/// Runs a script to its end with this standard input, and parses its output as JSON.
pub async fn run_client(script: &str, words: &[&str], input: &str) -> serde_json::Value {
    let mut child = start(script, words);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).await.unwrap();
    drop(stdin);
    let output = tokio::time::timeout(super::app::PATIENCE, child.wait_with_output()).await;
    let output = output.unwrap_or_else(|_| panic!("{script} does not end")).unwrap();
    assert!(output.status.success(), "{script} ended as {}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}
