//! The guard process: runs one program and its process tree. It starts the program, watches its resources,
//! and ends the tree when the program is over, a bound is exceeded, or the service closes the socket. The
//! verdict is sent after the last process of the tree has ended.

pub(crate) mod process_memory;
pub(crate) mod process_tree;
pub(crate) mod resource_limits;
pub(crate) mod seccomp;
pub(crate) mod system_files;
pub mod running_program;
pub(crate) mod bubblewrap;
pub(crate) mod confined;
pub(crate) mod landlocked;
pub(crate) mod mounts;

use crate::clock::Stopwatch;
use crate::sandbox::guard::resource_limits::ResourceWatch;
use crate::sandbox::guard::running_program::{RunningProgram, memory};
use crate::sandbox::guard_client::GUARD;
use crate::sandbox::guard_messages;
use crate::sandbox::guard_messages::{ExceededLimit, GuardVerdict, Isolation, SandboxRequest};
use nix::poll::{PollFd, PollFlags, PollTimeout};
use nix::sys::signal::Signal;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitCode, ExitStatus};

/// Interval between two checks of the resources, in milliseconds.
const TICK_MS: u16 = 25;
/// Milliseconds between the request to end and the kill.
const TERM_MS: u64 = 300;

/// Runs the guard, or the confined program without bubblewrap, if the arguments say so.
pub fn run_if_guard() -> Option<ExitCode> {
    match std::env::args_os().nth(1)?.to_str()? {
        GUARD => Some(guard()),
        confined::CONFINED_ARG => Some(confined::run_confined()),
        _ => None,
    }
}

fn guard() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        // The service is gone, so there is no receiver for the error.
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<()> {
    let mut socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let (request, input) = guard_messages::decode(&mut socket)?;
    if let Some(verdict) = run_program(&request, &input, &socket) {
        socket.write_all(&serde_json::to_vec(&verdict)?)?;
    }
    Ok(())
}

/// Runs the program. Returns `None` if the service no longer waits for the verdict.
fn run_program(request: &SandboxRequest, input: &[u8], socket: &UnixStream) -> Option<GuardVerdict> {
    let failed = |why: String| Some(GuardVerdict::Failed(why));
    resource_limits::unlimited_files();
    if let Err(fault) = nix::sys::prctl::set_child_subreaper(true) {
        return failed(format!("orphans cannot be kept: {fault}"));
    }
    let mounts = match mounts::Mounts::prepare(request) {
        Ok(mounts) => mounts,
        Err(why) => return failed(why),
    };
    let outcome = match start_program(request, input, &mounts) {
        Ok(mut begun) => {
            silence();
            let outcome = watch(&mut begun, socket, request, &mounts);
            process_tree::kill_descendants();
            outcome.map(|verdict| check_bubblewrap(verdict, begun))
        }
        Err(why) => {
            process_tree::kill_descendants();
            failed(why)
        }
    };
    match mounts.take_back() {
        Ok(()) => outcome,
        Err(why) => outcome.and_then(|_| failed(format!("the run's files could not be taken back: {why}"))),
    }
}

fn start_program(
    request: &SandboxRequest,
    input: &[u8],
    mounts: &mounts::Mounts,
) -> Result<RunningProgram, String> {
    // Other calls with the same files have the same group.
    nix::sys::stat::umask(nix::sys::stat::Mode::S_IWOTH);
    let input = memory(input).map_err(|fault| format!("its input: {fault}"))?;
    match &request.hold {
        Isolation::Bubblewrap(program) => bubblewrap::begin(program, request, mounts, input),
        Isolation::Landlock | Isolation::Bare => confined::begin(request, mounts, input),
    }
}

/// Leaves the output streams to the program alone, so that they end with it.
fn silence() {
    if let Ok(nothing) = File::options().write(true).open("/dev/null") {
        let _ = nix::unistd::dup2_stdout(&nothing);
        let _ = nix::unistd::dup2_stderr(&nothing);
    }
}

fn watch(
    begun: &mut RunningProgram,
    socket: &UnixStream,
    request: &SandboxRequest,
    mounts: &mounts::Mounts,
) -> Option<GuardVerdict> {
    let clock = Stopwatch::start();
    let mut watch = ResourceWatch::new(request, begun.top, mounts);
    let ending = exit_descriptor(&begun.child);
    loop {
        if wait_for_tick(socket, ending.as_ref()) {
            return None;
        }
        match begun.child.try_wait() {
            Ok(Some(status)) => return Some(GuardVerdict::Ended(exit_code(status))),
            Ok(None) => {}
            Err(fault) => return Some(GuardVerdict::Failed(fault.to_string())),
        }
        if clock.millis() >= request.bounds.timeout_ms {
            ask_to_end(begun, socket, ending.as_ref());
            return Some(GuardVerdict::Stopped(ExceededLimit::Time));
        }
        if let Some(bound) = watch.exceeded() {
            return Some(GuardVerdict::Stopped(bound));
        }
    }
}

/// Waits for a tick or the first event. Returns true if the service has closed the socket.
fn wait_for_tick(socket: &UnixStream, ending: Option<&OwnedFd>) -> bool {
    let mut awaited = vec![PollFd::new(socket.as_fd(), PollFlags::POLLIN)];
    awaited.extend(ending.map(|fd| PollFd::new(fd.as_fd(), PollFlags::POLLIN)));
    let _ = nix::poll::poll(&mut awaited, PollTimeout::from(TICK_MS));
    // The service sends nothing after the request, so any event is the end of the socket.
    awaited.first().and_then(PollFd::revents).is_some_and(|events| !events.is_empty())
}

/// Returns a descriptor that becomes readable when the child ends. Old kernels have none, and the child is
/// polled.
fn exit_descriptor(child: &Child) -> Option<OwnedFd> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).ok()?)?;
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

/// Asks the program to end, and gives it a moment to do so.
fn ask_to_end(begun: &mut RunningProgram, socket: &UnixStream, ending: Option<&OwnedFd>) {
    process_tree::signal_descendants(begun.top, Signal::SIGTERM);
    let clock = Stopwatch::start();
    while clock.millis() < TERM_MS && matches!(begun.child.try_wait(), Ok(None)) {
        if wait_for_tick(socket, ending) {
            return;
        }
    }
}

fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// Distinguishes errors of bubblewrap from those of the program: bubblewrap reports an exit code only for the
/// program.
fn check_bubblewrap(verdict: GuardVerdict, begun: RunningProgram) -> GuardVerdict {
    let GuardVerdict::Ended(status) = verdict else { return verdict };
    let Some(mut file) = begun.status else { return verdict };
    let mut words = String::new();
    let _ = io::Read::read_to_string(&mut file, &mut words);
    // A killed bubblewrap reports nothing.
    if words.contains("exit-code") || status > 128 {
        return verdict;
    }
    GuardVerdict::Failed(String::from("bubblewrap"))
}
