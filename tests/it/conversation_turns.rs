//! Several actions in one turn: done in order, each judged by itself; the rest is dropped and reported when
//! what it was planned for has changed (docs/turns.md, "Actions").

use crate::support::model::{Reply, eid_of, turn};
use crate::support::talk::Talk;
use serde_json::{Value, json};

const FORM: &str = "<title>Form</title><form action=/send method=post><label>First <input name=first></label>\
    <label>Last <input name=last></label><button>Send message</button></form>\
    <input type=checkbox aria-label=Rename onclick=\"late.ariaLabel='Later on'\"><input type=checkbox id=late aria-label=Later>\
    <button onclick=\"confirm('Delete everything?')\">Ask</button><input type=checkbox aria-label=Tick>";

fn field(name: &'static str) -> Option<(&'static str, &'static str)> {
    Some(("textbox", name))
}

fn button(name: &'static str) -> Option<(&'static str, &'static str)> {
    Some(("button", name))
}

/// Result of each action, as `id ok`, with the actions dropped after it.
fn finished(talk: &Talk) -> Vec<String> {
    let format_result = |done: &Value| {
        let ok = if done["ok"] == true { "ok" } else { "failed" };
        let dropped: Vec<&str> =
            done["dropped"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        format!("{} {ok} {}", done["action_id"].as_str().unwrap(), dropped.join(","))
    };
    talk.events("action_finished").iter().map(|done| format_result(done).trim_end().to_owned()).collect()
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_actions_of_a_turn_are_done_in_order_and_a_question_keeps_the_rest() {
    let mut talk = Talk::start(&[]).await;
    let turn = Reply::several(vec![
        ("type", field("First"), json!({"text": "Olena"})),
        ("type", field("Last"), json!({"text": "Koval"})),
        ("click", button("Send message"), json!({})),
        ("navigate", None, json!({"url": talk.site.url("/room")})),
        ("stop", None, json!({"response": "Sent."})),
    ]);
    talk.script([talk.shows(FORM), turn]);
    talk.say("send it").await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["action"]["action_id"], "a3");
    assert_eq!(question["payload"]["values"], json!({"First": "Olena", "Last": "Koval"}));
    talk.answer(&question, json!({"confirmed": true})).await;
    let ended = talk.ends_as("succeeded").await;
    assert_eq!(ended["final_response"], "Sent.");
    assert_eq!(talk.site.sent(), ["first=Olena&last=Koval"]);
    assert_eq!(finished(&talk), ["a1 ok", "a1 ok", "a2 ok", "a3 ok", "a4 ok"]);
    assert_eq!(talk.events("policy").len(), 5, "each is judged by itself");
    let stands = [
        "execute_action:Executed",
        "maybe_stop_or_continue:Continue",
        "maybe_observe:Stands",
        "validate_action:Valid",
    ];
    talk.assert_path(&stands).await;
    talk.assert_path(&[
        "confirm:Approved",
        "execute_action:Executed",
        "maybe_stop_or_continue:Continue",
        "maybe_observe:Stands",
    ])
    .await;
    let state = talk.state().await;
    assert_eq!(state["messages"].as_array().unwrap().iter().filter(|m| m["entry"] == "acted").count(), 2);
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn actions_whose_targets_changed_are_dropped_and_reported() {
    let mut talk = Talk::start(&[]).await;
    let renamed = Reply::several(vec![
        ("click", Some(("checkbox", "Rename")), json!({})),
        ("click", Some(("checkbox", "Later")), json!({})),
        ("click", Some(("checkbox", "Tick")), json!({})),
    ]);
    let led_away = Reply::several(vec![
        ("click", Some(("checkbox", "Tick")), json!({})),
        ("navigate", None, json!({"url": talk.site.url("/room")})),
        ("click", Some(("checkbox", "Rename")), json!({})),
        ("scroll", None, json!({"direction": "down"})),
    ]);
    talk.script([talk.shows(FORM), renamed, led_away, Reply::stop("Done.")]);
    talk.say("do it").await;
    talk.ends_as("succeeded").await;
    assert_eq!(finished(&talk), ["a1 ok", "a1 ok a2,a3", "a1 ok", "a2 ok a3,a4"]);
    let requests = talk.model.requests();
    let prompt = requests[2].last_text();
    assert!(
        prompt.contains("result a1 ok\nnote: a1: checked now\nresult a2 dropped: [")
            && prompt.contains("] has changed"),
        "{prompt}"
    );
    // Results have reasons of their own: the element of the third action is unchanged.
    assert!(prompt.contains("result a3 dropped: an action before it was not done"), "{prompt}");
    let prompt = requests[3].last_text();
    assert!(
        prompt.contains("result a2 ok\n")
            && prompt.contains("\nresult a3 dropped: [")
            && prompt.contains("not there any more"),
        "{prompt}"
    );
    assert!(prompt.contains("result a4 dropped"), "{prompt}");
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_failure_an_invalid_action_or_a_dialog_drops_the_rest() {
    let mut talk = Talk::start(&[]).await;
    let tick = || ("click", Some(("checkbox", "Tick")), json!({}));
    let invalid = Reply::several(vec![tick(), ("fly", None, json!({})), tick()]);
    let failing = Reply::several(vec![("wait", None, json!({"text": "never", "seconds": 0.1})), tick()]);
    let asking =
        Reply::several(vec![("click", button("Ask"), json!({})), ("dialog", None, json!({"accept": true}))]);
    let answer =
        Reply::several(vec![("dialog", None, json!({"accept": false})), ("click", None, json!({"eid": 1}))]);
    talk.script([talk.shows(FORM), invalid, failing, asking, answer, Reply::stop("Done.")]);
    talk.say("do it").await;
    talk.ends_as("succeeded").await;
    let ended = ["a1 ok", "a1 ok", "a2 failed a3", "a1 failed a2", "a1 ok a2", "a1 ok a2"];
    assert_eq!(finished(&talk), ended);
    let prompt = talk.model.requests().pop().unwrap().last_text();
    assert!(prompt.contains("result a1 ok\n") && prompt.contains("\nresult a2 dropped: "), "{prompt}");
    let asked = talk.model.requests()[4].last_text();
    assert!(
        asked.contains("- dialog \"Delete everything?\"") && asked.contains("answer with dialog"),
        "{asked}"
    );
    talk.finish().await;
}

// A request that the page sends after "OK" is asked about in the words of the dialog, and an approved one leaves.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_dialog_is_accepted_after_a_question() {
    let mut talk = Talk::start(&[]).await;
    let page = "<a href='#x' onclick=\"if(confirm('Delete everything?'))fetch('/send',{method:'POST',body:new \
         URLSearchParams({message:'all'})}).then(()=>{document.title='gone'})\">Show more</a>";
    let accept = || Reply::act("dialog", json!({"accept": true}));
    talk.script([talk.shows(page), Reply::click("link", "Show more"), accept()]);
    talk.say("delete it").await;
    let question = talk.wait_for_question().await;
    assert_eq!(
        (&question["payload"]["rule"], &question["payload"]["target"]["role"]),
        (&json!("delete"), &json!("dialog"))
    );
    assert!(question["text"].as_str().unwrap().contains("Delete everything?"), "{question}");
    talk.script([Reply::stop("Deleted.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    let observations = talk.events("observation");
    assert_eq!(observations.last().unwrap()["title"], "gone");
    talk.finish().await;
}

// Chromium ends while something with an effect is under way: it may have taken place.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_effect_during_which_chromium_ends_has_an_unknown_outcome() {
    let mut talk = Talk::start(&[]).await;
    let page = "<title>Order</title><form method=post action=/hand-in><button>Place order</button></form>";
    talk.script([talk.shows(page), Reply::click("button", "Place order")]);
    talk.script([Reply::seen(|request| {
        let prompt = request.last_text();
        assert!(
            prompt.contains("Chromium ended while this was being done; its outcome is unknown"),
            "{prompt}"
        );
        Reply::stop("I do not know whether it was ordered.")
    })]);
    talk.say("order it").await;
    let question = talk.wait_for_question().await;
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ws
        .until_that("the click", |frame| {
            frame["event"] == "action_started" && frame["data"]["action"] == "click"
        })
        .await;
    for pid in crate::support::app::chromium_of(&talk.app.data()) {
        let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).unwrap());
        let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
    }
    talk.ends_as("succeeded").await;
    talk.finish().await;
}

// Success is told after a look: what stops beside actions is asked again, and earlier turns are told in words, with the
// newest note of the planner.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_stop_beside_actions_waits_for_a_look() {
    let mut talk = Talk::start(&[]).await;
    let hasty = Reply::seen(|request| {
        let mut reply = turn("click", json!({"eid": eid_of(&request.page(), "checkbox", "Tick")}));
        (reply["stop"], reply["status"]) = (json!(true), json!("SUCCESS"));
        (reply["response"], reply["memory"]) = (json!("Ticked, I guess."), json!("the box is\nTick"));
        Reply::Turn(reply)
    });
    let looks = Reply::seen(|request| {
        let text = request.last_text();
        assert!(text.contains("note: you set stop together with actions"), "{text}");
        assert!(text.contains("result a1 ok\nnote: a1: checked now"), "{text}");
        assert!(text.contains("Actions left: ") && text.contains("Now: "), "{text}");
        Reply::act("find", json!({"text": "Tick"}))
    });
    let ends = Reply::seen(|request| {
        let earlier = request.body["messages"].to_string();
        let words = r#"- result a1 ok: clicked checkbox \"Tick\"; checked now"#;
        assert!(earlier.contains(words), "{earlier}");
        assert!(earlier.contains("the box is Tick"), "the note stays: {earlier}");
        Reply::stop("The box is ticked.")
    });
    talk.script([talk.shows(FORM), hasty, looks, ends]);
    talk.say("tick it").await;
    let ended = talk.ends_as("succeeded").await;
    assert_eq!(ended["final_response"], "The box is ticked.");
    assert_eq!(talk.state().await["memory"]["note"], "the box is Tick");
    talk.finish().await;
}

// The page that an order names is there with the first call.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_address_of_an_order_is_opened_before_the_first_call() {
    let mut talk = Talk::start(&[]).await;
    let reads = Reply::seen(|request| {
        let text = request.last_text();
        assert!(text.contains("result start ok") && text.contains("<page nonce="), "{text}");
        Reply::stop("It is a room.")
    });
    talk.script([reads]);
    talk.say(&format!("What is at {}?", talk.site.url("/room"))).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.model.requests().len(), 1);
    assert_eq!(finished(&talk), ["start ok"]);
    talk.finish().await;
}

// Variables count without an action, and the planner is asked again.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn variables_count_without_actions() {
    let mut talk = Talk::start(&[]).await;
    let mut keeps = turn("", json!({}));
    (keeps["actions"], keeps["thoughts"]) = (json!([]), json!([]));
    keeps["context"]["variables"] = json!([{"name": "size", "value": "large"}]);
    talk.script([Reply::Turn(keeps), Reply::stop("Kept.")]);
    talk.say("keep it").await;
    talk.ends_as("succeeded").await;
    let state = talk.state().await;
    assert_eq!(
        (&state["variables"]["size"], &state["invalid_actions"]),
        (&json!("large"), &json!(0)),
        "{state}"
    );
    talk.finish().await;
}
