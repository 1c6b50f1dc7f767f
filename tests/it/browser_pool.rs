//! The supervisor's house-keeping: places and who waits for one, limits on memory, age and idleness,
//! profiles that last, and what an earlier service left behind.

use crate::browser_stage::{Recorder, Stage, bounded, config, find, leftovers, members, site, text, until};
use actix::{Actor, Addr};
use askfirst::browser::actor::Browser;
use askfirst::browser::error::{BrowserError, ErrorCode};
use askfirst::browser::messages::{BrowserEvent, Observe, Perform, PictureTime};
use askfirst::browser::pool::inventory::{
    CloseError, CloseInstance, ContextState, InstanceInfo, ListBrowsers,
};
use askfirst::browser::pool::messages::{FindBrowser, OpenBrowser, ReleaseBrowser, SetProfile, Shutdown};
use askfirst::browser::pool::slots::{RequestSlot, Slot, SlotReply, WaitReason};
use askfirst::browser::pool::supervisor::Supervisor;
use askfirst::browser::process::launch::Chromium;
use askfirst::browser::takeover::page_holder::{GiveToPerson, ReturnToRun};
use askfirst::ids::{RunId, SessionId};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// On a busy machine.
const SOON: Duration = Duration::from_secs(20);

async fn enter(supervisor: &Addr<Supervisor>, owner: &RunId, profile: Option<&str>) -> SlotReply {
    let enter = RequestSlot { owner: owner.clone(), profile: profile.map(str::to_owned) };
    supervisor.send(enter).await.unwrap().unwrap()
}

async fn assign_slot(supervisor: &Addr<Supervisor>, owner: &RunId, profile: Option<&str>) -> Slot {
    match enter(supervisor, owner, profile).await {
        SlotReply::Assigned(slot) => slot,
        SlotReply::Queued { why, .. } => panic!("it waits: {why:?}"),
    }
}

async fn browser(supervisor: &Addr<Supervisor>, owner: &RunId) -> Addr<Browser> {
    let (recorder, _events) = Recorder::<BrowserEvent>::start_new();
    let events = recorder.recipient();
    let open = OpenBrowser { owner: owner.clone(), snapshot: None, events, languages: None, observations: 0 };
    supervisor.send(open).await.unwrap().unwrap()
}

async fn go(browser: &Addr<Browser>, url: &str) -> String {
    let order = crate::browser_stage::action("navigate", json!({"url": url}));
    bounded(browser.send(Perform::new(order))).await.unwrap().unwrap();
    text(&bounded(browser.send(Observe { picture: PictureTime::Now })).await.unwrap().unwrap().observation)
}

// First come, first served; who does not wait any more holds nobody up; and it is told who waits.
#[actix_web::test]
async fn browser_slots_are_given_in_the_order_of_requests() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = config(folder.path());
    settings.limits.slots = 2;
    let supervisor = Supervisor::new(settings).start();
    let [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(RunId::from);
    let first = assign_slot(&supervisor, &a, None).await;
    let _second = assign_slot(&supervisor, &b, Some("shop")).await;
    let SlotReply::Queued { why, slot: third } = enter(&supervisor, &c, None).await else {
        panic!("no place")
    };
    assert_eq!(why, WaitReason::Full { slots: 2, ahead: 0 });
    let SlotReply::Queued { why, slot: fourth } = enter(&supervisor, &d, None).await else {
        panic!("no place")
    };
    assert_eq!(why, WaitReason::Full { slots: 2, ahead: 1 });
    let listing = supervisor.send(ListBrowsers { memory: false }).await.unwrap();
    let waiting: Vec<&str> = listing.waiting.iter().map(|waiting| waiting.owner.as_str()).collect();
    assert_eq!((waiting, listing.slots, listing.working), (vec!["c", "d"], 2, 2));
    drop(third);
    drop(first);
    let fourth = bounded(fourth).await.expect("the one who still waits gets it");
    // A profile is one run's at a time, and who waits for it holds up nobody else.
    drop(fourth);
    let SlotReply::Queued { why, slot: profile } = enter(&supervisor, &e, Some("shop")).await else {
        panic!("two have the profile")
    };
    assert_eq!(why, WaitReason::Profile(String::from("shop")));
    let _passing = assign_slot(&supervisor, &a, None).await;
    drop(_second);
    bounded(profile).await.expect("the profile is free");
    supervisor.send(Shutdown).await.unwrap();
}

