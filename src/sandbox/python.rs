//! Python calls: the interpreter, the harness's input, and its answer.

use crate::config;
use crate::sandbox::calls::{PythonCall, PythonResult};
use crate::sandbox::error::SandboxError;
use crate::sandbox::guard_client::ProgramOutput;
use crate::sandbox::guard_messages::{GuardVerdict, ResourceLimits};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

const HARNESS: &str = include_str!("scripts/harness.py");
const USUAL: [&str; 2] = ["/usr/local/bin/python3", "/usr/bin/python3"];

const SPOILT: &str = "the result is not JSON: the code wrote into its channel; use only files and descriptors it opened itself";

/// Answer of the harness.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum HarnessAnswer {
    Vars(Map<String, Value>),
    Fault(HarnessFault),
}

#[derive(Deserialize)]
struct HarnessFault {
    code: String,
    message: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    hint: String,
    #[serde(default)]
    traceback: String,
    #[serde(default)]
    variables: String,
    #[serde(default)]
    uk: String,
    #[serde(default)]
    en: String,
}

/// Returns the interpreter of the settings, otherwise the system's.
pub fn interpreter(set: Option<&Path>) -> Result<PathBuf, SandboxError> {
    let found = match set {
        Some(path) => Some(path.to_owned()).filter(|path| path.is_file()),
        None => USUAL.map(PathBuf::from).into_iter().find(|path| path.is_file()),
    };
    found.ok_or_else(|| {
        let why = match set {
            Some(path) => format!("there is no {}; correct sandbox.python", path.display()),
            None => String::from("there is no python3 in /usr/bin; install it, or set sandbox.python"),
        };
        SandboxError::NoPython(why)
    })
}

/// Returns the folders that a Python outside the system needs: its own, and the one it was created from.
pub fn readable(
    program: &Path,
    settings: &config::Sandbox,
    scratch: &Path,
) -> Result<Vec<PathBuf>, SandboxError> {
    if settings.python.is_none() {
        return Ok(Vec::new());
    }
    let around = |file: &Path| Some(file.parent()?.parent()?.to_owned());
    let real = std::fs::canonicalize(program).ok();
    let mut folders: Vec<PathBuf> =
        [around(program), real.as_deref().and_then(around)].into_iter().flatten().collect();
    folders.dedup();
    folders.retain(|folder| !folder.starts_with("/usr") && *folder != Path::new("/"));
    if folders.iter().any(|folder| scratch.starts_with(folder)) {
        let why =
            "the folder of sandbox.python holds the service's data; make a virtual environment elsewhere";
        return Err(SandboxError::NoPython(String::from(why)));
    }
    Ok(folders)
}

/// Returns flags that isolate Python from the user's folders and variables. Libraries are located on first
/// import.
pub fn flags() -> Vec<String> {
    ["-I", "-S", "-B", "-X", "utf8", "-c", HARNESS].map(String::from).to_vec()
}

/// Returns the input of the harness.
pub fn harness_input(call: &PythonCall, output_kb: u64) -> Vec<u8> {
    let limit = output_kb.saturating_mul(1024).saturating_sub(64);
    json!({"code": call.code, "inputs": call.inputs, "outputs": call.outputs, "limit": limit})
        .to_string()
        .into_bytes()
}

/// Returns the result, or the reason why there is none. Standard output carries the answer, standard error
/// everything that the code printed. The code can write to the answer's descriptor, but only declared outputs
/// are returned.
pub fn read(
    output: ProgramOutput,
    outputs: &[String],
    bounds: &ResourceLimits,
    output_kb: u64,
) -> Result<PythonResult, SandboxError> {
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    match serde_json::from_slice(&output.stdout) {
        Ok(HarnessAnswer::Vars(mut vars)) => {
            vars.retain(|name, _| outputs.contains(name));
            Ok(PythonResult { vars, printed })
        }
        Ok(HarnessAnswer::Fault(fault)) => Err(fault.into_error(printed, bounds, output_kb)),
        Err(_) => Err(match output.verdict {
            GuardVerdict::Ended(status) if status == 128 + nix::libc::SIGXCPU => {
                SandboxError::Cpu(bounds.cpu_s)
            }
            GuardVerdict::Ended(_) if !output.stdout.is_empty() => {
                SandboxError::NotJson(String::from(SPOILT))
            }
            GuardVerdict::Ended(status) => SandboxError::Ended { status, printed },
            GuardVerdict::Stopped(_) | GuardVerdict::Failed(_) => SandboxError::Broken(printed),
        }),
    }
}

impl HarnessFault {
    fn into_error(self, printed: String, bounds: &ResourceLimits, output_kb: u64) -> SandboxError {
        let Self { message, kind, hint, traceback, variables, uk, en, .. } = self;
        match self.code.as_str() {
            "missing_library" => SandboxError::MissingLibrary { kind, message, hint },
            "no_result" => SandboxError::NoResult { hint, variables },
            "not_json" => SandboxError::NotJson(message),
            "output_limit" => SandboxError::Output(output_kb),
            "memory_limit" => SandboxError::Memory(bounds.memory_mb),
            "process_limit" => SandboxError::Processes(bounds.processes),
            "scratch_limit" => SandboxError::Scratch(bounds.scratch_mb),
            _ => SandboxError::Exception { kind, message, hint, traceback, printed, uk, en },
        }
    }
}
