//! Gives mapped code of the executable back to the system.
//!
//! The kernel maps 64 kB of the executable around each page that is touched, so code that only starting or a past run
//! needed makes up most of what an idle service holds. It is clean: code that is needed again is mapped again from the
//! page cache, some hundred cheap faults for the whole of it.

use std::time::Duration;

/// Code that is needed all the time is mapped again at once; more often would be of no use.
const EVERY: Duration = Duration::from_secs(60);

/// Gives it back now, as the start is over, and from time to time.
pub async fn give_back_repeatedly() {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        give_back();
    }
}

/// Unmaps the pages of the executable's code, as far as they are nothing but the file.
#[cfg(target_os = "linux")]
fn give_back() {
    use rustix::mm::{Advice, madvise};
    let (Ok(maps), Ok(executable)) =
        (std::fs::read_to_string("/proc/self/maps"), std::fs::read_link("/proc/self/exe"))
    else {
        return;
    };
    for (start, length) in code_ranges(&maps, &executable.to_string_lossy()) {
        let start = std::ptr::with_exposed_provenance_mut(start);
        // SAFETY: the range is a private mapping of this program's file that nobody may write to, so all of its pages
        // are those of the file, which cannot be written while it runs; the next access reads the same bytes again.
        #[expect(unsafe_code, reason = "no safe call gives pages back")]
        let given = unsafe { madvise(start, length, Advice::LinuxDontNeed) };
        if let Err(fault) = given {
            tracing::debug!(%fault, "mapped code not given back");
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn give_back() {}

/// Start and length of the private mappings of a file that can be run but not written, from the text of
/// `/proc/self/maps`.
#[cfg(target_os = "linux")]
fn code_ranges(maps: &str, executable: &str) -> Vec<(usize, usize)> {
    let range = |line: &str| {
        let (place, rest) = line.split_once(' ')?;
        let (rights, rest) = rest.split_once(' ')?;
        // Offset, device and inode stand before the path.
        let path = rest.splitn(4, ' ').nth(3)?.trim_start();
        if rights != "r-xp" || path != executable {
            return None;
        }
        let (start, end) = place.split_once('-')?;
        let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
        Some((start, end.checked_sub(start)?))
    };
    maps.lines().filter_map(range).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_code_of_the_executable_is_given_back() {
        let maps = "\
55d0a0000000-55d0a0100000 r--p 00000000 fe:00 12 /opt/ask first/askfirst
55d0a0100000-55d0a0300000 r-xp 00100000 fe:00 12 /opt/ask first/askfirst
55d0a0300000-55d0a0400000 rw-p 00300000 fe:00 12 /opt/ask first/askfirst
55d0a0500000-55d0a0600000 r-xs 00300000 fe:00 12 /opt/ask first/askfirst
7f0000000000-7f0000100000 r-xp 00000000 fe:00 13                         /usr/lib/libc.so.6
7f0000200000-7f0000300000 r-xp 00000000 00:00 0
7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0                          [vdso]
";
        assert_eq!(code_ranges(maps, "/opt/ask first/askfirst"), [(0x55d0_a010_0000, 0x20_0000)]);
        assert_eq!(code_ranges(maps, "/opt/other"), []);
        assert_eq!(code_ranges("broken\n\nr-xp", "x"), []);
    }

    // What was given back runs again: this very function.
    #[test]
    fn code_that_was_given_back_is_there_when_it_is_needed() {
        give_back();
        assert_eq!(code_ranges("", ""), []);
        give_back();
    }
}
