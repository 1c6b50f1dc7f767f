//! Clients that answered a question, as told to watching windows, the audit log and the service's log; and the number of
//! waiting questions, sent to every client that asked for it. See docs/protocol.md, `waiting`.

use crate::support::app::{Http, Process};
use crate::support::service::{TestService, word};
use crate::support::ws::Ws;
use reqwest::Method;
use serde_json::{Value, json};

async fn start_asking(app: &TestService) -> (String, String) {
    let body = json!({"agent": "script", "input": {"script": ["ask:confirm", "go"], "text": "buy it"}, "wait": true});
    let (status, run) = app.post("/api/runs", body).await;
    assert_eq!(status, 202, "{run}");
    (word(&run, "run_id"), word(&run, "question"))
}

fn base(app: &TestService) -> String {
    format!("http://127.0.0.1:{}", app.port)
}

/// A window of the page that looks at the run from its first fact on.
async fn window(app: &TestService, run: &str, id: &str) -> Ws {
    let client = json!({"id": id, "name": "Chrome, Linux"});
    Ws::hello(&base(app), json!({"run_id": run, "client": client})).await.0
}

/// The facts of a window, to the end of its run.
async fn all(mut window: Ws) -> Vec<Value> {
    window.until("run_ended").await;
    window.events
}

#[actix_web::test]
async fn each_socket_learns_whether_the_answer_was_its_own_also_in_a_replay() {
    let app = TestService::start();
    let (run, reference) = start_asking(&app).await;
    let (mut one, two) = (window(&app, &run, "w1").await, window(&app, &run, "w2").await);
    one.send(json!({"type": "answer", "reference": reference, "confirmed": true})).await;
    let (one, two) = (all(one).await, all(two).await);
    let resolved =
        |events: &[Value]| events.iter().find(|event| event["type"] == "question_resolved").cloned().unwrap();
    let who = json!({"id": "w1", "kind": "page", "name": "Chrome, Linux"});
    let mut own = who.clone();
    own["you"] = json!(true);
    assert_eq!((&resolved(&one)["client"], &resolved(&two)["client"]), (&own, &who));
    assert_eq!(resolved(&one)["by"], "user");
    // A window that is reloaded keeps its id: what it is told again is what it was told.
    for (id, live) in [("w1", &one), ("w2", &two)] {
        assert_eq!(&all(window(&app, &run, id).await).await, live, "{id}");
    }
    let events = format!("/api/runs/{run}/events");
    let read = app.request(Method::GET, &events).header("x-askfirst-client", "page/w1 Chrome, Linux");
    let read: Value = read.send().await.unwrap().json().await.unwrap();
    assert_eq!(read["items"], json!(one));
    assert_eq!(app.get(&events).await.1["items"], json!(two));
    let stored = app.store.events(run.as_str().into(), 0, 100).await.unwrap();
    assert!(stored.iter().all(|event| !event.body.contains("\"you\"")), "whose it is depends on who is told");
    app.finish().await;
}

#[actix_web::test]
async fn a_socket_that_gives_no_name_is_known_by_its_session() {
    let app = TestService::start();
    let (run, reference) = start_asking(&app).await;
    let (mut socket, welcome) = Ws::hello(&base(&app), json!({"run_id": run})).await;
    socket.send(json!({"type": "answer", "reference": reference, "confirmed": true})).await;
    let client = &socket.until("question_resolved").await["client"];
    assert_eq!((&client["id"], &client["kind"]), (&welcome["session_id"], &json!("page")));
    assert_eq!(client["you"], true);
    app.finish().await;
}

#[actix_web::test]
async fn answers_over_http_tell_pages_programs_and_the_command_line_apart() {
    let app = TestService::start();
    for (header, kind, id, name, you) in [
        (None, "api", "127.0.0.1", json!("curl/8"), Value::Null),
        (Some("page/w9 Firefox, Linux"), "page", "w9", json!("Firefox, Linux"), json!(true)),
        (Some("cli/c1 askfirst 1"), "cli", "c1", json!("askfirst 1"), json!(true)),
        // Clients cannot pass for a server of the protocol.
        (Some("mcp/m1 x"), "api", "127.0.0.1", json!("curl/8"), Value::Null),
    ] {
        let (run, reference) = start_asking(&app).await;
        let with = |request: reqwest::RequestBuilder| match header {
            Some(header) => request.header("x-askfirst-client", header),
            None => request,
        };
        let request = app.request(Method::POST, &format!("/api/questions/{reference}"));
        let request = with(request.header("user-agent", "curl/8")).json(&json!({"confirmed": true}));
        let answered: Value = request.send().await.unwrap().json().await.unwrap();
        let client = &answered["client"];
        assert_eq!(
            (&client["kind"], &client["id"], &client["name"]),
            (&json!(kind), &json!(id), &name),
            "{answered}"
        );
        app.until(&run, "succeeded").await;
        let audit = with(app.request(Method::GET, &format!("/api/audit?run_id={run}")));
        let audit: Value = audit.send().await.unwrap().json().await.unwrap();
        let row = &audit["items"][0];
        assert_eq!((&row["client"]["kind"], &row["client"]["you"]), (&json!(kind), &you), "{row}");
    }
    app.finish().await;
}