// The limits are kept by a clean restart that keeps cookies, what was typed, and the address.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_chromium_that_is_too_old_or_too_large_is_replaced_and_the_page_stays() {
    for (old, large) in [(true, false), (false, true)] {
        let open = Stage::open_with(|config| {
            config.limits.tick = Duration::from_millis(50);
            config.limits.rest = Duration::from_secs(3);
            config.limits.age = old.then(|| Duration::from_secs(3));
            config.limits.memory_mb = large.then_some(1);
        });
        let stage = open.await;
        let group = stage.group().await;
        stage.go("/cookie").await.unwrap();
        // On a slow machine it is replaced between the look and the typing.
        let typed =
            async || stage.act("type", json!({"eid": stage.eid("Note").await, "text": "typed"})).await;
        while let Err(fault) = typed().await {
            assert_eq!(fault.code, ErrorCode::DeadEid, "{fault}");
        }
        // Work under way ends before the instance is replaced.
        stage.act("wait", json!({"text": "never", "seconds": 4})).await.unwrap_err();
        stage.event(|event| matches!(event, BrowserEvent::SnapshotTaken { .. })).await;
        until("the old one's end", SOON, || members(group).is_empty()).await;
        let seen = stage.observe().await;
        assert!(seen.url.ends_with("/cookie"), "{}", seen.url);
        assert_eq!(find(&seen, "Note").attributes.value.as_deref(), Some("typed"));
        stage.go("/cookie").await.unwrap();
        assert!(text(&*stage.observe().await).contains("who=olena"));
        stage.finish().await;
    }
}

// While a person holds a page its Chromium stays, however old.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_chromium_with_a_held_page_is_not_replaced() {
    let open = Stage::open_with(|config| {
        config.limits.tick = Duration::from_millis(50);
        config.limits.rest = Duration::from_secs(4);
        config.limits.age = Some(Duration::from_secs(4));
    });
    let stage = open.await;
    stage.show("<title>Held</title>").await;
    let holder = SessionId::fresh();
    bounded(stage.browser.send(GiveToPerson { holder: holder.clone() })).await.unwrap().unwrap();
    let group = stage.group().await;
    // The instance has been replaced and waits only for its holder.
    let listed = async || stage.supervisor.send(ListBrowsers { memory: false }).await.unwrap().browsers;
    let old = bounded(async {
        loop {
            let is_old = |one: &InstanceInfo| one.pid == Some(group) && one.id != "shared";
            if let Some(old) = listed().await.into_iter().find(is_old) {
                return old;
            }
        }
    })
    .await;
    let owners =
        |one: &InstanceInfo| one.contexts.iter().map(|context| context.owner.clone()).collect::<Vec<_>>();
    assert!(old.id.starts_with("shared:") && owners(&old) == std::slice::from_ref(&stage.owner), "{old:?}");
    assert_eq!(stage.supervisor.send(CloseInstance { id: old.id }).await.unwrap(), Err(CloseError::Busy));
    // Other owners live in another instance, which is replaced in its turn and does not stay.
    let _other = browser(&stage.supervisor, &RunId::from("other")).await;
    let mut others = BTreeSet::new();
    bounded(async {
        loop {
            let there = listed().await;
            for one in &there {
                assert_eq!(owners(one).contains(&stage.owner), one.pid == Some(group), "{one:?}");
                others.extend(one.pid.filter(|pid| *pid != group));
            }
            if there.len() == 1 && !others.is_empty() {
                return;
            }
        }
    })
    .await;
    assert!(others.into_iter().all(|other| members(other).is_empty()));
    assert!(!members(group).is_empty());
    let back = bounded(stage.browser.send(ReturnToRun { holder: Some(holder) })).await.unwrap().unwrap();
    assert_eq!(back.title, None, "it was the same page all the time");
    until("the old one's end", SOON, || members(group).is_empty()).await;
    assert_eq!(stage.observe().await.title, "Held");
    stage.finish().await;
}

// A browser that nobody needs is closed, and opens where it stood when it is needed.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_idle_browser_is_closed_and_reopens_at_its_page() {
    let open = Stage::open_with(|config| {
        config.limits.idle = Some(Duration::from_millis(300));
        config.linger = Duration::ZERO;
    });
    let stage = open.await;
    let held = assign_slot(&stage.supervisor, &stage.owner, None).await;
    stage.go("/cookie").await.unwrap();
    stage.act("wait", json!({"text": "never", "seconds": 1})).await.unwrap_err();
    assert!(stage.supervisor.send(FindBrowser { owner: stage.owner.clone() }).await.unwrap().is_some());
    drop(held);
    let BrowserEvent::SnapshotTaken { snapshot } =
        stage.event(|event| matches!(event, BrowserEvent::SnapshotTaken { .. })).await
    else {
        panic!("another fact")
    };
    bounded(async {
        while stage.supervisor.send(FindBrowser { owner: stage.owner.clone() }).await.unwrap().is_some() {}
    })
    .await;
    let _held = assign_slot(&stage.supervisor, &stage.owner, None).await;
    let again = stage.reopen(Some(*snapshot)).await;
    let seen = bounded(again.send(Observe { picture: PictureTime::Now })).await.unwrap().unwrap().observation;
    assert!(seen.url.ends_with("/cookie") && text(&seen).contains("who=olena"), "{}", text(&seen));
    stage.finish().await;
}

