//! Packages that python agents are built of (S4.28), with the real pip and packages of the test's own: built once,
//! imported, never half; what is no lock, does not fit it or fails is told.

use crate::support::agents::{ended, get, run};
use crate::support::app::{Http, PATIENCE, Process, TestApp, until};
use crate::support::python_packages::{Shop, builds, locked, tasks, tasks_at};
use askfirst::agent_spec::files::library::Library;
use askfirst::config::Settings;
use askfirst::config::layers::Flags;
use askfirst::sandbox::Sandbox;
use askfirst::sandbox::build::{BuildResult, BuildState, Builds};
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MEANS: [&str; 2] = ["bubblewrap", "landlock"];

/// Imports a package, says what it is, and tries to write where it lies.
const GREETS: &str = "
kind: atomic
outputs: [{name: said}, {name: wrote}]
python:
  code: |
    import os, tiny
    said = tiny.SAID
    try:
        open(os.path.join(os.path.dirname(tiny.__file__), 'more.py'), 'w')
        wrote = 'yes'
    except OSError:
        wrote = 'no'
build: {pip: {lock: requirements.lock}}
";

/// Waits in its build until there is a file `go` beside what it is given.
const WAITS: &str = "
import glob, os, time, uuid
def given():
    for path in glob.glob('/proc/[0-9]*/cmdline'):
        for word in open(path, 'rb').read().split(b'\\0'):
            if word.endswith(b'/in'):
                return word.decode()
def made():
    while not os.path.exists(given() + '/wheels/go'):
        time.sleep(0.02)
    return f'SAID = \"{uuid.uuid4()}\"'
";

async fn start_run(base: &str, agent: &str) -> String {
    let body = json!({"agent": agent, "input": {"locale": "en"}});
    let (status, run) = Http::new().post(&format!("{base}/api/runs"), &body).await;
    assert!(status < 300, "{run}");
    run["run_id"].as_str().unwrap().to_owned()
}

/// Waits until a run tells of its build, and gives the fact.
async fn building(base: &str, run: &str) -> Value {
    let began = std::time::Instant::now();
    loop {
        if let Some(task) = tasks_at(base, run).await.pop() {
            return task;
        }
        assert!(began.elapsed() < PATIENCE, "a task in time");
        tokio::task::yield_now().await;
    }
}

async fn stopped(base: &str, run: &str) {
    let (status, answer) = Http::new().post(&format!("{base}/api/runs/{run}/stop"), &json!({})).await;
    assert!(status < 300, "{answer}");
}

/// The build that is under way may go on.
async fn released(data: &Path) {
    until("the build's begin", PATIENCE, || {
        builds(data).1.iter().any(|path| path.join("in/wheels").is_dir())
    })
    .await;
    for coming in builds(data).1 {
        std::fs::write(coming.join("in/wheels/go"), "").unwrap();
    }
}

fn error(run: &Value) -> String {
    assert_eq!(run["status"], "failed", "{run}");
    run["error"].as_str().unwrap().to_owned()
}

// S4.28: made once, told as a task of the run, imported, and only read.
#[actix_web::test]
async fn packages_are_built_once_and_can_only_be_read() {
    for means in MEANS {
        let shop = Shop::default();
        shop.agent("greets", GREETS);
        let hash = shop.wheel("greets", "tiny", "1.0", "SAID = 'so'\ndef main(): pass");
        shop.file("greets", "requirements.lock", &locked("tiny", "1.0", &hash));
        let app = shop.serve(&[("ASKFIRST_SANDBOX__MEANS", means)]).await;
        let first = run(&app, "greets", json!({"locale": "en"})).await;
        assert_eq!(first["vars"], json!({"said": "so", "wrote": "no"}), "{means}: {first}");
        let task_events = tasks(&app, &first).await;
        let (begins, ends) = (&task_events[0], task_events.last().unwrap());
        let (done, coming) = builds(&app.data());
        assert_eq!((done.len(), coming.len()), (1, 0), "{done:?} {coming:?}");
        let key = done[0].file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(begins["task_id"], format!("build-greets-{}", &key[..12]));
        assert_eq!(
            (&begins["status"], &begins["display"]["type"]),
            (&json!("running"), &json!("progress_bar"))
        );
        assert_eq!((&ends["status"], &ends["progress"]), (&json!("succeeded"), &json!(1.0)));
        let again = run(&app, "greets", json!({"locale": "en"})).await;
        assert_eq!((&again["vars"]["said"], tasks(&app, &again).await.len()), (&json!("so"), 0));
        let agents = app.folder.path().join("agents/greets");
        let lock = std::fs::read_to_string(agents.join("requirements.lock")).unwrap();
        std::fs::write(agents.join("requirements.lock"), format!("# a remark\n{lock}")).unwrap();
        let same = run(&app, "greets", json!({"locale": "en"})).await;
        assert_eq!((tasks(&app, &same).await.len(), builds(&app.data()).0.len()), (0, 1), "says the same");
        app.finish().await;
    }
}

