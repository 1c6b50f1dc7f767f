//! Each node of the conversation graph (S1.19 to S1.29) in the whole service: a scripted model plans,
//! a real Chromium shows the page, a socket tells what happened, the trace tells which way it went.

use crate::support::model::{Reply, turn};
use crate::support::model_checks::Rules;
use crate::support::talk::Talk;
use serde_json::{Value, json};

/// A letter is written and about to be sent, which asks.
fn letter() -> [Reply; 2] {
    [Reply::fill("Message", "hello"), Reply::click("button", "Send message")]
}

fn file() -> Reply {
    Reply::act("navigate", json!({"url": "file:///etc/passwd"}))
}

/// Action on an element that does not exist.
fn nonsense() -> Reply {
    Reply::act("click", json!({"eid": 9999}))
}

fn scroll() -> Reply {
    Reply::act("scroll", json!({"direction": "down"}))
}

fn texts<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().filter_map(|item| item[field].as_str()).collect()
}

// S1.1, S1.7, S1.18, S1.19, S1.30; docs/protocol.md, `user_message`: a follow-up opens the ended run again and its
// seq goes on (the socket's client checks that).
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_message_is_read_and_reopens_an_ended_run() {
    let mut talk = Talk::start(&[]).await;
    talk.script([talk.room(), Reply::stop("The door is open.")]);
    talk.say("open the room").await;
    talk.ends_as("succeeded").await;
    let path = talk.path().await;
    let way = [
        "ingest_user_input:Heard",
        "maybe_observe:Seen",
        "plan_action:Planned",
        "validate_action:Valid",
        "policy_gate:Allowed",
        "execute_action:Executed",
        "maybe_stop_or_continue:Continue",
        "maybe_observe:Seen",
        "plan_action:Planned",
        "validate_action:Valid",
        "policy_gate:Allowed",
        "execute_action:Executed",
        "maybe_stop_or_continue:Stop",
        "finalize_done:Done",
    ];
    assert_eq!(path, way);

    talk.script([Reply::stop("It is quiet.")]);
    talk.say("what is it like?").await;
    talk.ends_as("succeeded").await;
    talk.assert_path(&["ingest_user_input:Heard", "maybe_observe:Seen", "plan_action:Planned"]).await;
    let state = talk.state().await;
    assert_eq!(state["last_user_message"], "what is it like?");
    let person_messages: Vec<&Value> =
        state["messages"].as_array().unwrap().iter().filter(|m| m["by"] == "person").collect();
    assert_eq!(
        person_messages.iter().map(|m| &m["text"]).collect::<Vec<_>>(),
        ["open the room", "what is it like?"]
    );
    assert_eq!(state["tool_steps"], 0, "the counters begin again");
    // The page of before was opened again, and the planner knows the whole conversation.
    let last = talk.model.requests().pop().unwrap();
    assert!(last.page().contains("heading \"Quiet room\""), "{}", last.page());
    assert!(last.last_text().contains("what is it like?"));
    assert!(json!(last.messages()).to_string().contains("open the room"));
    talk.finish().await;
}

// S1.18, S1.20
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_page_is_observed_only_when_due() {
    let mut talk = Talk::start(&[]).await;
    talk.in_the_room([Reply::act("extract", json!({})), Reply::stop("Read.")]).await;
    talk.ends_as("succeeded").await;
    // Opening a page makes a look due, reading it does not.
    talk.assert_path(&["execute_action:Executed", "maybe_stop_or_continue:Continue", "maybe_observe:Seen"])
        .await;
    talk.assert_path(&["execute_action:Executed", "maybe_stop_or_continue:Continue", "maybe_observe:Fresh"])
        .await;
    let observations = json!(talk.events("observation"));
    assert_eq!(texts(&observations, "url"), ["about:blank", talk.site.url("/room").as_str()]);
    let state = talk.state().await;
    assert_eq!(state["last_observation"]["title"], "Quiet room");
    assert_eq!(state["needs_observe"], false);
    let requests = talk.model.requests();
    assert!(requests[2].page().contains("heading \"Quiet room\""), "a look that holds is shown again");
    assert!(requests[2].last_text().contains("The end of the room"), "what was read is told");
    talk.finish().await;
}

