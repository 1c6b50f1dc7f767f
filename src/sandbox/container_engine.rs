//! Container engines: images and containers where podman or docker is installed. A container has no network,
//! a read-only root, and the limits of every other call. It is removed when its call is dropped.

use crate::ids;
use crate::sandbox::error::SandboxError;
use crate::sandbox::guard_client::{OutputListener, ProgramOutput, on_path, read_bounded};
use crate::sandbox::guard_messages::{GuardVerdict, SandboxRequest};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::timeout;

const KNOWN: [&str; 2] = ["podman", "docker"];
/// Exit status of an engine whose container never began.
const OWN_FAULT: i32 = 125;
/// Longest wait for quick commands such as inspections and removals.
const QUICK_COMMAND_TIMEOUT: Duration = Duration::from_secs(20);
/// User and group of a program in a container without the run's files: nobody.
const NOBODY: &str = "65534:65534";

/// The program that builds and runs images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerEngine(PathBuf);

/// Engine and image of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerImage {
    pub engine: ContainerEngine,
    pub image: String,
}

/// An image to build.
#[derive(Clone, Debug)]
pub struct ImageCall {
    /// Folder that contains `Containerfile` and `context`.
    pub given: PathBuf,
    pub name: String,
    pub network: bool,
    pub timeout: Duration,
}

impl ContainerEngine {
    /// Returns the engine named in the settings, otherwise the first installed one.
    pub fn found(set: Option<&Path>) -> Option<Self> {
        match set {
            Some(program) => Some(program.to_owned()).filter(|program| program.is_file()),
            None => KNOWN.into_iter().find_map(on_path),
        }
        .map(Self)
    }

