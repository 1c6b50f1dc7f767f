//! A Chromium process and its guard.
//!
//! Chromium leads its own process group. The guard, a small POSIX shell beside it, blocks in `read` on a pipe
//! from this process. When the pipe closes, because `Chromium` was dropped or this process died for any
//! reason, the guard kills the whole group and removes its temporary folders. Chromium itself waits in `read`
//! until the guard knows the group, so there is no moment at which the death of this process would leave it
//! running.

use crate::browser::config::BrowserConfig;
use crate::browser::error::BrowserError;
use crate::browser::process::flags::FLAGS;
use crate::browser::process::profile_folders::Folders;
use crate::browser::process::{orphaned_processes, process_table};
use crate::store::tree_leases::deadline::LeaseDeadline;
use nix::sys::signal::killpg;
use nix::unistd::Pid;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdin, Command};
use tokio::sync::oneshot;

/// Replaces the shell by Chromium on receiving a line; exits if the pipe closes first.
const LAUNCH: &str = r#"read -r go && exec "$@" </dev/null"#;

/// Kills the group (`kill` with a negative number). Removing the profile is retried, because killed processes
/// take a moment to end and may still write to it. Each further line has the seconds for which Chromium may live on: a process
/// that is suspended sends none, and another node may have its runs by then.
const GUARD: &str = r#"
trap : HUP INT TERM
read -r group
while read -r seconds; do
    [ -n "$watch" ] && kill "$watch" 2>/dev/null
    { sleep "$seconds"; kill -KILL "-$group"; } </dev/null >/dev/null 2>&1 &
    watch=$!
done
[ -n "$watch" ] && kill "$watch" 2>/dev/null
[ -n "$group" ] && kill -KILL "-$group" 2>/dev/null
until rm -rf "$@" 2>/dev/null || [ $((tries += 1)) -gt 80 ]; do sleep 0.05; done
"#;

const START_TIMEOUT: Duration = Duration::from_secs(20);
const END_TIMEOUT: Duration = Duration::from_secs(3);
/// Time for Chromium to write a lasting profile.
const WRITE_TIMEOUT: Duration = Duration::from_millis(1_500);
const LAST_LINES: usize = 8;

/// Names under which Chromium is looked for on the `PATH`.
pub(crate) const EXECUTABLE_NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// A running Chromium. Dropping it ends the process and all its children.
#[derive(Debug)]
pub struct Chromium {
    pub ws_url: String,
    /// True if the profile is kept, so that Chromium gets time to write it.
    is_lasting: bool,
    /// Keeps the pipe to the guard open. Closing it makes the guard kill the group.
    lifeline: Option<oneshot::Sender<()>>,
    guard: Child,
    /// Reaped last, so that its group id cannot be reused before.
    leader: Child,
}

impl Chromium {
    /// Starts Chromium in a lasting or a fresh profile, with Chromium's sandbox if the machine supports it.
    /// With `proxy` all traffic goes through the proxy; without, it is not restricted.
    pub async fn launch(
        config: &BrowserConfig,
        profile: Option<&str>,
        proxy: Option<&str>,
    ) -> Result<Self, BrowserError> {
        // Chromium refuses to run as root with its sandbox.
        if is_root() {
            return Self::launch_as(config, profile, proxy, false).await;
        }
        match Self::launch_as(config, profile, proxy, true).await {
            Err(BrowserError::EndedEarly { last }) if last.to_lowercase().contains("sandbox") => {
                tracing::warn!(%last, "this machine has no sandbox for chromium; it runs without");
                Self::launch_as(config, profile, proxy, false).await
            }
            result => result,
        }
    }

    async fn launch_as(
        config: &BrowserConfig,
        profile: Option<&str>,
        proxy: Option<&str>,
        sandbox: bool,
    ) -> Result<Self, BrowserError> {
        let executable = executable(config.executable.as_deref())?;
        let folders = Folders::make(&config.data_dir, profile)?;
        let mut guard = shell(GUARD)
            .args(folders.temporary())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|fault| not_started(Path::new("sh"), &fault))?;
        let mut lifeline = guard.stdin.take();
        let mut leader = leader(config, &executable, &folders, proxy, sandbox)?;
        let group = leader.id().unwrap_or_default();
        write_line(&mut lifeline, &format!("{group}\n"))
            .await
            .map_err(|fault| not_started(&executable, &fault))?;
        write_line(&mut leader.stdin.take(), "go\n")
            .await
            .map_err(|fault| not_started(&executable, &fault))?;
        let stderr = leader.stderr.take();
        let lifeline = lifeline.map(|pipe| hold_lifeline(pipe, config.lease.clone()));
        let mut chromium =
            Self { ws_url: String::new(), is_lasting: folders.is_lasting, lifeline, guard, leader };
        chromium.ws_url = match stderr {
            Some(stderr) => address(stderr).await?,
            None => return Err(BrowserError::EndedEarly { last: String::from("nothing") }),
        };
        tracing::info!(group, profile = %folders.profile.display(), "chromium started");
        Ok(chromium)
    }

    /// Returns the process group of Chromium and all its children.
    pub fn group(&self) -> Option<u32> {
        self.leader.id()
    }

    /// Ends Chromium. On return none of its processes and temporary folders is left. With a lasting profile
    /// the caller has already sent the close command, and this waits for its completion first.
    pub async fn end(mut self) {
        let group = self.group();
        // The leader must not be reaped yet, so that its group id stays reserved.
        let closed = async { wait_until(|| group.and_then(process_table::start_time).is_none()).await };
        if self.is_lasting && tokio::time::timeout(WRITE_TIMEOUT, closed).await.is_err() {
            tracing::warn!("chromium did not close by itself; what it had not written yet is lost");
        }
        self.lifeline = None;
        let ended = async {
            let _ = self.guard.wait().await;
            let _ = self.leader.wait().await;
            wait_until(|| !group.is_some_and(is_group_alive)).await;
        };
        if tokio::time::timeout(END_TIMEOUT, ended).await.is_err() {
            tracing::error!("chromium's guard is late");
        }
        tracing::info!("chromium ended");
    }
}

