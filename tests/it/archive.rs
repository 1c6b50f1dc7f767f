//! The files of a run, also of one that comes to rest a hundred times in a row.

use crate::support::app::{Http, PATIENCE, Process, until};
use crate::support::lanes::LEAF;
use actix::Actor;
use askfirst::clock::{Moment, Stopwatch};
use askfirst::engine::archive::{Archive, AwaitArchive, FlushArchive, WriteArchive};
use askfirst::ids::RunId;
use askfirst::store::Store;
use askfirst::store::sqlite::connection::store::SqliteStore;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn archive(folder: &Path) -> actix::Addr<Archive> {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder, Box::new(|_| ())).unwrap());
    Archive::new(folder.join("runs"), store).start()
}

fn state(folder: &Path, run: &RunId) -> Value {
    let file = folder.join("runs").join(run.as_str()).join("state.json");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    serde_json::from_str::<Value>(&text).map_or(Value::Null, |mut file| file["state_data"].take())
}

// S0.50: the last state is what the file holds, though not each one before it was written.
#[actix::test]
async fn the_files_have_the_last_of_many_states() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let run = RunId::fresh();
    for n in 1..=100 {
        archive.send(WriteArchive { run: run.clone(), state: json!(n), last: false }).await.unwrap();
    }
    until("the last state is written by itself", Duration::from_secs(20), || {
        state(folder.path(), &run) == json!(100)
    })
    .await;
}

// S2.29, S2.30, S2.31, C10: a file of JSON for each run, with the version of its shape; each save bumps `_version`, one
// after the other, also over a restart; one that fails harms nothing.
#[actix::test]
async fn each_save_of_a_state_has_the_next_version() {
    let folder = tempfile::tempdir().unwrap();
    let run = RunId::fresh();
    let path = folder.path().join("runs").join(run.as_str()).join("state.json");
    let saved = || serde_json::from_slice::<Value>(&std::fs::read(&path).unwrap()).unwrap();
    for (n, words) in [(1, "так".repeat(200)), (2, String::from("so")), (3, String::from("end"))] {
        // A new service for each save.
        let archive = archive(folder.path());
        archive
            .send(WriteArchive { run: run.clone(), state: json!({"said": words}), last: true })
            .await
            .unwrap();
        let file = saved();
        assert_eq!((&file["_version"], &file["_schema"]), (&json!(n), &json!(1)), "{file}");
        assert_eq!((&file["session_id"], &file["state_data"]["said"]), (&json!(run), &json!(words)));
        assert!(file["_updated_at"].is_string() && file["timestamp"] == file["_updated_at"], "{file}");
    }
    let archive = archive(folder.path());
    for n in 0..20 {
        archive.do_send(WriteArchive { run: run.clone(), state: json!(n), last: true });
    }
    archive.send(FlushArchive).await.unwrap();
    assert_eq!((&saved()["_version"], &saved()["state_data"]), (&json!(23), &json!(19)), "none is lost");
    let blocked = RunId::fresh();
    std::fs::write(folder.path().join("runs").join(blocked.as_str()), "a file in its place").unwrap();
    archive.send(WriteArchive { run: blocked, state: json!(1), last: true }).await.unwrap();
    archive.send(WriteArchive { run: run.clone(), state: json!("on"), last: true }).await.unwrap();
    assert_eq!(saved()["_version"], 24, "another's is saved as ever");
}

// S0.50: a service that ends leaves no file behind its run.
#[actix::test]
async fn a_flush_writes_what_is_due() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let runs = [RunId::fresh(), RunId::fresh()];
    for n in 1..=3 {
        for run in &runs {
            archive.do_send(WriteArchive { run: run.clone(), state: json!(n), last: false });
        }
    }
    archive.send(FlushArchive).await.unwrap();
    for run in &runs {
        assert_eq!(state(folder.path(), run), json!(3));
    }
    let files = std::fs::read_dir(folder.path().join("runs").join(runs[0].as_str())).unwrap();
    let mut names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["state.json", "trace.json"]);
}

// S0.50: whoever asks for the files of an end that are there already is not held up, not even by a system
// whose marks on files lag behind the clock.
#[actix::test]
async fn existing_files_are_not_awaited() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    for _ in 0..20 {
        let (run, ended_at) = (RunId::fresh(), Moment::now());
        archive.do_send(WriteArchive { run: run.clone(), state: json!("end"), last: true });
        let watch = Stopwatch::start();
        archive.send(AwaitArchive { run: run.clone(), ended_at }).await.unwrap();
        assert!(watch.seconds() < 1.0, "{} s", watch.seconds());
        assert_eq!(state(folder.path(), &run), json!("end"));
    }
}

// S0.50, C3: killed between the end of a run and its files, the service writes them when it starts again;
// those that are there it leaves alone.
#[actix_web::test]
async fn missing_files_of_a_killed_service_are_written_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("agents")).unwrap();
    std::fs::write(folder.path().join("agents/leaf.yaml"), format!("name: leaf\n{LEAF}")).unwrap();
    let service = Process::start(folder.path(), &[]).await;
    let (http, mut runs) = (Http::new(), Vec::new());
    for _ in 0..3 {
        let (_, done) = http.post(&format!("{}/api/run/leaf", service.base), &json!({})).await;
        runs.push(RunId::from(done["run_id"].as_str().unwrap().to_owned()));
    }
    service.kill().await;
    let data = folder.path().join("data");
    let trace = |run: &RunId| data.join("runs").join(run.as_str()).join("trace.json");
    let written = |run: &RunId| std::fs::metadata(trace(run)).and_then(|metadata| metadata.modified()).ok();
    let before: Vec<Value> = runs.iter().map(|run| state(&data, run)).collect();
    assert!(before.iter().all(Value::is_object), "{before:?}");
    let there = written(&runs[0]);
    // The second run loses its files; the third keeps files older than its end.
    std::fs::remove_dir_all(data.join("runs").join(runs[1].as_str())).unwrap();
    let old = std::fs::File::options().write(true).open(trace(&runs[2])).unwrap();
    old.set_modified(std::time::UNIX_EPOCH).unwrap();
    let service = Process::start(folder.path(), &[]).await;
    until("the files are made up", PATIENCE, || {
        written(&runs[1]).is_some() && written(&runs[2]) > Some(std::time::UNIX_EPOCH)
    })
    .await;
    for run in &runs {
        for name in ["state", "trace"] {
            let file =
                std::fs::read(data.join("runs").join(run.as_str()).join(format!("{name}.json"))).unwrap();
            let reply = http.get(&format!("{}/api/runs/{run}/{name}", service.base)).await;
            assert_eq!(
                reply,
                serde_json::from_slice::<Value>(&file).unwrap(),
                "HTTP tells what the file holds"
            );
        }
    }
    assert!(service.terminate().await.success());
    let after: Vec<Value> = runs.iter().map(|run| state(&data, run)).collect();
    assert_eq!((after, written(&runs[0])), (before, there));
}
