//! Taking a page over and handing it back, through sockets: one holder at a time, whoever comes, goes
//! or fails in the meantime. What each state does with each event is a table beside `lease::next`.

use crate::support::service::TestService;
use crate::support::ws::Ws;
use askfirst::engine::registry::CountAtWork;
use askfirst::engine::registry::takeovers::{SocketLost, TakeOver};
use askfirst::ids::{RunId, SessionId};
use serde_json::{Value, json};

async fn order(ws: &mut Ws, run: &str, command: &str) {
    ws.send(json!({"type": "control", "run_id": run, "command": command})).await;
}

/// Until everybody is told who holds the page.
async fn holder(ws: &mut Ws) -> Value {
    ws.until("lease").await["data"]["holder"].clone()
}

async fn wait_for_status(ws: &mut Ws, status: &str) {
    ws.until_that(status, |frame| frame["type"] == "status" && frame["status"] == status).await;
}

/// A run in the middle of a step that may be cut, and a socket that follows it.
async fn start_holding_run(app: &TestService) -> (String, Ws, String) {
    let run = app.begin(json!({"agent": "script", "input": {"script": ["hold", "go"]}})).await;
    app.until(&run, "running").await;
    let (ws, welcome) = app.socket(&run).await;
    (run, ws, welcome["session_id"].as_str().unwrap().to_owned())
}

// docs/protocol.md, "Take-over"
#[actix_web::test]
async fn the_holder_of_a_take_over_is_reported_and_the_run_goes_on_afterwards() {
    let app = TestService::start();
    let (run, mut ws, session) = start_holding_run(&app).await;
    order(&mut ws, &run, "take_over").await;
    wait_for_status(&mut ws, "paused").await;
    assert_eq!(holder(&mut ws).await, json!(session));
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    assert_eq!((&whole["lease"]["holder"], &whole["status"]), (&json!(session), &json!("paused")));
    let (mut other, welcome) = app.socket(&run).await;
    assert_eq!(welcome["run"]["lease"]["holder"], json!(session));
    // Only the holder's input reaches the page, and the run stays paused.
    other.send(json!({"type": "input", "run_id": run, "kind": "text", "text": "x"})).await;
    assert_eq!(other.until("error").await["code"], "no_lease");
    let (status, problem) = app.post(&format!("/api/runs/{run}/resume"), Value::Null).await;
    assert_eq!((status, &problem["code"]), (409, &json!("lease_held")));
    ws.send(json!({"type": "input", "run_id": run, "kind": "text", "text": "x"})).await;
    app.pages.until("input", 1).await;
    order(&mut ws, &run, "hand_back").await;
    assert_eq!(holder(&mut ws).await, Value::Null);
    wait_for_status(&mut ws, "running").await;
    app.programs.release();
    let ended = ws.until_that("the end", |frame| frame["type"] == "run_ended").await;
    assert_eq!(ended["outcome"], "succeeded");
    // The change report reaches the run as a message, since the run had asked nothing.
    let report = ended["vars"]["heard"][0].as_str().unwrap();
    assert!(report.contains("its title is now \"Welcome\""), "{report}");
    order(&mut ws, &run, "hand_back").await;
    assert_eq!(ws.until("error").await["code"], "no_lease");
    app.finish().await;
}

#[actix_web::test]
async fn the_second_taker_is_refused_also_while_the_first_is_still_taking() {
    let app = TestService::start();
    let (run, mut one, session) = start_holding_run(&app).await;
    let (mut two, _) = app.socket(&run).await;
    app.pages.hold_up();
    order(&mut one, &run, "take_over").await;
    app.pages.until("taking", 1).await;
    order(&mut two, &run, "take_over").await;
    assert_eq!(two.until("error").await["code"], "lease_held");
    order(&mut one, &run, "take_over").await;
    assert_eq!(one.until("error").await["code"], "lease_held");
    app.pages.release();
    assert_eq!(holder(&mut two).await, json!(session));
    order(&mut two, &run, "take_over").await;
    assert_eq!(two.until("error").await["code"], "lease_held");
    assert_eq!(app.pages.done(), ["taking", "taken"]);
    app.finish().await;
}

