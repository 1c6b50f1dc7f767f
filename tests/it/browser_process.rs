//! Chromium's life and death: started late, ended with its last user, with its supervisor, with our
//! process, by whatever cause; and brought back where it was.

use crate::browser_stage::{Recorder, Stage, action, bounded, config, find, leftovers, members, text, until};
use crate::support::devtools::Page;
use actix::Actor;
use askfirst::browser::error::{BrowserError, ErrorCode};
use askfirst::browser::messages::{BrowserEvent, Observe, Perform, PictureTime, SnapshotNow};
use askfirst::browser::pool::inventory::ListBrowsers;
use askfirst::browser::pool::messages::{FindBrowser, OpenBrowser, ProcessGroup, ReleaseBrowser, Shutdown};
use askfirst::browser::pool::supervisor::Supervisor;
use askfirst::clock::BootTime;
use askfirst::ids::RunId;
use askfirst::store::tree_leases::deadline::LeaseDeadline;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const SOON: Duration = Duration::from_secs(2);

fn kill(signal: &str, process: &str) {
    assert!(Command::new("kill").args([signal, process]).status().unwrap().success());
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn chromium_starts_on_first_use_and_ends_after_the_last_release() {
    let stage = Stage::open_with(|config| config.linger = Duration::from_millis(300)).await;
    stage.show("<title>Listed</title>").await;
    stage.event(|event| matches!(event, BrowserEvent::Navigated { title, .. } if title == "Listed")).await;
    let list = stage.supervisor.send(ListBrowsers { memory: true }).await.unwrap().browsers;
    let group = stage.group().await;
    assert_eq!((list.len(), list[0].id.as_str(), list[0].pid), (1, "shared", Some(group)));
    assert!(list[0].memory_mb.unwrap() > 20, "{list:?}");
    let context = &list[0].contexts[0];
    assert_eq!((&context.owner, context.title.as_str(), context.viewers), (&stage.owner, "Listed", 0));
    // Files in Chromium's temporary folder go with its profile.
    let environment =
        String::from_utf8_lossy(&std::fs::read(format!("/proc/{group}/environ")).unwrap()).into_owned();
    let temporary = format!("TMPDIR={}", stage.data_dir.path().display());
    assert!(environment.split('\0').any(|variable| variable.starts_with(&temporary)), "{environment}");
    // Asked for again while it lingers, it is the same one.
    stage.supervisor.send(ReleaseBrowser { owner: stage.owner.clone(), linger: None }).await.unwrap();
    assert_eq!(stage.reopen(None).await, stage.browser);
    assert_eq!(stage.observe().await.title, "Listed");
    stage
        .supervisor
        .send(ReleaseBrowser { owner: stage.owner.clone(), linger: Some(Duration::ZERO) })
        .await
        .unwrap();
    assert!(stage.supervisor.send(FindBrowser { owner: stage.owner.clone() }).await.unwrap().is_none());
    until("chromium's end", SOON, || members(group).is_empty()).await;
    until("the profile's end", SOON, || leftovers(stage.data_dir.path()).is_empty()).await;
    // The browser can be opened again.
    stage.reopen(None).await;
    assert_ne!(stage.group().await, group);
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn two_owners_share_chromium_and_no_cookies() {
    let stage = Stage::open().await;
    stage.go("/cookie").await.unwrap();
    stage.go("/cookie").await.unwrap();
    assert!(text(&*stage.observe().await).contains("who=olena"));
    let seen = stage.observe_fresh("/cookie").await;
    assert!(text(&seen).contains("cookie: none"), "{}", text(&seen));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn after_a_shutdown_nothing_opens() {
    let stage = Stage::open().await;
    let (recorder, _events) = Recorder::start_new();
    let open = OpenBrowser {
        owner: RunId::fresh(),
        snapshot: None,
        events: recorder.recipient(),
        languages: None,
        observations: 0,
    };
    let (ended, refused) =
        bounded(futures_util::future::join(stage.supervisor.send(Shutdown), stage.supervisor.send(open)))
            .await;
    ended.unwrap();
    assert!(matches!(refused, Ok(Err(BrowserError::ShuttingDown)) | Err(_)), "{refused:?}");
}

// The answer to `Shutdown` is true of a Chromium, too, that was just ending by itself.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_shutdown_waits_for_a_chromium_that_is_already_ending() {
    let stage = Stage::open_with(|config| config.linger = Duration::ZERO).await;
    stage.observe().await;
    let group = stage.group().await;
    stage.supervisor.send(ReleaseBrowser { owner: stage.owner.clone(), linger: None }).await.unwrap();
    // Until it is let go of; its processes are there yet.
    bounded(async { while stage.supervisor.send(ProcessGroup).await.unwrap().is_some() {} }).await;
    bounded(stage.supervisor.send(Shutdown)).await.unwrap();
    assert_eq!(members(group), Vec::<u32>::new());
    assert_eq!(leftovers(stage.data_dir.path()), Vec::<std::path::PathBuf>::new());
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_dropped_supervisor_leaves_nothing() {
    let data_dir = tempfile::tempdir().unwrap();
    let settings = config(data_dir.path());
    let (group_sender, group_receiver) = std::sync::mpsc::channel();
    // An arbiter of its own, stopped with all that is on it.
    let arbiter = actix::Arbiter::new();
    arbiter.spawn(async move {
        let supervisor = Supervisor::new(settings).start();
        let (recorder, _events) = Recorder::start_new();
        let open = OpenBrowser {
            owner: RunId::fresh(),
            snapshot: None,
            events: recorder.recipient(),
            languages: None,
            observations: 0,
        };
        supervisor.send(open).await.unwrap().unwrap();
        group_sender.send(supervisor.send(ProcessGroup).await.unwrap().unwrap()).unwrap();
    });
    let group = tokio::task::spawn_blocking(move || group_receiver.recv().unwrap()).await.unwrap();
    arbiter.stop();
    until("chromium's end", SOON, || members(group).is_empty()).await;
    until("the profile's end", SOON, || leftovers(data_dir.path()).is_empty()).await;
}

/// Child process of the next test, which kills it.
#[actix_web::test]
async fn child() {
    let Some(data_dir) = std::env::var_os("ASKFIRST_TEST_CHILD") else { return };
    let supervisor = Supervisor::new(config(Path::new(&data_dir))).start();
    let (recorder, _events) = Recorder::start_new();
    let open = OpenBrowser {
        owner: RunId::fresh(),
        snapshot: None,
        events: recorder.recipient(),
        languages: None,
        observations: 0,
    };
    supervisor.send(open).await.unwrap().unwrap();
    println!("\ngroup {}", supervisor.send(ProcessGroup).await.unwrap().unwrap());
    std::future::pending::<()>().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn kill_9_of_our_process_takes_chromium_along() {
    let data_dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["browser_process::child", "--exact", "--nocapture"])
        .env("ASKFIRST_TEST_CHILD", data_dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let found = tokio::task::spawn_blocking(move || {
        lines.map_while(Result::ok).find_map(|line| line.strip_prefix("group ")?.parse::<u32>().ok())
    });
    let group = bounded(found).await.unwrap().unwrap();
    assert!(!members(group).is_empty() && !leftovers(data_dir.path()).is_empty());
    child.kill().unwrap(); // SIGKILL
    child.wait().unwrap();
    until("chromium's end", SOON, || members(group).is_empty()).await;
    until("the profile's end", SOON, || leftovers(data_dir.path()).is_empty()).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_killed_chromium_is_reported_and_replaced() {
    let stage = Stage::open().await;
    stage.go("/cookie").await.unwrap();
    let seen = stage.observe().await;
    stage.act("type", json!({"eid": find(&seen, "Note").eid, "text": "typed"})).await.unwrap();
    stage.act("type", json!({"eid": find(&seen, "Secret").eid, "text": "hunter2"})).await.unwrap();
    let snapshot = bounded(stage.browser.send(SnapshotNow)).await.unwrap().unwrap();
    assert!(!serde_json::to_string(&snapshot).unwrap().contains("hunter2"), "secrets are not kept");
    let group = stage.group().await;
    kill("-KILL", &group.to_string());
    stage.event(|event| matches!(event, BrowserEvent::Crashed { .. })).await;
    until("the rest's end", SOON, || members(group).is_empty()).await;
    let seen = stage.observe().await;
    assert!(text(&seen).contains("who=olena"), "{}", text(&seen));
    assert_eq!(find(&seen, "Note").attributes.value.as_deref(), Some("typed"));
    stage.event(|event| matches!(event, BrowserEvent::Reopened { .. })).await;
    assert_eq!(leftovers(stage.data_dir.path()).len(), 1, "the old profile is gone");
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_crashed_page_is_reported_and_reopened() {
    let stage = Stage::open().await;
    stage.go("/cookie").await.unwrap();
    bounded(stage.browser.send(SnapshotNow)).await.unwrap().unwrap();
    let never = json!({"url": format!("{}/never", stage.site)});
    for (action, params) in [("wait", json!({"text": "never", "seconds": 30})), ("navigate", never)] {
        let waiting = stage.act(action, params);
        let crash = async {
            for process in members(stage.group().await) {
                let line = std::fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
                if line.contains("--type=renderer") {
                    let _ = Command::new("kill").args(["-KILL", &process.to_string()]).status();
                }
            }
        };
        let (performed, ()) = bounded(futures_util::future::join(waiting, crash)).await;
        // The error is a crash and not that of a closed tab.
        assert_eq!(performed.unwrap_err().code, ErrorCode::BrowserCrashed, "{action}");
        stage.event(|event| matches!(event, BrowserEvent::Crashed { .. })).await;
        assert!(text(&*stage.observe().await).contains("who=olena"));
    }
    stage.finish().await;
}

// A run that continues after a restart of the service.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_fresh_browser_opens_where_a_snapshot_says() {
    let stage = Stage::open().await;
    stage.go("/cookie").await.unwrap();
    let note = stage.eid("Note").await;
    stage.act("type", json!({"eid": note, "text": "kept"})).await.unwrap();
    let snapshot = bounded(stage.browser.send(SnapshotNow)).await.unwrap().unwrap();
    let stored = serde_json::to_string(&snapshot).unwrap();
    stage
        .supervisor
        .send(ReleaseBrowser { owner: stage.owner.clone(), linger: Some(Duration::ZERO) })
        .await
        .unwrap();
    let browser = stage.reopen(Some(serde_json::from_str(&stored).unwrap())).await;
    let seen =
        bounded(browser.send(Observe { picture: PictureTime::Now })).await.unwrap().unwrap().observation;
    assert!(text(&seen).contains("who=olena"), "{}", text(&seen));
    assert_eq!(find(&seen, "Note").attributes.value.as_deref(), Some("kept"));
    stage.finish().await;
}

#[actix_web::test]
async fn a_chromium_that_does_not_start_gives_the_reason_and_advice() {
    let data_dir = tempfile::tempdir().unwrap();
    let cases = [
        (Some("/nowhere/chromium"), None, "browser.executable"),
        (Some("/bin/true"), None, "doctor"),
        (None, Some("http://127.0.0.1:1"), "browser.cdp_url"),
    ];
    for (executable, cdp_url, expected) in cases {
        let mut settings = config(data_dir.path());
        settings.executable = executable.map(Into::into);
        settings.cdp_url = cdp_url.map(str::to_owned);
        let supervisor = Supervisor::new(settings).start();
        let (recorder, _events) = Recorder::start_new();
        let open = OpenBrowser {
            owner: RunId::fresh(),
            snapshot: None,
            events: recorder.recipient(),
            languages: None,
            observations: 0,
        };
        let error = bounded(supervisor.send(open)).await.unwrap().unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    until("the profiles' end", SOON, || leftovers(data_dir.path()).is_empty()).await;
}

/// Processes of a group that make pages: those that are there, and those that others come of.
fn renderers(group: u32) -> Vec<u32> {
    let makes_pages = |process: &u32| {
        let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        line.contains("--type=renderer") || line.contains("--type=zygote")
    };
    members(group).into_iter().filter(makes_pages).collect()
}

// A machine that is too busy for a first page.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_snapshot_is_restored_later_if_the_page_cannot_open_at_once() {
    let stage = Stage::open().await;
    stage.go("/cookie").await.unwrap();
    stage.go("/cookie").await.unwrap();
    let snapshot = Some(bounded(stage.browser.send(SnapshotNow)).await.unwrap().unwrap());
    let stopped = renderers(stage.group().await);
    stopped.iter().for_each(|process| kill("-STOP", &process.to_string()));
    let (recorder, _events) = Recorder::<BrowserEvent>::start_new();
    let events = recorder.recipient();
    let open =
        OpenBrowser { owner: RunId::from("again"), snapshot, events, languages: None, observations: 0 };
    let again = bounded(stage.supervisor.send(open)).await.unwrap().unwrap();
    let fault = bounded(again.send(Observe { picture: PictureTime::Now })).await.unwrap().unwrap_err();
    stopped.iter().for_each(|process| kill("-CONT", &process.to_string()));
    let seen = bounded(again.send(Observe { picture: PictureTime::Now })).await.unwrap();
    let seen = seen.unwrap_or_else(|later| panic!("first {fault}, then {later}")).observation;
    assert!(
        seen.url.ends_with("/cookie") && text(&seen).contains("who=olena"),
        "{} {}",
        seen.url,
        text(&seen)
    );
    stage.finish().await;
}

// Each round ends the browser after another number of opening commands.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_browser_that_ends_while_it_opens_leaves_no_context() {
    let stage = Stage::open().await;
    stage.show("<title>Stays</title>").await;
    let mut page = Page::find(stage.data_dir.path(), "/html").await;
    for n in 0..12 {
        let (recorder, _events) = Recorder::<BrowserEvent>::start_new();
        let (owner, events) = (RunId::from(format!("short {n}")), recorder.recipient());
        let open =
            OpenBrowser { owner: owner.clone(), snapshot: None, events, languages: None, observations: 0 };
        let browser = stage.supervisor.send(open).await.unwrap().unwrap();
        for _ in 0..n {
            tokio::task::yield_now().await;
        }
        if n % 2 == 1 {
            bounded(async { while page.contexts().await == 1 {} }).await;
        }
        stage.supervisor.send(ReleaseBrowser { owner, linger: Some(Duration::ZERO) }).await.unwrap();
        bounded(async {
            while browser.connected() {
                tokio::task::yield_now().await;
            }
        })
        .await;
        bounded(async { while page.contexts().await > 1 {} }).await;
    }
    stage.finish().await;
}

// The lease of a node: after its deadline nothing is done to a page, and what nobody waits for any more is never done.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn no_command_reaches_a_page_after_the_deadline_and_chromium_ends_with_it() {
    let lease = LeaseDeadline::default();
    let held = lease.clone();
    let stage = Stage::open_with(|config| config.lease = held).await;
    stage
        .show("<title>0</title><button onclick=\"document.title = +document.title + 1\">More</button>")
        .await;
    let eid = stage.eid("More").await;
    lease.end();
    let click = Perform::new(action("click", json!({"eid": eid})));
    let late = tokio::time::timeout(Duration::from_millis(700), stage.browser.send(click)).await;
    assert!(late.is_err(), "it waits for the lease");
    lease.extend(BootTime::now(), Duration::from_secs(60));
    let seen = stage.observe().await;
    assert_eq!(seen.title, "0", "a press that nobody waits for");
    stage.click("More").await.unwrap();
    assert_eq!(stage.observe().await.title, "1");
    // The guard ends Chromium, though this process does nothing about it.
    let group = stage.group().await;
    lease.extend(BootTime::now(), Duration::from_millis(600));
    until("chromium has ended", SOON, || members(group).is_empty()).await;
    lease.extend(BootTime::now(), Duration::from_secs(60));
    stage.finish().await;
}
