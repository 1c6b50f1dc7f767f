//! The files of a run over HTTP: given, listed, handed out to be saved; names stay in their folder.

use crate::support::service::{TestService, answer, word};
use reqwest::{Method, Response};
use serde_json::{Value, json};

async fn give(app: &TestService, run: &str, name: &str, body: Vec<u8>) -> (u16, Value) {
    answer(app.request(Method::POST, &format!("/api/runs/{run}/files/{name}")).body(body)).await
}

async fn fetch(app: &TestService, run: &str, name: &str) -> Response {
    app.request(Method::GET, &format!("/api/runs/{run}/files/{name}")).send().await.unwrap()
}

// docs/protocol.md, "Files": `GET, POST /api/runs/{id}/files/{name}`.
#[actix_web::test]
async fn files_are_uploaded_listed_and_downloaded() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "three"})).await;
    let (status, empty) = app.get(&format!("/api/runs/{run}/files")).await;
    assert_eq!((status, empty), (200, json!({"items": [], "cursor": null})));
    let page = b"<script>alert(1)</script>".to_vec();
    let (status, given) = give(&app, &run, "%D0%B7%D0%B2%D1%96%D1%82%20%221%22.html", page.clone()).await;
    assert_eq!((status, &given), (201, &json!({"name": "звіт _1_.html", "size": 25})));
    let (status, again) = give(&app, &run, "%D0%B7%D0%B2%D1%96%D1%82%20%221%22.html", b"x".to_vec()).await;
    assert_eq!((status, word(&again, "name").as_str()), (201, "звіт _1_ (2).html"), "nothing is replaced");
    let (_, listed) = app.get(&format!("/api/runs/{run}/files")).await;
    let names: Vec<&str> =
        listed["items"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["звіт _1_ (2).html", "звіт _1_.html"]);
    assert!(word(&listed["items"][0], "at").ends_with('Z'));

    let answer = fetch(&app, &run, "%D0%B7%D0%B2%D1%96%D1%82%20_1_.html").await;
    assert_eq!(answer.status(), 200);
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/octet-stream");
    assert_eq!(header("x-content-type-options"), "nosniff");
    let saved = header("content-disposition");
    assert!(saved.starts_with("attachment;") && saved.contains("filename*=UTF-8''%D0%B7"), "{saved}");
    assert_eq!(answer.bytes().await.unwrap(), page);
    app.finish().await;
}

#[actix_web::test]
async fn names_and_sizes_are_kept_within_bounds() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "three"})).await;
    app.until(&run, "succeeded").await;
    app.written().await;
    for name in ["..%2f..%2fescape.txt", "%2e%2e%2f%2e%2e%2fescape.txt", "..%5cescape.txt"] {
        let (status, given) = give(&app, &run, name, b"x".to_vec()).await;
        let stays = || !word(&given, "name").contains(['/', '\\']) && !word(&given, "name").starts_with('.');
        assert!(status == 404 || status == 201 && stays(), "{name}: {status} {given}");
    }
    assert!(
        !app.folder.path().join("runs/escape.txt").exists() && !app.folder.path().join("escape.txt").exists()
    );
    // Other files in the run's folder are not offered.
    for name in ["..%2fstate.json", "%2e%2e%2fstate.json", "state.json", "none"] {
        assert_eq!(fetch(&app, &run, name).await.status(), 404, "{name}");
    }
    let (status, fault) = give(&app, &run, "large", vec![0; 1024 * 1024 + 1]).await;
    assert_eq!((status, word(&fault, "code").as_str()), (413, "too_large"));
    let whole = vec![7u8; 1024 * 1024];
    assert_eq!(give(&app, &run, "one", whole.clone()).await.0, 201);
    let (status, fault) = give(&app, &run, "two", whole.clone()).await;
    assert_eq!((status, word(&fault, "code").as_str()), (413, "too_large"), "the run's files are full");
    assert_eq!(fetch(&app, &run, "one").await.bytes().await.unwrap(), whole);
    let incoming = app.folder.path().join(format!("runs/{run}/incoming"));
    assert!(std::fs::read_dir(incoming).unwrap().next().is_none(), "nothing half given is left");
    let (status, _) = give(&app, "nobody", "a", b"x".to_vec()).await;
    assert_eq!(status, 404);
    app.finish().await;
}
