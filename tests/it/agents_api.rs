//! Agents over HTTP: read as JSON and as YAML, checked, saved without losing what others wrote, removed.

use crate::support::service::{TestService, answer, word};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

const YAML: &str = "application/yaml";

fn file(app: &TestService, name: &str) -> PathBuf {
    app.folder.path().join("agents").join(format!("{name}.yaml"))
}

fn text(app: &TestService, name: &str) -> String {
    fs::read_to_string(file(app, name)).unwrap()
}

fn spec(name: &str, code: &str) -> Value {
    json!({"name": name, "title_ua": "Один", "kind": "atomic", "outputs": [{"name": "x"}], "python": {"code": code}})
}

fn put(app: &TestService, path: &str, body: &Value) -> RequestBuilder {
    app.request(Method::PUT, path).json(body)
}

fn put_yaml(app: &TestService, path: &str, body: &str) -> RequestBuilder {
    app.request(Method::PUT, path).header("content-type", YAML).body(body.to_owned())
}

fn header(response: &Response, name: &str) -> String {
    response.headers()[name].to_str().unwrap().to_owned()
}

async fn read_yaml(app: &TestService, path: &str) -> (u16, String, String) {
    let answer = app.request(Method::GET, path).header("accept", YAML).send().await.unwrap();
    let tag = answer.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned());
    (answer.status().as_u16(), tag.unwrap_or_default(), answer.text().await.unwrap())
}

// S0.34, S0.38, C18
#[actix_web::test]
async fn the_list_has_the_rows_of_the_protocol() {
    let app = TestService::start();
    let (_, rows) = app.get("/api/agents").await;
    let about = ["name", "title_ua", "title_en", "description_ua", "description_en", "kind", "executor"];
    let keys = [&about[..], &["converses", "inputs", "outputs", "locals"]].concat();
    for row in rows.as_array().unwrap() {
        assert_eq!(row.as_object().unwrap().keys().collect::<Vec<_>>(), keys, "{row}");
        assert!(!word(row, "title_ua").is_empty() && !word(row, "title_en").is_empty(), "{row}");
    }
    let browser = rows.as_array().unwrap().iter().find(|row| row["name"] == "browser").unwrap();
    assert_eq!((&browser["executor"], &browser["title_ua"]), (&json!("browser"), &json!("Браузер")));
    // A file that is no agent stands in no row but in a list of its own.
    fs::write(file(&app, "broken"), "name: broken\nkind: atomic\npyhton: {code: x}\n").unwrap();
    let (_, again) = app.get("/api/agents").await;
    assert_eq!(rows, again);
    let (status, faults) = app.get("/api/agents/faults").await;
    let fault = &faults["items"][0]["faults"][0];
    assert_eq!((status, &faults["items"][0]["name"]), (200, &json!("broken")));
    assert_eq!(
        (&fault["line"], &fault["path"], &fault["severity"]),
        (&json!(3), &json!("pyhton"), &json!("error")),
        "{faults}"
    );
    assert_eq!(fault["hint"], "did you mean \"python\"?");
    let (_, all) = app.get("/api/agents?faulty=true").await;
    let row = all.as_array().unwrap().last().unwrap();
    assert_eq!((&row["name"], row["faults"].as_array().unwrap().len()), (&json!("broken"), 1));
    app.finish().await;
}