// S1.12, S1.38: nothing else leaves a picture either.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn every_observation_has_a_picture_of_the_same_moment() {
    let mut talk = Talk::start(&[]).await;
    let next = Reply::click("link", "Next door");
    talk.in_the_room([next, Reply::act("extract", json!({})), Reply::stop("Blue.")]).await;
    talk.ends_as("succeeded").await;
    let observations = json!(talk.events("observation"));
    assert_eq!(texts(&observations, "title"), ["", "Quiet room", "Blue room"]);
    let pictures = texts(&observations, "picture");
    let path = |n: u32| format!("/api/runs/{}/pictures/{n}", talk.run);
    assert_eq!(pictures, [path(1), path(2), path(3)]);
    let mut colors = Vec::new();
    for picture in pictures {
        let jpeg = talk.picture(picture).await.unwrap();
        let pixels = image::load_from_memory(&jpeg).unwrap().to_rgb8();
        let pixel = pixels.get_pixel(pixels.width() - 20, pixels.height() - 20);
        colors.push(
            ["red", "green", "blue"]
                .into_iter()
                .zip(pixel.0)
                .filter(|(_, c)| *c > 128)
                .map(|(name, _)| name)
                .collect::<String>(),
        );
    }
    assert_eq!(colors, ["redgreenblue", "red", "blue"]);
    assert!(talk.picture(&path(4)).await.is_none(), "a picture without a look");
    assert_eq!(talk.state().await["last_screenshot"], path(3));
    talk.finish().await;
}

// S1.18, S1.21
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_planner_gets_the_whole_state_and_its_action_is_stored() {
    let mut talk = Talk::start(&[]).await;
    talk.in_the_room(letter()).await;
    let question = talk.wait_for_question().await;
    let state = talk.state().await;
    let planned = &state["planned_action"];
    assert_eq!(
        (&planned["action_id"], &planned["turn"]["actions"][0]["action"]),
        (&json!("a1"), &json!("click"))
    );
    assert_eq!(planned["action"]["action"], "click");
    let last = talk.model.requests().pop().unwrap();
    assert!(last.last_text().contains("result a1 ok"), "{}", last.last_text());
    assert!(last.page().contains("value=\"hello\""), "{}", last.page());
    assert!(json!(last.messages()).to_string().contains("write them a letter"));
    let thoughts = json!(talk.events("thought"));
    assert_eq!(texts(&thoughts, "content"), ["navigate is next", "type is next", "click is next"]);
    assert_eq!(talk.events("usage").len(), 3);
    talk.answer(&question, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    talk.finish().await;
}

// S1.22, C23: a valid action sets the counter back; an invalid one never reaches the gate.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn only_actions_possible_on_the_page_are_valid() {
    let mut talk = Talk::start(&[]).await;
    let steps = [
        nonsense(),
        Reply::click("button", "Locked"),
        Reply::fill("Your name", "Olena"),
        Reply::on("type", "link", "Next door", json!({"text": "x"})),
        Reply::fill("Ticket", "43"),
        Reply::stop("Named."),
    ];
    talk.in_the_room(steps).await;
    talk.ends_as("succeeded").await;
    talk.assert_path(&["validate_action:Invalid", "plan_action:Planned", "validate_action:Invalid"]).await;
    let refused: Vec<Value> =
        talk.events("action_finished").into_iter().filter(|done| done["ok"] == false).collect();
    let reasons = ["no element [9999]", "button \"Locked\" is disabled", "takes no text", "is read-only"];
    assert_eq!(refused.len(), reasons.len());
    for (done, reason) in refused.iter().zip(reasons) {
        assert_eq!(done["error"]["code"], "invalid_action");
        assert!(done["error"]["message"].as_str().unwrap().contains(reason), "{done}");
    }
    // After each: navigate, two invalid, a valid one, two invalid, the stop.
    let counted: Vec<u64> =
        talk.events("state_updated").iter().map(|state| state["invalid_actions"].as_u64().unwrap()).collect();
    assert_eq!(counted, [0, 1, 2, 0, 1, 2, 0]);
    let assessed: Vec<Value> =
        talk.events("policy").into_iter().map(|policy| policy["effect"].clone()).collect();
    assert_eq!(assessed, ["navigate", "input"]);
    talk.finish().await;
}

