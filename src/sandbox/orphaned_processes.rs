//! Orphaned processes and folders: recognizes the processes of a sandbox by a marker in their environment,
//! and removes the leftovers of a service that was killed together with its guards.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

/// Environment variable with the marker of a process's sandbox.
pub const VARIABLE: &str = "ASKFIRST_SANDBOX";

/// Returns the marker of the sandbox with this scratch folder: a hash that does not reveal the path.
pub fn sandbox_marker(scratch: &Path) -> String {
    let digest = Sha256::digest(scratch.as_os_str().as_encoded_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the living processes with this marker, including guards; empty on systems without `/proc`.
pub fn processes_with_marker(marker: &str) -> Vec<u32> {
    let wanted = format!("{VARIABLE}={marker}");
    let bears = |process: &u32| {
        let variables = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        variables.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(bears).collect()
}

/// Ends the processes of an earlier service with this scratch folder, and empties the folder.
pub fn remove_leftovers(scratch: &Path) {
    for process in processes_with_marker(&sandbox_marker(scratch)) {
        tracing::warn!(process, "a process of an earlier service's sandbox is ended");
        if let Ok(process) = i32::try_from(process) {
            // The process may be gone already.
            let _ = kill(Pid::from_raw(process), Signal::SIGKILL);
        }
    }
    for left in fs::read_dir(scratch).into_iter().flatten().flatten() {
        if let Err(fault) = fs::remove_dir_all(left.path()) {
            tracing::warn!(path = %left.path().display(), %fault, "a scratch folder is left");
        }
    }
}
