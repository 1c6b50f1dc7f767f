//! Orphaned Chromium processes, whose service and guard were both killed. Each of our processes has a mark in
//! its environment: its data folder and the process that started it. At startup, processes of this data
//! folder whose starter is gone are killed, and no others.

use crate::browser::process::{process_table, profile_folders};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub const VARIABLE: &str = "ASKFIRST_CHROMIUM";

/// Number of rounds. Killed processes take a moment to end, and may have started others just before.
const ROUNDS: usize = 40;
const ROUND: Duration = Duration::from_millis(25);

/// Returns the marker for a Chromium that this process starts.
pub fn process_marker(data_dir: &Path) -> String {
    let me = std::process::id();
    format!("{}:{me}:{}", profile_folders::id(data_dir), process_table::start_time(me).unwrap_or_default())
}

/// Kills all orphaned processes of this data folder, then removes the temporary folders left in it.
pub async fn sweep(data_dir: PathBuf) {
    let own = profile_folders::id(&data_dir);
    for round in 0..ROUNDS {
        let named = own.clone();
        let orphans = tokio::task::spawn_blocking(move || find_orphans(&named)).await.unwrap_or_default();
        if orphans.is_empty() {
            break;
        }
        if round == 0 {
            tracing::warn!(processes = orphans.len(), "chromium of an earlier service is ended");
        }
        for orphan in orphans {
            // The process may be gone by now.
            let _ = kill(Pid::from_raw(orphan), Signal::SIGKILL);
        }
        tokio::time::sleep(ROUND).await;
    }
    let swept = tokio::task::spawn_blocking(move || profile_folders::sweep(&data_dir)).await;
    if let Err(fault) = swept {
        tracing::warn!(%fault, "search for stale profiles failed");
    }
}

fn find_orphans(data_dir: &str) -> Vec<i32> {
    let with_marker = process_table::with_variable(VARIABLE).into_iter();
    let orphans = with_marker.filter(|(_, marker)| is_orphan(marker, data_dir, process_table::start_time));
    orphans.filter_map(|(process, _)| i32::try_from(process).ok()).collect()
}

/// Reports whether the process belongs to this data folder and its starter is gone. A marker with our own id is
/// stale too, because this process has not started anything yet.
fn is_orphan(marker: &str, data_dir: &str, start_time: impl Fn(u32) -> Option<u64>) -> bool {
    let mut parts = marker.split(':');
    let (of, starter, when) = (parts.next(), parts.next(), parts.next());
    let Some((starter, when)) = starter.and_then(|text| text.parse().ok()).zip(when) else { return false };
    let lives = starter != std::process::id()
        && start_time(starter).is_some_and(|start_time| start_time.to_string() == when);
    of == Some(data_dir) && !lives
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_orphaned_process_uses_our_folder_and_has_no_living_parent() {
        let start_time = |process: u32| (process == 7).then_some(100);
        for (marker, orphan) in [
            ("aa:7:100", false),
            ("aa:7:99", true),
            ("aa:8:100", true),
            ("bb:8:100", false),
            ("aa", false),
            ("aa:x:1", false),
            ("", false),
        ] {
            assert_eq!(is_orphan(marker, "aa", start_time), orphan, "{marker}");
        }
        assert!(is_orphan(&format!("aa:{}:1", std::process::id()), "aa", |_| Some(1)), "of an earlier life");
    }
}
