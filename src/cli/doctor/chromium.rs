//! Checks that there is a Chromium which starts and shows a page.

use crate::browser::process::launch::{EXECUTABLE_NAMES, is_root};
use crate::cli::doctor::finding::Finding;
use crate::cli::doctor::model;
use crate::config::BrowserSection;
use crate::ids;
use crate::protocol::Locale;
use crate::texts::terminal::doctor as texts;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

const SUBJECT: &str = "chromium";
const MAC: [&str; 2] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);
/// Test page. Its text proves that all of Chromium works, not only the first process.
const PAGE: &str = "data:text/html,<p>it%20works</p>";
const PROOF: &str = "it works";

/// Result of an attempt to start Chromium.
enum StartResult {
    Works,
    NoSandbox,
    Fails(String),
}

pub async fn check(browser: &BrowserSection, locale: Locale) -> Finding {
    if let Some(address) = &browser.cdp_url {
        return check_elsewhere(address, locale).await;
    }
    let Some(executable) = find(browser) else {
        let text = match &browser.executable {
            Some(path) => texts::file_missing(&path.display().to_string(), locale),
            None => texts::chromium_missing(locale).to_owned(),
        };
        return Finding::missing(SUBJECT, text, texts::install_chromium(locale));
    };
    let name = format!("{} ({})", version(&executable, locale).await, executable.display());
    match start(&executable, is_root(), locale).await {
        StartResult::Works => Finding::good(SUBJECT, texts::chromium_works(&name, locale)),
        StartResult::NoSandbox => match start(&executable, true, locale).await {
            StartResult::Works => {
                let text = texts::chromium_without_sandbox(&name, locale);
                Finding::note(SUBJECT, text, texts::install_chromium_sandbox(locale))
            }
            StartResult::NoSandbox => broken(&name, texts::chromium_finds_no_sandbox(locale), locale),
            StartResult::Fails(why) => broken(&name, &why, locale),
        },
        StartResult::Fails(why) => broken(&name, &why, locale),
    }
}

fn broken(name: &str, why: &str, locale: Locale) -> Finding {
    let text = texts::chromium_broken(name, why, locale);
    Finding::missing(SUBJECT, text, texts::reinstall_chromium(locale))
}

/// Returns the executable of the settings, else the first one on the `PATH`.
fn find(browser: &BrowserSection) -> Option<PathBuf> {
    if let Some(path) = &browser.executable {
        return path.is_file().then(|| path.clone());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let named = EXECUTABLE_NAMES
        .iter()
        .flat_map(|name| std::env::split_paths(&folders).map(move |dir| dir.join(name)));
    named.chain(MAC.iter().map(PathBuf::from)).find(|path| path.is_file())
}

async fn version(executable: &Path, locale: Locale) -> String {
    match run(executable, &["--version"], locale).await {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(_) => texts::chromium_of_unknown_version(locale).to_owned(),
    }
}

async fn start(executable: &Path, bare: bool, locale: Locale) -> StartResult {
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
    let ended = run(executable, &flags, locale).await;
    // Chromium may still be writing there; at worst a few small files stay.
    let _ = std::fs::remove_dir_all(&profile);
    match ended {
        Ok(output) if String::from_utf8_lossy(&output.stdout).contains(PROOF) => StartResult::Works,
        Ok(output) => judge(&String::from_utf8_lossy(&output.stderr), locale),
        Err(error) => StartResult::Fails(error.to_string()),
    }
}

fn judge(words: &str, locale: Locale) -> StartResult {
    if words.to_lowercase().contains("sandbox") {
        return StartResult::NoSandbox;
    }
    let last = words.lines().rev().find(|line| !line.trim().is_empty());
    StartResult::Fails(last.unwrap_or(texts::chromium_printed_nothing(locale)).trim().to_owned())
}

/// Runs a program for at most ten seconds, then kills its process group.
#[expect(clippy::disallowed_methods, reason = "it is ended here, with all its children")]
async fn run(executable: &Path, flags: &[&str], locale: Locale) -> io::Result<Output> {
    let child = Command::new(executable)
        .args(flags)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    let group = child.id().and_then(|id| i32::try_from(id).ok());
    match timeout(CHECK_TIMEOUT, child.wait_with_output()).await {
        Ok(output) => output,
        Err(_) => {
            if let Some(group) = group {
                let group = nix::unistd::Pid::from_raw(group);
                let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
            }
            Err(io::Error::new(io::ErrorKind::TimedOut, texts::no_answer_in_time(locale)))
        }
    }
}

/// Checks a Chromium that is reached over the network.
async fn check_elsewhere(address: &str, locale: Locale) -> Finding {
    let advice = texts::start_remote_chromium(locale);
    let unreachable =
        |why: String| Finding::missing(SUBJECT, texts::address_silent(address, &why, locale), advice);
    let Ok(mut url) = url::Url::parse(address) else {
        return Finding::missing(SUBJECT, texts::not_an_address(address, locale), advice);
    };
    if url.scheme().starts_with("ws") {
        let (host, port) = (url.host_str().unwrap_or_default().to_owned(), url.port_or_known_default());
        let reached =
            timeout(CHECK_TIMEOUT, tokio::net::TcpStream::connect((host, port.unwrap_or(80)))).await;
        return match reached {
            Ok(Ok(_)) => Finding::good(SUBJECT, texts::address_answers(address, locale)),
            Ok(Err(error)) => unreachable(error.to_string()),
            Err(_) => unreachable(texts::no_answer_in_time(locale).to_owned()),
        };
    }
    url.set_path("/json/version");
    match model::get(&url, None).await {
        Ok(answer) if answer.status().is_success() => {
            Finding::good(SUBJECT, texts::address_answers(address, locale))
        }
        Ok(answer) => unreachable(answer.status().to_string()),
        Err(error) => unreachable(error),
    }
}
