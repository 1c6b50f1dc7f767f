//! Starts the real service in a folder and on a port of its own, inside the test's process (`spawn`) or as a
//! separate process that can be killed (`Process`).

use askfirst::app::{self, Running};
use askfirst::config::Settings;
use askfirst::config::layers::Flags;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};

/// Timeout of every wait, long enough for a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct TestApp {
    pub base: String,
    pub folder: tempfile::TempDir,
    handle: actix_web::dev::ServerHandle,
    served: Option<actix_web::rt::task::JoinHandle<()>>,
}

/// Settings as environment variables, added to those of all tests.
pub fn variables(more: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut vars = vec![
        ("ASKFIRST_BROWSER__LINGER_S".to_owned(), "0".to_owned()),
        ("ASKFIRST_TELEMETRY__LEVEL".to_owned(), "warn".to_owned()),
    ];
    vars.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    vars
}

/// Starts the service with these additional settings.
pub async fn spawn(more: &[(&str, &str)]) -> TestApp {
    let folder = tempfile::tempdir().unwrap();
    spawn_in(folder, more).await
}

pub async fn spawn_in(folder: tempfile::TempDir, more: &[(&str, &str)]) -> TestApp {
    let flags = Flags { data_dir: Some(folder.path().join("data")), port: Some(0), ..Flags::default() };
    let mut vars = variables(more);
    vars.push(("ASKFIRST_AGENTS_DIR".to_owned(), folder.path().join("agents").display().to_string()));
    let settings = Settings::load(&flags, vars).unwrap();
    let running: Running = app::start(settings).await.unwrap();
    let base = format!("http://127.0.0.1:{}", running.port);
    let handle = running.handle.clone();
    let served = actix_web::rt::spawn(async move { running.serve().await.unwrap() });
    TestApp { base, folder, handle, served: Some(served) }
}

impl TestApp {
    /// Stops the service and checks that none of its processes is left.
    pub async fn finish(self) {
        self.finish_with(|_| ()).await;
    }

    /// Like [`finish`](Self::finish), and then inspects the data folder.
    pub async fn finish_with<T>(mut self, check: impl FnOnce(&Path) -> T) -> T {
        self.handle.stop(true).await;
        let served = self.served.take().unwrap();
        tokio::time::timeout(PATIENCE, served).await.expect("the service stops").unwrap();
        // On a busy machine the guard may take a while to kill its processes.
        let folder = self.folder.path();
        until("no Chromium is left", Duration::from_secs(10), || chromium_of(folder).is_empty()).await;
        check(&self.data())
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        if self.served.is_some() && !std::thread::panicking() {
            panic!("a test must finish() its app");
        }
    }
}

/// Returns the ids of the processes whose command line contains this folder.
pub fn chromium_of(folder: &Path) -> Vec<u32> {
    let folder = folder.display().to_string();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let processes = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes
        .filter(|pid| *pid != std::process::id())
        .filter(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(&folder)
        })
        .collect()
}

/// The service as a separate process, for tests that kill it or send it signals.
pub struct Process {
    pub base: String,
    pub pid: u32,
    child: tokio::process::Child,
}

impl Process {
    /// Starts the service on a free port.
    pub async fn start(folder: &Path, more: &[(&str, &str)]) -> Self {
        Self::start_on(0, folder, more).await
    }

    /// Starts the service on a given port, so that it can be restarted at the same address.
    pub async fn start_on(port: u16, folder: &Path, more: &[(&str, &str)]) -> Self {
        Self::begin(port, folder, more, Stdio::inherit()).await
    }

    /// Starts the service with all its output in this file, and waits until it is ready.
    pub async fn start_with_output(folder: &Path, more: &[(&str, &str)], output: &Path) -> Self {
        let file = std::fs::File::create(output).unwrap();
        let child =
            Self::command(0, folder, more).stdout(file.try_clone().unwrap()).stderr(file).spawn().unwrap();
        let listens = || {
            let words = std::fs::read_to_string(output).unwrap();
            words.lines().find_map(|line| line.strip_prefix("listening on ").map(str::to_owned))
        };
        until("it listens", PATIENCE, || listens().is_some()).await;
        Self { base: listens().unwrap(), pid: child.id().unwrap(), child }
    }