/// Polls a condition that no event reports.
async fn wait_until(so: impl Fn() -> bool) {
    while !so() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Reports whether the group has a live process. Zombies do not count: their parents have ended, and an
/// `init` process may take seconds to reap them.
fn is_group_alive(group: u32) -> bool {
    let is_known = i32::try_from(group).is_ok_and(|group| killpg(Pid::from_raw(group), None).is_ok());
    is_known && process_table::lives(group) != Some(false)
}

/// Returns the Chromium executable: the configured one, or the first of the usual names on the `PATH`.
pub fn executable(named: Option<&Path>) -> Result<PathBuf, BrowserError> {
    if let Some(path) = named {
        let found = std::fs::metadata(path).map_err(|fault| not_started(path, &fault))?;
        return if found.is_file() { Ok(path.to_owned()) } else { Err(BrowserError::NotFound) };
    }
    let path = std::env::var_os("PATH").unwrap_or_default(); // the executable search path, as a shell uses it
    let found = EXECUTABLE_NAMES
        .iter()
        .flat_map(|name| std::env::split_paths(&path).map(move |folder| folder.join(name)));
    found.into_iter().find(|candidate| candidate.is_file()).ok_or(BrowserError::NotFound)
}

#[expect(clippy::disallowed_methods, reason = "this is the home of Chromium's processes, guarded to the end")]
fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    // An interrupt from the keyboard must not reach the process, so it gets its own group.
    command.arg("-c").arg(script).arg("sh").stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0);
    command
}

fn leader(
    config: &BrowserConfig,
    executable: &Path,
    folders: &Folders,
    proxy: Option<&str>,
    sandbox: bool,
) -> Result<Child, BrowserError> {
    let (width, height) = config.viewport;
    let mut command = shell(LAUNCH);
    command.arg(executable).args(FLAGS);
    if config.headless {
        command.arg("--headless");
    }
    if !sandbox {
        command.arg("--no-sandbox");
    }
    if let Some(proxy) = proxy {
        // Loopback addresses use the proxy too.
        command.args([&format!("--proxy-server={proxy}"), "--proxy-bypass-list=<-loopback>"]);
    }
    // Files that Chromium leaves in its temporary folder, such as its lock's, are removed with that folder.
    command
        .env("TMPDIR", &folders.scratch)
        .env(orphaned_processes::VARIABLE, orphaned_processes::process_marker(&config.data_dir));
    command
        .arg("--remote-debugging-port=0")
        .arg(format!("--window-size={width},{height}"))
        .arg(format!("--user-data-dir={}", folders.profile.display()))
        .arg("about:blank")
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|fault| not_started(executable, &fault))
}

/// True for root, under which Chromium refuses to run with its own sandbox.
pub(crate) fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

async fn write_line(pipe: &mut Option<ChildStdin>, line: &str) -> std::io::Result<()> {
    match pipe {
        Some(pipe) => pipe.write_all(line.as_bytes()).await,
        None => Ok(()),
    }
}

/// Holds the pipe to the guard until the returned sender is dropped, and writes to it how long Chromium may live on, if there
/// is a limit.
fn hold_lifeline(mut pipe: ChildStdin, lease: LeaseDeadline) -> oneshot::Sender<()> {
    let (held, dropped) = oneshot::channel::<()>();
    let writing = async move {
        loop {
            let changed = lease.next_change();
            if let Some(left) = lease.time_left() {
                let line = format!("{:.3}\n", left.as_secs_f64());
                if pipe.write_all(line.as_bytes()).await.is_err() {
                    return;
                }
            }
            changed.await;
        }
    };
    actix::spawn(async move {
        tokio::select! {
            _ = dropped => {}
            () = writing => {}
        }
    });
    held
}

/// Waits for the line with the DevTools address, then keeps draining the pipe in a task.
async fn address(stderr: ChildStderr) -> Result<String, BrowserError> {
    let mut lines = BufReader::new(stderr).lines();
    let mut last = VecDeque::new();
    let words = |last: &VecDeque<String>| match last.is_empty() {
        true => String::from("none"),
        false => last.iter().cloned().collect::<Vec<_>>().join(" | "),
    };
    let found = tokio::time::timeout(START_TIMEOUT, find_address(&mut lines, &mut last)).await;
    match found {
        Err(_) => Err(BrowserError::TooSlow { seconds: START_TIMEOUT.as_secs(), last: words(&last) }),
        Ok(None) => Err(BrowserError::EndedEarly { last: words(&last) }),
        Ok(Some(url)) => {
            actix::spawn(async move {
                while let Ok(Some(line)) = lines.next_line().await {
                    tracing::debug!(target: "chromium", "{line}");
                }
            });
            Ok(url)
        }
    }
}

async fn find_address(
    lines: &mut Lines<BufReader<ChildStderr>>,
    last: &mut VecDeque<String>,
) -> Option<String> {
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(url) = line.strip_prefix("DevTools listening on ") {
            return Some(url.trim().to_owned());
        }
        if last.len() == LAST_LINES {
            last.pop_front();
        }
        last.push_back(line);
    }
    None
}

fn not_started(path: &Path, fault: &std::io::Error) -> BrowserError {
    BrowserError::NotStarted { path: path.display().to_string(), reason: fault.to_string() }
}