// S0.15, S0.35, S0.36
#[actix_web::test]
async fn an_agent_is_saved_from_json_as_yaml_and_read_both_ways() {
    let app = TestService::start();
    assert_eq!(app.get("/api/agents/one").await.0, 404);
    let made = put(&app, "/api/agents/one", &spec("one", "x = 'так'\nx += '!'\n")).send().await.unwrap();
    assert_eq!(
        (made.status().as_u16(), header(&made, "askfirst-has-comments")),
        (201, String::from("false"))
    );
    let tag = header(&made, "etag");
    assert_eq!(
        text(&app, "one"),
        "name: one\ntitle_ua: Один\nkind: atomic\noutputs:\n  - name: x\npython:\n  code: |\n    x = 'так'\n    x += '!'\n"
    );
    for path in ["/api/agents/one", "/api/agent/one"] {
        let read = app.request(Method::GET, path).send().await.unwrap();
        assert_eq!(header(&read, "etag"), tag);
        let mut whole = spec("one", "x = 'так'\nx += '!'\n");
        for (key, value) in [("executor", json!("python")), ("inputs", json!([])), ("locals", json!([]))] {
            whole[key] = value;
        }
        assert_eq!(
            read.json::<Value>().await.unwrap(),
            whole,
            "the whole spec, as docs/agents.md describes it"
        );
        assert_eq!(read_yaml(&app, path).await, (200, tag.clone(), text(&app, "one")));
    }
    // The document's own path saves too; the same text is the same version.
    let (status, saved) = app.post("/api/agent/one", json!({"spec": spec("one", "x = 1")})).await;
    assert_eq!((status, &saved["python"]["code"]), (200, &json!("x = 1")));
    let again = put(&app, "/api/agents/one", &spec("one", "x = 'так'\nx += '!'\n")).send().await.unwrap();
    assert_eq!((again.status().as_u16(), header(&again, "etag")), (200, tag.clone()));
    // Versions stay, of the saved and of the replaced.
    let (_, versions) = app.get("/api/agents/one/versions").await;
    let items = versions["items"].as_array().unwrap();
    assert_eq!((items.len(), &items[0]["current"], &items[1]["current"]), (2, &json!(true), &json!(false)));
    let old = word(&items[1], "hash");
    let (status, was) = app.get(&format!("/api/agents/one?version={old}")).await;
    assert_eq!((status, &was["python"]["code"]), (200, &json!("x = 1")));
    let (status, odd) = app.get("/api/agents/one?version=../../secret").await;
    assert_eq!((status, &odd["code"]), (404, &json!("unknown_version")));
    assert_eq!(app.delete("/api/agents/one").await.0, 204);
    assert_eq!((app.get("/api/agents/one").await.0, app.delete("/api/agents/one").await.0), (404, 404));
    assert_eq!(app.get(&format!("/api/agents/one?version={old}")).await.0, 200);
    app.finish().await;
}

// S0.6, S0.15, S0.35, S0.36: every field of docs/agents.md may be written out, and what was read may be sent back.
#[actix_web::test]
async fn the_fields_of_the_document_may_all_be_written_out() {
    let app = TestService::start();
    let atomic = json!({
        "name": "one", "title_ua": "Один", "description_ua": null, "kind": "atomic", "executor": "python",
        "inputs": [], "locals": [], "outputs": [{"name": "x"}], "graph": null, "python": {"code": "x = 1"},
        "llm": null, "shell": null,
    });
    let flow = json!({
        "name": "flow", "title_ua": "Потік", "kind": "composite", "executor": null, "inputs": [], "locals": [],
        "outputs": [{"name": "x"}], "graph": {"lanes": [{"items": [{"id": "a", "agent": "one", "when": null}]}]},
    });
    for (name, spec) in [("one", &atomic), ("flow", &flow)] {
        let made = put(&app, &format!("/api/agents/{name}"), spec).send().await.unwrap();
        assert_eq!(made.status().as_u16(), 201, "{}", made.text().await.unwrap());
        let (_, read) = app.get(&format!("/api/agent/{name}")).await;
        assert!(read["inputs"].is_array() && read["locals"].is_array(), "{read}");
        let (status, again) = app.post(&format!("/api/agent/{name}"), read.clone()).await;
        assert_eq!((status, &again), (200, &read));
        let (_, checked) = app.post("/api/agents/validate", read).await;
        assert_eq!((&checked["ok"], &checked["faults"]), (&json!(true), &json!([])), "{checked}");
    }
    let (_, read) = app.get("/api/agents/one").await;
    assert_eq!(read["executor"], "python");
    app.finish().await;
}

