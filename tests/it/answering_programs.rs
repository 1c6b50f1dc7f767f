//! Programs that answer questions: recorded by their names, and refused for the runs that they started themselves
//! (docs/protocol.md, "Who answers").

use crate::support::app::Process;
use crate::support::service::{TestService, word};
use crate::support::ws::Ws;
use reqwest::Method;
use serde_json::{Value, json};

const HEADER: &str = "x-askfirst-client";

/// Starts a run that asks, as the client that the header names. Returns the run and the question.
async fn start_asking(app: &TestService, client: Option<&str>) -> (String, String) {
    let body = json!({"agent": "script", "input": {"script": ["ask:confirm", "go"], "text": "buy it"}, "wait": true});
    let run = send(app, "/api/runs", client, &body).await.1;
    (word(&run, "run_id"), word(&run, "question"))
}

async fn send(app: &TestService, path: &str, client: Option<&str>, body: &Value) -> (u16, Value) {
    let mut request = app.request(Method::POST, path).json(body);
    if let Some(client) = client {
        request = request.header(HEADER, client);
    }
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

async fn answer(app: &TestService, reference: &str, client: Option<&str>) -> (u16, Value) {
    send(app, &format!("/api/questions/{reference}"), client, &json!({"confirmed": true})).await
}

fn base(app: &TestService) -> String {
    format!("http://127.0.0.1:{}", app.port)
}

#[actix_web::test]
async fn a_program_may_not_answer_for_the_run_that_it_started() {
    let app = TestService::start();
    for again in ["api/nightly Importer", "api/other Importer", "api/nightly Renamed"] {
        let (run, reference) = start_asking(&app, Some("api/nightly Importer")).await;
        let (status, problem) = answer(&app, &reference, Some(again)).await;
        assert_eq!((status, &problem["code"]), (403, &json!("own_question")), "{again}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains("gate.client_answers"), "{problem}");
        assert_eq!(app.get(&format!("/api/runs/{run}")).await.1["status"], "waiting");
        // The person still decides.
        assert_eq!(answer(&app, &reference, Some("page/w1 Chrome")).await.0, 200);
        app.until(&run, "succeeded").await;
    }
    app.finish().await;
}

#[actix_web::test]
async fn a_program_on_a_socket_is_refused_too() {
    let app = TestService::start();
    let (_, reference) = start_asking(&app, Some("api/nightly Importer")).await;
    let hello = json!({"client": {"id": "nightly", "kind": "api", "name": "Importer"}});
    let (mut socket, _) = Ws::hello(&base(&app), hello).await;
    socket.send(json!({"type": "answer", "reference": reference, "confirmed": true})).await;
    let error = socket.until("error").await;
    assert_eq!((&error["code"], &error["reference"]), (&json!("own_question"), &json!(reference)));
    app.finish().await;
}

// A page, the command line, and a caller that names itself not: each is the person, also for its own runs.
#[actix_web::test]
async fn people_answer_for_the_runs_that_they_started() {
    let app = TestService::start();
    for client in [None, Some("page/w1 Chrome"), Some("cli/c1 askfirst 1"), Some("mcp/m1 claims this")] {
        let (run, reference) = start_asking(&app, client).await;
        let (status, resolved) = answer(&app, &reference, client).await;
        assert_eq!((status, &resolved["by"]), (200, &json!("user")), "{client:?}: {resolved}");
        app.until(&run, "succeeded").await;
        let audit = app.get(&format!("/api/audit?run_id={run}")).await.1;
        assert_eq!(audit["items"][0]["by"], "user", "{audit}");
        let facts = app.get(&format!("/api/runs/{run}/events")).await.1;
        assert_eq!(facts["items"][0].get("client"), None, "only programs are named with a start");
    }
    app.finish().await;
}

// Recorded by its name, not as the person: in the answer, the facts and the audit log; the run goes on.
#[actix_web::test]
async fn a_program_that_answers_for_others_is_recorded_by_its_name() {
    let app = TestService::start();
    for (starter, client, by) in [
        (None, "api/nightly Importer", "client:Importer"),
        (Some("page/w1 Chrome"), "api/nightly", "client:api"),
        (Some("api/one Importer"), "api/two Checker", "client:Checker"),
    ] {
        let (run, reference) = start_asking(&app, starter).await;
        let (status, resolved) = answer(&app, &reference, Some(client)).await;
        assert_eq!((status, &resolved["by"]), (200, &json!(by)), "{resolved}");
        app.until(&run, "succeeded").await;
        let facts = app.get(&format!("/api/runs/{run}/events")).await.1;
        let fact = facts["items"].as_array().unwrap().iter().find(|fact| fact["type"] == "question_resolved");
        assert_eq!(fact.unwrap()["by"], by);
        let audit = app.get(&format!("/api/audit?run_id={run}")).await.1;
        assert_eq!(audit["items"][0]["by"], by, "{audit}");
    }
    app.finish().await;
}

// A message answers an open question for words; a program's own run does not take its answer that way either.
#[actix_web::test]
async fn a_message_is_no_way_around() {
    let app = TestService::start();
    let client = Some("api/nightly Importer");
    let body = json!({"agent": "script", "input": {"script": ["ask:question", "go"], "text": "buy it"}, "wait": true});
    let run = word(&send(&app, "/api/runs", client, &body).await.1, "run_id");
    let path = format!("/api/runs/{run}/messages");
    let (status, problem) = send(&app, &path, client, &json!({"text": "the blue one"})).await;
    assert_eq!((status, &problem["code"]), (403, &json!("own_question")), "{problem}");
    assert_eq!(send(&app, &path, None, &json!({"text": "the blue one"})).await.0, 202);
    app.until(&run, "succeeded").await;
    app.finish().await;
}

#[actix_web::test]
async fn the_owner_may_let_programs_answer() {
    let folder = tempfile::tempdir().unwrap();
    let agents = folder.path().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    let env = "name: env\nkind: atomic\noutputs: [{name: home}]\nshell: {command: printenv, args: [CARGO_PKG_NAME], env: [CARGO_PKG_NAME]}\n";
    std::fs::write(agents.join("env.yaml"), env).unwrap();
    let settings = [("ASKFIRST_GATE__CLIENT_ANSWERS", "true")];
    let service = Process::logged(folder.path(), &settings, &folder.path().join("log")).await;
    let http = reqwest::Client::new();
    let post = |path: String, body: Value| {
        http.post(format!("{}{path}", service.base)).header(HEADER, "api/nightly Importer").json(&body).send()
    };
    let run: Value = post("/api/runs".into(), json!({"agent": "env", "input": {}, "wait": true}))
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let answered = post(format!("/api/questions/{}", word(&run, "question")), json!({"confirmed": false}))
        .await
        .unwrap();
    assert_eq!(answered.status(), 200);
    let resolved: Value = answered.json().await.unwrap();
    assert_eq!(resolved["by"], "client:Importer");
    service.terminate().await;
}
