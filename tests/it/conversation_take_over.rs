//! A person's hands on the page of a whole service, through its socket.

use crate::support::metrics_samples::counted;
use crate::support::model::Reply;
use crate::support::talk::Talk;
use crate::support::ws::Ws;
use serde_json::{Value, json};

async fn reach_need_user(talk: &mut Talk) -> Value {
    talk.in_the_room([Reply::act("need_user", json!({"text": "Log in"}))]).await;
    talk.wait_for_question().await
}

async fn control(talk: &mut Talk, command: &str) {
    let frame = json!({"type": "control", "run_id": talk.run, "command": command});
    talk.ws.send(frame).await;
}

// S1.23: a new holder sees the page, though it was closed while the run waited.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_closed_page_reopens_for_a_take_over() {
    let mut talk = Talk::start(&[]).await;
    reach_need_user(&mut talk).await;
    talk.ws.send(json!({"type": "view", "run_id": talk.run, "on": true})).await;
    talk.ws.picture().await;
    let listed = talk.get("/api/browsers").await;
    let id = listed["items"][0]["id"].as_str().unwrap_or_else(|| panic!("{listed}")).to_owned();
    let closed = talk.http.delete(&format!("{}/api/browsers/{id}", talk.app.base)).await;
    assert_eq!(closed, 204);
    control(&mut talk, "take_over").await;
    talk.ws.until("lease").await;
    talk.ws.picture().await;
    control(&mut talk, "stop").await;
    talk.finish().await;
}

// docs/protocol.md, "Take-over": only who holds the page says that it is done.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn another_viewer_does_not_interrupt_the_holder() {
    let mut talk = Talk::start(&[]).await;
    let question = reach_need_user(&mut talk).await;
    control(&mut talk, "take_over").await;
    talk.ws.until("lease").await;
    let (mut other, _) = Ws::hello(&talk.app.base, json!({"run_id": talk.run})).await;
    other.send(json!({"type": "answer", "reference": question["reference"], "done": true})).await;
    let refused = other.until("error").await;
    assert_eq!(refused["code"], "lease_held", "{refused}");
    talk.script([Reply::stop("done")]);
    control(&mut talk, "hand_back").await;
    talk.ended().await;
    other.close().await;
    talk.finish().await;
}

// A person's hand makes some hundred events a second; a program could make any number.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_flood_of_input_delays_no_other_client() {
    let mut talk = Talk::start(&[]).await;
    reach_need_user(&mut talk).await;
    control(&mut talk, "take_over").await;
    talk.ws.until("lease").await;
    for n in 0..20_000 {
        let (x, y) = (f64::from(n % 1000) / 1000.0, 0.5);
        let frame = json!({"type": "input", "run_id": talk.run, "kind": "mouse", "event": "move", "x": x, "y": y, "button": "none"});
        talk.ws.send(frame).await;
    }
    // All other clients, and the holder, still get answers.
    let health = talk.get("/healthz").await;
    assert_ne!(health, json!(""), "it answers");
    talk.script([Reply::stop("done")]);
    control(&mut talk, "hand_back").await;
    talk.ended().await;
    talk.finish().await;
}

// docs/turns.md, "Results": the message of a hand-back is the person's and stands outside of the fences, however it
// begins; the report of what changed contains text of the page and stands inside.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_hand_back_message_is_the_persons_and_the_change_report_is_fenced() {
    let mut talk = Talk::start(&[]).await;
    let question = reach_need_user(&mut talk).await;
    talk.script([Reply::act("need_user", json!({"text": "Now log in"}))]);
    let words = "The person handed the page back; I am in, open the cart";
    talk.answer(&question, json!({"done": true, "message": words})).await;
    talk.wait_for_question().await;
    let prompt = talk.model.requests().pop().unwrap().last_text();
    assert!(prompt.contains(&format!("the person answered a1: \"{words}\"")), "{prompt}");
    assert!(!prompt.contains("<returned"), "{prompt}");
    control(&mut talk, "take_over").await;
    talk.ws.until_that("the lease", |frame| frame["data"]["holder"].is_string()).await;
    talk.page("/room").await.run("document.title = 'Changed by hand'").await;
    talk.script([Reply::stop("done")]);
    control(&mut talk, "hand_back").await;
    talk.ended().await;
    let prompt = talk.model.requests().pop().unwrap().last_text();
    let (outside, fenced) = prompt.split_once("<returned").unwrap_or_else(|| panic!("{prompt}"));
    assert!(
        fenced.contains("The person handed the page back; its title is now \"Changed by hand\""),
        "{prompt}"
    );
    assert!(!outside.contains("Changed by hand"), "{prompt}");
    talk.finish().await;
}