// An ambiguous answer is no consent.
#[actix_web::test]
async fn an_answer_that_says_two_things_is_refused() {
    let app = TestService::start();
    let (run, reference) = start_asking(&app).await;
    let path = format!("/api/questions/{reference}");
    for two in [json!({"confirmed": true, "text": "no"}), json!({"confirmed": true, "done": true})] {
        let (status, problem) = app.post(&path, two).await;
        assert_eq!((status, &problem["code"]), (422, &json!("bad_message")), "{problem}");
    }
    assert_eq!(app.post(&path, json!({"confirmed": true})).await.0, 200);
    app.until(&run, "succeeded").await;
    app.finish().await;
}

// The address of a client that names itself not is its own, also behind a trusted proxy.
#[actix_web::test]
async fn a_client_behind_a_proxy_is_known_by_its_own_address() {
    let app = TestService::start();
    let (run, reference) = start_asking(&app).await;
    let answer = app.request(Method::POST, &format!("/api/questions/{reference}"));
    let answer = answer.header("x-forwarded-for", "203.0.113.9").json(&json!({"confirmed": true}));
    assert_eq!(answer.send().await.unwrap().status(), 200);
    app.until(&run, "succeeded").await;
    let (_, audit) = app.get(&format!("/api/audit?run_id={run}")).await;
    let client = &audit["items"][0]["client"];
    assert_eq!((&client["kind"], &client["id"]), (&json!("api"), &json!("203.0.113.9")), "{audit}");
    app.finish().await;
}

#[actix_web::test]
async fn rows_of_the_audit_say_of_which_task_which_page_and_which_values() {
    let app = TestService::start();
    let (run, reference) = start_asking(&app).await;
    app.post(&format!("/api/questions/{reference}"), json!({"confirmed": false})).await;
    app.until(&run, "cancelled").await;
    let (_, audit) = app.get("/api/audit").await;
    let row = &audit["items"][0];
    assert_eq!((&row["title"], &row["decision"]), (&json!("buy it"), &json!("declined")), "{row}");
    let (_, whole) = app.get(&format!("/api/runs/{run}/events")).await;
    let question =
        whole["items"].as_array().unwrap().iter().find(|event| event["type"] == "agent_question").unwrap();
    assert_eq!(row["values"], question["payload"]["values"]);
    assert_eq!(row["values"]["card"], "••••");
    assert!(row.as_object().unwrap().contains_key("origin"), "{row}");
    app.finish().await;
}

// `limit=2` gave no cursor although there was more.
#[actix_web::test]
async fn the_audit_is_read_to_its_end_a_page_at_a_time() {
    let app = TestService::start();
    for _ in 0..5 {
        let (run, reference) = start_asking(&app).await;
        app.post(&format!("/api/questions/{reference}"), json!({"confirmed": true})).await;
        app.until(&run, "succeeded").await;
    }
    let all = app.get("/api/audit").await.1;
    assert_eq!((all["items"].as_array().unwrap().len(), &all["cursor"]), (5, &Value::Null));
    let (mut read, mut cursor) = (Vec::new(), String::new());
    for (rows, more) in [(2, true), (2, true), (1, false)] {
        let (_, page) = app.get(&format!("/api/audit?limit=2&cursor={cursor}")).await;
        let items = page["items"].as_array().unwrap().clone();
        assert_eq!((items.len(), page["cursor"].is_string()), (rows, more), "{page}");
        read.extend(items);
        cursor = page["cursor"].as_str().unwrap_or_default().to_owned();
    }
    assert_eq!(json!(read), all["items"]);
    assert_eq!(app.get("/api/audit?cursor=x").await.0, 400);
    app.finish().await;
}