// Said to the registry itself: whether a socket is lost before or after is a race.
#[actix_web::test]
async fn a_socket_lost_during_a_take_over_request_changes_nothing() {
    let app = TestService::start();
    let (run, mut two, session) = start_holding_run(&app).await;
    let (gone, root) = (SessionId::fresh(), RunId::from(run.as_str()));
    // Lost before anything is known of the run, too.
    for known in [true, false] {
        app.pages.hold_up();
        let taken = app.registry.send(TakeOver { run: root.clone(), by: gone.clone() });
        if known {
            let taking = app.pages.done().iter().filter(|done| **done == "taking").count();
            let lost = async {
                app.pages.until("taking", taking + 1).await;
                app.registry.send(SocketLost { by: gone.clone() }).await.unwrap();
                app.pages.release();
            };
            assert_eq!(futures_util::future::join(taken, lost).await.0.unwrap().unwrap_err().code(), "busy");
            app.pages.until("back", 1).await;
            wait_for_status(&mut two, "running").await;
        } else {
            let lost = app.registry.send(SocketLost { by: gone.clone() });
            assert_eq!(futures_util::future::join(taken, lost).await.0.unwrap().unwrap_err().code(), "busy");
            app.pages.release();
        }
    }
    order(&mut two, &run, "take_over").await;
    assert_eq!(holder(&mut two).await, json!(session));
    app.finish().await;
}

#[actix_web::test]
async fn a_holder_whose_socket_is_lost_parks_the_run_for_the_next() {
    let app = TestService::start();
    let (run, mut one, _) = start_holding_run(&app).await;
    let (mut two, welcome) = app.socket(&run).await;
    order(&mut one, &run, "take_over").await;
    assert!(holder(&mut two).await.is_string());
    one.close().await;
    assert_eq!(holder(&mut two).await, Value::Null);
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    assert_eq!((&whole["lease"]["holder"], &whole["status"]), (&Value::Null, &json!("paused")));
    // The next take-over and hand-back resume the run.
    order(&mut two, &run, "take_over").await;
    assert_eq!(holder(&mut two).await, welcome["session_id"]);
    order(&mut two, &run, "hand_back").await;
    wait_for_status(&mut two, "running").await;
    // A parked run may also be told to go on.
    order(&mut two, &run, "take_over").await;
    wait_for_status(&mut two, "paused").await;
    assert!(holder(&mut two).await.is_string());
    two.close().await;
    let (mut three, _) = app.socket(&run).await;
    for _ in 0..6 {
        three.until("lease").await;
    }
    order(&mut three, &run, "resume").await;
    wait_for_status(&mut three, "running").await;
    app.finish().await;
}

#[actix_web::test]
async fn a_failed_take_over_leaves_the_run_going_on() {
    let app = TestService::start();
    let (run, mut ws, _) = start_holding_run(&app).await;
    app.pages.refuse();
    order(&mut ws, &run, "take_over").await;
    let refusal = ws.until("error").await;
    assert_eq!(
        (&refusal["code"], &refusal["message"]),
        (&json!("busy"), &json!("the run has no page open yet"))
    );
    wait_for_status(&mut ws, "running").await;
    app.programs.release();
    ws.until_that("the end", |frame| frame["type"] == "run_ended").await;
    order(&mut ws, &run, "take_over").await;
    assert_eq!(ws.until("error").await["code"], "busy", "it has ended");
    order(&mut ws, "nobody", "take_over").await;
    assert_eq!(ws.until("error").await["code"], "unknown_run");
    app.finish().await;
}

// S1.26, docs/protocol.md, "Take-over": handing back answers the manual question with what changed on the page.
#[actix_web::test]
async fn handing_back_resolves_the_manual_question_with_a_report() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "script", "input": {"script": ["ask:manual"]}})).await;
    app.until(&run, "waiting").await;
    let (mut ws, welcome) = app.socket(&run).await;
    let question = ws.until("agent_question").await;
    order(&mut ws, &run, "take_over").await;
    assert_eq!(holder(&mut ws).await, welcome["session_id"]);
    order(&mut ws, &run, "hand_back").await;
    assert_eq!(holder(&mut ws).await, Value::Null);
    let resolved = ws.until("question_resolved").await;
    assert_eq!((&resolved["reference"], &resolved["answer"]["done"]), (&question["reference"], &json!(true)));
    assert!(
        resolved["answer"]["message"].as_str().unwrap().contains("its title is now \"Welcome\""),
        "{resolved}"
    );
    assert_eq!(ws.until_that("the end", |frame| frame["type"] == "run_ended").await["outcome"], "succeeded");
    app.finish().await;
}

