//! Checks that there is a Chromium which starts and shows a page.

use crate::browser::error::INSTALL_CHROMIUM;
use crate::cli::doctor::finding::Finding;
use crate::cli::doctor::model;
use crate::config::BrowserSection;
use crate::ids;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

const SUBJECT: &str = "chromium";
const NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const MAC: [&str; 2] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const PATIENCE: Duration = Duration::from_secs(10);
/// Test page. Its text proves that all of Chromium works, not only the first process.
const PAGE: &str = "data:text/html,<p>it%20works</p>";
const PROOF: &str = "it works";

/// Result of an attempt to start Chromium.
enum StartResult {
    Works,
    NoSandbox,
    Fails(String),
}

pub async fn check(browser: &BrowserSection) -> Finding {
    if let Some(address) = &browser.cdp_url {
        return check_elsewhere(address).await;
    }
    let Some(executable) = find(browser) else {
        let text = match &browser.executable {
            Some(path) => format!("there is no {}", path.display()),
            None => "no Chromium or Chrome was found".to_owned(),
        };
        return Finding::missing(SUBJECT, text, INSTALL_CHROMIUM);
    };
    let name = format!("{} ({})", version(&executable).await, executable.display());
    match start(&executable, is_root()).await {
        StartResult::Works => Finding::good(SUBJECT, format!("{name} starts and shows a page")),
        StartResult::NoSandbox => match start(&executable, true).await {
            StartResult::Works => {
                let advice = "install chromium-sandbox or allow unprivileged user namespaces";
                Finding::note(SUBJECT, format!("{name} works, but without its own sandbox"), advice)
            }
            StartResult::NoSandbox => broken(&name, "it finds no sandbox"),
            StartResult::Fails(why) => broken(&name, &why),
        },
        StartResult::Fails(why) => broken(&name, &why),
    }
}

fn broken(name: &str, why: &str) -> Finding {
    let advice = "reinstall it with its recommended packages, or set browser.executable to another";
    Finding::missing(SUBJECT, format!("{name} does not work: {why}"), advice)
}

/// Returns the executable of the settings, else the first one on the `PATH`.
fn find(browser: &BrowserSection) -> Option<PathBuf> {
    if let Some(path) = &browser.executable {
        return path.is_file().then(|| path.clone());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let named = NAMES.iter().flat_map(|name| std::env::split_paths(&folders).map(move |dir| dir.join(name)));
    named.chain(MAC.iter().map(PathBuf::from)).find(|path| path.is_file())
}

async fn version(executable: &Path) -> String {
    match run(executable, &["--version"]).await {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(_) => "Chromium of unknown version".to_owned(),
    }
}

async fn start(executable: &Path, bare: bool) -> StartResult {
    let profile = std::env::temp_dir().join(format!("askfirst-doctor-{}", ids::token()));
    let profile_flag = format!("--user-data-dir={}", profile.display());
    let mut flags = vec![
        "--headless",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        &profile_flag,
    ];
    if bare {
        flags.push("--no-sandbox");
    }
    flags.extend(["--dump-dom", PAGE]);
    let ended = run(executable, &flags).await;
    // Chromium may still be writing there; at worst a few small files stay.
    let _ = std::fs::remove_dir_all(&profile);
    match ended {
        Ok(output) if String::from_utf8_lossy(&output.stdout).contains(PROOF) => StartResult::Works,
        Ok(output) => judge(&String::from_utf8_lossy(&output.stderr)),
        Err(error) => StartResult::Fails(error.to_string()),
    }
}

fn judge(words: &str) -> StartResult {
    if words.to_lowercase().contains("sandbox") {
        return StartResult::NoSandbox;
    }
    let last = words.lines().rev().find(|line| !line.trim().is_empty());
    StartResult::Fails(last.unwrap_or("it printed nothing").trim().to_owned())
}

/// Runs a program for at most ten seconds, then kills its process group.
#[expect(clippy::disallowed_methods, reason = "it is ended here, with all its children")]
async fn run(executable: &Path, flags: &[&str]) -> io::Result<Output> {
    let child = Command::new(executable)
        .args(flags)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    let group = child.id().and_then(|id| i32::try_from(id).ok());
    match timeout(PATIENCE, child.wait_with_output()).await {
        Ok(output) => output,
        Err(_) => {
            if let Some(group) = group {
                let group = nix::unistd::Pid::from_raw(group);
                let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
            }
            Err(io::Error::new(io::ErrorKind::TimedOut, "it did not answer within 10 seconds"))
        }
    }
}

/// True for root, under which Chromium refuses to run with its own sandbox.
fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// Checks a Chromium that is reached over the network.
async fn check_elsewhere(address: &str) -> Finding {
    let advice = "start it with --remote-debugging-port, or correct browser.cdp_url";
    let unreachable =
        |why: String| Finding::missing(SUBJECT, format!("{address} does not answer: {why}"), advice);
    let Ok(mut url) = url::Url::parse(address) else {
        return Finding::missing(SUBJECT, format!("{address} is not an address"), advice);
    };
    if url.scheme().starts_with("ws") {
        let (host, port) = (url.host_str().unwrap_or_default().to_owned(), url.port_or_known_default());
        let reached = timeout(PATIENCE, tokio::net::TcpStream::connect((host, port.unwrap_or(80)))).await;
        return match reached {
            Ok(Ok(_)) => Finding::good(SUBJECT, format!("{address} is reachable")),
            Ok(Err(error)) => unreachable(error.to_string()),
            Err(_) => unreachable("no connection within 10 seconds".to_owned()),
        };
    }
    url.set_path("/json/version");
    match model::get(&url, None).await {
        Ok(answer) if answer.status().is_success() => Finding::good(SUBJECT, format!("{address} answers")),
        Ok(answer) => unreachable(answer.status().to_string()),
        Err(error) => unreachable(error),
    }
}