    /// Returns the file name of the engine, such as `podman`.
    pub fn name(&self) -> String {
        self.0.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Checks that the engine works. Docker needs a service, which may not be running.
    pub async fn check_works(&self) -> Result<(), String> {
        let output = self.ask(&["info"]).await?;
        if output.status.success() {
            return Ok(());
        }
        let words = String::from_utf8_lossy(&output.stderr);
        Err(words.trim().lines().last().unwrap_or("it gives no answer").to_owned())
    }

    /// Reports whether the image is on this machine.
    pub async fn has(&self, image: &str) -> Result<bool, String> {
        Ok(self.ask(&["image", "inspect", image]).await?.status.success())
    }

    /// Removes an image. Returns false if the engine refuses, as for an image in use.
    pub async fn remove(&self, image: &str) -> Result<bool, String> {
        Ok(self.ask(&["image", "rm", image]).await?.status.success())
    }

    async fn ask(&self, args: &[&str]) -> Result<Output, String> {
        let running = self.command(args.iter().map(|arg| (*arg).to_owned())).stdin(Stdio::null()).output();
        let answer = timeout(QUICK_COMMAND_TIMEOUT, running).await;
        answer.map_err(|_| String::from("it gives no answer"))?.map_err(|fault| fault.to_string())
    }

    /// Builds an image. Returns true if it succeeded, and the engine's output.
    pub async fn build(
        &self,
        call: &ImageCall,
        listener: OutputListener<'_>,
    ) -> Result<(bool, String), String> {
        let file = call.given.join("Containerfile").to_string_lossy().into_owned();
        let context = call.given.join("context").to_string_lossy().into_owned();
        let mut args = vec!["build", "--tag", &call.name, "--file", &file];
        if !call.network {
            args.extend(["--network", "none"]);
            // Docker has no such option and uses local images if present.
            if self.name() == "podman" {
                args.push("--pull=never");
            }
        }
        args.push(&context);
        let mut command = self.command(args.into_iter().map(str::to_owned));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|fault| fault.to_string())?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        // Engines report progress on either stream.
        let output = async {
            tokio::try_join!(read_bounded(stdout, ROOM, listener), read_bounded(stderr, ROOM, listener))
        };
        let (stdout, stderr) = timeout(call.timeout, output)
            .await
            .map_err(|_| format!("it took longer than {} s", call.timeout.as_secs()))?
            .map_err(|fault| fault.to_string())?;
        let status = child.wait().await.map_err(|fault| fault.to_string())?;
        Ok((status.success(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned()))
    }

    #[expect(clippy::disallowed_methods, reason = "it is killed when it is dropped")]
    fn command(&self, args: impl Iterator<Item = String>) -> Command {
        let mut command = Command::new(&self.0);
        command.args(args).kill_on_drop(true);
        command
    }
}

/// Most bytes of output of a build, per stream.
const ROOM: u64 = 16 * 1024 * 1024;

/// Removes the container of a call that is over, however it ended.
struct Container {
    engine: ContainerEngine,
    name: String,
}

impl Drop for Container {
    fn drop(&mut self) {
        let args = ["rm", "--force", &self.name].map(str::to_owned);
        let mut command = self.engine.command(args.into_iter());
        command.kill_on_drop(false).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Err(fault) = command.spawn() {
            tracing::warn!(container = self.name, %fault, "a container is left");
        }
    }
}

/// Runs a command in a container. `max_bytes` is the most bytes of output per stream.
pub async fn run(
    image: &ContainerImage,
    request: &SandboxRequest,
    input: &[u8],
    max_bytes: u64,
) -> Result<ProgramOutput, SandboxError> {
    let broken = |fault: std::io::Error| SandboxError::Broken(format!("{}: {fault}", image.engine.name()));
    if !request.within.is_empty() && !Path::new(&request.within).starts_with("files") {
        let why = format!("`{}`; in an image only folders of `files` can be named", request.within);
        return Err(SandboxError::Cwd(why));
    }
    let name = format!("askfirst-{}", ids::token());
    let mut command = image.engine.command(arguments(&name, &image.image, request).into_iter());
    // Pass names only: command lines are readable by every user of the machine.
    command.envs(&request.env).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(broken)?;
    let _container = Container { engine: image.engine.clone(), name };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let stdin = child.stdin.take();
    let give = async {
        if let Some(mut stdin) = stdin {
            // A program that does not read its input ends without it.
            let _ = stdin.write_all(input).await;
        }
        Ok(())
    };
    let silent = &|_: &[u8]| {};
    let all = async {
        let ((), stdout, stderr) = tokio::try_join!(
            give,
            read_bounded(stdout, max_bytes, silent),
            read_bounded(stderr, max_bytes, silent)
        )?;
        let status = child.wait().await.map_err(broken)?;
        Ok((status.code().unwrap_or(128), stdout, stderr))
    };
    let time = Duration::from_millis(request.bounds.timeout_ms);
    let Ok(ended) = timeout(time, all).await else { return Err(SandboxError::Time(time.as_secs_f64())) };
    let (status, stdout, stderr) = ended?;
    check_status(status, &request.command, &stdout, &stderr)?;
    Ok(ProgramOutput { verdict: GuardVerdict::Ended(status), stdout, stderr })
}

/// Finds a status that comes from the engine and not from the program.
fn check_status(status: i32, command: &str, stdout: &[u8], stderr: &[u8]) -> Result<(), SandboxError> {
    if status == OWN_FAULT {
        return Err(SandboxError::Broken(String::from_utf8_lossy(stderr).trim().to_owned()));
    }
    if status == 127 && !command.contains('/') && stdout.is_empty() {
        return Err(SandboxError::NotInImage(command.to_owned()));
    }
    Ok(())
}

/// Returns the engine's command-line arguments.
fn arguments(name: &str, image: &str, request: &SandboxRequest) -> Vec<String> {
    let bounds = &request.bounds;
    let work = Path::new("/work").join(&request.within).to_string_lossy().trim_end_matches('/').to_owned();
    let memory = format!("{}m", bounds.memory_mb);
    let mut all: Vec<String> = ["run", "--rm", "--interactive", "--name", name].map(str::to_owned).to_vec();
    let mut add = |words: &[&str]| all.extend(words.iter().map(|word| (*word).to_owned()));
    add(&["--network", "none", "--read-only", "--cap-drop", "ALL"]);
    add(&["--security-opt", "no-new-privileges", "--pids-limit", &bounds.processes.to_string()]);
    add(&["--memory", &memory, "--memory-swap", &memory, "--ulimit", "core=0"]);
    add(&["--ulimit", &format!("cpu={}:{}", bounds.cpu_s, bounds.cpu_s.saturating_add(1))]);
    for folder in ["/tmp", "/work"] {
        add(&["--tmpfs", &format!("{folder}:rw,size={}m,mode=1777", bounds.scratch_mb)]);
    }
    match &request.files {
        Some(files) => {
            let me = format!("{}:{}", nix::unistd::geteuid(), nix::unistd::getegid());
            let access = if request.files_read_only { ":ro" } else { "" };
            add(&["--user", &me, "--volume", &format!("{}:/work/files{access}", files.display())]);
        }
        None => add(&["--user", NOBODY]),
    }
    add(&["--env", "HOME=/work", "--env", "LANG=C.UTF-8", "--workdir", &work]);
    for variable in request.env.keys() {
        add(&["--env", variable]);
    }
    add(&["--entrypoint", &request.command, image]);
    all.extend(request.args.iter().cloned());
    all
}
