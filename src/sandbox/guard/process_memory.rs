//! Total memory of processes, read from `/proc`, including memory that no process reports as its own.

use std::collections::HashMap;
use std::fs;

/// Memory sizes that a process reports, in KiB.
struct Size {
    resident: u64,
    /// Mapped memory that is shared or read-only.
    apart: u64,
}

/// Returns the KiB that the processes hold together. Shared pages are counted once if counting them for each
/// process would exceed `enough`. Shared and read-only mappings are examined only if they could matter.
pub fn kilobytes(processes: &[u32], enough: u64) -> u64 {
    let sizes: Vec<(u32, Size)> =
        processes.iter().filter_map(|process| Some((*process, size(*process)?))).collect();
    let mut held: u64 = sizes.iter().map(|(_, size)| size.resident).sum();
    if held > enough {
        let once = |(process, size): &(u32, Size)| proportional(*process).unwrap_or(size.resident);
        held = sizes.iter().map(once).sum();
    }
    if sizes.iter().map(|(_, size)| size.apart).sum::<u64>() > enough {
        held = held.saturating_add(sizes.iter().map(|(process, _)| kernel_kilobytes(*process)).sum());
        held = held.max(shared(&sizes));
    }
    held
}

fn size(process: u32) -> Option<Size> {
    let page = u64::try_from(nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok()??).ok()?;
    let line = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let mut numbers = line.split_whitespace().map(|number| number.parse::<u64>().unwrap_or(0));
    let mut next = |skipped: usize| Some(numbers.nth(skipped)?.saturating_mul(page) / 1024);
    let (whole, resident, own) = (next(0)?, next(0)?, next(3)?);
    Some(Size { resident, apart: whole.saturating_sub(own) })
}

fn proportional(process: u32) -> Option<u64> {
    field_value(&fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?, "Pss:")
}

/// Returns the KiB of page tables, which grow by mere reads too, and of swapped pages.
fn kernel_kilobytes(process: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    ["VmPTE:", "VmSwap:"].into_iter().filter_map(|name| field_value(&text, name)).sum()
}

fn field_value(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the KiB of anonymous shared memory. It persists when a process releases its pages, so its mapped
/// size counts, once for all processes. A process that hides its mappings counts in full.
fn shared(sizes: &[(u32, Size)]) -> u64 {
    let mut pieces: HashMap<String, u64> = HashMap::new();
    let mut hidden: u64 = 0;
    for (process, size) in sizes {
        let Ok(maps) = fs::read_to_string(format!("/proc/{process}/maps")) else {
            hidden = hidden.saturating_add(size.apart);
            continue;
        };
        let mut own: HashMap<String, u64> = HashMap::new();
        for (inode, bytes) in maps.lines().filter_map(parse_shared_mapping) {
            *own.entry(inode).or_default() += bytes;
        }
        for (inode, bytes) in own {
            let most = pieces.entry(inode).or_default();
            *most = bytes.max(*most);
        }
    }
    hidden.saturating_add(pieces.values().sum::<u64>() / 1024)
}

/// Parses the inode and size in bytes of a line about anonymous shared memory.
fn parse_shared_mapping(line: &str) -> Option<(String, u64)> {
    if !line.ends_with("/dev/zero (deleted)") {
        return None;
    }
    let mut words = line.split_whitespace();
    let (from, to) = words.next()?.split_once('-')?;
    let at = |text: &str| u64::from_str_radix(text, 16).ok();
    let bytes = at(to)?.saturating_sub(at(from)?);
    Some((words.nth(3)?.to_owned(), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_is_identified_by_its_inode() {
        let shared = "7f0000000000-7f0000200000 rw-s 00000000 00:01 77    /dev/zero (deleted)";
        assert_eq!(parse_shared_mapping(shared), Some((String::from("77"), 2 << 20)));
        assert_eq!(
            parse_shared_mapping("7f0000000000-7f0000200000 r--p 00000000 fe:00 77    /usr/lib/libc.so.6"),
            None
        );
        assert_eq!(parse_shared_mapping("7f0000000000-7f0000200000 rw-p 00000000 00:00 0"), None);
    }

    #[test]
    fn this_process_uses_memory() {
        let me = [std::process::id()];
        assert!(kilobytes(&me, u64::MAX) > 1_000);
        assert!(kilobytes(&me, 1) > 1_000);
    }
}