// S1.23
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn three_invalid_actions_in_a_row_end_as_blocked() {
    let mut talk = Talk::start(&[]).await;
    // A reply that is no turn even after the corrective retry counts as an invalid action.
    let unreadable = [Reply::Text(String::from("I would rather not")), Reply::Text(String::from("no"))];
    talk.in_the_room([nonsense()]).await;
    talk.script(unreadable);
    talk.script([Reply::act("fly", json!({}))]);
    let ended = talk.ends_as("blocked").await;
    assert!(ended["final_response"].as_str().unwrap().contains("fly"), "{ended}");
    talk.assert_path(&[
        "validate_action:Invalid",
        "plan_action:Unreadable",
        "validate_action:Invalid",
        "plan_action:Planned",
        "validate_action:TooManyInvalid",
        "finalize_blocked:Blocked",
    ])
    .await;
    let state = talk.state().await;
    assert_eq!(state["invalid_actions"], 3);
    assert_eq!(state["failures"].as_array().unwrap().len(), 3, "{state}");
    assert_eq!(state["steps"].as_array().unwrap().len(), 4, "{state}");
    assert_eq!(talk.events("policy").len(), 1, "only the room was assessed");
    assert_eq!(talk.events("action_started").len(), 1);
    talk.finish().await;
}

// S1.24, C24: declined with words, the run goes on with them.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_gate_allows_asks_and_denies() {
    let mut talk = Talk::start(&[]).await;
    talk.in_the_room(letter()).await;
    let question = talk.wait_for_question().await;
    talk.script([file()]);
    talk.answer(&question, json!({"confirmed": false, "comment": "read the password file instead"})).await;
    let ended = talk.ends_as("denied").await;
    assert!(
        ended["final_response"].as_str().unwrap().contains("may not open files of this computer"),
        "{ended}"
    );
    talk.assert_path(&["policy_gate:Allowed", "execute_action:Executed"]).await;
    talk.assert_path(&[
        "policy_gate:NeedsConfirmation",
        "confirm:Redirected",
        "maybe_observe:Seen",
        "plan_action:Planned",
    ])
    .await;
    talk.assert_path(&["policy_gate:Denied", "finalize_denied:Denied"]).await;
    let decisions = json!(talk.events("policy"));
    assert_eq!(texts(&decisions, "decision"), ["allow", "allow", "requires_confirmation", "deny"]);
    assert_eq!(texts(&decisions, "rule"), ["navigate", "input", "message", "deny-scheme"]);
    let last = talk.model.requests().pop().unwrap().last_text();
    assert!(last.contains("read the password file instead"), "{last}");
    assert!(last.contains("result a1 dropped: the person declined it"), "{last}");
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