// `profile: name`: log-ins last, over the end of the service, too; another profile knows nothing of them.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_profile_keeps_its_log_ins_and_is_one_runs_at_a_time() {
    let (folder, site) = (tempfile::tempdir().unwrap(), site());
    let cookie = format!("{site}/cookie");
    let [a, b, c] = ["a", "b", "c"].map(RunId::from);
    let mut groups = Vec::new();
    for life in 0..2 {
        let supervisor = Supervisor::new(config(folder.path())).start();
        let held = assign_slot(&supervisor, &a, Some("shop")).await;
        let first = browser(&supervisor, &a).await;
        let seen = go(&first, &cookie).await;
        assert_eq!(seen.contains("who=olena"), life == 1, "{seen}");
        assert!(go(&first, &cookie).await.contains("who=olena"));
        // A second run waits; when the first has ended it finds the log-in, and no page of the first.
        let SlotReply::Queued { slot: next, .. } = enter(&supervisor, &b, Some("shop")).await else {
            panic!("two have the profile")
        };
        let settle = SetProfile { owner: c.clone(), profile: Some(String::from("shop")) };
        let taken = supervisor.send(settle).await.unwrap().unwrap_err();
        assert!(matches!(taken, BrowserError::ProfileTaken { .. }), "{taken}");
        supervisor.send(ReleaseBrowser { owner: a.clone(), linger: None }).await.unwrap();
        drop(held);
        let next = bounded(next).await.unwrap();
        let second = browser(&supervisor, &b).await;
        assert_eq!(
            bounded(second.send(Observe { picture: PictureTime::Now }))
                .await
                .unwrap()
                .unwrap()
                .observation
                .tab,
            (1, 1)
        );
        assert!(go(&second, &cookie).await.contains("who=olena"));
        // Another profile gets an instance of its own, without the cookie.
        let _other = assign_slot(&supervisor, &c, Some("other")).await;
        assert!(go(&browser(&supervisor, &c).await, &cookie).await.contains("cookie: none") || life == 1);
        let listed = supervisor.send(ListBrowsers { memory: false }).await.unwrap().browsers;
        let ids: Vec<&str> = listed.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["profile-other", "profile-shop"]);
        groups.extend(listed.iter().filter_map(|one| one.pid));
        drop(next);
        bounded(supervisor.send(Shutdown)).await.unwrap();
        assert_eq!(leftovers(folder.path()), Vec::<std::path::PathBuf>::new());
    }
    assert!(groups.into_iter().all(|group| members(group).is_empty()));
}

// An instance that is told to close finishes running work and loses no page.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_browser_with_running_work_cannot_be_closed_by_hand() {
    let stage = Stage::open().await;
    stage.go("/cookie").await.unwrap();
    let group = stage.group().await;
    let close = || stage.supervisor.send(CloseInstance { id: String::from("shared") });
    let held = assign_slot(&stage.supervisor, &stage.owner, None).await;
    assert_eq!(close().await.unwrap(), Err(CloseError::Busy));
    let listed = stage.supervisor.send(ListBrowsers { memory: false }).await.unwrap().browsers;
    assert_eq!(listed[0].contexts[0].state, ContextState::Works);
    drop(held);
    assert_eq!(close().await.unwrap(), Ok(()));
    stage.event(|event| matches!(event, BrowserEvent::SnapshotTaken { .. })).await;
    until("its end", SOON, || members(group).is_empty()).await;
    assert_eq!(close().await.unwrap(), Err(CloseError::Unknown));
    stage.finish().await;
}

/// Child process of the next test: the service that is killed together with its guard.
#[actix_web::test]
async fn child() {
    let Some(folder) = std::env::var_os("ASKFIRST_TEST_STRAY") else { return };
    let supervisor = Supervisor::new(config(Path::new(&folder))).start();
    browser(&supervisor, &RunId::fresh()).await;
    let listed = supervisor.send(ListBrowsers { memory: false }).await.unwrap().browsers;
    println!("\ngroup {}", listed[0].pid.unwrap());
    std::future::pending::<()>().await;
}

/// The processes whose command line has both.
fn processes_with(one: &str, two: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let line = |number: &u32| std::fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
    numbers
        .filter(|number| {
            let line = String::from_utf8_lossy(&line(number)).into_owned();
            line.contains(one) && line.contains(two)
        })
        .collect()
}

fn kill(process: u32) {
    let process = nix::unistd::Pid::from_raw(i32::try_from(process).unwrap());
    nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGKILL).unwrap();
}

