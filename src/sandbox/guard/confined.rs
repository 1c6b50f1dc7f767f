//! Isolation without namespaces: a second process of this program drops its own rights, then executes the
//! agent's program. If the owner switched isolation off, it keeps its rights and sets limits only.

use crate::sandbox::guard::landlocked::Permissions;
use crate::sandbox::guard::mounts::{GROUP, Mounts};
use crate::sandbox::guard::running_program::RunningProgram;
use crate::sandbox::guard::{landlocked, resource_limits, system_files};
use crate::sandbox::guard_messages::{Isolation, NO_PROGRAM, ResourceLimits, SandboxRequest};
use serde::{Deserialize, Serialize};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Argument with which this program confines itself and executes another.
pub const CONFINED_ARG: &str = "__held";
/// Exit status if the program does not exist.
const NO_PROGRAM_STATUS: u8 = 127;

/// Parameters of the confined process.
#[derive(Serialize, Deserialize)]
pub struct ConfinedCommand {
    /// `None` if the owner switched isolation off.
    pub walls: Option<Permissions>,
    bounds: ResourceLimits,
    command: String,
    args: Vec<String>,
}

/// Starts the program of a request in its confinement.
#[expect(clippy::disallowed_methods, reason = "the guard ends it, with all below")]
pub fn begin(request: &SandboxRequest, mounts: &Mounts, input: OwnedFd) -> Result<RunningProgram, String> {
    let scratch = mounts.scratch().ok_or("there is no scratch folder")?;
    let (work, passing) = (scratch.join("work"), scratch.join("tmp"));
    if let Some(files) = mounts.files() {
        std::os::unix::fs::symlink(files, work.join("files"))
            .map_err(|fault| format!("its files: {fault}"))?;
    }
    let begin = work.join(&request.within);
    std::fs::create_dir_all(&begin).map_err(|fault| format!("its folder: {fault}"))?;
    if let Some(user) = mounts.user.filter(|_| !request.within.starts_with("files")) {
        let _ = std::os::unix::fs::lchown(&begin, Some(user), Some(GROUP));
    }
    let files = mounts.files().filter(|_| mounts.files_read_only);
    let readable = mounts.readable.iter().map(|(found, _)| found.as_path()).chain(files);
    let walls = (request.hold == Isolation::Landlock).then(|| Permissions {
        readable: readable.map(Path::to_owned).collect(),
        writable: mounts.writable_folders(),
        with_run_files: mounts.files().is_some() && !mounts.files_read_only,
        same_user: mounts.user.is_none(),
        network: request.network,
    });
    let command = mounts.path_for_program(&request.command).to_string_lossy().into_owned();
    let reached = |arg: &String| mounts.path_for_program(arg).to_string_lossy().into_owned();
    let (bounds, args) = (request.bounds, request.args.iter().map(reached).collect());
    let held = ConfinedCommand { walls, bounds, command, args };
    let message = serde_json::to_string(&held).map_err(|fault| fault.to_string())?;
    let mut command = Command::new("/proc/self/exe");
    command.arg(CONFINED_ARG).arg(message).current_dir(&begin).stdin(Stdio::from(input)).process_group(0);
    command.env_clear().envs(system_files::variables(&work, &passing)).envs(&request.env);
    if let Some(user) = mounts.user {
        command.uid(user).gid(GROUP);
    }
    let child = command.spawn().map_err(|fault| fault.to_string())?;
    // Its descendants are below the guard, including orphans.
    Ok(RunningProgram { top: std::process::id(), child, status: None })
}

/// Confines this process and executes the command. Errors go to the program's standard error.
#[expect(clippy::disallowed_methods, reason = "it becomes this process")]
pub fn run_confined() -> ExitCode {
    let message = std::env::args().nth(2).unwrap_or_default();
    let held: ConfinedCommand = match serde_json::from_str(&message) {
        Ok(held) => held,
        Err(fault) => return failed(&fault.to_string()),
    };
    // Let at least this process end if the guard is killed.
    let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
    let own = landlocked::threads_of_this_user();
    let processes = resource_limits::with_spare(held.bounds.processes).saturating_add(own);
    if let Err(fault) = resource_limits::limit(None, &held.bounds, Some(processes)) {
        return failed(&fault);
    }
    if let Some(walls) = &held.walls
        && let Err(fault) = landlocked::confine(walls)
    {
        return failed(&fault);
    }
    let fault = Command::new(&held.command).args(&held.args).exec();
    if fault.kind() == std::io::ErrorKind::NotFound {
        eprintln!("{NO_PROGRAM}");
        return ExitCode::from(NO_PROGRAM_STATUS);
    }
    failed(&format!("{}: {fault}", held.command))
}

fn failed(why: &str) -> ExitCode {
    eprintln!("askfirst: {why}");
    ExitCode::FAILURE
}
