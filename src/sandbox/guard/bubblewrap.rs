//! Isolation by bubblewrap: separate namespaces for users, processes, mounts, network and the rest, in which
//! nothing else of the machine is visible.

use crate::sandbox::guard::mounts::{GROUP, Mounts};
use crate::sandbox::guard::running_program::{RunningProgram, memory};
use crate::sandbox::guard::seccomp::DeniedCalls;
use crate::sandbox::guard::{resource_limits, seccomp, system_files};
use crate::sandbox::guard_messages::SandboxRequest;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Size of `/dev/shm`, for semaphores of libraries.
const SHARED_MB: u64 = 8;
/// User id of the program inside its namespace.
const USER: &str = "1000";
/// Margin of the scratch folder above the largest file, so that the file's limit is reached first.
const SPARE_MB: u64 = 4;
const MB: u64 = 1024 * 1024;

/// Starts the program. Bubblewrap creates the namespaces and waits until the limits of its process are set.
#[expect(clippy::disallowed_methods, reason = "the guard ends it, with all below")]
pub fn begin(
    program: &Path,
    request: &SandboxRequest,
    mounts: &Mounts,
    input: OwnedFd,
) -> Result<RunningProgram, String> {
    let doing = |what: &'static str| move |fault: io::Error| format!("{what}: {fault}");
    let filters = write_seccomp_filters(request, mounts)?;
    let (status, reported) = pipe().map_err(doing("a pipe"))?;
    let (waited, gate) = pipe().map_err(doing("a pipe"))?;
    let_inherit(&reported).and_then(|()| let_inherit(&waited)).map_err(doing("a pipe"))?;
    let mut command = Command::new(program);
    command.args(arguments(request, mounts));
    for filter in &filters {
        command.args(["--add-seccomp-fd", &filter.as_raw_fd().to_string()]);
    }
    command.args(["--json-status-fd", &reported.as_raw_fd().to_string()]);
    command.args(["--block-fd", &waited.as_raw_fd().to_string()]);
    command.arg("--").arg(&request.command).args(&request.args);
    let (work, passing) = (Path::new("/tmp/work"), Path::new("/tmp"));
    command.env_clear().envs(system_files::variables(work, passing)).envs(&request.env);
    command.stdin(Stdio::from(input));
    if let Some(user) = mounts.user {
        command.uid(user).gid(GROUP);
    }
    let child = command.spawn().map_err(|fault| format!("{}: {fault}", program.display()))?;
    drop((reported, waited, filters));
    let mut begun = RunningProgram { top: child.id(), child, status: None };
    let mut status = BufReader::new(File::from(status));
    let mut line = String::new();
    // Without a status line bubblewrap has failed, and reports the reason itself.
    if status.read_line(&mut line).is_ok() && !line.is_empty() {
        begun.top = first_process(&line).ok_or("bubblewrap tells of no process")?;
        let processes = resource_limits::with_spare(request.bounds.processes);
        resource_limits::limit_process(mounts.user, begun.top, &request.bounds, processes)?;
        File::from(gate).write_all(b"!").map_err(doing("a pipe"))?;
    }
    begun.status = Some(status.into_inner());
    Ok(begun)
}

/// Writes the filters of system calls into files in memory, from which bubblewrap reads them.
fn write_seccomp_filters(request: &SandboxRequest, mounts: &Mounts) -> Result<Vec<OwnedFd>, String> {
    let links = mounts.files().is_some();
    let kept = DeniedCalls { links, neighbours: false, signals: false, network: !request.network };
    let programs = seccomp::programs(kept)?;
    let written = programs.iter().map(|program| memory(&seccomp::bytes(program)));
    written.collect::<io::Result<_>>().map_err(|fault| format!("its filter: {fault}"))
}

fn first_process(line: &str) -> Option<u32> {
    let facts: serde_json::Value = serde_json::from_str(line).ok()?;
    u32::try_from(facts.get("child-pid")?.as_u64()?).ok()
}

/// Returns the read and write ends of a pipe, both closed on exec.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC)?)
}

fn let_inherit(fd: &OwnedFd) -> io::Result<()> {
    use nix::fcntl::{FcntlArg, FdFlag, fcntl};
    fcntl(fd, FcntlArg::F_SETFD(FdFlag::empty()))?;
    Ok(())
}

/// Returns bubblewrap's arguments, without descriptors and the command.
fn arguments(request: &SandboxRequest, mounts: &Mounts) -> Vec<String> {
    let mut all = Arguments(Vec::new());
    all.add(["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts"]);
    if !request.network {
        all.add(["--unshare-net"]);
    }
    all.add(["--unshare-cgroup-try", "--hostname", "sandbox", "--uid", USER, "--gid", USER]);
    all.add(["--new-session", "--die-with-parent", "--ro-bind", "/usr", "/usr"]);
    for path in system_files::ROOTS {
        match std::fs::read_link(path) {
            Ok(target) => all.add(["--symlink", &target.to_string_lossy(), path]),
            Err(_) => all.add(["--ro-bind-try", path, path]),
        }
    }
    for path in system_files::shown(request.network) {
        all.add(["--ro-bind-try", path, path]);
    }
    let mb = |mb: u64| mb.saturating_mul(MB).to_string();
    let scratch = request.bounds.scratch_mb.saturating_add(SPARE_MB);
    all.add(["--proc", "/proc", "--dev", "/dev", "--size", &mb(SHARED_MB), "--tmpfs", "/dev/shm"]);
    all.add(["--size", &mb(scratch), "--tmpfs", "/tmp", "--dir", "/tmp/work"]);
    for (found, shown) in &mounts.readable {
        all.add(["--ro-bind", &found.to_string_lossy(), &shown.to_string_lossy()]);
    }
    if let Some(files) = mounts.files() {
        let bind = if mounts.files_read_only { "--ro-bind" } else { "--bind" };
        all.add([bind, &files.to_string_lossy(), "/tmp/work/files"]);
    }
    let begin =
        Path::new("/tmp/work").join(&request.within).to_string_lossy().trim_end_matches('/').to_owned();
    if !Path::new(&request.within).starts_with("files") {
        all.add(["--dir", &begin]);
    }
    all.add(["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", &begin]);
    all.0
}

struct Arguments(Vec<String>);

impl Arguments {
    fn add<const N: usize>(&mut self, more: [&str; N]) {
        self.0.extend(more.map(str::to_owned));
    }
}