// The sweep: what a service that was killed together with its guards left is ended at the next start,
// by its mark; what bears another's mark, or a living one's, is not touched.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn orphaned_processes_of_a_killed_service_are_ended_at_the_next_start() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    // A living service of another folder.
    let other = Stage::open().await;
    let folder = tempfile::tempdir().unwrap();
    let mut service = Command::new(std::env::current_exe().unwrap())
        .args(["browser_pool::child", "--exact", "--nocapture"])
        .env("ASKFIRST_TEST_STRAY", folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(service.stdout.take().unwrap()).lines();
    let found = tokio::task::spawn_blocking(move || {
        lines.map_while(Result::ok).find_map(|line| line.strip_prefix("group ")?.parse::<u32>().ok())
    });
    let group = bounded(found).await.unwrap().unwrap();
    let others = other.group().await;
    let here = folder.path().display().to_string();
    let guards = processes_with("kill -KILL", &here);
    assert_eq!(guards.len(), 1, "one guard");
    guards.into_iter().for_each(kill);
    service.kill().unwrap();
    service.wait().unwrap();
    assert!(!members(group).is_empty(), "nobody ends it");
    assert_eq!(leftovers(folder.path()).len(), 1);
    let next = Supervisor::new(config(folder.path())).start();
    // The first answer comes when the sweep is over.
    assert!(bounded(next.send(ListBrowsers { memory: false })).await.unwrap().browsers.is_empty());
    until("the stray's end", SOON, || members(group).is_empty()).await;
    assert_eq!(leftovers(folder.path()), Vec::<std::path::PathBuf>::new());
    assert!(!members(others).is_empty(), "another's was ended");
    other.show("<title>Alive</title>").await;
    bounded(next.send(Shutdown)).await.unwrap();
    other.finish().await;
}

// However long the data folder's path is, nothing is left in the system's temporary folder.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_long_data_folder_leaves_nothing_in_the_systems_temporary_folder() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("a-rather-long-name-of-a-folder/".repeat(4));
    let supervisor = Supervisor::new(config(&long)).start();
    let owner = RunId::fresh();
    let first = browser(&supervisor, &owner).await;
    bounded(first.send(Observe { picture: PictureTime::Now })).await.unwrap().unwrap();
    let group = supervisor.send(ListBrowsers { memory: false }).await.unwrap().browsers[0].pid.unwrap();
    let environment = std::fs::read(format!("/proc/{group}/environ")).unwrap();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    let scratch = environment.split('\0').find_map(|variable| variable.strip_prefix("TMPDIR=")).unwrap();
    assert!(Path::new(scratch).read_dir().unwrap().count() > 0, "it keeps its lock there");
    bounded(supervisor.send(Shutdown)).await.unwrap();
    assert!(!Path::new(scratch).exists(), "{scratch} is left");
    assert_eq!(leftovers(&long), Vec::<std::path::PathBuf>::new());
}

#[actix_web::test]
async fn profiles_are_refused_with_a_remote_chromium() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = config(folder.path());
    settings.cdp_url = Some(String::from("http://127.0.0.1:1"));
    let supervisor = Supervisor::new(settings).start();
    let enter = RequestSlot { owner: RunId::fresh(), profile: Some(String::from("shop")) };
    let refused = supervisor.send(enter).await.unwrap().unwrap_err();
    assert_eq!(refused, BrowserError::ProfileElsewhere);
    assert_eq!(refused.code(), ErrorCode::BrowserFailed.word());
}

// `browser.cdp_url`: one elsewhere is listed as such, and only what is ours is closed in it.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_remote_chromium_is_listed_and_keeps_foreign_pages() {
    let (site, elsewhere, folder) = (site(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let theirs = Chromium::launch(&config(elsewhere.path()), None, None).await.unwrap();
    let group = theirs.group().unwrap();
    let mut settings = config(folder.path());
    settings.cdp_url = Some(theirs.ws_url.clone());
    settings.limits.slots = 1;
    let endpoint = theirs.ws_url.split("/devtools").next().map(str::to_owned);
    let supervisor = Supervisor::new(settings).start();
    let [a, b] = ["a", "b"].map(RunId::from);
    let held = assign_slot(&supervisor, &a, None).await;
    let ours = browser(&supervisor, &a).await;
    assert!(go(&ours, &format!("{site}/cookie")).await.contains("cookie: none"));
    let listed = supervisor.send(ListBrowsers { memory: true }).await.unwrap().browsers;
    assert_eq!((&listed[0].endpoint, listed[0].pid, listed[0].memory_mb), (&endpoint, None, None));
    assert_eq!((listed.len(), listed[0].contexts.len()), (1, 1), "theirs is not ours to tell of");
    let SlotReply::Queued { slot: next, .. } = enter(&supervisor, &b, None).await else { panic!("no line") };
    drop(held);
    bounded(next).await.unwrap();
    bounded(supervisor.send(Shutdown)).await.unwrap();
    assert!(!members(group).is_empty(), "theirs was ended");
    theirs.end().await;
}
