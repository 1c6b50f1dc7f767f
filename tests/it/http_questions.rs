//! Questions over HTTP, and the permissions and the log that answers leave.

use crate::support::service::{TestService, answer, word};
use reqwest::Method;
use serde_json::{Value, json};

async fn start_with_question(app: &TestService, script: &str) -> (String, String) {
    let body = json!({"agent": "script", "input": {"script": [script, "go"]}, "wait": true});
    let (status, run) = app.post("/api/runs", body).await;
    assert_eq!(status, 202, "{run}");
    (word(&run, "run_id"), word(&run, "question"))
}

async fn wait_for_outcome(app: &TestService, run: &str, outcome: &str) -> Value {
    app.until(run, outcome).await;
    app.get(&format!("/api/runs/{run}")).await.1
}

// C20, docs/protocol.md, "Questions": rows have the fields of the agent_question frame
#[actix_web::test]
async fn open_questions_are_listed_and_the_first_answer_counts() {
    let app = TestService::start();
    let (run, reference) = start_with_question(&app, "ask:confirm").await;
    let (other, _) = start_with_question(&app, "ask:question").await;
    let (_, list) = app.get("/api/questions").await;
    let rows = list["items"].as_array().unwrap();
    assert_eq!((rows.len(), &list["cursor"]), (2, &Value::Null));
    let row = &rows[0];
    for (name, value) in [
        ("type", "agent_question"),
        ("reference", &reference),
        ("kind", "confirm"),
        ("text", "May I?"),
        ("on_expire", "cancelled"),
        ("run_id", &run),
        ("root_run_id", &run),
    ] {
        assert_eq!(row[name], value, "{name}");
    }
    assert_eq!(row["payload"]["values"]["card"], "••••");
    let (_, log) = app.get(&format!("/api/runs/{run}/events?after_seq=0")).await;
    let logged = log["items"].as_array().unwrap().iter().find(|event| event["type"] == "agent_question");
    assert_eq!(Some(row), logged, "the row is the frame, with its place in the log");
    let (_, of_other) = app.get(&format!("/api/questions?run_id={other}")).await;
    assert_eq!(of_other["items"].as_array().unwrap().len(), 1);
    assert_eq!(app.get("/api/questions?run_id=nothing").await.0, 404);

    let path = format!("/api/questions/{reference}");
    let (status, answer) = app.post(&path, json!({"confirmed": true, "remember": "run"})).await;
    assert_eq!(status, 200);
    assert_eq!((&answer["run_id"], &answer["by"]), (&json!(run), &json!("user")));
    wait_for_outcome(&app, &run, "succeeded").await;
    let (status, problem) = app.post(&path, json!({"confirmed": false})).await;
    assert_eq!((status, &problem["code"]), (409, &json!("already_resolved")));
    let (_, trace) = app.get(&format!("/api/runs/{run}/trace")).await;
    let taken = trace["steps"].as_array().unwrap().iter().filter(|step| !step["changes"]["answer"].is_null());
    assert_eq!(taken.count(), 1, "taken once");
    app.finish().await;
}

#[actix_web::test]
async fn of_two_concurrent_answers_one_counts() {
    let app = TestService::start();
    let (run, reference) = start_with_question(&app, "ask:confirm").await;
    let path = format!("/api/questions/{reference}");
    let answers = (0..8).map(|_| app.post(&path, json!({"confirmed": true})));
    let mut statuses: Vec<u16> =
        futures_util::future::join_all(answers).await.into_iter().map(|(status, _)| status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409, 409, 409, 409, 409]);
    wait_for_outcome(&app, &run, "succeeded").await;
    app.finish().await;
}

// A list of the values in their order is no answer, and no order.
#[actix_web::test]
async fn a_body_that_is_a_list_is_refused() {
    let app = TestService::start();
    let (run, reference) = start_with_question(&app, "ask:confirm").await;
    for (path, body) in [
        (format!("/api/questions/{reference}"), json!([true])),
        (format!("/api/runs/{run}/messages"), json!(["go on"])),
        (String::from("/api/runs"), json!(["three", {}, false])),
        (String::from("/api/run/three"), json!([{}])),
        (String::from("/agents/three/executions"), json!([{}])),
        (format!("/api/runs/{run}/agent"), json!(["other", null, null, true, true])),
        (String::from("/v1/chat/completions"), json!(["three", [{"role": "user", "content": "x"}]])),
        (String::from("/v1/chat/completions"), json!({"model": "three", "messages": [["user", "x"]]})),
    ] {
        let answer = app.request(Method::POST, &path).json(&body).send().await.unwrap();
        let (status, problem) = (answer.status().as_u16(), answer.text().await.unwrap());
        assert_eq!(status, 400, "{path}: {problem}");
        assert!(problem.contains("expected an object"), "{path}: {problem}");
    }
    let put = app.request(Method::PUT, &format!("/api/runs/{run}/plan"));
    let (status, problem) = answer(put.json(&json!({"items": [[1, "x", "y", [], false]]}))).await;
    assert_eq!((status, &problem["code"]), (400, &json!("bad_json")));
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    assert_eq!(whole["question"], json!(reference), "it still asks");
    assert_eq!(app.post(&format!("/api/questions/{reference}"), json!({"confirmed": true})).await.0, 200);
    wait_for_outcome(&app, &run, "succeeded").await;
    app.finish().await;
}