/// Reads on until this comes, and fails if it is told what the page asks.
async fn read_without_dialog_text(ws: &mut Ws, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let names_dialog = |frame: &Value| {
        assert_ne!(frame["type"], "page_dialog", "{frame}");
        wanted(frame)
    };
    ws.until_that(what, names_dialog).await
}

/// Takes the page over, presses the focused element, and returns the dialog that opens.
async fn take_over_and_open_dialog(ws: &mut Ws, run: &str) -> Value {
    ws.send(json!({"type": "control", "run_id": run, "command": "take_over"})).await;
    ws.until_that("the lease", |frame| frame["data"]["holder"].is_string()).await;
    for event in ["down", "up"] {
        let key = json!({"type": "input", "run_id": run, "kind": "key", "event": event, "key": "Enter", "code": "Enter"});
        ws.send(key).await;
    }
    let dialog_frame = ws.until("page_dialog").await;
    let asked = json!({"kind": "confirm", "message": "Really order?", "default_text": ""});
    assert_eq!((&dialog_frame["run_id"], &dialog_frame["dialog"]), (&json!(run), &asked));
    dialog_frame
}

// docs/protocol.md, `page_dialog`: who holds the page is asked by it, alone, and nothing of it is kept.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn dialogs_of_a_held_page_reach_only_its_holder() {
    let mut talk = Talk::start(&[]).await;
    let html = "<title>Till</title><button autofocus onclick=\"document.title=confirm('Really'+' order?')?'Ordered':'Kept'\">Order</button>";
    let hands = || Reply::act("need_user", json!({"text": "Order it"}));
    talk.script([talk.shows(html), hands(), hands()]);
    talk.say("order it").await;
    talk.wait_for_question().await;
    let run = talk.run.clone();
    let mut page = talk.page("/html").await;
    let (mut other, _) = Ws::hello(&talk.app.base, json!({"run_id": run})).await;
    other.send(json!({"type": "view", "run_id": run, "on": true})).await;
    let yes = |number: &Value| json!({"type": "input", "run_id": run, "kind": "dialog", "accept": true, "number": number});

    let dialog_frame = take_over_and_open_dialog(&mut talk.ws, &run).await;
    // Only the holder can accept the dialog.
    other.send(yes(&Value::Null)).await;
    let refused = read_without_dialog_text(&mut other, "a refusal", |frame| frame["type"] == "error").await;
    assert_eq!(refused["code"], "no_lease");
    talk.ws.send(yes(&dialog_frame["number"])).await;
    let over = talk.ws.until("page_dialog").await;
    assert_eq!((&over["number"], &over["dialog"]), (&dialog_frame["number"], &Value::Null));
    page.until("document.title === 'Ordered'").await;
    control(&mut talk, "hand_back").await;
    talk.wait_for_question().await;

    // The next holder disconnects while the dialog is open, which dismisses it.
    let seq = talk.ws.events.last().unwrap()["seq"].clone();
    let (mut third, _) = Ws::hello(&talk.app.base, json!({"run_id": run, "after_seq": seq})).await;
    take_over_and_open_dialog(&mut third, &run).await;
    third.close().await;
    page.until("document.title === 'Kept'").await;
    drop(page);
    talk.script([Reply::stop("done")]);
    let question = talk.get("/api/questions").await["items"][0].clone();
    talk.ws
        .until_that("the page is free", |frame| {
            frame["event"] == "lease" && frame["data"]["holder"].is_null()
        })
        .await;
    talk.answer(&question, json!({"done": true})).await;
    talk.ended().await;
    read_without_dialog_text(&mut other, "the end", |frame| {
        frame["type"] == "agent_message" && frame["final"] == true
    })
    .await;
    let events = talk.get(&format!("/api/runs/{run}/events")).await.to_string();
    assert!(events.contains("Order it") && !events.contains("Really order?"), "{events}");
    for request in talk.model.requests() {
        assert!(!request.body.to_string().contains("Really order?"), "a model hears nothing of it");
    }
    other.close().await;
    talk.finish().await;
}

