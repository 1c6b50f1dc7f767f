//! The store and its disk: one that is full, a file that is missing, damaged or too new.

use crate::support::service::TestService;
use askfirst::store::error::StoreError;
use askfirst::store::sqlite::connection::store::SqliteStore;
use serde_json::{Value, json};
use std::path::Path;

/// Why the store in this folder is not opened.
fn refusal(folder: &Path) -> StoreError {
    match SqliteStore::open(folder, Box::new(|_| ())) {
        Ok(_) => panic!("it was opened"),
        Err(fault) => fault,
    }
}

// C3: runs are durable; a store that went missing is not silently a new one.
#[test]
fn a_missing_store_beside_existing_runs_is_not_created_again() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("runs/some-run")).unwrap();
    let words = refusal(folder.path()).to_string();
    assert!(words.contains("missing or empty") && words.contains("backup"), "{words}");
    std::fs::write(folder.path().join("askfirst.db"), "").unwrap();
    assert!(matches!(refusal(folder.path()), StoreError::Missing { .. }));
    std::fs::remove_dir_all(folder.path().join("runs")).unwrap();
    SqliteStore::open(folder.path(), Box::new(|_| ())).unwrap();
    // A store that is there may have all the runs it likes.
    std::fs::create_dir_all(folder.path().join("runs/some-run")).unwrap();
    SqliteStore::open(folder.path(), Box::new(|_| ())).unwrap();
}

#[test]
fn a_damaged_and_a_newer_store_have_different_errors() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("askfirst.db");
    std::fs::write(&file, "this is no database, but it is long enough to be looked at ".repeat(100)).unwrap();
    let words = refusal(folder.path()).to_string();
    assert!(words.contains("damaged") && words.contains("backup") && !words.contains("writable"), "{words}");
    std::fs::remove_file(&file).unwrap();
    drop(SqliteStore::open(folder.path(), Box::new(|_| ())).unwrap());
    rusqlite::Connection::open(&file).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let words = refusal(folder.path()).to_string();
    assert!(words.contains("newer version") && words.contains("99"), "{words}");
}

// A store of a development version is neither changed nor replaced, whichever number its schema had.
#[test]
fn a_store_from_before_the_first_release_is_refused() {
    for version in [1, 18, 19] {
        let folder = tempfile::tempdir().unwrap();
        let old = rusqlite::Connection::open(folder.path().join("askfirst.db")).unwrap();
        old.execute_batch("create table runs (id text); insert into runs values ('r')").unwrap();
        old.pragma_update(None, "user_version", version).unwrap();
        let words = refusal(folder.path()).to_string();
        assert!(words.contains("before the first release") && words.contains("move it away"), "{words}");
        let rows = |sql: &str| old.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!((rows("select count(*) from runs"), rows("pragma user_version")), (1, version));
    }
}

// The database of another program is not taken for a store, marked or not, and stays as it is to the byte.
#[test]
fn a_database_of_another_program_is_refused_unchanged() {
    let table = "create table notes (text); insert into notes values ('mine');";
    for (marks, reason) in [
        ("pragma application_id = 7; pragma user_version = 1", "another program"),
        ("pragma application_id = 0", "another program"),
        ("pragma user_version = 3", "another program"),
        ("pragma application_id = 1095977798; pragma user_version = -1", "schema version is -1"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("askfirst.db");
        rusqlite::Connection::open(&file).unwrap().execute_batch(&format!("{table} {marks}")).unwrap();
        let before = std::fs::read(&file).unwrap();
        let message = refusal(folder.path()).to_string();
        assert!(
            message.contains("not a store of askfirst") && message.contains(reason),
            "{marks}: {message}"
        );
        assert!(std::fs::read(&file).unwrap() == before, "{marks}: the file was changed");
    }
}

// The first release counts its schemas from 1.
#[test]
fn a_new_store_has_the_newest_schema_version() {
    let folder = tempfile::tempdir().unwrap();
    drop(SqliteStore::open(folder.path(), Box::new(|_| ())).unwrap());
    let file = rusqlite::Connection::open(folder.path().join("askfirst.db")).unwrap();
    let version: i64 = file.query_row("pragma user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 2);
    SqliteStore::open(folder.path(), Box::new(|_| ())).unwrap();
}

// Grants of version 1 stay in the list, and cover nothing: nobody knows what they were given for.
#[test]
fn a_store_of_version_1_gets_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    drop(SqliteStore::open(folder.path(), Box::new(|_| ())).unwrap());
    let file = rusqlite::Connection::open(folder.path().join("askfirst.db")).unwrap();
    let old = "alter table grants drop column covers; pragma user_version = 1;
               insert into grants (id, scope, rule, created_at, expires_at) values ('g', 'site', 'submit', 0, 9e15)";
    file.execute_batch(old).unwrap();
    drop(SqliteStore::open(folder.path(), Box::new(|_| ())).unwrap());
    let read = |sql: &str| file.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(read("pragma user_version"), 2);
    assert_eq!(read("select count(*) from grants where covers is null"), 1);
}

// A full disk: no run begins that could not be kept, and the service says that it is not ready.
#[actix_web::test]
async fn a_full_disk_is_reported_and_recovered_from() {
    let app = TestService::start_within(160);
    assert_eq!(app.get("/readyz").await.0, 200);
    // First large things do not fit any more, then nothing does.
    let mut full = (201, Value::Null);
    for size in [16 * 1024, 1] {
        let order = json!({"agent": "three", "input": {"text": "x".repeat(size)}});
        loop {
            full = app.post("/api/runs", order.clone()).await;
            if full.0 != 201 {
                break;
            }
        }
    }
    assert_eq!((full.0, &full.1["code"]), (507, &json!("storage_full")), "{}", full.1);
    assert!(full.1["detail"].as_str().unwrap().contains("disk"), "{}", full.1);
    let (status, problem) = app.get("/readyz").await;
    assert_eq!((status, &problem["code"]), (503, &json!("not_ready")));
    assert!(problem["checks"]["store"].as_str().unwrap().contains("full"), "{problem}");
    // No memory is kept for a run that was never stored.
    let mut never_begun = 0;
    for run in app.programs.over() {
        never_begun += usize::from(app.get(&format!("/api/runs/{run}")).await.0 == 404);
    }
    assert_eq!(never_begun, 2, "one of each size");
    // Stored data can still be read.
    assert_eq!(app.get("/api/runs").await.0, 200);
    app.finish().await;
}
