//! Confinement of this process and its descendants by the kernel: Landlock for files, signals and named
//! sockets, seccomp for the rest.

use crate::sandbox::guard::seccomp::DeniedCalls;
use crate::sandbox::guard::{seccomp, system_files};
use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope, path_beneath_rules,
};
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// Newest known version of Landlock. An older kernel enforces the part that it knows.
const KNOWN: ABI = ABI::V6;
/// Older versions let a process send signals to others.
const SIGNALS_SINCE: i32 = 6;
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Confines this process irrevocably.
pub fn confine(walls: &Permissions) -> Result<(), String> {
    let version = landlock(walls).map_err(|fault| format!("Landlock: {fault}"))?;
    deny_calls(walls, version)
}

/// Denies system calls that this version of Landlock, 0 if there is none, does not restrict.
pub fn deny_calls(walls: &Permissions, version: i32) -> Result<(), String> {
    let kept = DeniedCalls {
        links: walls.with_run_files,
        neighbours: walls.same_user,
        signals: version < SIGNALS_SINCE,
        network: !walls.network,
    };
    for program in seccomp::programs(kept)? {
        seccompiler::apply_filter(&program).map_err(|fault| format!("seccomp: {fault}"))?;
    }
    Ok(())
}

/// Applies Landlock and returns the version in effect.
fn landlock(walls: &Permissions) -> Result<i32, Box<dyn std::error::Error>> {
    use landlock::Access;
    let roots = system_files::roots().chain(system_files::shown(walls.network).map(PathBuf::from));
    let seen = roots.chain([PathBuf::from("/usr")]).chain(walls.readable.iter().cloned());
    let seen: Vec<PathBuf> = seen.filter(|path| path.exists()).collect();
    let read = AccessFs::from_read(KNOWN);
    let mut write =
        AccessFs::from_all(KNOWN) & !AccessFs::IoctlDev & !AccessFs::MakeChar & !AccessFs::MakeBlock;
    if walls.with_run_files {
        write &= !(AccessFs::MakeSym | AccessFs::MakeFifo | AccessFs::MakeSock);
    }
    let device = AccessFs::ReadFile | AccessFs::WriteFile;
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?
        .create()?
        .add_rules(path_beneath_rules(seen, read))?
        .add_rules(path_beneath_rules(&walls.writable, write))?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .restrict_self()?;
    match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _) => Err("this kernel has none, or it is switched off".into()),
        (_, LandlockStatus::Available { effective_abi, .. }) => Ok(effective_abi as i32),
        (_, _) => Ok(0),
    }
}

/// Returns the number of threads of this user. Without a user namespace the kernel counts them all together.
pub fn threads_of_this_user() -> u64 {
    let me = nix::unistd::geteuid().as_raw();
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mine = all.filter(|entry| {
        let named = entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit());
        named && entry.metadata().is_ok_and(|metadata| metadata.uid() == me)
    });
    let threads =
        |entry: std::fs::DirEntry| std::fs::read_dir(entry.path().join("task")).map_or(0, Iterator::count);
    mine.map(|entry| threads(entry) as u64).sum()
}

/// Permitted resources of the confined process.
#[derive(Serialize, Deserialize)]
pub struct Permissions {
    pub readable: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
    /// True if the writable folders include files of the run.
    pub with_run_files: bool,
    /// True if the process has the service's own user.
    pub same_user: bool,
    pub network: bool,
}