// S4.28: what does not fit the lock is not taken; why is told; it is not tried again until something changes.
#[actix_web::test]
async fn a_build_that_fails_reports_its_reason_and_is_tried_again_when_something_changes() {
    let shop = Shop::default();
    shop.agent("greets", GREETS);
    let hash = shop.wheel("greets", "tiny", "1.0", "SAID = 'so'");
    shop.file("greets", "requirements.lock", &locked("tiny", "1.0", &"0".repeat(64)));
    let app = shop.serve(&[]).await;
    let lock = app.folder.path().join("agents/greets/requirements.lock");
    let failed = run(&app, "greets", json!({"locale": "en"})).await;
    let why = error(&failed);
    assert!(why.contains("DO NOT MATCH THE HASHES") && why.contains(&hash), "{why}");
    let ends = tasks(&app, &failed).await.pop().unwrap();
    assert_eq!((&ends["status"], &ends["result"]["success"]), (&json!("failed"), &json!(false)), "{ends}");
    let again = run(&app, "greets", json!({"locale": "en"})).await;
    assert_eq!((error(&again), tasks(&app, &again).await.len()), (why, 0), "it is not tried again at once");
    std::fs::write(&lock, locked("tiny", "1.0", &hash) + &locked("absent", "2.0", &hash)).unwrap();
    let lacking = error(&run(&app, "greets", json!({"locale": "en"})).await);
    assert!(
        lacking.contains("absent==2.0")
            && lacking.contains("greets/wheels")
            && lacking.contains("build.pip_index"),
        "{lacking}"
    );
    std::fs::write(&lock, "tiny==1.0\n").unwrap();
    let bare = error(&run(&app, "greets", json!({"locale": "en"})).await);
    assert!(
        bare.contains("`tiny==1.0` has no hash; make the lock with `uv pip compile --generate-hashes`"),
        "{bare}"
    );
    std::fs::remove_file(&lock).unwrap();
    let none = error(&run(&app, "greets", json!({"locale": "en"})).await);
    assert!(none.contains("`requirements.lock`") && none.contains("is not there"), "{none}");
    assert_eq!(builds(&app.data()), (Vec::new(), Vec::new()), "nothing of it is left");
    std::fs::write(&lock, locked("tiny", "1.0", &hash)).unwrap();
    assert_eq!(run(&app, "greets", json!({})).await["vars"]["said"], "so");
    app.finish().await;
}

