//! Questions, messages and limits of a conversation in the whole service, the rarer ways through its
//! graph, and that every arrow of the graph is crossed by a test somewhere.

use crate::support::model::{Reply, turn};
use crate::support::talk::Talk;
use crate::support::ws::Ws;
use askfirst::programs::conversation::graph::ConversationOutcome;
use serde_json::{Value, json};

fn letter() -> [Reply; 2] {
    [Reply::fill("Message", "hello"), Reply::click("button", "Send message")]
}

/// A reply that waits, and what lets it go.
macro_rules! stalled {
    ($talk:expr, $reply:expr) => {{
        let (reply, release) = $reply.stalled();
        $talk.script([reply]);
        release
    }};
}

// C22, S4.1: a turn that says that the work failed does not end as a success.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_turn_that_gives_up_ends_as_blocked() {
    let mut talk = Talk::start(&[]).await;
    let mut last = turn("stop", json!({"response": "There is no such lamp."}));
    (last["status"], last["stop"]) = (json!("ERROR"), json!(true));
    talk.in_the_room([Reply::Turn(last)]).await;
    let ended = talk.ends_as("blocked").await;
    assert_eq!(ended["final_response"], "There is no such lamp.");
    talk.assert_path(&["maybe_stop_or_continue:GaveUp", "finalize_blocked:Blocked"]).await;
    talk.finish().await;
}

// S1.9, C4: one pending question a run, whatever is said meanwhile; S1.33: and nowhere but in the run.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn one_question_waits_and_only_its_answer_ends_it() {
    let mut talk = Talk::start(&[]).await;
    talk.in_the_room(letter()).await;
    let question = talk.wait_for_question().await;
    talk.ws.until_that("waiting", |frame| frame["type"] == "status" && frame["status"] == "waiting").await;
    talk.say("and sign it with love").await;
    talk.say("are you there?").await;
    let waiting = talk.get("/api/questions").await;
    assert_eq!(waiting["items"].as_array().unwrap().len(), 1, "{waiting}");
    for field in ["reference", "kind", "reason", "text", "payload", "remember", "run_id"] {
        assert_eq!(waiting["items"][0][field], question[field], "S1.8, S1.31: {field}");
    }
    let run = talk.get(&format!("/api/runs/{}", talk.run)).await;
    assert_eq!((&run["status"], &run["question"]), (&json!("waiting"), &question["reference"]));
    assert_eq!(talk.model.requests().len(), 3, "nothing is planned while it waits");

    talk.script([Reply::stop("Sent.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.get("/api/questions").await["items"], json!([]));
    assert_eq!(talk.state().await["approval"], Value::Null);
    let last = talk.model.requests().pop().unwrap().last_text();
    assert!(last.contains("and sign it with love") && last.contains("are you there?"), "{last}");
    assert_eq!(talk.site.sent().len(), 1);
    talk.finish().await;
}

// S1.31, S1.26: the three ways to speak to a run, over HTTP; the socket only listens.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn message_confirm_and_done_reach_the_run_over_http() {
    let mut talk = Talk::start(&[]).await;
    let hands = Reply::act("need_user", json!({"text": "Please sign in"}));
    talk.script([hands, talk.room()]);
    talk.script(letter());
    let order = json!({"agent": "browser", "input": {"text": "write to them", "locale": "en"}});
    let (status, started) = talk.post("/api/runs", order).await;
    assert_eq!(status, 201, "{started}");
    talk.run = started["run_id"].as_str().unwrap().to_owned();
    talk.ws = Ws::hello(&talk.app.base, json!({"run_id": talk.run})).await.0;

    let answer_to = |question: &Value| format!("/api/questions/{}", question["reference"].as_str().unwrap());
    let question = talk.wait_for_question().await;
    assert_eq!(talk.post(&answer_to(&question), json!({"done": true})).await.0, 200);
    let question = talk.wait_for_question().await;
    talk.script([Reply::stop("Sent.")]);
    assert_eq!(talk.post(&answer_to(&question), json!({"confirmed": true})).await.0, 200);
    talk.ends_as("succeeded").await;
    talk.script([Reply::stop("You are welcome.")]);
    let (status, _) =
        talk.post(&format!("/api/runs/{}/messages", talk.run), json!({"text": "thank you"})).await;
    assert_eq!(status, 202);
    talk.ends_as("succeeded").await;
    assert_eq!(talk.events("user_message").last(), Some(&json!({"text": "thank you"})));
    assert_eq!(talk.site.sent(), ["message=hello"]);
    talk.finish().await;
}

// docs/protocol.md, `user_message`: read before the next plan.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_message_to_a_running_run_is_read_before_the_next_plan() {
    let mut talk = Talk::start(&[]).await;
    let release = stalled!(talk, talk.room());
    talk.script([Reply::stop("Quietly.")]);
    talk.say("open the room").await;
    talk.model.arrived(1).await;
    talk.say("but be quiet").await;
    drop(release);
    talk.ends_as("succeeded").await;
    let requests = talk.model.requests();
    assert!(!requests[0].last_text().contains("but be quiet"));
    assert!(requests[1].last_text().contains("but be quiet"), "{}", requests[1].last_text());
    let expected = [json!({"text": "open the room"}), json!({"text": "but be quiet"})];
    assert_eq!(talk.events("user_message"), expected);
    assert_eq!(talk.events("node").iter().filter(|node| node["node"] == "ingest_user_input").count(), 1);
    talk.finish().await;
}