#[actix_web::test]
async fn waiting_questions_of_all_runs_are_paged_and_counted() {
    let app = TestService::start();
    let mut asking_runs = Vec::new();
    for _ in 0..5 {
        asking_runs.push(start_asking(&app).await);
    }
    let (mut read, mut cursor) = (Vec::new(), String::new());
    for (rows, more) in [(2, true), (2, true)] {
        let (_, page) = app.get(&format!("/api/questions?status=waiting&limit=2&cursor={cursor}")).await;
        let items = page["items"].as_array().unwrap();
        assert_eq!(
            (items.len(), page["cursor"].is_string(), &page["total"]),
            (rows, more, &json!(5)),
            "{page}"
        );
        for item in items {
            read.push((word(item, "run_id"), word(item, "reference")));
            assert_eq!(
                page["tasks"][word(item, "root_run_id")],
                json!({"title": "buy it", "agent": "script"})
            );
        }
        cursor = page["cursor"].as_str().unwrap_or_default().to_owned();
        if read.len() == 2 {
            // A question that is answered meanwhile moves no other one out of the pages.
            app.post(&format!("/api/questions/{}", asking_runs[0].1), json!({"confirmed": true})).await;
            app.until(&asking_runs[0].0, "succeeded").await;
            start_asking(&app).await;
        }
    }
    assert_eq!(read, asking_runs[..4], "oldest first");
    let (_, rest) = app.get(&format!("/api/questions?cursor={cursor}")).await;
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["cursor"]), (2, &Value::Null));
    let (_, one) = app.get(&format!("/api/questions?run_id={}", asking_runs[1].0)).await;
    assert_eq!((one["items"].as_array().unwrap().len(), &one["total"]), (1, &json!(1)));
    for odd in ["status=answered", "cursor=x", "cursor=1"] {
        assert_eq!(app.get(&format!("/api/questions?{odd}")).await.0, 400, "{odd}");
    }
    app.finish().await;
}

// A socket hears of the facts of its own runs only.
#[actix_web::test]
async fn the_number_of_waiting_questions_is_sent_to_subscribers_only() {
    let app = TestService::start();
    let (mut subscriber, _) = Ws::hello(&base(&app), json!({"waiting": true})).await;
    let (mut other, _) = Ws::hello(&base(&app), json!({})).await;
    let total = |wanted: u64| move |frame: &Value| frame["type"] == "waiting" && frame["total"] == wanted;
    subscriber.until_that("none waits", total(0)).await;
    let (first, reference) = start_asking(&app).await;
    subscriber.until_that("one waits", total(1)).await;
    start_asking(&app).await;
    subscriber.until_that("two wait", total(2)).await;
    app.post(&format!("/api/questions/{reference}"), json!({"confirmed": true})).await;
    subscriber.until_that("one is answered", total(1)).await;
    app.until(&first, "succeeded").await;
    other.send(json!({"type": "ping"})).await;
    assert_eq!(other.next().await["type"], "pong", "frames that nobody asked for are not sent");
    app.finish().await;
}

#[actix_web::test]
async fn answers_are_logged_with_their_client_and_without_their_text() {
    let folder = tempfile::tempdir().unwrap();
    let agents = folder.path().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    let env = "name: env\nkind: atomic\noutputs: [{name: home}]\nshell: {command: printenv, args: [CARGO_PKG_NAME], env: [CARGO_PKG_NAME]}\n";
    std::fs::write(agents.join("env.yaml"), env).unwrap();
    let log = folder.path().join("log");
    let service = Process::logged(folder.path(), &[("ASKFIRST_TELEMETRY__LEVEL", "info")], &log).await;
    let http = Http::new();
    let body = json!({"agent": "env", "input": {}, "wait": true});
    let (_, run) = http.post(&format!("{}/api/runs", service.base), &body).await;
    let reference = word(&run, "question");
    let answer = json!({"confirmed": false, "comment": "the blue words 4471"});
    assert_eq!(http.post(&format!("{}/api/questions/{reference}", service.base), &answer).await.0, 200);
    service.terminate().await;
    let log = std::fs::read_to_string(log).unwrap();
    let line = log.lines().find(|line| line.contains("question resolved")).unwrap_or_else(|| panic!("{log}"));
    for part in [reference.as_str(), "declined", "api", "127.0.0.1", "user"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(!log.contains("4471"), "{log}");
}