// S4.28: what a package does while it is built stays in the sandbox.
#[actix_web::test]
async fn a_package_that_is_built_of_sources_reaches_neither_network_nor_files() {
    for means in MEANS {
        let shop = Shop::default();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let (port, folder) =
            (listener.local_addr().unwrap().port(), shop.folder.path().display().to_string());
        let builder = format!(
            "
import socket
def made():
    done = []
    # What it writes in a /tmp of its own is gone with it; whether it reaches ours is looked at below.
    for path in ['{folder}/agents/greets/owned', '{folder}/data/owned', '{folder}/owned', '/usr/owned', '/etc/owned']:
        try:
            open(path, 'w').close()
            if not path.startswith('{folder}'):
                done.append(path)
        except OSError:
            pass
    try:
        done.append(open('{folder}/data/askfirst.sqlite', 'rb').name)
    except OSError:
        pass
    try:
        socket.create_connection(('127.0.0.1', {port}), 1)
        done.append('network')
    except OSError:
        pass
    return f'SAID = {{done!r}}'
"
        );
        shop.agent("greets", GREETS);
        let hash = shop.sources("greets", "tiny", &builder);
        shop.file("greets", "requirements.lock", &locked("tiny", "1.0", &hash));
        let app = shop.serve(&[("ASKFIRST_SANDBOX__MEANS", means)]).await;
        let done = run(&app, "greets", json!({"locale": "en"})).await;
        assert_eq!(done["vars"], json!({"said": [], "wrote": "no"}), "{means}: {done}");
        assert!(listener.accept().is_err(), "{means}: nobody has come");
        for path in ["agents/greets/owned", "data/owned", "owned"] {
            assert!(!app.folder.path().join(path).exists(), "{means}: {path}");
        }
        app.finish().await;
    }
}

// S4.28: two that need the same wait for one build; one that is stopped does not end it for the other.
#[actix_web::test]
async fn runs_that_need_the_same_build_share_it_and_a_stop_ends_only_the_wait() {
    let shop = Shop::default();
    shop.agent("greets", GREETS);
    let hash = shop.sources("greets", "tiny", WAITS);
    shop.file("greets", "requirements.lock", &locked("tiny", "1.0", &hash));
    let app = shop.serve(&[("ASKFIRST_SANDBOX__MEANS", "bubblewrap")]).await;
    let (one, two) = (start_run(&app.base, "greets").await, start_run(&app.base, "greets").await);
    let first = building(&app.base, &one).await;
    let second = building(&app.base, &two).await;
    assert_eq!(first["status"], second["status"]);
    // Every build is a task of its own, known by its id.
    let (id, other) = (first["task_id"].as_str().unwrap(), second["task_id"].as_str().unwrap());
    assert!(other == format!("{id}-2") || id == format!("{other}-2"), "{id} {other}");
    for (id, run) in [(id, &one), (other, &two)] {
        let known = get(&app, &format!("/api/tasks/{id}")).await;
        let expected = [json!(run), json!(run), json!("running"), json!("greets")];
        assert_eq!(["run_id", "child_run_id", "status", "agent"].map(|name| known[name].clone()), expected);
    }
    // Cancelling the task ends the run that waits for it.
    let http = Http::new();
    let (status, _) = http.post(&format!("{}/api/tasks/{id}/cancel", app.base), &json!({})).await;
    assert!(status < 300, "{status}");
    let gone = ended(&app, &one).await;
    assert_eq!(gone["status"], "cancelled", "{gone}");
    assert_eq!(get(&app, &format!("/api/tasks/{id}")).await["status"], "cancelled");
    assert_eq!(building(&app.base, &one).await["status"], "cancelled", "the last that it tells");
    released(&app.data()).await;
    let done = ended(&app, &two).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    let known = get(&app, &format!("/api/tasks/{other}")).await;
    assert_eq!((&known["status"], &known["progress"]), (&json!("succeeded"), &json!(1.0)), "{known}");
    let (status, problem) = http.post(&format!("{}/api/tasks/{other}/cancel", app.base), &json!({})).await;
    assert_eq!((status, &problem["code"]), (409, &json!("busy")), "{problem}");
    let third = run(&app, "greets", json!({})).await;
    assert_eq!(third["vars"]["said"], done["vars"]["said"], "it was built once");
    // The build ends with its last waiter.
    shop_with_other_lock(&app, &hash);
    let three = start_run(&app.base, "greets").await;
    building(&app.base, &three).await;
    stopped(&app.base, &three).await;
    assert_eq!(ended(&app, &three).await["status"], "cancelled");
    assert_eq!(builds(&app.data()).0.len(), 1);
    app.finish().await;
}

