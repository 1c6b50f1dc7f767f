//! Sandbox for agents' Python code and commands: child processes without network, with a read-only system, a
//! scratch folder of their own, and resource limits.
//!
//! A guard, which is another process of this program, stands between the service and each child. It watches
//! the resources and ends the whole process tree, also when the service is gone or nobody waits for the
//! result.

pub(crate) mod container_engine;
pub mod error;
pub(crate) mod guard_client;
pub(crate) mod guard_messages;
pub(crate) mod pip_install;
pub mod calls;
pub mod build;
#[cfg(target_os = "linux")]
pub(crate) mod guard;
pub(crate) mod backend;
pub(crate) mod python;
pub(crate) mod shell;
pub(crate) mod orphaned_processes;

use crate::config::SandboxMeans;
use crate::ids;
use crate::sandbox::backend::Backend;
use crate::sandbox::calls::{PythonCall, PythonResult, ShellCall, ShellResult};
use crate::sandbox::container_engine::ContainerImage;
use crate::sandbox::error::SandboxError;
use crate::sandbox::guard_client::OutputListener;
use crate::sandbox::guard_messages::GuardVerdict;

use crate::config;
use crate::sandbox::guard_client::ProgramOutput;
use crate::sandbox::guard_messages::{ResourceLimits, SandboxRequest};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Most files and folders that one call may create.
const ENTRIES: u64 = 10_000;

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
    backend: OnceLock<Backend>,
    /// Limits the calls that run at a time; further calls wait.
    permits: Semaphore,
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
        Self::without_cleanup(settings, scratch)
    }

    /// Creates a sandbox without removing leftovers.
    pub fn without_cleanup(settings: &config::Sandbox, scratch: PathBuf) -> Self {
        Self::create(settings.clone(), scratch, None)
    }

    /// Creates a sandbox with this bubblewrap instead of searching for one.
    pub fn with_bubblewrap(settings: &config::Sandbox, scratch: PathBuf, bubblewrap: PathBuf) -> Self {
        Self::create(settings.clone(), scratch, Some(bubblewrap))
    }

    fn create(settings: config::Sandbox, scratch: PathBuf, bubblewrap: Option<PathBuf>) -> Self {
        let program = guard_client::own_program();
        let permits = Semaphore::new(usize::try_from(settings.parallel).unwrap_or(1));
        Self(Arc::new(SandboxInner {
            settings,
            scratch,
            program,
            bubblewrap,
            backend: OnceLock::new(),
            permits,
        }))
    }

    /// Returns the isolation backend. The first call takes about 20 ms, because backends are tested.
    pub fn backend(&self) -> Result<Backend, String> {
        if let Some(backend) = self.0.backend.get() {
            return Ok(backend.clone());
        }
        let found = crate::sandbox::find(self)?;
        Ok(self.0.backend.get_or_init(|| found).clone())
    }

    /// False if the owner switched isolation off.
    pub fn isolates(&self) -> bool {
        self.0.settings.means != config::SandboxMeans::None
    }

    /// Returns the reason why nothing can run here and what to do about it; `None` if a backend works.
    pub fn refusal(&self) -> Option<String> {
        self.backend().err()
    }

    /// Runs Python code, in its image if it has one.
    pub async fn python(&self, call: PythonCall) -> Result<PythonResult, SandboxError> {
        let input = python::harness_input(&call, self.0.settings.output_kb);
        let (output, bounds) = match &call.image {
            Some(image) => {
                let request = SandboxRequest {
                    command: String::from("python3"),
                    args: python::flags(),
                    files: call.files,
                    files_read_only: call.files_read_only,
                    ..self.new_request(&Backend::None, call.timeout)
                };
                (self.run_in_container(&request, &input, image).await?, request.bounds)
            }
            None => {
                let request = self.python_request(&call).await?;
                (self.run(&request, &input, &|_| {}).await?, request.bounds)
            }
        };
        python::read(output, &call.outputs, &bounds, self.0.settings.output_kb)
    }

    async fn python_request(&self, call: &PythonCall) -> Result<SandboxRequest, SandboxError> {
        let backend = self.find_backend().await?;
        let program = self.interpreter()?;
        let mut readable = python::readable(&program, &self.0.settings, &self.0.scratch)?;
        let mut args = python::flags();
        args.extend(call.packages.as_ref().map(|folder| folder.to_string_lossy().into_owned()));
        readable.extend(call.packages.clone());
        let command = program.to_string_lossy().into_owned();
        let (files, files_read_only) = (call.files.clone(), call.files_read_only);
        let request = self.new_request(&backend, call.timeout);
        Ok(SandboxRequest { command, args, files, files_read_only, readable, ..request })
    }

    /// Runs a command, in its image if it has one.
    pub async fn shell(&self, call: ShellCall) -> Result<ShellResult, SandboxError> {
        let backend = if call.image.is_some() { Backend::None } else { self.find_backend().await? };
        let request = shell::complete_request(&call, self.new_request(&backend, call.timeout))?;
        let input = Value::Object(call.inputs).to_string();
        let output = match &call.image {
            Some(image) => self.run_in_container(&request, input.as_bytes(), image).await?,
            None => self.run(&request, input.as_bytes(), &|_| {}).await?,
        };
        shell::read(output, &request, call.allow_failure)
    }

    async fn run(
        &self,
        request: &SandboxRequest,
        input: &[u8],
        listener: OutputListener<'_>,
    ) -> Result<ProgramOutput, SandboxError> {
        // Closed only together with the sandbox.
        let _permit = self.0.permits.acquire().await.ok();
        let max_bytes = self.0.settings.output_kb.saturating_mul(1024);
        guard_client::run(&self.0.program, request, input, max_bytes, listener).await
    }

    async fn run_in_container(
        &self,
        request: &SandboxRequest,
        input: &[u8],
        image: &ContainerImage,
    ) -> Result<ProgramOutput, SandboxError> {
        let _permit = self.0.permits.acquire().await.ok();
        let max_bytes = self.0.settings.output_kb.saturating_mul(1024);
        container_engine::run(image, request, input, max_bytes).await
    }

    /// Returns the Python interpreter, or the reason why there is none.
    pub fn interpreter(&self) -> Result<PathBuf, SandboxError> {
        python::interpreter(self.0.settings.python.as_deref())
    }

    /// Returns the living processes of the sandbox's calls, including their guards.
    pub fn processes(&self) -> Vec<u32> {
        orphaned_processes::processes_with_marker(&orphaned_processes::sandbox_marker(&self.0.scratch))
    }

    /// Finds the backend on the blocking thread pool, since it may have to be tested.
    async fn find_backend(&self) -> Result<Backend, SandboxError> {
        let sandbox = self.clone();
        let found = tokio::task::spawn_blocking(move || sandbox.backend()).await;
        found.map_err(|fault| SandboxError::Broken(fault.to_string()))?.map_err(SandboxError::Refused)
    }

    fn new_request(&self, backend: &Backend, timeout: Option<Duration>) -> SandboxRequest {
        let settings = &self.0.settings;
        let timeout = timeout.unwrap_or(Duration::from_secs(settings.timeout_s));
        SandboxRequest {
            hold: backend.hold(),
            command: String::new(),
            args: Vec::new(),
            within: String::new(),
            env: BTreeMap::from([(
                String::from(orphaned_processes::VARIABLE),
                orphaned_processes::sandbox_marker(&self.0.scratch),
            )]),
            files: None,
            files_read_only: false,
            readable: Vec::new(),
            scratch: self.0.scratch.join(ids::token()),
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

/// Returns the backend named in the settings, if it works; with `auto` the first one that does.
pub(crate) fn find(sandbox: &Sandbox) -> Result<Backend, String> {
    if cfg!(not(target_os = "linux")) {
        return Err(String::from("they run on Linux only; the container image runs anywhere"));
    }
    let given = || sandbox.0.bubblewrap.clone().or_else(|| guard_client::on_path("bwrap"));
    let bubblewrap = || match given() {
        Some(program) => test_backend(sandbox, Backend::Bubblewrap(program)),
        None => Err(String::from("bubblewrap is not installed")),
    };
    let landlock = || test_backend(sandbox, Backend::Landlock);
    match sandbox.0.settings.means {
        SandboxMeans::None => Ok(Backend::None),
        SandboxMeans::Bubblewrap => bubblewrap().map_err(|why| format!("{why}; {INSTALL}, {OWN_WORD}")),
        SandboxMeans::Landlock => landlock().map_err(|why| format!("{why}; {INSTALL}, {OWN_WORD}")),
        SandboxMeans::Auto => bubblewrap()
            .or_else(|first| {
                tracing::warn!(why = %first, "code and commands of agents are held by less than bubblewrap");
                landlock().map_err(|second| format!("{first}; {second}"))
            })
            .map_err(|why| format!("{why}; {INSTALL}, {OWN_WORD}")),
    }
}

/// Tests a backend by running `true` in it.
fn test_backend(sandbox: &Sandbox, backend: Backend) -> Result<Backend, String> {
    let mut request = sandbox.new_request(&backend, Some(guard_client::BACKEND_TEST_TIMEOUT));
    request.command = String::from("true");
    match guard_client::run_blocking(&sandbox.0.program, &request) {
        Ok((GuardVerdict::Ended(0), _)) => Ok(backend),
        Ok((GuardVerdict::Failed(why), output)) => {
            let why = [why.trim(), output.trim()].into_iter().filter(|part| !part.is_empty());
            Err(format!("{backend} does not work here: {}", why.collect::<Vec<_>>().join(": ")))
        }
        Ok((GuardVerdict::Ended(_) | GuardVerdict::Stopped(_), output)) => {
            Err(format!("{backend} does not work here: {}", output.trim()))
        }
        Err(fault) => Err(format!("{backend} could not be tried: {fault}")),
    }
}

const INSTALL: &str = "install bubblewrap (apt install bubblewrap)";

const OWN_WORD: &str = "or set sandbox.means = \"none\" to run them with all the rights of the service";
