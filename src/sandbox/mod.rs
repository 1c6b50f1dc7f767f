//! Sandbox for agents' Python code and commands: child processes without network, with a read-only system, a
//! scratch folder of their own, and resource limits.
//!
//! A guard, which is another process of this program, stands between the service and each child. It watches
//! the resources and ends the whole process tree, also when the service is gone or nobody waits for the
//! result.

mod engine;
mod fault;
#[cfg(target_os = "linux")]
mod guard;
mod backend;
mod order;
mod packages;
mod python;
mod shell;
mod orphaned_processes;
mod watched;

pub use backend::Backend;
pub use engine::{ContainerEngine, ContainerImage, ImageCall};
pub use fault::SandboxError;
pub use packages::PackagesCall;
pub use watched::OutputListener;

use crate::config;
use order::{ResourceLimits, SandboxRequest};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Semaphore;
use watched::ProgramOutput;

/// Most files and folders that one call may create.
const ENTRIES: u64 = 10_000;

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
    /// Defaults to `sandbox.timeout_s`.
    pub timeout: Option<Duration>,
    /// Read-only folder of packages to import.
    pub packages: Option<PathBuf>,
    /// Container image to run in, instead of the isolation backend.
    pub image: Option<ContainerImage>,
}

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
    pub timeout: Option<Duration>,
    /// True if an exit status other than 0 is a result instead of an error.
    pub allow_failure: bool,
    /// Container image to run in, instead of the isolation backend.
    pub image: Option<ContainerImage>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellResult {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs code and commands. Dropping the future of a call ends all of its processes at once.
#[derive(Clone, Debug)]
pub struct Sandbox(Arc<SandboxInner>);

#[derive(Debug)]
struct SandboxInner {
    settings: config::Sandbox,
    scratch: PathBuf,
    /// Path of this program, which also serves as the guard.
    program: PathBuf,
    /// Path of bubblewrap; `None` searches for it.
    bubblewrap: Option<PathBuf>,
    /// Backend found by the first request. A failed search is repeated, because a backend may have been
    /// installed since.
    means: OnceLock<Backend>,
    /// Limits the calls that run at a time; further calls wait.
    places: Semaphore,
}

/// Runs the guard if this process was started as one. Must be called before anything else.
pub fn run_if_guard() -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    return guard::run_if_guard();
    #[cfg(not(target_os = "linux"))]
    None
}

impl Sandbox {
    /// Opens the sandbox. `scratch` belongs to this service alone; removes the leftovers of an earlier
    /// process.
    pub fn open(settings: &config::Sandbox, scratch: PathBuf) -> Self {
        orphaned_processes::remove_leftovers(&scratch);
        Self::at(settings, scratch)
    }

    /// Creates a sandbox without removing leftovers.
    pub fn at(settings: &config::Sandbox, scratch: PathBuf) -> Self {
        Self::made(settings.clone(), scratch, None)
    }

    /// Creates a sandbox with this bubblewrap instead of searching for one.
    pub fn with_bubblewrap(settings: &config::Sandbox, scratch: PathBuf, bubblewrap: PathBuf) -> Self {
        Self::made(settings.clone(), scratch, Some(bubblewrap))
    }

    fn made(settings: config::Sandbox, scratch: PathBuf, bubblewrap: Option<PathBuf>) -> Self {
        let program = watched::own_program();
        let places = Semaphore::new(usize::try_from(settings.parallel).unwrap_or(1));
        Self(Arc::new(SandboxInner {
            settings,
            scratch,
            program,
            bubblewrap,
            means: OnceLock::new(),
            places,
        }))
    }

    /// Returns the isolation backend. The first call takes about 20 ms, because backends are tested.
    pub fn means(&self) -> Result<Backend, String> {
        if let Some(means) = self.0.means.get() {
            return Ok(means.clone());
        }
        let found = backend::find(self)?;
        Ok(self.0.means.get_or_init(|| found).clone())
    }

    /// False if the owner switched isolation off.
    pub fn isolates(&self) -> bool {
        self.0.settings.means != config::SandboxMeans::None
    }

    /// Returns the reason why nothing can run here and what to do about it; `None` if a backend works.
    pub fn refusal(&self) -> Option<String> {
        self.means().err()
    }

