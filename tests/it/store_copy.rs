//! `askfirst copy`: a store of SQLite into PostgreSQL and back, with everything that a person, a program and a run find in it.

use crate::durability::{approve, order, orders, say};
use crate::postgres_service::{count, reply_and_run, talk};
use crate::support::app::{Http, Process, free_port};
use crate::support::cli::{CommandResult, askfirst};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::postgres::{TestServer, connect};
use crate::support::ws::Ws;
use askfirst::store::copying::tables::TABLES;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Everything about runs that the API tells.
async fn everything(http: &Http, base: &str) -> Value {
    let list = http.get(&format!("{base}/api/runs?limit=100")).await;
    let mut runs = Vec::new();
    for run in list["items"].as_array().unwrap() {
        let id = run["run_id"].as_str().unwrap();
        let mut parts = vec![run.clone()];
        for part in ["", "/events?limit=500", "/trace", "/timeline", "/calls"] {
            parts.push(http.get(&format!("{base}/api/runs/{id}{part}")).await);
        }
        // The moment of the question, in two places.
        for name in ["at", "cursor"] {
            parts[4].as_object_mut().unwrap().remove(name);
        }
        for call in parts[5]["items"].as_array().cloned().unwrap_or_default() {
            parts.push(http.get(&format!("{base}/api/runs/{id}/calls/{}", call["n"])).await);
        }
        runs.push(json!(parts));
    }
    let rest = ["questions", "audit", "grants", "usage", "runs?query=hello"];
    let mut found = json!({"runs": runs});
    for path in rest {
        found[path] = http.get(&format!("{base}/api/{path}")).await;
    }
    found
}