// docs/turns.md, "Actions": the planner is told what was dropped.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn actions_after_a_navigation_in_a_turn_read_or_are_dropped_and_reported() {
    let mut talk = Talk::start(&[]).await;
    let mut three = turn("navigate", json!({"url": talk.site.url("/room")}));
    for (id, action) in [("a2", "extract"), ("a3", "reload")] {
        let mut call = three["actions"][0].clone();
        (call["action_id"], call["action"], call["params"]) = (json!(id), json!(action), json!({}));
        three["actions"].as_array_mut().unwrap().push(call);
    }
    talk.script([Reply::Turn(three), Reply::stop("There.")]);
    talk.say("open, read, reload").await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.events("action_started").len(), 2);
    let finished = talk.events("action_finished");
    assert_eq!((&finished[1]["action"], &finished[1]["dropped"]), (&json!("extract"), &json!(["a3"])));
    let prompt = talk.model.requests().pop().unwrap().last_text();
    for line in ["result a1 ok", "result a2 ok", "result a3 dropped: the page is another one now"] {
        assert!(prompt.contains(line), "{prompt}");
    }
    talk.finish().await;
}

// C20, S2.5, S2.11
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_answer_to_ask_user_is_stored_under_its_key() {
    let mut talk = Talk::start(&[]).await;
    let ask = |key: &str| {
        let params = json!({"question": "Which city?", "answer_key": key, "options": ["Lviv", "Kyiv"]});
        Reply::act("ask_user", params)
    };
    talk.script([ask("from"), ask("to"), Reply::stop("A fine way.")]);
    talk.say("find a train").await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["kind"], "question");
    assert_eq!(question["payload"]["options"], json!(["Lviv", "Kyiv"]));
    assert_eq!(
        (&question["payload"]["question"], &question["payload"]["answer_key"]),
        (&json!("Which city?"), &json!("from"))
    );
    talk.answer(&question, json!({"text": "Lviv"})).await;
    // Plain words answer what is asked, too.
    talk.wait_for_question().await;
    talk.say("Kharkiv").await;
    let ended = talk.ends_as("succeeded").await;
    // C13: what was answered stays in the run; only the declared output leaves it.
    assert_eq!(talk.state().await["answers"], json!({"from": "Lviv", "to": "Kharkiv"}));
    assert_eq!(ended["vars"], json!({"answer": "A fine way."}));
    talk.assert_path(&[
        "policy_gate:NeedsAnswer",
        "question:Answered",
        "maybe_observe:Seen",
        "plan_action:Planned",
    ])
    .await;
    let requests = talk.model.requests();
    assert!(requests[1].last_text().contains("Lviv") && requests[2].last_text().contains("Kharkiv"));
    talk.finish().await;
}

// C20: nobody answers.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_expired_question_cancels_and_a_late_answer_changes_nothing() {
    let mut talk = Talk::start(&[("ASKFIRST_GATE__CONFIRM_TIMEOUT_S", "1")]).await;
    talk.in_the_room(letter()).await;
    let question = talk.wait_for_question().await;
    assert!(question["expires_at"].is_string(), "{question}");
    let resolved = talk.ws.until("question_resolved").await;
    assert_eq!(resolved["by"], "expired");
    talk.ends_as("cancelled").await;
    talk.assert_path(&["confirm:Declined", "finalize_cancelled:Cancelled"]).await;
    talk.send_answer(&question, json!({"confirmed": true})).await;
    assert_eq!(talk.ws.until("error").await["code"], "expired");
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

