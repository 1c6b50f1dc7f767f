//! `kill -9` in the middle of a deletion: each task is whole or gone, and nothing of those that are gone stays.

use crate::support::app::{Http, PATIENCE, Process, random, until};
use crate::support::many_tasks::fill;
use askfirst::ids::RunId;
use askfirst::store::PageRows;
use askfirst::store::sqlite::connection::store::SqliteStore;
use rusqlite::Connection;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Tasks that are there before each kill.
const TASKS: usize = 200;
/// Milliseconds between the request and the kill, at most: one call deletes about that long.
const MOMENTS: [std::ops::RangeInclusive<u64>; 3] = [0..=20, 21..=80, 81..=300];

/// Adds tasks, each with a picture and a folder of its own.
async fn add_tasks(data: &Path) -> Vec<RunId> {
    let store = SqliteStore::open(data, Box::new(|_| ())).unwrap();
    let ids = fill(&store, TASKS).await;
    for id in &ids {
        store.add_picture(id.clone(), id.as_str().as_bytes().to_vec()).await.unwrap();
        let files = data.join("runs").join(id.as_str()).join("files");
        std::fs::create_dir_all(&files).unwrap();
        std::fs::write(files.join("a.txt"), "a").unwrap();
    }
    ids
}

fn count(store: &Connection, sql: &str) -> usize {
    store.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn files_below(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { files_below(&entry.path()) } else { 1 }).sum()
}

#[actix_web::test]
async fn an_interrupted_deletion_leaves_each_task_whole_or_removed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for moments in MOMENTS {
        let after = random(moments);
        let ids = add_tasks(&data).await;
        let process = Process::start(folder.path(), &[]).await;
        let url = format!("{}/api/runs/delete", process.base);
        let deleting = tokio::spawn(reqwest::Client::new().post(url).json(&json!({"ids": ids})).send());
        let _ = tokio::time::timeout(Duration::from_millis(after), std::future::pending::<()>()).await;
        process.kill().await;
        let _ = deleting.await;

        let process = Process::start(folder.path(), &[]).await;
        let store = Connection::open(data.join("askfirst.db")).unwrap();
        assert_eq!(
            store.query_row("pragma integrity_check", [], |row| row.get::<_, String>(0)).unwrap(),
            "ok"
        );
        let left = count(&store, "select count(*) from runs");
        for table in ["steps", "pictures", "search_texts"] {
            let stray = format!("select count(*) from {table} where run_id not in (select id from runs)");
            assert_eq!(count(&store, &stray), 0, "{after} ms: rows of {table} without a run");
            let whole = format!("select count(distinct run_id) from {table}");
            assert_eq!(count(&store, &whole), left, "{after} ms: each run has its {table}");
        }
        assert_eq!(
            count(&store, "select count(*) from search_index"),
            count(&store, "select count(*) from search_texts"),
            "{after} ms"
        );
        let disk = || (files_below(&data.join("runs")), files_below(&data.join("pictures")));
        until("files of deleted tasks are removed", PATIENCE, || disk() == (left, left)).await;
        // The remaining tasks can be deleted.
        let list = Http::new().get(&format!("{}/api/runs?roots=true&limit=200", process.base)).await;
        let ids: Vec<_> = list["items"].as_array().unwrap().iter().map(|run| run["run_id"].clone()).collect();
        assert_eq!(ids.len(), left);
        let url = format!("{}/api/runs/delete", process.base);
        let (_, gone) = Http::new().post(&url, &json!({"ids": ids})).await;
        assert!(gone["items"].as_array().unwrap().iter().all(|item| item["deleted"] == true), "{gone}");
        assert_eq!((count(&store, "select count(*) from runs"), disk()), (0, (0, 0)), "{after} ms");
        assert!(process.terminate().await.success());
    }
}