// S0.36: what is faulty is told by path and line, and the file is as it was.
#[actix_web::test]
async fn a_faulty_agent_is_refused_with_a_line_for_each_fault() {
    let app = TestService::start();
    put(&app, "/api/agents/one", &spec("one", "x = 1")).send().await.unwrap();
    let before = text(&app, "one");
    let composite = json!({"name": "one", "kind": "composite", "graph": {"lanes": [{"items": [
        {"id": "a", "agent": "nobody"}, {"id": "a", "agent": "browser", "bindings": [
            {"from_agent_item_id": "a", "from_var": "answer", "to_agent_item_id": "a", "to_var": "txt"}]},
    ]}]}});
    for (body, paths) in [
        (
            json!({"name": "one", "kind": "atom", "colour": 1, "python": {}}),
            vec!["kind", "colour", "python.code"],
        ),
        (json!({"name": "two", "kind": "atomic", "python": {"code": "x"}}), vec!["name"]),
        (
            composite,
            vec![
                "graph.lanes[0].items[0].agent",
                "graph.lanes[0].items[1].id",
                "graph.lanes[0].items[1].bindings[0].from_agent_item_id",
                "graph.lanes[0].items[1].bindings[0].to_var",
                "graph.lanes[0].items[1]",
            ],
        ),
    ] {
        let (status, problem) = answer(put(&app, "/api/agents/one", &body)).await;
        assert_eq!((status, &problem["code"]), (422, &json!("bad_agent")), "{problem}");
        let faults = problem["faults"].as_array().unwrap();
        for path in paths {
            let fault = faults.iter().find(|fault| fault["path"] == path && fault["severity"] == "error");
            assert!(fault.unwrap_or_else(|| panic!("{path}: {problem}"))["line"].is_u64());
        }
        assert_eq!(text(&app, "one"), before);
    }
    let (status, problem) = answer(put_yaml(&app, "/api/agents/one", "name: one\nkind: [")).await;
    assert_eq!((status, &problem["faults"][0]["line"]), (422, &json!(2)));
    assert_eq!(text(&app, "one"), before);
    app.finish().await;
}

#[actix_web::test]
async fn an_agent_is_checked_without_being_saved() {
    let app = TestService::start();
    let bare = spec("one", "x = 1");
    for body in [
        bare.clone(),
        json!({"spec": bare}),
        json!({"yaml": "name: one\ntitle_ua: Один\nkind: atomic\noutputs: [{name: x}]\npython: {code: x = 1}\n"}),
    ] {
        let (status, checked) = app.post("/api/agents/validate", body).await;
        assert_eq!(
            (status, &checked["ok"], &checked["faults"]),
            (200, &json!(true), &json!([])),
            "{checked}"
        );
        assert_eq!(checked["spec"], bare);
    }
    let request = app.request(Method::POST, "/api/agents/validate").header("content-type", YAML);
    let (_, checked) = answer(request.body("name: one\nkind: atomic\npython: {code: x}\n")).await;
    assert_eq!(
        (&checked["ok"], &checked["faults"][0]["severity"]),
        (&json!(true), &json!("warning")),
        "{checked}"
    );
    let (status, checked) = app.post("/api/agents/validate", json!({"name": "one", "kind": 7})).await;
    assert_eq!((status, &checked["ok"], &checked["spec"]), (200, &json!(false), &Value::Null), "{checked}");
    assert_eq!(
        (&checked["faults"][0]["line"], &checked["yaml"]),
        (&json!(2), &json!("name: one\nkind: 7\n"))
    );
    // Lines are those of the file as it would be, comments included.
    put_yaml(
        &app,
        "/api/agents/one",
        "# mine\nname: one\nkind: atomic\noutputs: [{name: x}]\npython: {code: x}\n",
    )
    .send()
    .await
    .unwrap();
    let mut changed = spec("one", "x");
    changed["inputs"] = json!([{"name": "a", "type": "int"}]);
    let (_, checked) = app.post("/api/agents/validate", changed).await;
    let lines: Vec<&str> = checked["yaml"].as_str().unwrap().lines().collect();
    assert_eq!(lines[0], "# mine");
    let line = usize::try_from(checked["faults"][0]["line"].as_u64().unwrap()).unwrap();
    assert!(lines[line - 1].contains("type: int"), "{checked}");
    assert!(!file(&app, "two").exists());
    app.finish().await;
}

