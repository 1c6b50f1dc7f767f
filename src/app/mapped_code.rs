//! Returns mapped pages of the executable to the system.
//!
//! The kernel maps 64 kB of the executable around each page that is touched, so most of the memory of an idle
//! service is code that only the start or a past run needed. These pages are clean: the kernel maps them
//! again from the page cache on the next access, which takes some hundred cheap faults for the whole
//! executable.

use std::time::Duration;

/// Interval. Code in constant use is mapped again at once, so a shorter one would gain nothing.
const INTERVAL: Duration = Duration::from_secs(60);

/// Time for the start and the first page, whose code is not needed again soon.
const START: Duration = Duration::from_secs(2);

/// Releases the pages after the start, and then periodically.
pub async fn release_code_pages_periodically() {
    tokio::time::sleep(START).await;
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        // The kernel counts the pages of all mappings for this, which must not delay a request.
        let _ = tokio::task::spawn_blocking(release_pages).await;
    }
}

/// Unmaps the pages of the executable's code and constants that are identical to the file.
#[cfg(target_os = "linux")]
fn release_pages() {
    use rustix::mm::{Advice, madvise};
    let (Ok(maps), Ok(executable)) =
        (std::fs::read_to_string("/proc/self/smaps"), std::fs::read_link("/proc/self/exe"))
    else {
        return;
    };
    for (start, length) in plain_ranges(&maps, &executable.to_string_lossy()) {
        let start = std::ptr::with_exposed_provenance_mut(start);
        // SAFETY: the range is a private mapping of this program's file that is not writable and has no
        // anonymous pages (such as relocated data or a debugger's breakpoints), so the next access reads the
        // same bytes again: the file cannot be written while it runs.
        #[expect(unsafe_code, reason = "no safe call releases pages")]
        let advised = unsafe { madvise(start, length, Advice::LinuxDontNeed) };
        if let Err(fault) = advised {
            tracing::debug!(%fault, "mapped code not released");
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn release_pages() {}

/// Returns start and length of the private, read-only mappings of a file that have no anonymous pages, from
/// the text of `/proc/self/smaps`.
#[cfg(target_os = "linux")]
fn plain_ranges(maps: &str, executable: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut range = None;
    for line in maps.lines() {
        if let Some(of_mapping) = mapping(line) {
            let (rights, path, addresses) = of_mapping;
            range = Some(addresses).filter(|_| matches!(rights, "r-xp" | "r--p") && path == executable);
        } else if let Some(own) = line.strip_prefix("Anonymous:") {
            found.extend(range.take().filter(|_| own.trim() == "0 kB"));
        }
    }
    found
}

/// Parses the first line of a mapping into permissions, path, and start and length.
#[cfg(target_os = "linux")]
fn mapping(line: &str) -> Option<(&str, &str, (usize, usize))> {
    let (addresses, rest) = line.split_once(' ')?;
    let (start, end) = addresses.split_once('-')?;
    let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
    let (rights, rest) = rest.split_once(' ')?;
    // Offset, device and inode come before the path.
    let path = rest.splitn(4, ' ').nth(3).unwrap_or_default().trim_start();
    Some((rights, path, (start, end.checked_sub(start)?)))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_unchanged_pages_of_the_file_are_released() {
        let mapping = |addresses: &str, rights: &str, path: &str, own: u32| {
            format!(
                "{addresses} {rights} 00100000 fe:00 12                         {path}\nSize: 8 kB\nRss: 8 kB\n\
                 Anonymous:         {own} kB\nVmFlags: rd mr mw me\n"
            )
        };
        let program = "/opt/ask first/askfirst";
        let maps = [
            mapping("55d0a0000000-55d0a0100000", "r--p", program, 0),
            mapping("55d0a0100000-55d0a0300000", "r-xp", program, 0),
            // Relocated, so it differs from the file.
            mapping("55d0a0300000-55d0a0400000", "r--p", program, 12),
            mapping("55d0a0400000-55d0a0500000", "rw-p", program, 0),
            mapping("55d0a0500000-55d0a0600000", "r-xs", program, 0),
            mapping("7f0000000000-7f0000100000", "r-xp", "/usr/lib/libc.so.6", 0),
            mapping("7f0000200000-7f0000300000", "r-xp", "", 0),
            mapping("7ffd00000000-7ffd00001000", "r-xp", "[vdso]", 0),
        ]
        .concat();
        let expected = [(0x55d0_a000_0000, 0x10_0000), (0x55d0_a010_0000, 0x20_0000)];
        assert_eq!(plain_ranges(&maps, program), expected);
        assert_eq!(plain_ranges(&maps, "/opt/other"), []);
        assert_eq!(plain_ranges("broken\n\nr-xp\nAnonymous: 0 kB", ""), []);
    }

    // The functions whose pages were released run again, and their constants are unchanged.
    #[test]
    fn released_code_can_be_run_again() {
        for _ in 0..3 {
            release_pages();
            assert_eq!(plain_ranges("", "x"), []);
        }
    }
}
