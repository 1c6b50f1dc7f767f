//! An application as a process of its own, on a free port, ended by its number on every path.

use crate::support::app::free_port;
use crate::support::installed::installed_program;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Python programs start slowly on a busy machine.
const START: Duration = Duration::from_secs(90);
/// An application that starts may accept a connection and not answer.
const PAUSE: Duration = Duration::from_secs(5);
const END: Duration = Duration::from_secs(10);

pub struct Application {
    child: Child,
    pub host: String,
}

impl Application {
    /// Starts it in its folder and waits until this path answers. `{port}` in arguments is its port.
    pub async fn start(name: &str, arguments: &[&str], folder: &Path, ready: &str) -> Self {
        let program = installed_program(&format!("apps/bin/{name}"), "scripts/test-apps.sh");
        let port = free_port();
        let arguments = arguments.iter().map(|argument| argument.replace("{port}", &port.to_string()));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(folder)
            // Settings of the person who runs the tests are not theirs.
            .env("HOME", folder)
            .env_remove("PYTHONPATH")
            .stdin(Stdio::null());
        Self::launch(&mut command, port, folder, ready).await.unwrap_or_else(|fault| panic!("{fault}"))
    }

    /// Starts a command that serves at a port; its output goes to `log.txt` of the folder.
    pub async fn launch(
        command: &mut Command,
        port: u16,
        folder: &Path,
        ready: &str,
    ) -> Result<Self, String> {
        let log = std::fs::File::create(folder.join("log.txt")).unwrap();
        // The group lets its children be ended with it.
        let command = command.stdout(log.try_clone().unwrap()).stderr(log).process_group(0);
        let child = command.spawn().map_err(|fault| fault.to_string())?;
        let mut started = Self { child, host: format!("127.0.0.1:{port}") };
        started.until_ready(ready, &folder.join("log.txt")).await?;
        Ok(started)
    }

    async fn until_ready(&mut self, path: &str, log: &Path) -> Result<(), String> {
        let (watch, url) = (Instant::now(), self.url(path));
        let mut ticks = tokio::time::interval(Duration::from_millis(100));
        loop {
            ticks.tick().await;
            let answer = tokio::time::timeout(PAUSE, reqwest::get(&url)).await;
            if answer.is_ok_and(|answer| answer.is_ok_and(|answer| answer.status().is_success())) {
                return Ok(());
            }
            let read_log = || std::fs::read_to_string(log).unwrap_or_default();
            if let Some(ended) = self.child.try_wait().unwrap() {
                return Err(format!("it ended as {ended:?}: {}", read_log()));
            }
            if watch.elapsed() > START {
                return Err(format!("{url} does not answer: {}", read_log()));
            }
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }
}

impl Drop for Application {
    /// Asked first, so that it can end its own children; then made to.
    fn drop(&mut self) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        let _ = killpg(pid, Signal::SIGTERM);
        let watch = Instant::now();
        while watch.elapsed() < END {
            if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                break;
            }
            std::thread::yield_now();
        }
        let _ = killpg(pid, Signal::SIGKILL);
        let _ = self.child.wait();
    }
}
