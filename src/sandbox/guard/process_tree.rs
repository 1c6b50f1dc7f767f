//! Process trees: enumeration through `/proc`, and termination.

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::collections::HashSet;
use std::fs;

/// Pause between two rounds of termination, in milliseconds.
const MOMENT_MS: u16 = 2;

/// Returns all descendants of a process, each parent before its children. Reads `children` of its threads, or
/// searches all processes where the kernel lacks these files.
pub fn descendants(top: u32) -> Vec<u32> {
    let mut found = children(top);
    let mut next = 0;
    while let Some(process) = found.get(next).copied() {
        found.extend(children(process));
        next += 1;
    }
    found
}

fn children(process: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(line) => found.extend(line.split_whitespace().filter_map(|number| number.parse::<u32>().ok())),
            Err(_) if thread.path().exists() => return searched(process),
            Err(_) => {}
        }
    }
    found
}

fn searched(parent: u32) -> Vec<u32> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|process| find_parent(*process) == Some(parent)).collect()
}

fn find_parent(process: u32) -> Option<u32> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // State and parent follow the name, which is in brackets and may contain anything.
    line.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}

/// Sends a signal to all descendants of a process.
pub fn signal_descendants(top: u32, signal: Signal) {
    for process in descendants(top) {
        send(process, signal);
    }
}

fn send(process: u32, signal: Signal) {
    if let Ok(process) = i32::try_from(process) {
        // The process may be gone already.
        let _ = kill(Pid::from_raw(process), signal);
    }
}

/// Ends all descendants of this process, and returns when none is left. Stops all of them first, so that they
/// cannot start others faster than they are ended. Orphans become children of this process.
pub fn kill_descendants() {
    let me = std::process::id();
    let mut stopped = HashSet::new();
    loop {
        let fresh: Vec<u32> =
            descendants(me).into_iter().filter(|process| stopped.insert(*process)).collect();
        if fresh.is_empty() {
            break;
        }
        fresh.into_iter().for_each(|process| send(process, Signal::SIGSTOP));
    }
    loop {
        signal_descendants(me, Signal::SIGKILL);
        if !reap_children() {
            return;
        }
        let _ = nix::poll::poll(&mut [], MOMENT_MS);
    }
}

/// Reaps all ended children. Returns true if others are left.
fn reap_children() -> bool {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => return true,
            Ok(_) => {}
            Err(nix::errno::Errno::EINTR) => {}
            Err(_) => return false,
        }
    }
}