// S1.25
#[actix_web::test]
async fn declining_ends_the_run_and_is_in_the_audit_log() {
    let app = TestService::start();
    let (run, reference) = start_with_question(&app, "ask:confirm").await;
    assert_eq!(app.post(&format!("/api/questions/{reference}"), json!({"confirmed": false})).await.0, 200);
    wait_for_outcome(&app, &run, "cancelled").await;
    let (status, audit) = app.get(&format!("/api/audit?run_id={run}")).await;
    assert_eq!(status, 200);
    let row = &audit["items"][0];
    assert_eq!(
        (&row["run_id"], &row["decision"], &row["rule"]),
        (&json!(run), &json!("declined"), &json!("submit"))
    );
    assert_eq!((&row["by"], &row["action"]), (&json!("user"), &json!("click")));
    assert_eq!(app.get("/api/audit?limit=5").await.1["items"].as_array().unwrap().len(), 1);
    app.finish().await;
}

#[actix_web::test]
async fn an_answer_must_fit_its_question() {
    let app = TestService::start();
    for (script, wrong, right) in [
        ("ask:confirm", json!({"text": "yes"}), json!({"confirmed": true})),
        ("ask:question", json!({"confirmed": true}), json!({"text": "the blue one"})),
        ("ask:manual", json!({}), json!({"done": true, "message": "logged in"})),
    ] {
        let (run, reference) = start_with_question(&app, script).await;
        let path = format!("/api/questions/{reference}");
        let (status, problem) = app.post(&path, wrong).await;
        assert_eq!((status, &problem["code"]), (422, &json!("bad_message")), "{script}");
        assert_eq!(app.post(&path, json!({"confirmed": "yes"})).await.0, 400, "{script}");
        let (status, resolved) = app.post(&path, right.clone()).await;
        assert_eq!((status, &resolved["answer"]), (200, &right), "{script}");
        let whole = wait_for_outcome(&app, &run, "succeeded").await;
        assert_eq!(whole["vars"]["answers"], json!([right]), "{script}");
    }
    let (status, problem) = app.post("/api/questions/nothing", json!({"confirmed": true})).await;
    assert_eq!((status, &problem["code"]), (404, &json!("unknown_reference")));
    app.finish().await;
}

// docs/protocol.md, "Questions": `remember` says what may be; anything else holds for this once, and that is what is told.
#[actix_web::test]
async fn an_answer_that_cannot_be_remembered_holds_once() {
    let app = TestService::start();
    let (run, reference) = start_with_question(&app, "ask:confirm").await;
    let answer = json!({"confirmed": true, "remember": "site"});
    let (status, resolved) = app.post(&format!("/api/questions/{reference}"), answer).await;
    assert_eq!((status, &resolved["answer"]), (200, &json!({"confirmed": true, "remember": "once"})));
    let whole = wait_for_outcome(&app, &run, "succeeded").await;
    assert_eq!(whole["vars"]["answers"], json!([resolved["answer"]]));
    app.finish().await;
}

// A message to a run that asks in words is the answer, and counts as one.
#[actix_web::test]
async fn a_message_answers_a_question_in_words() {
    let app = TestService::start();
    let (run, _) = start_with_question(&app, "ask:question").await;
    assert_eq!(app.post(&format!("/api/runs/{run}/messages"), json!({"text": "the blue one"})).await.0, 202);
    let whole = wait_for_outcome(&app, &run, "succeeded").await;
    assert_eq!(whole["vars"]["answers"], json!([{"text": "the blue one"}]));
    let numbers = app.request(Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
    let counted = "askfirst_questions_total{kind=\"question\",outcome=\"user\"} 1";
    assert!(numbers.contains(counted), "{numbers}");
    app.finish().await;
}

// docs/protocol.md, "Over HTTP": a late answer over HTTP is 409 already_resolved
#[actix_web::test]
async fn an_answer_after_the_time_is_too_late() {
    let app = TestService::start();
    let (run, reference) = start_with_question(&app, "brief").await;
    wait_for_outcome(&app, &run, "cancelled").await;
    let (status, problem) =
        app.post(&format!("/api/questions/{reference}"), json!({"confirmed": true})).await;
    assert_eq!(
        (status, &problem["code"], &problem["by"]),
        (409, &json!("already_resolved"), &json!("expired"))
    );
    app.finish().await;
}

#[actix_web::test]
async fn permissions_are_listed_and_taken_back() {
    use askfirst::clock::Moment;
    use askfirst::ids::{GrantId, RunId};
    use askfirst::store::rows::{GrantRow, PermissionChanges, RunCommit};
    let app = TestService::start();
    let run = app.begin(json!({"agent": "endless"})).await;
    let grant = |expires_at| GrantRow {
        id: GrantId::fresh(),
        scope: String::from("site"),
        run: None,
        origin: Some(String::from("http://shop.test")),
        rule: String::from("submit"),
        covers: None,
        created_at: Moment::now(),
        expires_at,
    };
    for row in [grant(Moment::now().plus_seconds(3_600)), grant(Moment::from_millis(0))] {
        let id = RunId::from(run.as_str());
        let permissions = PermissionChanges { grant: Some(row), ..PermissionChanges::default() };
        let commit = RunCommit { permissions, ..RunCommit::new(id.clone(), id) };
        app.store.commit(commit).await.unwrap();
    }
    let (_, list) = app.get("/api/grants").await;
    let rows = list["items"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "what has expired is no permission");
    assert_eq!((&rows[0]["scope"], &rows[0]["origin"]), (&json!("site"), &json!("http://shop.test")));
    let path = format!("/api/grants/{}", word(&rows[0], "id"));
    assert_eq!(app.delete(&path).await.0, 200);
    assert_eq!(app.get("/api/grants").await.1["items"], json!([]));
    let (status, problem) = app.delete(&path).await;
    assert_eq!((status, &problem["code"]), (404, &json!("unknown_grant")));
    app.finish().await;
}
