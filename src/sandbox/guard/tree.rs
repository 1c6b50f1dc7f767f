//! The processes of a tree, read from `/proc`, and their end.

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::collections::HashSet;
use std::fs;

/// How long ended processes are waited for before the next are looked for.
const MOMENT_MS: u16 = 2;

/// All descendants of a process, as its threads' `children` tell them, each parent before its children; by a
/// search of all processes where the kernel tells nothing there.
pub fn below(top: u32) -> Vec<u32> {
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
    numbers.filter(|process| parent_of(*process) == Some(parent)).collect()
}

fn parent_of(process: u32) -> Option<u32> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name, which may hold anything, in brackets: state, parent.
    line.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}

/// Sends a signal to everything below a process.
pub fn tell(top: u32, signal: Signal) {
    for process in below(top) {
        send(process, signal);
    }
}

fn send(process: u32, signal: Signal) {
    if let Ok(process) = i32::try_from(process) {
        // It may be gone by now.
        let _ = kill(Pid::from_raw(process), signal);
    }
}

/// Ends everything below this process, and returns when nothing of it is left. First all are stopped, lest
/// they beget others faster than they are ended; orphans are this process's own.
pub fn end() {
    let me = std::process::id();
    let mut stopped = HashSet::new();
    loop {
        let fresh: Vec<u32> = below(me).into_iter().filter(|process| stopped.insert(*process)).collect();
        if fresh.is_empty() {
            break;
        }
        fresh.into_iter().for_each(|process| send(process, Signal::SIGSTOP));
    }
    loop {
        tell(me, Signal::SIGKILL);
        if !reaped() {
            return;
        }
        let _ = nix::poll::poll(&mut [], MOMENT_MS);
    }
}

/// Takes leave of all children that have ended; whether there are others.
fn reaped() -> bool {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => return true,
            Ok(_) => {}
            Err(nix::errno::Errno::EINTR) => {}
            Err(_) => return false,
        }
    }
}
