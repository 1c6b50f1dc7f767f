//! Process information of the system, read from `/proc`. Without `/proc` the functions return nothing.

use std::path::PathBuf;

/// Fields of a process's `stat` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    group: u32,
    /// Start time in ticks since boot; unique together with the process id.
    start_time: u64,
}

/// Returns the ids of all processes.
fn all() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn stat(process: u32) -> Option<Stat> {
    let line = std::fs::read_to_string(file(process, "stat")).ok()?;
    // After the process name in brackets, which may contain anything: state, parent, group, and so on.
    let rest: Vec<&str> = line.rsplit(')').next()?.split_whitespace().collect();
    let (state, group, start_time) = (rest.first()?, rest.get(2)?, rest.get(19)?);
    // A zombie counts as gone.
    (*state != "Z").then_some(Stat { group: group.parse().ok()?, start_time: start_time.parse().ok()? })
}

fn file(process: u32, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{process}/{name}"))
}

/// Returns the start time of a process in ticks since boot; `None` if there is no such process.
pub fn start_time(process: u32) -> Option<u64> {
    stat(process).map(|stat| stat.start_time)
}

/// Reports whether a process of this group is alive; `None` without `/proc`.
pub fn lives(group: u32) -> Option<bool> {
    stat(std::process::id())?;
    Some(all().any(|process| stat(process).is_some_and(|stat| stat.group == group)))
}

/// Returns the memory of a process group in megabytes. Shared memory counts once if the system reports it.
pub fn memory_mb(group: u32) -> Option<u64> {
    let members = all().filter(|process| stat(*process).is_some_and(|stat| stat.group == group));
    let kilobytes: Vec<u64> = members.filter_map(memory_kb).collect();
    if kilobytes.is_empty() { None } else { Some(kilobytes.iter().sum::<u64>().div_ceil(1024)) }
}

fn memory_kb(process: u32) -> Option<u64> {
    let shared = std::fs::read_to_string(file(process, "smaps_rollup")).ok();
    let resident = || std::fs::read_to_string(file(process, "status")).ok();
    shared.and_then(|text| kilobytes(&text, "Pss:")).or_else(|| kilobytes(&resident()?, "VmRSS:"))
}

fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the processes whose environment has this variable, with its value.
pub fn with_variable(name: &str) -> Vec<(u32, String)> {
    let prefix = format!("{name}=");
    let value = |process: u32| {
        let environment = std::fs::read(file(process, "environ")).ok()?;
        let environment = String::from_utf8_lossy(&environment).into_owned();
        environment.split('\0').find_map(|variable| variable.strip_prefix(&prefix).map(str::to_owned))
    };
    all().filter_map(|process| Some((process, value(process)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_about_this_process_can_be_read() {
        let me = std::process::id();
        assert!(all().any(|process| process == me));
        let stat = stat(me).unwrap();
        assert!(stat.start_time > 0 && memory_mb(stat.group).unwrap() > 0);
        assert_eq!(start_time(me), Some(stat.start_time));
        assert_eq!((lives(stat.group), lives(u32::MAX)), (Some(true), Some(false)));
        assert_eq!((start_time(u32::MAX), memory_mb(u32::MAX)), (None, None));
        assert_eq!(kilobytes("Rss:  9 kB\nPss:   120 kB\n", "Pss:"), Some(120));
        assert!(with_variable("PATH").iter().any(|(process, _)| *process == me));
    }
}