    pub async fn python(&self, call: PythonCall) -> Result<PythonResult, SandboxError> {
        let input = python::harness_input(&call, self.0.settings.output_kb);
        let (said, bounds) = match &call.image {
            Some(within) => {
                let order = SandboxRequest {
                    command: String::from("python3"),
                    args: python::flags(),
                    files: call.files,
                    ..self.order(&Backend::None, call.timeout)
                };
                (self.run_in_container(&order, &input, within).await?, order.bounds)
            }
            None => {
                let order = self.python_order(&call).await?;
                (self.run(&order, &input, &|_| {}).await?, order.bounds)
            }
        };
        python::read(said, &call.outputs, &bounds, self.0.settings.output_kb)
    }

    async fn python_order(&self, call: &PythonCall) -> Result<SandboxRequest, SandboxError> {
        let means = self.find_backend().await?;
        let program = self.interpreter()?;
        let mut readable = python::readable(&program, &self.0.settings, &self.0.scratch)?;
        let mut args = python::flags();
        args.extend(call.packages.as_ref().map(|folder| folder.to_string_lossy().into_owned()));
        readable.extend(call.packages.clone());
        let command = program.to_string_lossy().into_owned();
        let files = call.files.clone();
        Ok(SandboxRequest { command, args, files, readable, ..self.order(&means, call.timeout) })
    }

    pub async fn shell(&self, call: ShellCall) -> Result<ShellResult, SandboxError> {
        let means = if call.image.is_some() { Backend::None } else { self.find_backend().await? };
        let order = shell::order(&call, self.order(&means, call.timeout))?;
        let input = Value::Object(call.inputs).to_string();
        let said = match &call.image {
            Some(within) => self.run_in_container(&order, input.as_bytes(), within).await?,
            None => self.run(&order, input.as_bytes(), &|_| {}).await?,
        };
        shell::read(said, &order, call.allow_failure)
    }

    async fn run(
        &self,
        order: &SandboxRequest,
        input: &[u8],
        heard: OutputListener<'_>,
    ) -> Result<ProgramOutput, SandboxError> {
        // Closed only together with the sandbox.
        let _place = self.0.places.acquire().await.ok();
        let room = self.0.settings.output_kb.saturating_mul(1024);
        watched::run(&self.0.program, order, input, room, heard).await
    }

    async fn run_in_container(
        &self,
        order: &SandboxRequest,
        input: &[u8],
        within: &ContainerImage,
    ) -> Result<ProgramOutput, SandboxError> {
        let _place = self.0.places.acquire().await.ok();
        let room = self.0.settings.output_kb.saturating_mul(1024);
        engine::run(within, order, input, room).await
    }

    /// Returns the Python interpreter, or the reason why there is none.
    pub fn interpreter(&self) -> Result<PathBuf, SandboxError> {
        python::interpreter(self.0.settings.python.as_deref())
    }

    /// Returns the living processes of the sandbox's calls, including their guards.
    pub fn processes(&self) -> Vec<u32> {
        orphaned_processes::processes_with_marker(&orphaned_processes::mark(&self.0.scratch))
    }

    /// Finds the backend on the blocking thread pool, since it may have to be tested.
    async fn find_backend(&self) -> Result<Backend, SandboxError> {
        let sandbox = self.clone();
        let found = tokio::task::spawn_blocking(move || sandbox.means()).await;
        found.map_err(|fault| SandboxError::Broken(fault.to_string()))?.map_err(SandboxError::Refused)
    }

    fn order(&self, means: &Backend, timeout: Option<Duration>) -> SandboxRequest {
        let settings = &self.0.settings;
        let timeout = timeout.unwrap_or(Duration::from_secs(settings.timeout_s));
        SandboxRequest {
            hold: means.hold(),
            command: String::new(),
            args: Vec::new(),
            within: String::new(),
            env: BTreeMap::from([(
                String::from(orphaned_processes::VARIABLE),
                orphaned_processes::mark(&self.0.scratch),
            )]),
            files: None,
            readable: Vec::new(),
            scratch: self.0.scratch.join(crate::ids::token()),
            network: false,
            bounds: ResourceLimits {
                memory_mb: settings.memory_mb,
                cpu_s: settings.cpu_s,
                processes: settings.processes,
                scratch_mb: settings.scratch_mb,
                entries: ENTRIES,
                timeout_ms: u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX),
            },
        }
    }
}