/// The same package under another lock, which is another build.
fn shop_with_other_lock(app: &TestApp, hash: &str) {
    let lock = app.folder.path().join("agents/greets/requirements.lock");
    let other = format!("tiny==1.0 --hash=sha256:{hash} --hash=sha256:{}\n", "1".repeat(64));
    std::fs::write(lock, other).unwrap();
}

// S4.28: a build that was killed half-way is never used; the run goes on with a new one.
#[actix_web::test]
async fn a_killed_build_is_never_used() {
    let shop = Shop::default();
    shop.agent("greets", GREETS);
    let hash = shop.sources("greets", "tiny", WAITS);
    shop.file("greets", "requirements.lock", &locked("tiny", "1.0", &hash));
    let (folder, means) = (shop.folder.path(), [("ASKFIRST_SANDBOX__MEANS", "bubblewrap")]);
    let first = Process::start(folder, &means).await;
    let run = start_run(&first.base, "greets").await;
    building(&first.base, &run).await;
    let data = folder.join("data");
    until("the build's begin", PATIENCE, || builds(&data).1.iter().any(|path| path.join("out/tmp").is_dir()))
        .await;
    first.kill().await;
    let (done, half) = builds(&data);
    assert_eq!((done.len(), half.len()), (0, 1), "{half:?}");
    let next = Process::start(folder, &means).await;
    until("what was half is gone", PATIENCE, || !half[0].exists()).await;
    let began = std::time::Instant::now();
    loop {
        let whole = Http::new().get(&format!("{}/api/runs/{run}", next.base)).await;
        if !whole["ended_at"].is_null() {
            assert_eq!(whole["status"], "succeeded", "{whole}");
            break;
        }
        for coming in builds(&data).1.iter().filter(|path| path.join("in/wheels").is_dir()) {
            let _ = std::fs::write(coming.join("in/wheels/go"), "");
        }
        assert!(began.elapsed() < PATIENCE, "it goes on: {whole}");
        tokio::task::yield_now().await;
    }
    assert_eq!(builds(&data).0.len(), 1);
    next.terminate().await;
}

// S4.28: the same may stand in `build.tool.yml`; the section wins, and that there are two is told.
#[actix_web::test]
async fn a_build_file_of_its_own_says_the_same() {
    let shop = Shop::default();
    let plain = GREETS.replace("build: {pip: {lock: requirements.lock}}\n", "");
    shop.agent("greets", &plain);
    let hash = shop.wheel("greets", "tiny", "1.0", "SAID = 'so'");
    shop.file("greets", "requirements.lock", &locked("tiny", "1.0", &hash));
    shop.file("greets", "build.tool.yml", "pip: {lock: requirements.lock}\n");
    let app = shop.serve(&[]).await;
    assert_eq!(run(&app, "greets", json!({})).await["vars"]["said"], "so");
    let checked = async |text: &str| {
        let body = json!({"yaml": format!("name: greets\n{text}")});
        let (_, answer) = Http::new().post(&format!("{}/api/agents/validate", app.base), &body).await;
        answer["faults"].clone()
    };
    assert_eq!(checked(&plain).await, json!([]));
    let both = checked(GREETS).await;
    assert_eq!((&both[0]["path"], &both[0]["severity"]), (&json!("build"), &json!("warning")), "{both}");
    assert!(both[0]["message"].as_str().unwrap().contains("build.tool.yml"), "{both}");
    let file = app.folder.path().join("agents/greets/build.tool.yml");
    std::fs::write(&file, "pip: {lock: ../other.lock}\n").unwrap();
    let faulty = checked(&plain).await;
    assert!(
        faulty[0]["message"].as_str().unwrap().contains("must be a file of the agent's own folder"),
        "{faulty}"
    );
    let failed = error(&run(&app, "greets", json!({"locale": "en"})).await);
    assert!(failed.contains("must be a file of the agent's own folder"), "{failed}");
    std::fs::write(&file, "pip: {locks: x}\n").unwrap();
    let failed = error(&run(&app, "greets", json!({"locale": "en"})).await);
    assert!(failed.contains("build.tool.yml") && failed.contains("locks"), "{failed}");
    assert_eq!(get(&app, "/api/agents/greets").await["name"], "greets", "the agent itself is one");
    app.finish().await;
}

