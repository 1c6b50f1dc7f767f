//! The service's side of a sandbox call: starts a guard, sends it the request, reads the program's output
//! within limits, and waits for the verdict. Closing the socket ends everything.

use crate::sandbox::error::SandboxError;
use crate::sandbox::guard_messages::{ExceededLimit, GuardVerdict, SandboxRequest};
use crate::sandbox::{guard_messages, orphaned_processes};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::time::timeout;

/// Argument that starts this program as a guard.
pub const GUARD: &str = "__confined";
/// Longest duration of the test of a backend.
pub const BACKEND_TEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest wait for the guard's verdict after the timeout of the program.
const GRACE: Duration = Duration::from_secs(10);

/// Output and end of a program.
#[derive(Debug)]
pub struct ProgramOutput {
    pub verdict: GuardVerdict,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Returns the path of this program. Tests and benchmarks are in a folder beside it. A service whose file was
/// replaced while it runs still finds itself.
pub fn own_program() -> PathBuf {
    let beside = |file: PathBuf| {
        let folder = file.parent().filter(|folder| folder.ends_with("deps"))?;
        Some(folder.parent()?.join("askfirst")).filter(|program| program.is_file())
    };
    let me = PathBuf::from("/proc/self/exe");
    std::env::current_exe().ok().and_then(beside).unwrap_or(me)
}

/// Returns the first program of this name on the search path.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::split_paths(&folders).map(|folder| folder.join(name));
    named.chain(["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(name))).find(|path| path.is_file())
}

/// Callback that receives the output of a program while it runs.
pub type OutputListener<'h> = &'h (dyn Fn(&[u8]) + Send + Sync);

/// Runs a request to its end. `max_bytes` is the most bytes of output per stream.
pub async fn run(
    program: &Path,
    request: &SandboxRequest,
    input: &[u8],
    max_bytes: u64,
    listener: OutputListener<'_>,
) -> Result<ProgramOutput, SandboxError> {
    let broken = |fault: io::Error| SandboxError::Broken(format!("{}: {fault}", program.display()));
    let bytes = guard_messages::encode(request, input).map_err(broken)?;
    let (ours, theirs) = tokio::net::UnixStream::pair().map_err(broken)?;
    let theirs: OwnedFd = theirs.into_std().and_then(blocking).map_err(broken)?.into();
    let mut guard = start(program, theirs, request).map_err(broken)?;
    let (stdout, stderr) = (guard.stdout.take(), guard.stderr.take());
    let (mut receiver, mut sender) = ours.into_split();
    let exchange = async {
        sender.write_all(&bytes).await.map_err(broken)?;
        let mut verdict = Vec::new();
        receiver.read_to_end(&mut verdict).await.map_err(broken)?;
        serde_json::from_slice(&verdict).map_err(|_| SandboxError::Broken(String::from("its guard is gone")))
    };
    let verdict_timeout = Duration::from_millis(request.bounds.timeout_ms).saturating_add(GRACE);
    let all = async {
        tokio::try_join!(
            exchange,
            read_bounded(stdout, max_bytes, listener),
            read_bounded(stderr, max_bytes, &|_| {})
        )
    };
    let ended = timeout(verdict_timeout, all).await;
    // After any error the guard sees the socket close, and exits after its processes.
    drop((receiver, sender));
    if timeout(GRACE, guard.wait()).await.is_err() {
        let _ = guard.start_kill();
    }
    let (verdict, stdout, stderr) =
        ended.unwrap_or_else(|_| Err(SandboxError::Broken(String::from("its guard gives no answer"))))?;
    check_verdict(ProgramOutput { verdict, stdout, stderr }, request)
}

/// Turns an exceeded bound into an error, whatever the output.
fn check_verdict(output: ProgramOutput, request: &SandboxRequest) -> Result<ProgramOutput, SandboxError> {
    let bounds = &request.bounds;
    match &output.verdict {
        GuardVerdict::Ended(_) => Ok(output),
        GuardVerdict::Stopped(ExceededLimit::Time) => {
            Err(SandboxError::Time(Duration::from_millis(bounds.timeout_ms).as_secs_f64()))
        }
        GuardVerdict::Stopped(ExceededLimit::Memory) => Err(SandboxError::Memory(bounds.memory_mb)),
        GuardVerdict::Stopped(ExceededLimit::Processes) => Err(SandboxError::Processes(bounds.processes)),
        GuardVerdict::Stopped(ExceededLimit::Scratch) => Err(SandboxError::Scratch(bounds.scratch_mb)),
        GuardVerdict::Failed(why) => Err(start_error(why, &String::from_utf8_lossy(&output.stderr), request)),
    }
}

/// Returns the reason why a program never began, mostly that it does not exist, as bubblewrap reports.
fn start_error(why: &str, output: &str, request: &SandboxRequest) -> SandboxError {
    match output.trim().strip_prefix(&format!("bwrap: execvp {}: ", request.command)) {
        Some("No such file or directory") => SandboxError::NotFound(request.command.clone()),
        Some(fault) => SandboxError::Command(format!("cannot be run: {fault}")),
        None => SandboxError::Broken(format!("{why} {output}").trim().to_owned()),
    }
}

/// Starts a guard, without the service's environment and in a process group of its own, so that keys typed at
/// the terminal reach the service only.
#[expect(clippy::disallowed_methods, reason = "it ends when the socket does, and what it began before it")]
fn start(program: &Path, socket: OwnedFd, request: &SandboxRequest) -> io::Result<tokio::process::Child> {
    let marker = request.env.get(orphaned_processes::VARIABLE).cloned().unwrap_or_default();
    Command::new(program)
        .arg(GUARD)
        .env_clear()
        .env(orphaned_processes::VARIABLE, marker)
        .stdin(Stdio::from(socket))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
}

fn blocking(socket: UnixStream) -> io::Result<UnixStream> {
    socket.set_nonblocking(false)?;
    Ok(socket)
}

/// Reads a whole stream. Returns an error as soon as it exceeds `max_bytes`.
pub async fn read_bounded(
    stream: Option<impl AsyncRead + Unpin>,
    max_bytes: u64,
    listener: OutputListener<'_>,
) -> Result<Vec<u8>, SandboxError> {
    let mut output = Vec::new();
    let Some(stream) = stream else { return Ok(output) };
    let mut stream = stream.take(max_bytes.saturating_add(1));
    loop {
        let before = output.len();
        let read = stream.read_buf(&mut output).await;
        if read.map_err(|fault| SandboxError::Broken(fault.to_string()))? == 0 {
            break;
        }
        listener(output.get(before..).unwrap_or_default());
    }
    if output.len() as u64 > max_bytes { Err(SandboxError::Output(max_bytes / 1024)) } else { Ok(output) }
}

/// Runs a request without an async runtime, to test a backend. Returns the verdict and the error output.
#[expect(clippy::disallowed_methods, reason = "it ends when the socket does, and is waited for")]
pub fn run_blocking(program: &Path, request: &SandboxRequest) -> io::Result<(GuardVerdict, String)> {
    let (mut ours, theirs) = UnixStream::pair()?;
    let mut guard = std::process::Command::new(program)
        .arg(GUARD)
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    ours.set_read_timeout(Some(BACKEND_TEST_TIMEOUT + GRACE))?;
    let mut verdict = Vec::new();
    let exchanged =
        ours.write_all(&guard_messages::encode(request, b"")?).and_then(|()| ours.read_to_end(&mut verdict));
    drop(ours);
    let output = error_output(&mut guard);
    exchanged?;
    Ok((serde_json::from_slice(&verdict)?, output?))
}

/// Reads a child's error output until it ends.
fn error_output(child: &mut std::process::Child) -> io::Result<String> {
    let mut output = Vec::new();
    if let Some(stream) = child.stderr.take() {
        stream.take(10_000).read_to_end(&mut output)?;
    }
    child.wait()?;
    Ok(String::from_utf8_lossy(&output).into_owned())
}