// S1.25, S1.34, docs/protocol.md, `answer`, C20: an answer of another kind changes nothing.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_approved_action_is_done_once() {
    let mut talk = Talk::start(&[]).await;
    talk.in_the_room(letter()).await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["kind"], "confirm");
    assert_eq!(question["on_expire"], "cancelled");
    assert_ne!(question["reason"].as_str().unwrap_or_default(), "");
    let payload = &question["payload"];
    assert_eq!(
        (&payload["action"]["action"], &payload["action"]["action_id"]),
        (&json!("click"), &json!("a1"))
    );
    assert_eq!((&payload["rule"], &payload["risk"]), (&json!("message"), &json!("medium")));
    assert_eq!(payload["page"]["url"], talk.site.url("/room"));
    assert_eq!(payload["page"]["title"], "Quiet room");
    assert_eq!(
        (&payload["target"]["role"], &payload["target"]["name"]),
        (&json!("button"), &json!("Send message"))
    );
    assert_eq!(payload["target"]["eid"], payload["action"]["eid"]);
    // Bounds in the viewport, for an outline while the question is open.
    let bounds: Vec<f64> = serde_json::from_value(payload["target"]["box"].clone()).unwrap();
    assert!(bounds.len() == 4 && bounds.iter().all(|part| (0.0..=1.0).contains(part)), "{bounds:?}");
    assert_eq!(payload["values"], json!({"Message": "hello"}));
    assert_eq!(payload["effect"], question["text"]);
    let crop = talk.picture(payload["screenshot"].as_str().unwrap()).await.unwrap();
    image::load_from_memory(&crop).unwrap();

    talk.send_answer(&question, json!({"text": "yes"})).await;
    assert_eq!(talk.ws.until("error").await["code"], "bad_message");
    assert_eq!(talk.get(&format!("/api/runs/{}", talk.run)).await["status"], "waiting");
    assert_eq!(talk.site.sent(), Vec::<String>::new());

    talk.script([Reply::stop("Sent.")]);
    let resolved = talk.answer(&question, json!({"confirmed": true})).await;
    assert_eq!((&resolved["by"], &resolved["answer"]["confirmed"]), (&json!("user"), &json!(true)));
    talk.ends_as("succeeded").await;
    talk.assert_path(&["policy_gate:NeedsConfirmation", "confirm:Approved", "execute_action:Executed"]).await;
    assert_eq!(talk.site.sent(), ["message=hello"]);
    talk.finish().await;
}

// S1.25
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_declined_action_is_not_done_and_the_run_is_cancelled() {
    let mut talk = Talk::start(&[]).await;
    talk.in_the_room(letter()).await;
    let question = talk.wait_for_question().await;
    // Words of nothing are no words.
    talk.answer(&question, json!({"confirmed": false, "comment": "  "})).await;
    talk.ends_as("cancelled").await;
    talk.assert_path(&["policy_gate:NeedsConfirmation", "confirm:Declined", "finalize_cancelled:Cancelled"])
        .await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

// S1.26
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_page_is_handed_back_with_text_or_with_done() {
    let mut talk = Talk::start(&[]).await;
    let hands = |text: &str| Reply::act("need_user", json!({"text": text}));
    talk.in_the_room([hands("Please sign in"), hands("And once more"), Reply::stop("In.")]).await;
    let question = talk.wait_for_question().await;
    assert_eq!(
        (&question["kind"], &question["payload"]["text"]),
        (&json!("manual"), &json!("Please sign in"))
    );
    talk.page("/room").await.run("document.title = 'Signed in'").await;
    talk.answer(&question, json!({"text": "I am in now"})).await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["text"], "And once more");
    talk.page("/room").await.run("document.title = 'Signed in twice'").await;
    talk.answer(&question, json!({"done": true, "message": "that was all"})).await;
    talk.ends_as("succeeded").await;
    // The person's changes to the page are observed before anything is planned.
    talk.assert_path(&[
        "policy_gate:NeedsHands",
        "manual:HandedBack",
        "maybe_observe:Seen",
        "plan_action:Planned",
    ])
    .await;
    let observations = json!(talk.events("observation"));
    assert_eq!(texts(&observations, "title"), ["", "Quiet room", "Signed in", "Signed in twice"]);
    let requests = talk.model.requests();
    assert!(requests[2].last_text().contains("I am in now"), "{}", requests[2].last_text());
    assert!(requests[3].last_text().contains("that was all"), "{}", requests[3].last_text());
    assert_eq!(talk.state().await["tool_steps"], 1, "hands are no steps of the agent");
    talk.finish().await;
}

