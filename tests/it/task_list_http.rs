//! The list of tasks over HTTP: search and filters, titles, pins, the archive; deletion of one task or several, also of
//! those under way.

use crate::support::app::{PATIENCE, until};
use crate::support::many_tasks::fill;
use crate::support::service::{TestService, answer, word};
use reqwest::Method;
use serde_json::{Value, json};

async fn patch(app: &TestService, run: &str, body: Value) -> (u16, Value) {
    answer(app.request(Method::PATCH, &format!("/api/runs/{run}")).json(&body)).await
}

async fn titles(app: &TestService, query: &str) -> Vec<String> {
    let (status, page) = app.get(&format!("/api/runs?roots=true{query}")).await;
    assert_eq!(status, 200, "{page}");
    page["items"].as_array().unwrap().iter().map(|row| word(row, "title")).collect()
}

async fn ended(app: &TestService, text: &str) -> String {
    let run = app.begin(json!({"agent": "three", "input": {"text": text}})).await;
    app.until(&run, "succeeded").await;
    run
}

#[actix_web::test]
async fn tasks_are_searched_and_filtered() {
    let app = TestService::start();
    ended(&app, "find a lamp").await;
    ended(&app, "знайди лампу").await;
    let asking = app.begin(json!({"agent": "asks", "input": {"text": "buy a chair"}})).await;
    app.until(&asking, "waiting").await;
    assert_eq!(titles(&app, "&query=lamp").await, ["find a lamp"]);
    assert_eq!(titles(&app, "&query=%D0%BB%D0%B0%D0%BC%D0%BF%D0%B0").await, ["знайди лампу"]);
    // Messages of the agent are searched as well; the older name of the parameter means the same.
    assert_eq!(titles(&app, "&q=half").await.len(), 2);
    assert_eq!(titles(&app, "&status=waiting,running").await, ["buy a chair"]);
    // A task waits for its person as well where a run below it asks.
    let above = json!({"agent": "script", "input": {"script": ["call:asks"]}});
    let above = app.begin(above).await;
    let both_ask = async || app.get("/api/questions").await.1["total"] == 2;
    let mut ticks = tokio::time::interval(std::time::Duration::from_millis(20));
    while !both_ask().await {
        ticks.tick().await;
    }
    let (_, list) = app.get("/api/runs?roots=true&status=waiting").await;
    let ids: Vec<_> = list["items"].as_array().unwrap().iter().map(|run| word(run, "run_id")).collect();
    assert_eq!(ids, [above, asking]);
    assert_eq!(titles(&app, "&query=chair&status=succeeded").await, Vec::<String>::new());
    for odd in ["status=high", "archived=some", "person=p1", "cursor=pinned-x"] {
        let (status, problem) = app.get(&format!("/api/runs?{odd}")).await;
        assert_eq!((status, &problem["code"]), (400, &json!("bad_query")), "{odd}");
    }
    app.finish().await;
}

#[actix_web::test]
async fn a_task_is_renamed_pinned_and_archived() {
    let app = TestService::start();
    let (first, second) = (ended(&app, "one").await, ended(&app, "two").await);
    let (status, row) = patch(&app, &first, json!({"title": "  My\nfirst  "})).await;
    assert_eq!((status, &row["title"], &row["own_title"]), (200, &json!("My first"), &json!(true)));
    let (_, row) = patch(&app, &first, json!({"title": null})).await;
    assert_eq!((&row["title"], &row["own_title"]), (&json!("one"), &json!(false)));
    let (_, row) = patch(&app, &first, json!({"pinned": true, "visibility": "team"})).await;
    assert_eq!(
        (&row["pinned"], &row["archived"], &row["visibility"]),
        (&json!(true), &json!(false), &json!("team"))
    );
    assert_eq!(titles(&app, "").await, ["one", "two"]);
    // A part of the list that ends with a pinned one goes on behind it.
    let (_, page) = app.get("/api/runs?roots=true&limit=1").await;
    let cursor = word(&page, "cursor");
    assert_eq!(titles(&app, &format!("&limit=1&cursor={cursor}")).await, ["two"]);
    patch(&app, &second, json!({"archived": true})).await;
    assert_eq!(titles(&app, "").await, ["one"]);
    assert_eq!(titles(&app, "&archived=true").await, ["two"]);
    assert_eq!(titles(&app, "&archived=all&query=two").await, ["two"]);
    for (odd, code) in
        [(json!({"title": "x".repeat(201)}), "bad_input"), (json!({"visibility": "all"}), "bad_input")]
    {
        let (status, problem) = patch(&app, &first, odd).await;
        assert_eq!((status, &problem["code"]), (422, &json!(code)), "{problem}");
    }
    assert!(patch(&app, &first, json!({"titel": "x"})).await.0 >= 400, "what is misspelt is told");
    assert_eq!(patch(&app, "none", json!({"pinned": true})).await.0, 404);
    app.finish().await;
}

