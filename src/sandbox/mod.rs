//! Python and commands of agents, as child processes that the kernel holds: no network, a read-only
//! system, a scratch folder of their own, bounds on all that they use. A guard, which is this program
//! once more, stands between the service and each of them: it watches what they take, ends the whole
//! tree of processes, and does so too when the service is gone or nobody waits for the result.

mod engine;
mod fault;
#[cfg(target_os = "linux")]
mod guard;
mod means;
mod order;
mod packages;
mod python;
mod shell;
mod strays;
mod watched;

pub use engine::{Engine, ImageCall, Within};
pub use fault::SandboxError;
pub use means::Means;
pub use packages::PackagesCall;
pub use watched::Heard;

use crate::config;
use order::{Bounds, Order};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Semaphore;
use watched::Said;

/// What one call may make of files and folders.
const ENTRIES: u64 = 10_000;

/// Code of an agent.
#[derive(Clone, Debug, Default)]
pub struct PythonCall {
    pub code: String,
    /// Each is a variable of its name, and `context` holds all.
    pub inputs: Map<String, Value>,
    /// The names that leave it.
    pub outputs: Vec<String>,
    /// Lent to it as the folder `files`.
    pub files: Option<PathBuf>,
    /// Default: `sandbox.timeout_s`.
    pub timeout: Option<Duration>,
    /// A folder of packages that it may import, and only read.
    pub packages: Option<PathBuf>,
    /// The image that it runs in, in place of what holds it otherwise.
    pub image: Option<Within>,
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
    /// A program, never a line for a shell.
    pub command: String,
    pub args: Vec<String>,
    /// Where it begins, from the working folder.
    pub cwd: Option<String>,
    /// Variables of the service that pass.
    pub env: Vec<String>,
    /// What it reads on standard input, as JSON.
    pub inputs: Map<String, Value>,
    pub files: Option<PathBuf>,
    pub timeout: Option<Duration>,
    /// A status other than 0 is a result, too.
    pub allow_failure: bool,
    /// The image that it runs in, in place of what holds it otherwise.
    pub image: Option<Within>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellResult {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Where code and commands run. Dropping a call's future ends all of its processes at once.
#[derive(Clone, Debug)]
pub struct Sandbox(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: config::Sandbox,
    scratch: PathBuf,
    /// This program, which guards.
    program: PathBuf,
    /// Which bubblewrap, if it is not to be looked for.
    bubblewrap: Option<PathBuf>,
    /// Tried when it is first asked for; what did not work is tried again, as it may be installed by now.
    means: OnceLock<Means>,
    /// One for each call that may run at once; the others wait their turn.
    places: Semaphore,
}

/// The guard's own life, if this process was started as one; else none. Asked before anything else.
pub fn entered() -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    return guard::entered();
    #[cfg(not(target_os = "linux"))]
    None
}

impl Sandbox {
    /// `scratch` is this service's alone; what an earlier one left there goes.
    pub fn open(settings: &config::Sandbox, scratch: PathBuf) -> Self {
        strays::sweep(&scratch);
        Self::at(settings, scratch)
    }

    /// One that only looks: nothing is swept.
    pub fn at(settings: &config::Sandbox, scratch: PathBuf) -> Self {
        Self::made(settings.clone(), scratch, None)
    }

    /// With a bubblewrap that is not looked for.
    pub fn with_bubblewrap(settings: &config::Sandbox, scratch: PathBuf, bubblewrap: PathBuf) -> Self {
        Self::made(settings.clone(), scratch, Some(bubblewrap))
    }

    fn made(settings: config::Sandbox, scratch: PathBuf, bubblewrap: Option<PathBuf>) -> Self {
        let program = watched::own_program();
        let places = Semaphore::new(usize::try_from(settings.parallel).unwrap_or(1));
        Self(Arc::new(Inner { settings, scratch, program, bubblewrap, means: OnceLock::new(), places }))
    }

    /// What holds the code. The first question takes some 20 milliseconds, as the means are tried.
    pub fn means(&self) -> Result<Means, String> {
        if let Some(means) = self.0.means.get() {
            return Ok(means.clone());
        }
        let found = means::find(self)?;
        Ok(self.0.means.get_or_init(|| found).clone())
    }

