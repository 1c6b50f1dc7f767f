//! Sandboxes and the lives of others: a service that is killed, a guard that is killed, what an earlier
//! service left, and a service that is no root.

use crate::support::app::{Http, Process, until};
use crate::support::sandboxes::{HELD, Place, settings};
use askfirst::config::SandboxMeans;
use askfirst::sandbox::Sandbox;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(10);
/// With one who runs from his parents.
const RESTLESS: &str = "(setsid sh -c 'while :; do :; done' &) ; while :; do :; done";

fn word(means: SandboxMeans) -> &'static str {
    if means == SandboxMeans::Landlock { "landlock" } else { "bubblewrap" }
}

fn names(process: u32) -> String {
    String::from_utf8_lossy(&std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default())
        .replace('\0', " ")
}

#[tokio::test]
async fn kill_9_of_the_service_ends_its_sandboxes() {
    for means in HELD {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("agents")).unwrap();
        let agent =
            format!("name: restless\nkind: atomic\nshell: {{command: sh, args: [\"-c\", \"{RESTLESS}\"]}}\n");
        std::fs::write(folder.path().join("agents/restless.yaml"), agent).unwrap();
        let service = Process::start(folder.path(), &[("ASKFIRST_SANDBOX__MEANS", word(means))]).await;
        let run = json!({"agent": "restless", "input": {}});
        Http::new().post(&format!("{}/api/runs", service.base), &run).await;
        let scratch = folder.path().join("data/scratch");
        let its = Sandbox::at(&settings(means), scratch.clone());
        let both =
            || its.processes().into_iter().filter(|process| names(*process).starts_with("sh ")).count() >= 2;
        until("both loops", SOON, both).await;
        service.kill().await;
        until("the end of all", Duration::from_secs(2), || its.processes().is_empty()).await;
        let left = || std::fs::read_dir(&scratch).map_or(0, Iterator::count);
        until("the scratch folder's end", SOON, || left() == 0).await;
    }
}

#[tokio::test]
async fn a_guard_that_is_killed_is_told_and_the_next_start_ends_what_it_left() {
    for means in HELD {
        let place = Place::held_by(means);
        let restless = place.shell(RESTLESS);
        let killing = async {
            let loops = || {
                place.sandbox.processes().into_iter().filter(|p| names(*p).starts_with("sh ")).count() >= 2
            };
            until("both loops", SOON, loops).await;
            let guard =
                place.sandbox.processes().into_iter().find(|p| names(*p).contains("__confined")).unwrap();
            kill(Pid::from_raw(i32::try_from(guard).unwrap()), Signal::SIGKILL).unwrap();
        };
        let (ended, ()) = tokio::join!(restless, killing);
        let fault = ended.unwrap_err();
        assert!(
            fault.code() == "sandbox_broken" && fault.to_string().contains("its guard is gone"),
            "{fault}"
        );
        if means == SandboxMeans::Bubblewrap {
            until("the end of all", SOON, || place.sandbox.processes().is_empty()).await;
        }
        let _next = Sandbox::open(&settings(means), place.data.path().join("sandbox"));
        place.is_clean().await;
    }
}

/// The same again with the rights of a common user: then what is held has the service's own.
#[test]
fn a_service_that_is_no_root_holds_as_much() {
    if !nix::unistd::geteuid().is_root() || std::env::var_os("RUN_SLOW_TESTS").is_none() {
        return;
    }
    const USER: u32 = 12_345;
    let home = tempfile::tempdir().unwrap();
    let deps = home.path().join("deps");
    std::fs::create_dir(&deps).unwrap();
    let copy = |from: &Path, to: &Path| {
        std::fs::copy(from, to).unwrap();
        std::fs::set_permissions(to, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    copy(Path::new(env!("CARGO_BIN_EXE_askfirst")), &home.path().join("askfirst"));
    copy(&std::env::current_exe().unwrap(), &deps.join("it"));
    for folder in [home.path(), &deps] {
        std::os::unix::fs::chown(folder, Some(USER), Some(USER)).unwrap();
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let output = std::process::Command::new(deps.join("it"))
        .args(["sandbox_escapes::", "sandbox_shell::", "sandbox_python::", "--test-threads=2"])
        .env("TMPDIR", home.path())
        .current_dir(home.path())
        .uid(USER)
        .gid(USER)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("nothing_breaks_out_of_landlock ... ok"), "{said}");
}