// S1.27
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn each_action_counts_and_makes_an_observation_due() {
    let mut talk = Talk::start(&[]).await;
    let steps = [
        scroll(),
        Reply::fill("Your name", "Olena"),
        Reply::act("wait", json!({"seconds": 0.1, "text": "Never on this page"})),
        Reply::click("link", "Next door"),
        Reply::stop("Blue."),
    ];
    talk.in_the_room(steps).await;
    talk.ends_as("succeeded").await;
    let counted: Vec<u64> =
        talk.events("state_updated").iter().map(|state| state["steps"].as_u64().unwrap()).collect();
    assert_eq!(counted, [1, 2, 3, 4, 5, 5]);
    talk.assert_path(&["execute_action:Failed", "maybe_stop_or_continue:Continue", "maybe_observe:Seen"])
        .await;
    let path = talk.path().await;
    assert!(!path.contains(&String::from("maybe_observe:Fresh")), "{path:?}");
    assert_eq!(talk.events("observation").len(), 6);
    let state = talk.state().await;
    assert_eq!(state["steps"].as_array().unwrap().len(), 6);
    assert_eq!(state["failures"].as_array().unwrap().len(), 1);
    assert!(state["failures"][0].as_str().unwrap().contains("Never on this page"), "{state}");
    assert!(talk.model.requests()[4].last_text().contains("result a1 failed: \"Never on this page\""));
    // Every action that began was finished, with the element that it was about.
    let (started, finished) = (talk.events("action_started"), talk.events("action_finished"));
    assert_eq!(started.len(), finished.len());
    assert_eq!(started[4]["target"]["name"], "Next door");
    talk.finish().await;
}

// S1.10, S1.28, S1.36
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_run_continues_until_it_stops_or_uses_up_its_steps() {
    let mut talk = Talk::start(&[("ASKFIRST_LIMITS__TOOL_STEPS", "3")]).await;
    let back = || Reply::act("scroll", json!({"direction": "up"}));
    talk.in_the_room([scroll(), back()]).await;
    let question = talk.wait_for_question().await;
    let payload = &question["payload"];
    assert_eq!((&question["kind"], &payload["limit"]), (&json!("budget"), &json!("tool_steps")));
    assert_eq!([&payload["used"], &payload["most"]], [3.0, 3.0]);
    assert_eq!(payload["more"], 3);
    assert_eq!(question["text"], "3 of 3 actions are done (pages: 1, reads: 2). Allow 3 more?");
    assert_eq!(
        payload["texts"]["uk"]["text"],
        "Виконано дій: 3 із 3 (сторінок: 1, читань: 2). Дозволити ще 3?"
    );
    assert_eq!(talk.model.requests().len(), 3, "nothing is planned while the person is asked");
    // With a yes there are three more, which the planner is told; a no ends the run.
    let knows = |reply: Reply| {
        Reply::seen(move |request| {
            assert!(request.last_text().contains("Actions left: 3 of 6."), "{}", request.last_text());
            reply
        })
    };
    talk.script([knows(scroll()), back(), scroll()]);
    talk.answer(&question, json!({"confirmed": true})).await;
    let again = talk.wait_for_question().await;
    assert_eq!([&again["payload"]["used"], &again["payload"]["most"]], [6.0, 6.0]);
    talk.answer(&again, json!({"confirmed": false})).await;
    let ended = talk.ends_as("exhausted").await;
    let response = ended["final_response"].as_str().unwrap();
    assert!(
        response.contains("the action limit was reached") && response.contains("Actions done: 6"),
        "{ended}"
    );
    talk.assert_path(&["maybe_stop_or_continue:Continue", "maybe_observe:Seen"]).await;
    talk.assert_path(&[
        "execute_action:Executed",
        "maybe_stop_or_continue:OutOfSteps",
        "budget:MoreSteps",
        "maybe_observe:Seen",
        "plan_action:Planned",
    ])
    .await;
    talk.assert_path(&["maybe_stop_or_continue:OutOfSteps", "budget:Declined", "finalize_limit:Limit"]).await;
    let most: Vec<u64> =
        talk.events("state_updated").iter().map(|state| state["max_steps"].as_u64().unwrap()).collect();
    assert_eq!(most, [3, 3, 3, 6, 6, 6, 6]);
    assert_eq!(talk.state().await["tool_steps"], 6);
    // The person says so, and there are three more.
    talk.script([scroll(), Reply::stop("Down there.")]);
    talk.say("go on").await;
    talk.ends_as("succeeded").await;
    talk.assert_path(&["maybe_stop_or_continue:Stop", "finalize_done:Done"]).await;
    assert_eq!(talk.state().await["tool_steps"], 1);
    talk.finish().await;
}