    /// Starts the service with its log in this file.
    pub async fn logged(folder: &Path, more: &[(&str, &str)], log: &Path) -> Self {
        Self::begin(0, folder, more, Stdio::from(std::fs::File::create(log).unwrap())).await
    }

    async fn begin(port: u16, folder: &Path, more: &[(&str, &str)], log: Stdio) -> Self {
        let mut child = Self::command(port, folder, more).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await.expect("it starts").unwrap();
        let line = line.expect("it says where it listens");
        let base =
            line.strip_prefix("listening on ").unwrap_or_else(|| panic!("not ready: {line}")).to_owned();
        Self { base, pid: child.id().unwrap(), child }
    }

    fn command(port: u16, folder: &Path, more: &[(&str, &str)]) -> tokio::process::Command {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_askfirst"));
        command.args(["serve", "--port", &port.to_string(), "--data-dir"]).arg(folder.join("data"));
        command.env("ASKFIRST_AGENTS_DIR", folder.join("agents")).envs(variables(more)).kill_on_drop(true);
        command
    }

    /// Kills the process with SIGKILL.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Sends SIGTERM, and returns the exit status.
    pub async fn terminate(self) -> std::process::ExitStatus {
        let pid = nix::unistd::Pid::from_raw(i32::try_from(self.pid).unwrap());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
        self.exits().await
    }

    /// Waits until the process ends by itself.
    pub async fn exits(mut self) -> std::process::ExitStatus {
        tokio::time::timeout(PATIENCE, self.child.wait()).await.expect("it ends").unwrap()
    }
}

/// Returns a port that is currently free.
pub fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Returns a random number in this range, for delays that no test should fix.
pub fn random(range: std::ops::RangeInclusive<u64>) -> u64 {
    use std::hash::{BuildHasher, Hasher};
    let number = std::hash::RandomState::new().build_hasher().finish();
    range.start() + number % (range.end() - range.start() + 1)
}

/// Polls until the condition holds, for changes without a notification.
pub async fn until(what: &str, within: Duration, mut so: impl FnMut() -> bool) {
    let mut ticks = tokio::time::interval(Duration::from_millis(20));
    let watch = std::time::Instant::now();
    while !so() {
        assert!(watch.elapsed() < within, "not within {within:?}: {what}");
        ticks.tick().await;
    }
}

/// HTTP client with JSON bodies and cookies.
pub struct Http(reqwest::Client);

impl Http {
    pub fn new() -> Self {
        Self(reqwest::Client::builder().cookie_store(true).build().unwrap())
    }

    pub async fn get(&self, url: &str) -> Value {
        let text = self.0.get(url).send().await.unwrap().text().await.unwrap();
        serde_json::from_str(&text).unwrap_or(json!(text))
    }

    /// Reads until the body at `pointer` has this value, for changes without a notification, and returns it.
    pub async fn get_until(&self, url: &str, pointer: &str, value: &Value) -> Value {
        let mut ticks = tokio::time::interval(Duration::from_millis(50));
        let watch = std::time::Instant::now();
        loop {
            ticks.tick().await;
            let body = self.get(url).await;
            if body.pointer(pointer) == Some(value) {
                return body;
            }
            assert!(watch.elapsed() < Duration::from_secs(10), "no {pointer} {value} at {url}: {body}");
        }
    }

    pub async fn delete(&self, url: &str) -> u16 {
        self.0.delete(url).send().await.unwrap().status().as_u16()
    }

    pub async fn post(&self, url: &str, body: &Value) -> (u16, Value) {
        let answer = self.0.post(url).json(body).send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(json!(text)))
    }
}