/// The builds of the shop's agents, without a service; what is not used is old at once.
fn builds_of(shop: &Shop) -> (Builds, Arc<Library>) {
    let data = shop.folder.path().join("data");
    let flags = Flags { data_dir: Some(data.clone()), ..Flags::default() };
    let days = (String::from("ASKFIRST_BUILD__KEEP_DAYS"), String::from("0"));
    let settings = Settings::load(&flags, [days]).unwrap();
    let library = Arc::new(Library::open(&shop.agents()).unwrap());
    let sandbox = Sandbox::open(&settings.sandbox, data.join("scratch"));
    (Builds::open(&settings.build, sandbox, Arc::clone(&library), data.join("builds")), library)
}

/// Build of `greets`, with its folder.
async fn built(all: &Builds, library: &Library) -> (Arc<BuildResult>, PathBuf) {
    let built = match all.start(&library.get("greets").unwrap()).await.unwrap().unwrap() {
        BuildState::Ready(built) => built,
        BuildState::Building(building) => building.outcome.await.unwrap(),
    };
    let BuildResult::Packages(site) = built.as_ref().clone() else { panic!("{built:?}") };
    (built, site)
}

// S4.28: a disk that lets wait holds up who needs the build, and nobody else.
#[actix_web::test]
async fn builds_on_a_slow_disk_are_read_on_another_thread() {
    let shop = Shop::default();
    shop.agent("greets", GREETS);
    let hash = shop.wheel("greets", "tiny", "1.0", "SAID = 'so'");
    shop.file("greets", "requirements.lock", &locked("tiny", "1.0", &hash));
    let (all, library) = builds_of(&shop);
    let (used, site) = built(&all, &library).await;
    drop(used);
    // A pipe blocks its reader until the other end is written.
    let about = site.parent().unwrap().join("build.json");
    let text = std::fs::read(&about).unwrap();
    std::fs::remove_file(&about).unwrap();
    nix::unistd::mkfifo(&about, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let (ask, mut asked) = tokio::sync::mpsc::unbounded_channel();
    let (answer, answered) = std::sync::mpsc::channel();
    let disk = std::thread::spawn(move || {
        let mut pipe = std::fs::OpenOptions::new().write(true).open(&about).unwrap();
        ask.send(()).unwrap();
        let others_go_on = answered.recv_timeout(PATIENCE).is_ok();
        pipe.write_all(&text).unwrap();
        others_go_on
    });
    let others = async {
        asked.recv().await.unwrap();
        answer.send(()).unwrap();
    };
    let ((_, again), ()) = tokio::join!(built(&all, &library), others);
    assert_eq!(again, site);
    assert!(disk.join().unwrap(), "while it is read others go on");
}

// S4.28: what no agent names and nobody has used for the days of the settings goes, and never while it is used.
#[actix_web::test]
async fn old_builds_are_removed_but_never_while_they_are_used() {
    let shop = Shop::default();
    shop.agent("greets", GREETS);
    let one = shop.wheel("greets", "tiny", "1.0", "SAID = 'one'");
    let two = shop.wheel("greets", "tiny", "2.0", "SAID = 'two'");
    let (all, library) = builds_of(&shop);
    let build = async |version: &str, hash: &str| {
        shop.file("greets", "requirements.lock", &locked("tiny", version, hash));
        built(&all, &library).await
    };
    let (used, first) = build("1.0", &one).await;
    assert!(std::fs::read_to_string(first.join("tiny/__init__.py")).unwrap().contains("one"));
    let (_, second) = build("2.0", &two).await;
    all.sweep().await;
    assert!(first.is_dir() && second.is_dir(), "one is in use, the other is named");
    drop(used);
    all.sweep().await;
    assert!(!first.exists() && second.is_dir());
}