#[actix_web::test]
async fn a_file_written_by_hand_keeps_its_comments_or_is_not_written_over() {
    let app = TestService::start();
    let mine = "# what it is for\nname: one # the key\nkind: atomic\noutputs: [{name: x}]\npython:\n  # how\n  code: x = 1\n";
    let made = put_yaml(&app, "/api/agents/one", mine).send().await.unwrap();
    assert_eq!((made.status().as_u16(), header(&made, "askfirst-has-comments")), (201, String::from("true")));
    assert_eq!(text(&app, "one"), mine);
    let (_, mut agent) = app.get("/api/agents/one").await;
    agent["python"]["code"] = json!("x = 2");
    let (status, _) = answer(put(&app, "/api/agents/one", &agent)).await;
    assert_eq!((status, text(&app, "one")), (200, mine.replace("x = 1", "x = 2")));
    // Comments that a save cannot keep are named; the save goes through only if the client accepts their loss.
    agent.as_object_mut().unwrap().retain(|key, _| key != "python" && key != "executor");
    agent["shell"] = json!({"command": "ls"});
    let (status, problem) = answer(put(&app, "/api/agents/one", &agent)).await;
    assert_eq!((status, &problem["code"], &problem["lines"]), (409, &json!("has_comments"), &json!([6])));
    assert_eq!(text(&app, "one"), mine.replace("x = 1", "x = 2"));
    for query in ["comments=drop", "drop_comments=true"] {
        put_yaml(&app, "/api/agents/one", mine).send().await.unwrap();
        let (status, _) = answer(put(&app, &format!("/api/agents/one?{query}"), &agent)).await;
        assert_eq!(status, 200);
        assert!(
            text(&app, "one").starts_with("# what it is for\nname: one # the key\n"),
            "{}",
            text(&app, "one")
        );
    }
    // A file that is no agent any more is somebody's work, too.
    fs::write(file(&app, "one"), "# notes\nname: [").unwrap();
    assert_eq!(app.get("/api/agents/one").await.0, 422);
    let (status, tag, broken) = read_yaml(&app, "/api/agents/one").await;
    assert_eq!((status, broken.as_str(), tag.len()), (200, "# notes\nname: [", 66));
    app.finish().await;
}

// S0.16: the interface works with today's form alone; what was remarked in an older file is never lost.
#[actix_web::test]
async fn a_file_in_an_older_format_is_converted_when_read_and_saved() {
    let app = TestService::start();
    let old = "# what it is for\nname: one\nexecutor: shell # soon\ninputs: [dir]\noutputs: [stdout]\ncommand: ls\n";
    let today = "# what it is for\n# soon\nname: one\n";
    fs::write(file(&app, "one"), old).unwrap();
    let (status, agent) = app.get("/api/agent/one").await;
    assert_eq!(
        (status, &agent["inputs"], &agent["shell"]["command"]),
        (200, &json!([{"name": "dir"}]), &json!("ls"))
    );
    assert!(agent["executor"] == "shell" && agent.get("command").is_none(), "{agent}");
    let (status, tag, yaml) = read_yaml(&app, "/api/agents/one").await;
    assert!(status == 200 && yaml.starts_with(today), "{yaml}");
    assert_eq!(text(&app, "one"), old, "reading changes nothing");
    let (_, checked) = app.post("/api/agents/validate", json!({"yaml": old})).await;
    assert_eq!(checked["ok"], json!(true));
    let warnings: Vec<&Value> = checked["faults"].as_array().unwrap().iter().collect();
    assert!(warnings.iter().all(|fault| fault["severity"] == "warning"), "{checked}");
    assert!(checked["faults"].to_string().contains("is written in an older form"), "{checked}");
    // Saved as JSON over the file, and as the old text itself: today's form, with the remarks.
    let (status, _) = answer(put(&app, "/api/agents/one", &agent).header("if-match", tag)).await;
    assert_eq!((status, text(&app, "one")), (200, yaml.clone()));
    let saved = put_yaml(&app, "/api/agents/one", old).send().await.unwrap();
    assert_eq!((saved.status().as_u16(), text(&app, "one")), (200, yaml));
    // Ambiguous parts are refused with their place.
    let (status, problem) = answer(put_yaml(&app, "/api/agents/one", "name: one\nnodes: [{id: a}]\n")).await;
    assert_eq!((status, &problem["faults"][0]["line"]), (422, &json!(2)));
    assert_eq!(problem["faults"][0]["message"], json!("unsupported legacy format"));
    app.finish().await;
}

#[actix_web::test]
async fn saving_over_a_newer_version_is_refused() {
    let app = TestService::start();
    let save = |code: &str, name: &'static str, value: &str| {
        answer(put(&app, "/api/agents/one", &spec("one", code)).header(name, value))
    };
    assert_eq!(save("x = 1", "if-match", "\"0000\"").await.0, 412);
    assert_eq!(save("x = 1", "if-none-match", "*").await.0, 201);
    let (status, problem) = save("x = 2", "if-none-match", "*").await;
    assert_eq!((status, &problem["code"]), (412, &json!("changed")));
    let tag = format!("\"{}\"", word(&problem, "version"));
    assert_eq!(save("x = 2", "if-match", &format!("\"0000\", W/{tag}")).await.0, 200);
    let (status, problem) = save("x = 3", "if-match", &tag).await;
    assert_eq!((status, &problem["code"]), (412, &json!("changed")));
    assert_eq!(save("x = 3", "if-match", "*").await.0, 200);
    // An edit by hand counts, too; and so it does for who removes it.
    fs::write(file(&app, "one"), "name: one\nkind: atomic\noutputs: [{name: x}]\npython: {code: by hand}\n")
        .unwrap();
    assert_eq!(save("x = 4", "if-match", &tag).await.0, 412);
    let gone = app.request(Method::DELETE, "/api/agents/one").header("if-match", tag);
    assert_eq!(answer(gone).await.0, 412);
    assert!(text(&app, "one").contains("by hand"));
    app.finish().await;
}

