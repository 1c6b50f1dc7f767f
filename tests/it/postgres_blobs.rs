//! Pictures and files of runs at several nodes, in a store of blobs that they share.

use crate::durability::say;
use crate::postgres_cluster::Node;
use crate::support::app::{Http, until};
use crate::support::postgres::TestServer;
use crate::support::ws::Ws;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

async fn bytes(url: &str) -> (u16, Vec<u8>) {
    let answer = reqwest::get(url).await.unwrap();
    (answer.status().as_u16(), answer.bytes().await.unwrap().to_vec())
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| if entry.path().is_dir() { files_below(&entry.path()) } else { vec![entry.path()] })
        .collect()
}

// A picture and a file of a node are there at another one, also after the first has died with its disk.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn pictures_and_files_outlive_the_node_that_made_them() {
    let database = TestServer::shared().database().await;
    let shared = tempfile::tempdir().unwrap();
    let blobs = url::Url::from_file_path(shared.path()).unwrap().to_string();
    let vars = [("ASKFIRST_BLOBS__URL", blobs.as_str())];
    let (one, two) = (Node::start(&database.url, &vars).await, Node::start(&database.url, &vars).await);
    let http = Http::new();
    let (mut ws, _) = Ws::hello(one.base(), json!({"locale": "en"})).await;
    let run = say(&mut ws, &format!("open {}/demo/", one.base())).await;
    let seen = ws.until_that("a picture of the shop", |frame| {
        frame["event"] == "observation"
            && frame["data"]["url"].as_str().unwrap_or_default().contains("/demo/")
    });
    let picture = seen.await["data"]["picture"].as_str().unwrap().to_owned();
    ws.until("run_ended").await;
    let (status, original) = bytes(&format!("{}{picture}", one.base())).await;
    assert_eq!((status, &original[..3]), (200, &[0xff, 0xd8, 0xff][..]));
    assert_eq!(bytes(&format!("{}{picture}", two.base())).await, (200, original.clone()));

    let client = reqwest::Client::new();
    let give = |node: &Node, name: &str, text: &'static str| {
        client.post(format!("{}/api/runs/{run}/files/{name}", node.base())).body(text).send()
    };
    assert_eq!(give(&one, "прайс 1.txt", "given at one").await.unwrap().status(), 201);
    let second = give(&two, "прайс 1.txt", "given at two").await.unwrap();
    assert_eq!(second.json::<Value>().await.unwrap()["name"], "прайс 1 (2).txt");
    one.process.kill().await;
    drop(one.folder);
    assert_eq!(bytes(&format!("{}{picture}", two.base())).await, (200, original));
    let files = format!("{}/api/runs/{run}/files", two.base());
    let names: Vec<Value> =
        http.get(&files).await["items"].as_array().unwrap().iter().map(|file| file["name"].clone()).collect();
    assert_eq!(names, ["прайс 1 (2).txt", "прайс 1.txt"]);
    assert_eq!(bytes(&format!("{files}/прайс 1.txt")).await, (200, b"given at one".to_vec()));
    assert!(!files_below(shared.path()).is_empty());
    assert_eq!(http.delete(&format!("{}/api/runs/{run}", two.base())).await, 200);
    until("the blobs are gone", Duration::from_secs(10), || files_below(shared.path()).is_empty()).await;
    assert!(two.process.terminate().await.success());
}

// A node that works on no run takes files for a start, and gives files later; the node that works has them all.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn files_that_a_web_node_takes_are_at_the_node_that_works() {
    let database = TestServer::shared().database().await;
    let shared = tempfile::tempdir().unwrap();
    let blobs = url::Url::from_file_path(shared.path()).unwrap().to_string();
    let vars = [("ASKFIRST_BLOBS__URL", blobs.as_str())];
    let web = Node::start(&database.url, &[vars[0], ("ASKFIRST_CLUSTER__ROLE", "web")]).await;
    let work = Node::start(&database.url, &vars).await;
    let (http, client) = (Http::new(), reqwest::Client::new());
    let staged = client.post(format!("{}/api/files/first.txt", web.base())).body("one").send().await.unwrap();
    let id = staged.json::<Value>().await.unwrap()["id"].clone();
    let text = format!("open {}/demo/", work.base());
    let start = json!({"agent": "browser", "input": {"text": text}, "files": [id], "wait": true, "timeout_ms": 60_000});
    let (status, run) = http.post(&format!("{}/api/runs", web.base()), &start).await;
    assert_eq!((status, &run["status"]), (200, &json!("succeeded")), "{run}");
    let files = format!("/api/runs/{}/files", run["run_id"].as_str().unwrap());
    for (node, name, stored) in [(&web, "later.txt", "later.txt"), (&work, "later.txt", "later (2).txt")] {
        let given = client.post(format!("{}{files}/{name}", node.base())).body(stored).send().await.unwrap();
        assert_eq!(given.json::<Value>().await.unwrap()["name"], stored);
    }
    for node in [&web, &work] {
        for (name, content) in
            [("first.txt", "one"), ("later.txt", "later.txt"), ("later (2).txt", "later (2).txt")]
        {
            let read = bytes(&format!("{}{files}/{name}", node.base())).await;
            assert_eq!(read, (200, content.as_bytes().to_vec()), "{name}");
        }
    }
    for node in [web, work] {
        assert!(node.process.terminate().await.success());
    }
}