async fn copy(folder: &Path, from: &str, to: &str) -> CommandResult {
    askfirst(folder, &["copy", "--from", from, "--to", to], &[]).await
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

// An order waits for its last approval while its store goes to PostgreSQL, and is made there, once. A chat goes on, too.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_store_is_copied_to_postgres_and_back_with_everything_in_it() {
    let database = TestServer::shared().database().await;
    let model = ScriptedModel::answering(Rules { several_runs: true, ..Rules::default() }, |request| {
        let goes_on = request.body["messages"].to_string().contains("and then?");
        Reply::stop(if goes_on { "Second. ї" } else { "First." })
    });
    let (folder, port, http) = (tempfile::tempdir().unwrap(), free_port(), Http::new());
    let vars = [("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str())];
    let service = Process::start_on(port, folder.path(), &vars).await;
    let base = service.base.clone();
    let first = talk(&base, &["hello there"], 0).await.unwrap();
    let (_, chat) = reply_and_run(&first);
    talk(&base, &["hello there", "First.", "and then?"], 0).await.unwrap();
    assert!(service.terminate().await.success());
    // Without a model, the order's commands are carried out.
    let service = Process::start_on(port, folder.path(), &[]).await;
    let (mut ws, _) = Ws::hello(&base, json!({"locale": "uk"})).await;
    let run = say(&mut ws, &order(&base, "copied")).await;
    let question = loop {
        let question = ws.until("agent_question").await;
        if question["payload"]["target"]["name"] == "Підтвердити замовлення" {
            break question;
        }
        approve(&mut ws, &question).await;
    };
    let before = everything(&http, &base).await;
    assert_eq!(
        before["runs?query=hello"]["items"].as_array().unwrap().len(),
        1,
        "{}",
        before["runs?query=hello"]
    );
    drop(ws);

    let data = folder.path().join("data");
    let refused = copy(folder.path(), text(&data), &database.url).await;
    assert!(refused.code == 3 && refused.err.contains("a service works on the runs"), "{refused:?}");
    service.kill().await;
    let copied = copy(folder.path(), text(&data), &database.url).await;
    assert_eq!(copied.code, 0, "{copied:?}");
    assert!(copied.out.contains("runs: 2\n") && copied.out.contains("copied and compared"), "{}", copied.out);
    let again = copy(folder.path(), text(&data), &database.url).await;
    assert!(again.code == 3 && again.err.contains("has rows already"), "{again:?}");

    let url = ("ASKFIRST_STORE__URL", database.url.as_str());
    let service = Process::start_on(port, folder.path(), &[url]).await;
    // The file of SQLite is not what is read.
    std::fs::rename(data.join("askfirst.db"), folder.path().join("old.db")).unwrap();
    assert_same(&before, &everything(&http, &base).await);
    let in_use = copy(folder.path(), &database.url, text(&folder.path().join("third"))).await;
    assert!(in_use.code == 3 && in_use.err.contains("a service works on the runs"), "{in_use:?}");
    let (mut ws, _) = Ws::hello(&base, json!({"run_id": run, "after_seq": 0})).await;
    approve(&mut ws, &question).await;
    let ended = ws.until_that("run_ended", |frame| frame["type"] == "run_ended").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    assert_eq!(orders(&http, &base, "copied").await, 1);
    drop(ws);
    assert!(service.terminate().await.success());
    let service = Process::start_on(port, folder.path(), &[vars[0], url]).await;
    let texts = ["hello there", "First.", "and then?", "Second. ї", "and then?"];
    let third = talk(&base, &texts, 0).await.unwrap();
    assert_eq!(reply_and_run(&third).1, chat, "the chat goes on");
    let before = everything(&http, &base).await;
    assert!(service.terminate().await.success());

    let back = copy(folder.path(), &database.url, text(&data)).await;
    assert_eq!(back.code, 0, "{back:?}");
    let service = Process::start_on(port, folder.path(), &vars).await;
    assert_same(&before, &everything(&http, &base).await);
    assert!(service.terminate().await.success());
    model.finish();
}

/// Compares what two services tell, and names the first place that differs.
fn assert_same(before: &Value, after: &Value) {
    if let Some(place) = first_difference(before, after) {
        panic!("{place}");
    }
}

fn first_difference(before: &Value, after: &Value) -> Option<String> {
    let inside = |name: String, place: String| format!("{name}/{place}");
    match (before, after) {
        (Value::Object(before), Value::Object(other)) if before.len() == other.len() => before
            .iter()
            .find_map(|(name, part)| Some(inside(name.clone(), first_difference(part, &after[name])?))),
        (Value::Array(before), Value::Array(other)) if before.len() == other.len() => before
            .iter()
            .zip(other)
            .enumerate()
            .find_map(|(at, (part, other))| Some(inside(at.to_string(), first_difference(part, other)?))),
        _ if before == after => None,
        _ => Some(format!(": {before} became {after}").chars().take(600).collect()),
    }
}

// A copy that fails leaves the target empty.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_copy_that_fails_leaves_nothing() {
    let database = TestServer::shared().database().await;
    let (folder, http) = (tempfile::tempdir().unwrap(), Http::new());
    for wrong in ["POSTGRES://u:s3cr3t@127.0.0.1/db", "mysql://u:s3cr3t@h/x", ""] {
        let refused = copy(folder.path(), text(folder.path()), wrong).await;
        assert!(refused.code == 3 && refused.err.contains("--from or --to is neither"), "{refused:?}");
        assert!(!refused.err.contains("s3cr3t"), "{refused:?}");
    }
    let missing = copy(folder.path(), text(&folder.path().join("none")), &database.url).await;
    assert!(missing.code == 3 && missing.err.contains("there is no store to copy"), "{missing:?}");
    let nothing = copy(folder.path(), &database.url, text(&folder.path().join("new"))).await;
    assert!(nothing.code == 3 && nothing.err.contains("there is no store to copy"), "{nothing:?}");

    let service = Process::start(folder.path(), &[]).await;
    let (status, started) = http
        .post(&format!("{}/api/runs", service.base), &json!({"agent": "assistant", "input": {"text": "hi"}}))
        .await;
    assert!(status < 300, "{started}");
    assert!(service.terminate().await.success());
    let client = {
        // The tables without rows, and one that refuses them.
        let made = askfirst(folder.path(), &["doctor"], &[("ASKFIRST_STORE__URL", &database.url)]).await;
        assert!(made.code < 3, "{made:?}");
        let other = tempfile::tempdir().unwrap();
        let service = Process::start(other.path(), &[("ASKFIRST_STORE__URL", &database.url)]).await;
        assert!(service.terminate().await.success());
        connect(&database.url).await
    };
    client.batch_execute("alter table events add check (seq < 2)").await.unwrap();
    let data = folder.path().join("data");
    let refused = copy(folder.path(), text(&data), &database.url).await;
    assert!(refused.code == 3 && refused.err.contains("askfirst:"), "{refused:?}");
    for table in ["runs", "events", "trees", "search_texts"] {
        assert_eq!(count(&database.url, table).await, 0, "{table}");
    }
}

/// Names of columns by table.
type Columns = BTreeMap<String, BTreeSet<String>>;

/// Tables that are not copied: what concerns one service, and indexes that are made anew.
const NOT_COPIED: &[&str] = &[
    "applied_writes",
    "askfirst_schema",
    "leftover_files",
    "nodes",
    "relay_tickets",
    "reserved_task_ids",
    "search_index",
    "search_texts",
    "trees",
    "write_checks",
];

/// Fails unless a copy has each column of the tables that an engine has; `own` are columns of this engine alone, in whose place
/// the copy has others.
fn check_columns(mut stored: Columns, own: &[(&str, &[&str], &[&str])]) {
    for (table, left_out, added) in own {
        let columns = stored.get_mut(*table).unwrap();
        assert!(left_out.iter().all(|column| columns.remove(*column)), "{table}: {columns:?}");
        columns.extend(added.iter().map(|column| (*column).to_owned()));
    }
    for name in NOT_COPIED {
        stored.remove(*name);
    }
    let copied: Columns = TABLES
        .iter()
        .map(|table| {
            (table.name.to_owned(), table.columns.iter().map(|(column, _)| (*column).to_owned()).collect())
        })
        .collect();
    for (table, columns) in &stored {
        assert_eq!(
            Some(columns),
            copied.get(table),
            "{table}: a column is copied, or the table is named as not copied"
        );
    }
    assert_eq!(stored.len(), copied.len(), "{:?}", stored.keys().collect::<Vec<_>>());
}

#[actix_web::test]
async fn a_copy_has_each_column_of_a_store_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let service = Process::start(folder.path(), &[]).await;
    assert!(service.terminate().await.success());
    let store = rusqlite::Connection::open(folder.path().join("data/askfirst.db")).unwrap();
    let sql = "select tables.name, columns.name from sqlite_master tables, pragma_table_info(tables.name) columns
        where tables.type = 'table' and tables.name not like 'search_index_%' and tables.name not like 'sqlite_%'";
    let mut columns = Columns::new();
    let mut rows = store.prepare(sql).unwrap();
    for row in rows.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap() {
        let (table, column) = row.unwrap();
        columns.entry(table).or_default().insert(column);
    }
    check_columns(
        columns,
        &[
            ("model_calls", &["last_message_id", "request_text_id"], &["last_message", "request_text"]),
            ("request_messages", &["id", "previous_id", "text_id"], &["hash", "previous", "text"]),
            ("request_texts", &["id"], &[]),
        ],
    );
}

#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_copy_has_each_column_of_a_store_on_a_server() {
    let database = TestServer::shared().database().await;
    let folder = tempfile::tempdir().unwrap();
    let service = Process::start(folder.path(), &[("ASKFIRST_STORE__URL", &database.url)]).await;
    assert!(service.terminate().await.success());
    let sql = "select table_name::text, column_name::text from information_schema.columns where table_schema = 'public'";
    let mut columns = Columns::new();
    for row in connect(&database.url).await.query(sql, &[]).await.unwrap() {
        columns.entry(row.get(0)).or_default().insert(row.get(1));
    }
    // The number of the last message is counted anew.
    check_columns(columns, &[("runs", &["last_message"], &[])]);
}