// C5
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_run_that_only_plans_ends_at_its_iterations() {
    let mut talk = Talk::start(&[("ASKFIRST_LIMITS__ITERATIONS", "2")]).await;
    talk.script([Reply::act("extract", json!({})), Reply::act("extract", json!({}))]);
    talk.say("read for ever").await;
    talk.ends_as("exhausted").await;
    talk.assert_path(&["maybe_observe:Fresh", "plan_action:OutOfIterations", "finalize_limit:Limit"]).await;
    assert_eq!(talk.model.requests().len(), 2);
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_element_that_disappears_before_the_gate_is_planned_again() {
    let mut talk = Talk::start(&[]).await;
    let [write, send] = letter();
    talk.script([talk.room(), write]);
    let release = stalled!(talk, send);
    talk.script([Reply::stop("There is nothing to send it with.")]);
    talk.say("write them a letter").await;
    talk.model.arrived(3).await;
    talk.page("/room").await.run("document.querySelector('form').remove()").await;
    drop(release);
    talk.ends_as("succeeded").await;
    talk.assert_path(&[
        "validate_action:Valid",
        "policy_gate:Gone",
        "maybe_observe:Seen",
        "plan_action:Planned",
    ])
    .await;
    let last = talk.model.requests().pop().unwrap();
    assert!(last.last_text().contains("result a1 failed"), "{}", last.last_text());
    assert!(!last.page().contains("Send message"));
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

// S1.20: the planner is told that there is nothing to see, and no old picture stands in for it.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_that_cannot_be_observed_is_not_planned_from_memory() {
    let mut talk = Talk::start(&[("ASKFIRST_BROWSER__LOAD_TIMEOUT_S", "4")]).await;
    let waiting = Reply::act("navigate", json!({"url": talk.site.url("/waiting")}));
    talk.script([waiting, Reply::click("button", "Show more"), Reply::stop("No more.")]);
    talk.say("show me more").await;
    talk.ends_as("succeeded").await;
    talk.assert_path(&["maybe_stop_or_continue:Continue", "maybe_observe:Unseen", "plan_action:Planned"])
        .await;
    let last = talk.model.requests().pop().unwrap();
    assert_eq!(last.page(), "");
    assert!(last.last_text().contains("could not be observed"), "{}", last.last_text());
    talk.finish().await;
}

// S1.30: what is crossed stands as `node:Outcome` in a test's expectation of the trace.
#[test]
fn every_arrow_of_the_graph_is_crossed_by_a_test() {
    let tests = [
        include_str!("conversation_nodes.rs"),
        include_str!("conversation_talk.rs"),
        include_str!("conversation_approval.rs"),
        include_str!("conversation_turns.rs"),
        include_str!("held_requests.rs"),
        include_str!("plans.rs"),
        include_str!("premoves.rs"),
        include_str!("tasks_waits.rs"),
    ];
    // Outcomes that wake nobody: they only say where the run stays should that change.
    const UNWOKEN: [&str; 2] = ["\"await_calls:AtWork\"", "\"resting:Quiet\""];
    for outcome in ConversationOutcome::all() {
        let arrow = format!("\"{}:{}\"", outcome.node().word(), outcome.word());
        let crossed = UNWOKEN.contains(&arrow.as_str()) || tests.iter().any(|text| text.contains(&arrow));
        assert!(crossed, "no test crosses {arrow}");
    }
}

// A hand-back that the run did not ask for reports the page's changes to the planner; the report is no order and no
// message of the person.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_change_report_of_a_hand_back_is_no_message_of_the_person() {
    let mut talk = Talk::start(&[]).await;
    talk.script([talk.room()]);
    let release = stalled!(talk, Reply::stop("Too early."));
    talk.say("write them a letter").await;
    talk.model.arrived(2).await;
    talk.ws.send(json!({"type": "control", "run_id": talk.run, "command": "take_over"})).await;
    assert!(talk.ws.until("lease").await["data"]["holder"].is_string());
    talk.page("/room").await.run("document.title = 'Changed by hand'").await;
    talk.script([Reply::stop("I see that it has changed.")]);
    talk.ws.send(json!({"type": "control", "run_id": talk.run, "command": "hand_back"})).await;
    talk.ends_as("succeeded").await;
    drop(release);
    let last = talk.model.requests().pop().unwrap();
    assert!(last.last_text().contains("its title is now \"Changed by hand\""), "{}", last.last_text());
    let messages = talk.events("user_message");
    assert_eq!(messages, [json!({"text": "write them a letter"})], "nobody said it");
    talk.finish().await;
}