// S1.28: a turn that reaches the limit in its middle goes on where it was when the person allows more. Fields that one
// turn fills count once.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_turn_cut_by_the_limit_goes_on_when_more_steps_are_allowed() {
    let mut talk = Talk::start(&[("ASKFIRST_LIMITS__TOOL_STEPS", "2")]).await;
    let fills = Reply::several(vec![
        ("type", Some(("textbox", "Your name")), json!({"text": "Olena"})),
        ("type", Some(("textbox", "Message")), json!({"text": "hello"})),
        ("scroll", None, json!({"direction": "down"})),
    ]);
    talk.in_the_room([fills]).await;
    let question = talk.wait_for_question().await;
    let text = question["text"].as_str().unwrap();
    assert!(text.starts_with("2 of 2 actions are done (fields: 2, pages: 1)"), "{text}");
    talk.script([Reply::stop("Filled.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    let done: Vec<Value> =
        talk.events("action_finished").into_iter().map(|done| done["ok"].clone()).collect();
    assert_eq!(done, [true, true, true, true], "the rest of the turn was done");
    assert_eq!(talk.state().await["tool_steps"], 3, "two fields of one turn count once");
    talk.finish().await;
}

// S1.29, C22: a limit is not a success, a refusal is not a failure.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn each_end_has_its_own_outcome_and_text() {
    let rules = Rules { several_runs: true, ..Rules::default() };
    let mut talk = Talk::with(rules, &[("ASKFIRST_LIMITS__TOOL_STEPS", "3")]).await;
    let mut silent = turn("stop", json!({}));
    silent["stop"] = json!(true);
    let [write, send] = letter();
    let ends: [(&str, Vec<Reply>); 5] = [
        ("succeeded", vec![Reply::Turn(silent)]),
        ("denied", vec![file()]),
        ("cancelled", vec![talk.room(), write, send]),
        ("blocked", vec![nonsense(), nonsense(), nonsense()]),
        ("exhausted", vec![scroll(), scroll(), scroll()]),
    ];
    let mut responses = Vec::new();
    for (outcome, script) in ends {
        talk.run.clear();
        talk.script(script);
        talk.say("do it").await;
        if matches!(outcome, "cancelled" | "exhausted") {
            let question = talk.wait_for_question().await;
            talk.answer(&question, json!({"confirmed": false})).await;
        }
        let ended = talk.ends_as(outcome).await;
        let run = talk.get(&format!("/api/runs/{}", talk.run)).await;
        assert_eq!((&run["status"], &run["outcome"]), (&json!(outcome), &json!(outcome)));
        assert_eq!(run["final_response"], ended["final_response"]);
        assert_eq!(
            talk.get(&format!("/api/runs?status={outcome}")).await["items"].as_array().unwrap().len(),
            1
        );
        assert_eq!(talk.state().await["final_response"], ended["final_response"]);
        responses.push(ended["final_response"].clone());
    }
    responses.dedup();
    assert_eq!(responses.len(), 5, "{responses:?}");
    talk.finish().await;
}