#[actix_web::test]
async fn a_run_under_way_is_stopped_and_then_deleted_with_its_child() {
    let app = TestService::start();
    let root = app.begin(json!({"agent": "script", "input": {"script": ["picture", "call:endless"]}})).await;
    let mut stream = app.follow(&root, 0).await;
    let child = loop {
        let event = stream.next().await.unwrap();
        if event["type"] == "run_started" && event["run_id"] != json!(root) {
            break word(&event, "run_id");
        }
    };
    let (mut socket, _) = app.socket(&root).await;
    let (status, problem) = app.delete(&format!("/api/runs/{child}")).await;
    assert_eq!((status, &problem["code"], &problem["root_run_id"]), (409, &json!("not_root"), &json!(root)));
    let (status, problem) = patch(&app, &child, json!({"archived": true})).await;
    assert_eq!((status, &problem["code"]), (409, &json!("not_root")));

    let (status, gone) = app.delete(&format!("/api/runs/{root}")).await;
    assert_eq!((status, gone), (200, json!({"run_id": root, "deleted": true})));
    // Watching clients get the end of the run, and its deletion.
    let mut ended = false;
    loop {
        let frame = socket.next().await;
        ended |=
            frame["type"] == "run_ended" && frame["run_id"] == json!(root) && frame["outcome"] == "cancelled";
        if frame["type"] == "error" {
            assert_eq!((&frame["code"], &frame["run_id"]), (&json!("unknown_run"), &json!(root)));
            break;
        }
    }
    assert!(ended);
    for path in ["", "/events", "/pictures/1", "/files", "/trace"] {
        assert_eq!(app.get(&format!("/api/runs/{root}{path}")).await.0, 404, "{path}");
    }
    assert_eq!(app.get(&format!("/api/runs/{child}")).await.0, 404);
    assert_eq!(app.delete(&format!("/api/runs/{root}")).await.0, 404);
    app.written().await;
    let left: Vec<_> =
        std::fs::read_dir(app.folder.path().join("runs")).into_iter().flatten().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    app.finish().await;
}

#[actix_web::test]
async fn the_question_of_a_deleted_run_is_resolved_and_gone() {
    let app = TestService::start();
    let script = json!({"script": ["ask:confirm", "ask:question"]});
    let run = app.begin(json!({"agent": "script", "input": script})).await;
    let (mut socket, _) = app.socket(&run).await;
    let mut frame_of = async |kind: &str| loop {
        let frame = socket.next().await;
        if frame["type"] == kind {
            return frame;
        }
    };
    let asked = word(&frame_of("agent_question").await, "reference");
    app.post(&format!("/api/questions/{asked}"), json!({"confirmed": true})).await;
    frame_of("question_resolved").await;
    frame_of("agent_question").await;
    app.delete(&format!("/api/runs/{run}")).await;
    assert_eq!(frame_of("question_resolved").await["by"], "stopped");
    assert_eq!(app.get("/api/questions").await.1["items"], json!([]));
    // The rows of the audit stay.
    let (status, audit) = app.get(&format!("/api/audit?run_id={run}")).await;
    assert_eq!((status, audit["items"].as_array().unwrap().len()), (200, 1), "{audit}");
    assert_eq!(app.get("/api/audit?run_id=none").await.0, 404);
    app.finish().await;
}

#[actix_web::test]
async fn several_tasks_are_deleted_with_a_result_each() {
    let app = TestService::start();
    let (one, two) = (ended(&app, "one").await, app.begin(json!({"agent": "endless"})).await);
    let body = json!({"ids": [one, "none", two, one]});
    let (status, page) = app.post("/api/runs/delete", body).await;
    assert_eq!(status, 200, "{page}");
    let deleted: Vec<bool> =
        page["items"].as_array().unwrap().iter().map(|item| item["deleted"].as_bool().unwrap()).collect();
    assert_eq!(deleted, [true, false, true, false]);
    assert_eq!(page["items"][1]["code"], "unknown_run");
    assert!(titles(&app, "").await.is_empty());
    for odd in [json!({"ids": []}), json!({"ids": vec!["x"; 201]})] {
        assert_eq!(app.post("/api/runs/delete", odd).await.0, 422);
    }
    app.finish().await;
}

// Rows may have gone when the process died before the files did: the next one removes them.
#[actix_web::test]
async fn files_of_deleted_runs_are_removed_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let run = {
        let store =
            askfirst::store::sqlite::connection::store::SqliteStore::open(&data, Box::new(|_| ())).unwrap();
        use askfirst::store::PageRows;
        use askfirst::store::task_list::TaskList;
        let ids = fill(&store, 2).await;
        store.add_picture(ids[0].clone(), b"picture".to_vec()).await.unwrap();
        for id in &ids {
            std::fs::create_dir_all(data.join("runs").join(id.as_str()).join("files")).unwrap();
        }
        store.delete_tree(ids[0].clone()).await.unwrap();
        ids
    };
    let app = crate::support::app::spawn_in(folder, &[]).await;
    let runs = app.data().join("runs");
    let pictures = app.data().join("pictures");
    let empty =
        |folder: &std::path::Path| {
            std::fs::read_dir(folder).into_iter().flatten().flatten().all(|folder_entry| {
                std::fs::read_dir(folder_entry.path()).into_iter().flatten().next().is_none()
            })
        };
    until("what was left is removed", PATIENCE, || !runs.join(run[0].as_str()).exists() && empty(&pictures))
        .await;
    assert!(runs.join(run[1].as_str()).exists(), "of the other nothing is");
    app.finish().await;
}