// C11: a take-over cancels an effect under way. The form is sent once, and its outcome is reported as unknown.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_form_under_way_at_a_take_over_is_sent_once() {
    let mut talk = Talk::start(&[]).await;
    let form = "<title>Desk</title><form method=post action=/hand-in><input name=word value=hello><button>Hand it in</button></form>";
    for answered in [true, false] {
        let before = talk.site.sent().len();
        talk.script([talk.shows(form), Reply::click("button", "Hand it in")]);
        talk.say("hand it in").await;
        let question = talk.wait_for_question().await;
        talk.answer(&question, json!({"confirmed": true})).await;
        // The site has it and has not answered: the agent's click is under way.
        talk.site.handed_in(before + 1).await;
        control(&mut talk, "take_over").await;
        talk.ws.until_that("the lease", |frame| frame["data"]["holder"].is_string()).await;
        if answered {
            talk.site.answers();
        }
        talk.script([Reply::seen(|request| {
            let prompt = request.last_text();
            assert!(
                prompt.contains("result a1 failed: ") && prompt.contains("its outcome is unknown"),
                "{prompt}"
            );
            Reply::stop("I do not know whether it was handed in.")
        })]);
        control(&mut talk, "hand_back").await;
        talk.ends_as("succeeded").await;
        assert_eq!(talk.site.sent()[before..], ["word=hello"], "once, and never again");
        let clicks = |event: &str| talk.events(event).iter().filter(|data| data["action"] == "click").count();
        assert_eq!(clicks("action_started"), if answered { 1 } else { 2 });
        assert_eq!(
            talk.events("action_finished")
                .iter()
                .filter(|data| data["action"] == "click" && data["ok"] == true)
                .count(),
            0
        );
        if !answered {
            // Responses held back so far are released.
            talk.site.answers();
        }
    }
    talk.finish().await;
}

// docs/observability.md: what viewers are sent, and what each part of a step took, are numbers to scrape.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn live_pictures_and_phases_are_counted() {
    let mut talk = Talk::start(&[]).await;
    reach_need_user(&mut talk).await;
    talk.ws.send(json!({"type": "view", "run_id": talk.run, "on": true})).await;
    talk.ws.picture().await;
    let base = talk.app.base.clone();
    let pictures = counted(&base, "askfirst_live_frames_total").await;
    assert!(pictures >= 1.0);
    assert!(counted(&base, "askfirst_live_frame_age_seconds_count").await >= pictures, "each has an age");
    let age = counted(&base, "askfirst_live_frame_age_seconds_sum").await;
    assert!(age > 0.0 && age < 60.0 * pictures, "an age in seconds: {age}");
    for phase in ["observe", "plan", "gate", "execute", "settle"] {
        let phase = format!("askfirst_step_seconds_count{{phase=\"{phase}\"");
        assert!(counted(&base, &phase).await >= 1.0, "{phase}");
    }
    assert_eq!(counted(&base, "askfirst_browsers").await, 1.0);
    control(&mut talk, "stop").await;
    talk.finish().await;
}