// An action under way gives way within moments, and counts as one whose outcome is unknown (C11).
#[actix_web::test]
async fn an_effect_under_way_gives_way_and_is_not_repeated() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "script", "input": {"script": ["effect", "go"]}})).await;
    app.until(&run, "running").await;
    let (mut ws, _) = app.socket(&run).await;
    ws.until_that("the effect", |frame| frame["text"] == "now").await;
    order(&mut ws, &run, "take_over").await;
    assert!(holder(&mut ws).await.is_string());
    order(&mut ws, &run, "hand_back").await;
    assert_eq!(ws.until_that("the end", |frame| frame["type"] == "run_ended").await["outcome"], "succeeded");
    let effects = ws.events.iter().filter(|event| event["text"] == "now").count();
    assert_eq!(effects, 1);
    app.finish().await;
}

// A run that ends takes the page back.
#[actix_web::test]
async fn stopping_a_run_ends_its_take_over() {
    let app = TestService::start();
    let (run, mut ws, _) = start_holding_run(&app).await;
    order(&mut ws, &run, "take_over").await;
    assert!(holder(&mut ws).await.is_string());
    order(&mut ws, &run, "stop").await;
    ws.until_that("the end", |frame| frame["type"] == "run_ended").await;
    assert_eq!(holder(&mut ws).await, Value::Null);
    assert_eq!(app.pages.done(), ["taking", "taken", "back"]);
    app.finish().await;
}

// docs/protocol.md, `control`: an answer under a person's hands is told at once, and the run takes it when
// the page is its own again.
#[actix_web::test]
async fn an_answer_during_a_take_over_waits_for_the_page() {
    let app = TestService::start();
    for (kind, answer, back) in [
        ("ask:confirm", json!({"confirmed": true}), "hand_back"),
        ("ask:question", json!({"text": "this"}), "hand_back"),
        ("ask:manual", json!({"done": true}), "hand_back"),
        ("ask:confirm", json!({"confirmed": true}), "lost"),
        ("ask:confirm", json!({"confirmed": true}), "stop"),
    ] {
        let run = app.begin(json!({"agent": "script", "input": {"script": [kind, "say:taken"]}})).await;
        app.until(&run, "waiting").await;
        let (mut ws, _) = app.socket(&run).await;
        let (mut hands, _) = app.socket(&run).await;
        let reference = ws.until("agent_question").await["reference"].as_str().unwrap().to_owned();
        order(&mut hands, &run, "take_over").await;
        assert!(holder(&mut ws).await.is_string());
        let (status, _) = app.post(&format!("/api/questions/{reference}"), answer).await;
        assert_eq!(status, 200);
        ws.until("question_resolved").await;
        // A message does not resume the run either.
        assert_eq!(app.post(&format!("/api/runs/{run}/messages"), json!({"text": "well"})).await.0, 202);
        let start_holding_run = app.registry.send(CountAtWork).await.unwrap();
        let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
        assert_eq!((start_holding_run, &whole["status"]), (0, &json!("waiting")), "{kind}");
        if back == "lost" {
            hands.close().await;
        } else {
            order(&mut hands, &run, back).await;
        }
        if back == "stop" {
            let ended = ws.until_that("the end", |frame| frame["type"] == "run_ended").await;
            assert_eq!(ended["outcome"], "cancelled", "{kind}");
            assert_eq!(holder(&mut ws).await, Value::Null);
            continue;
        }
        assert_eq!(holder(&mut ws).await, Value::Null, "before it goes on: {kind}");
        let ended = ws.until_that("the end", |frame| frame["type"] == "run_ended").await;
        assert_eq!(ended["outcome"], "succeeded", "{kind}");
        let resolved = ws.events.iter().filter(|event| event["type"] == "question_resolved").count();
        assert_eq!(resolved, 1, "{kind}");
    }
    app.finish().await;
}

#[actix_web::test]
async fn handing_back_another_run_keeps_the_lease() {
    let app = TestService::start();
    let (run, mut ws, session) = start_holding_run(&app).await;
    order(&mut ws, &run, "take_over").await;
    assert_eq!(holder(&mut ws).await, json!(session));
    order(&mut ws, "nobody", "hand_back").await;
    assert_eq!(ws.until("error").await["code"], "no_lease");
    ws.send(json!({"type": "input", "run_id": run, "kind": "text", "text": "x"})).await;
    app.pages.until("input", 1).await;
    order(&mut ws, &run, "hand_back").await;
    assert_eq!(holder(&mut ws).await, Value::Null);
    app.finish().await;
}