#[actix_web::test]
async fn saves_at_once_leave_one_whole_file() {
    let app = TestService::start();
    let all = (0..12).map(|n| answer(put(&app, "/api/agents/one", &spec("one", &format!("x = {n}")))));
    let statuses: Vec<u16> =
        futures_util::future::join_all(all).await.into_iter().map(|(status, _)| status).collect();
    assert!(statuses.iter().all(|status| [200, 201, 412].contains(status)), "{statuses:?}");
    let (status, agent) = app.get("/api/agents/one").await;
    assert!(status == 200 && word(&agent["python"], "code").starts_with("x = "), "{agent}");
    app.finish().await;
}

#[actix_web::test]
async fn invalid_names_and_bodies_are_refused() {
    let app = TestService::start();
    fs::write(app.folder.path().join("evil.yaml"), "name: evil\nkind: atomic\npython: {code: x}\n").unwrap();
    let long = "a".repeat(3000);
    for name in [
        "..%2fevil",
        "%2e%2e%2fevil",
        "..%5cevil",
        "%2e%2e",
        ".hidden",
        "evil.yaml",
        "Evil",
        "a%00b",
        "%D1%8F",
        "a%20b",
        &long,
    ] {
        let path = format!("/api/agents/{name}");
        let (status, body) = app.get(&path).await;
        assert_eq!(status, 404, "{name}: {body}");
        let (status, body) = answer(put(&app, &path, &spec("evil", "y"))).await;
        assert!([404, 422].contains(&status), "{name}: {body}");
        let (status, body) = app.delete(&path).await;
        assert!([404, 422].contains(&status), "{name}: {body}");
    }
    for (body, kind, status) in [
        ("{", "application/json", 400),
        ("name: one", "text/plain", 415),
        ("[1]", "application/json", 422),
        ("null", "application/json", 422),
        ("\"name\"", "application/json", 422),
        ("", "application/json", 400),
        ("", YAML, 422),
        (&"#".repeat(600 * 1024), YAML, 413),
        (&"#".repeat(2 * 1024 * 1024), YAML, 413),
        (&"[".repeat(2000), "application/json", 400),
        (&"[".repeat(2000), YAML, 422),
    ] {
        let request = app.request(Method::PUT, "/api/agents/one").header("content-type", kind);
        let (found, problem) = answer(request.body(body.to_owned())).await;
        assert_eq!(found, status, "{} {kind}: {problem}", &body[..body.len().min(20)]);
    }
    for name in ["validate", "faults"] {
        let (status, problem) =
            answer(app.request(Method::POST, &format!("/api/agent/{name}")).json(&spec(name, "x"))).await;
        assert_eq!(status, 422, "{problem}");
    }
    assert!(!file(&app, "one").exists());
    assert!(fs::read_to_string(app.folder.path().join("evil.yaml")).unwrap().contains("code: x"));
    app.finish().await;
}

#[cfg(unix)]
#[actix_web::test]
async fn a_failed_write_is_reported_and_the_file_is_unchanged() {
    let app = TestService::start();
    put(&app, "/api/agents/one", &spec("one", "x = 1")).send().await.unwrap();
    let before = text(&app, "one");
    let versions = app.folder.path().join("agents/.versions");
    fs::remove_dir_all(&versions).unwrap();
    fs::write(&versions, "in the way").unwrap();
    let (status, problem) = answer(put(&app, "/api/agents/one", &spec("one", "x = 2"))).await;
    assert_eq!((status, &problem["code"]), (507, &json!("not_written")), "{problem}");
    assert!(word(&problem, "detail").contains("the agent is as it was"), "{problem}");
    assert_eq!(text(&app, "one"), before);
    app.finish().await;
}
