//! Sandboxes and the lives of others: a service that is killed, a guard that is killed, what an earlier
//! service left, and a service that is no root.

use crate::support::app::{Http, Process, until};
use crate::support::sandboxes::{HELD, TestSandbox, settings};
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

/// A service in which a command and code run, each with one who ran from his parents.
struct Restless {
    folder: tempfile::TempDir,
    service: Process,
    sandbox: Sandbox,
}

impl Restless {
    async fn begun(means: SandboxMeans) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("agents")).unwrap();
        let command = format!("shell: {{command: sh, args: [\"-c\", \"{RESTLESS}\"]}}");
        let code = "python:\n  code: |\n    import os\n    if os.fork() == 0:\n        os.setsid()\n    while True:\n        pass";
        for (name, how) in [("command", command.as_str()), ("code", code)] {
            let agent = format!("name: {name}\nkind: atomic\n{how}\n");
            std::fs::write(folder.path().join(format!("agents/{name}.yaml")), agent).unwrap();
        }
        let service = Process::start(folder.path(), &[("ASKFIRST_SANDBOX__MEANS", word(means))]).await;
        let sandbox = Sandbox::without_cleanup(&settings(means), folder.path().join("data/scratch"));
        let all = Self { folder, service, sandbox };
        for agent in ["command", "code"] {
            let run = json!({"agent": agent, "input": {}});
            Http::new().post(&format!("{}/api/runs", all.service.base), &run).await;
        }
        all.run().await;
        all
    }

    /// Until all four loops do.
    async fn run(&self) {
        let python = format!("{} ", self.sandbox.interpreter().unwrap().display());
        let loops =
            |of: &str| self.sandbox.processes().into_iter().filter(|p| names(*p).starts_with(of)).count();
        until("the loops", SOON, || loops("sh ") >= 2 && loops(&python) >= 2).await;
    }
}

fn end(process: u32) {
    kill(Pid::from_raw(i32::try_from(process).unwrap()), Signal::SIGKILL).unwrap();
}

#[tokio::test]
async fn kill_9_of_the_service_ends_its_sandboxes() {
    for means in HELD {
        let Restless { folder, service, sandbox } = Restless::begun(means).await;
        service.kill().await;
        until("the end of all", Duration::from_secs(2), || sandbox.processes().is_empty()).await;
        let left = || std::fs::read_dir(folder.path().join("data/scratch")).map_or(0, Iterator::count);
        until("the scratch folder's end", SOON, || left() == 0).await;
    }
}

#[tokio::test]
async fn the_end_of_the_service_ends_its_sandboxes() {
    for means in HELD {
        let Restless { folder, service, sandbox } = Restless::begun(means).await;
        assert!(service.terminate().await.success());
        until("the end of all", Duration::from_secs(2), || sandbox.processes().is_empty()).await;
        let left = || std::fs::read_dir(folder.path().join("data/scratch")).map_or(0, Iterator::count);
        until("the scratch folder's end", SOON, || left() == 0).await;
    }
}

// Bubblewrap leaves nothing when a process is killed together with its guard; the leftovers of other means are removed
// at the next start.
#[tokio::test]
async fn leftovers_of_a_killed_service_and_its_guards_are_removed_at_the_next_start() {
    for means in HELD {
        let before = Restless::begun(means).await;
        let held = before.sandbox.processes();
        let scratch = before.folder.path().join("data/scratch");
        let names_of = || -> Vec<_> {
            std::fs::read_dir(&scratch).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
        };
        let folders = names_of();
        assert_eq!(folders.len(), if means == SandboxMeans::Landlock { 2 } else { 0 });
        // The guards first: none is left to tidy up after the service.
        let guards = held.iter().copied().filter(|process| names(*process).contains("__confined"));
        kill(Pid::from_raw(i32::try_from(before.service.pid).unwrap()), Signal::SIGSTOP).unwrap();
        guards.for_each(end);
        before.service.kill().await;
        let settings = [("ASKFIRST_SANDBOX__MEANS", word(means))];
        let after = Process::start(before.folder.path(), &settings).await;
        let lives = |process: &u32| before.sandbox.processes().contains(process);
        until("the end of the old ones", SOON, || !held.iter().any(lives)).await;
        assert!(!names_of().iter().any(|folder| folders.contains(folder)), "{folders:?}");
        after.kill().await;
        until("the end of all", SOON, || before.sandbox.processes().is_empty()).await;
    }
}

#[tokio::test]
async fn a_killed_guard_is_reported_and_its_processes_end_at_the_next_start() {
    for means in HELD {
        let fixture = TestSandbox::held_by(means);
        let restless = fixture.shell(RESTLESS);
        let killing = async {
            let loops = || {
                fixture.sandbox.processes().into_iter().filter(|p| names(*p).starts_with("sh ")).count() >= 2
            };
            until("both loops", SOON, loops).await;
            let guard =
                fixture.sandbox.processes().into_iter().find(|p| names(*p).contains("__confined")).unwrap();
            end(guard);
        };
        let (ended, ()) = tokio::join!(restless, killing);
        let fault = ended.unwrap_err();
        assert!(
            fault.code() == "sandbox_broken" && fault.to_string().contains("its guard is gone"),
            "{fault}"
        );
        if means == SandboxMeans::Bubblewrap {
            until("the end of all", SOON, || fixture.sandbox.processes().is_empty()).await;
        }
        let _next = Sandbox::open(&settings(means), fixture.data.path().join("sandbox"));
        fixture.is_clean().await;
    }
}

/// The same again with the rights of a common user: then what is held has the service's own.
#[test]
#[ignore = "takes a minute; make test runs it"]
fn the_sandbox_holds_for_an_unprivileged_service_too() {
    // The other tests of the sandbox run with such rights already, unless root runs them.
    if !nix::unistd::geteuid().is_root() {
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
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && stdout.contains("nothing_breaks_out_of_landlock ... ok"), "{stdout}");
}