    /// False where the owner's word takes the place of the means.
    pub fn isolates(&self) -> bool {
        self.0.settings.means != config::SandboxMeans::None
    }

    /// Why nothing runs here, and what to do about it; none where something holds it.
    pub fn refusal(&self) -> Option<String> {
        self.means().err()
    }

    pub async fn python(&self, call: PythonCall) -> Result<PythonResult, SandboxError> {
        let input = python::question(&call, self.0.settings.output_kb);
        let (said, bounds) = match &call.image {
            Some(within) => {
                let order = Order {
                    command: String::from("python3"),
                    args: python::flags(),
                    files: call.files,
                    ..self.order(&Means::None, call.timeout)
                };
                (self.contained(&order, &input, within).await?, order.bounds)
            }
            None => {
                let order = self.python_order(&call).await?;
                (self.run(&order, &input, &|_| {}).await?, order.bounds)
            }
        };
        python::read(said, &call.outputs, &bounds, self.0.settings.output_kb)
    }

    async fn python_order(&self, call: &PythonCall) -> Result<Order, SandboxError> {
        let means = self.found().await?;
        let program = self.interpreter()?;
        let mut readable = python::readable(&program, &self.0.settings, &self.0.scratch)?;
        let mut args = python::flags();
        args.extend(call.packages.as_ref().map(|folder| folder.to_string_lossy().into_owned()));
        readable.extend(call.packages.clone());
        let command = program.to_string_lossy().into_owned();
        let files = call.files.clone();
        Ok(Order { command, args, files, readable, ..self.order(&means, call.timeout) })
    }

    pub async fn shell(&self, call: ShellCall) -> Result<ShellResult, SandboxError> {
        let means = if call.image.is_some() { Means::None } else { self.found().await? };
        let order = shell::order(&call, self.order(&means, call.timeout))?;
        let input = Value::Object(call.inputs).to_string();
        let said = match &call.image {
            Some(within) => self.contained(&order, input.as_bytes(), within).await?,
            None => self.run(&order, input.as_bytes(), &|_| {}).await?,
        };
        shell::read(said, &order, call.allow_failure)
    }

    async fn run(&self, order: &Order, input: &[u8], heard: Heard<'_>) -> Result<Said, SandboxError> {
        // It is closed with the sandbox alone.
        let _place = self.0.places.acquire().await.ok();
        let room = self.0.settings.output_kb.saturating_mul(1024);
        watched::run(&self.0.program, order, input, room, heard).await
    }

    async fn contained(&self, order: &Order, input: &[u8], within: &Within) -> Result<Said, SandboxError> {
        let _place = self.0.places.acquire().await.ok();
        let room = self.0.settings.output_kb.saturating_mul(1024);
        engine::run(within, order, input, room).await
    }

    /// The Python that runs code, or why there is none.
    pub fn interpreter(&self) -> Result<PathBuf, SandboxError> {
        python::interpreter(self.0.settings.python.as_deref())
    }

    /// The processes of its calls that live, their guards included.
    pub fn processes(&self) -> Vec<u32> {
        strays::marked(&strays::mark(&self.0.scratch))
    }

    /// The means may have to be tried, which waits.
    async fn found(&self) -> Result<Means, SandboxError> {
        let sandbox = self.clone();
        let found = tokio::task::spawn_blocking(move || sandbox.means()).await;
        found.map_err(|fault| SandboxError::Broken(fault.to_string()))?.map_err(SandboxError::Refused)
    }

    fn order(&self, means: &Means, timeout: Option<Duration>) -> Order {
        let settings = &self.0.settings;
        let timeout = timeout.unwrap_or(Duration::from_secs(settings.timeout_s));
        Order {
            hold: means.hold(),
            command: String::new(),
            args: Vec::new(),
            within: String::new(),
            env: BTreeMap::from([(String::from(strays::VARIABLE), strays::mark(&self.0.scratch))]),
            files: None,
            readable: Vec::new(),
            scratch: self.0.scratch.join(crate::ids::token()),
            network: false,
            bounds: Bounds {
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
