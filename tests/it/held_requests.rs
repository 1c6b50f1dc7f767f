//! Requests that are held at the wire until the person has answered. The proof is what the site received. S1.13, S1.24,
//! S1.25, C24.

use crate::browser_stage::until;
use crate::support::app::chromium_of;
use crate::support::model::Reply;
use crate::support::talk::Talk;
use serde_json::{Value, json};
use std::time::Duration;

/// Page whose button sends a letter by a script.
const SENDER: &str = "<title>Desk</title><h1>Letters</h1><p id=said>nothing</p>\
    <button onclick=\"fetch('/send',{method:'POST',body:new URLSearchParams({message:'hello'})})\
    .then(()=>{said.textContent='sent'},()=>{said.textContent='refused'})\">Hand over</button>";

fn press() -> Reply {
    Reply::click("button", "Hand over")
}

/// Opens the page and presses the button; returns the question.
async fn press_in(talk: &mut Talk, html: &str) -> Value {
    talk.script([talk.shows(html), press()]);
    talk.say("hand it over").await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["layer"], "wire", "{question}");
    assert_eq!(talk.site.sent(), Vec::<String>::new(), "nothing leaves before the answer");
    question
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_approved_request_leaves_once_and_its_page_goes_on() {
    let mut talk = Talk::start(&[]).await;
    let question = press_in(&mut talk, SENDER).await;
    let payload = &question["payload"];
    assert_eq!(payload["request"]["method"], "POST", "{payload}");
    assert!(payload["request"]["url"].as_str().unwrap().ends_with("/send"), "{payload}");
    assert_eq!(payload["values"], json!({"message": "hello"}));
    assert_eq!(payload["caused_by"], "a1");
    assert_eq!(payload["target"]["name"], "Hand over");
    talk.script([Reply::seen(|request| {
        assert!(request.page().contains("sent"), "{}", request.page());
        Reply::stop("Handed over.")
    })]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), ["message=hello"]);
    talk.assert_path(&["policy_gate:Allowed", "execute_action:Held", "held_request:Released"]).await;
    let effects = talk.events("effect");
    assert_eq!(effects.len(), 1, "{effects:?}");
    assert_eq!(effects[0]["covered_by"], question["reference"]);
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_declined_request_never_leaves() {
    for (answer, outcome, way) in [
        (json!({"confirmed": false}), "cancelled", "held_request:Declined"),
        (json!({"confirmed": false, "comment": "Not today."}), "succeeded", "held_request:Redirected"),
    ] {
        let mut talk = Talk::start(&[]).await;
        let question = press_in(&mut talk, SENDER).await;
        if outcome == "succeeded" {
            talk.script([Reply::seen(|request| {
                assert!(request.last_text().contains("nothing was sent"), "{}", request.last_text());
                assert!(request.page().contains("refused"), "the page is told: {}", request.page());
                Reply::stop("Left alone.")
            })]);
        }
        talk.answer(&question, answer).await;
        talk.ends_as(outcome).await;
        assert_eq!(talk.site.sent(), Vec::<String>::new());
        talk.assert_path(&["execute_action:Held", way]).await;
        talk.finish().await;
    }
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn each_kind_of_request_is_asked_about() {
    let page = "<title>Desk</title><button onclick=\"fetch('/send',{method:'POST',body:\
        new URLSearchParams({message:'one'})});fetch('/hand-in',{method:'PUT'})\">Hand over</button>";
    let mut talk = Talk::start(&[]).await;
    let first = press_in(&mut talk, page).await;
    talk.send_answer(&first, json!({"confirmed": true})).await;
    let second = talk.wait_for_question().await;
    assert_eq!(second["payload"]["request"]["method"], "PUT", "{second}");
    talk.answer(&second, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    assert_eq!(talk.site.sent(), ["message=one"]);
    talk.assert_path(&["execute_action:Held", "held_request:HeldAgain", "held_request:Declined"]).await;
    talk.finish().await;
}

// A press stores a thing after another, and each waits for the one before. A person who has answered twice may answer for
// the rest, not for what deletes, nor for the next press, which the model calls by the same name.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn what_else_an_action_stores_may_be_approved_at_once() {
    let page = "<title>Desk</title><button onclick=\"(async()=>{const store=(part)=>fetch('/store',{method:'POST',\
        body:new URLSearchParams({part})});for(const part of ['one','two','three'])await store(part);\
        await fetch('/store',{method:'DELETE'})})()\">Hand over</button>";
    let mut talk = Talk::start(&[]).await;
    let first = press_in(&mut talk, page).await;
    assert_eq!(first["remember"], json!(["once", "run", "site"]), "{first}");
    talk.send_answer(&first, json!({"confirmed": true})).await;
    let second = talk.wait_for_question().await;
    assert_eq!(second["remember"], json!(["once", "action", "run", "site"]), "{second}");
    assert_eq!(second["payload"]["values"], json!({"part": "two"}));
    talk.send_answer(&second, json!({"confirmed": true, "remember": "action"})).await;
    let third = talk.wait_for_question().await;
    assert_eq!(third["payload"]["request"]["method"], "DELETE", "{third}");
    assert_eq!(third["remember"], json!(["once", "run"]), "{third}");
    talk.script([press()]);
    talk.send_answer(&third, json!({"confirmed": true})).await;
    let again = talk.wait_for_question().await;
    assert_eq!(again["remember"], json!(["once", "run", "site"]), "{again}");
    assert_eq!(again["payload"]["values"], json!({"part": "one"}));
    talk.answer(&again, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    assert_eq!(talk.site.sent(), ["part=one", "part=two", "part=three"]);
    let effects = talk.events("effect");
    let covered: Vec<&Value> = effects.iter().map(|effect| &effect["covered_by"]).collect();
    let [first, second, third] = [&first["reference"], &second["reference"], &third["reference"]];
    assert_eq!(covered, [first, second, second, third]);
    talk.finish().await;
}

// The page gives up waiting before the person answers: the action is done once more, and its request leaves unasked
// because it is the same.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_approval_stays_for_the_same_request_when_the_page_gave_it_up() {
    let page = "<title>Desk</title><button onclick=\"window.stop_waiting=new AbortController();fetch('/send',\
        {method:'POST',signal:stop_waiting.signal,body:new URLSearchParams({message:'hello'})})\
        .catch(()=>{document.title='gave up'})\">Hand over</button>";
    let mut talk = Talk::start(&[]).await;
    let question = press_in(&mut talk, page).await;
    let mut desk = talk.page("/html").await;
    desk.run("stop_waiting.abort()").await;
    desk.until("document.title === 'gave up'").await;
    talk.script([Reply::stop("Handed over.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), ["message=hello"]);
    let way = ["held_request:GivenUp", "policy_gate:Allowed", "execute_action:Executed"];
    talk.assert_path(&way).await;
    talk.finish().await;
}

/// Page whose request can be given up from outside.
const GIVES_UP: &str = "<title>Desk</title><div id=d><button onclick=\"window.stop_waiting=new AbortController();\
    fetch('/send',{method:'POST',signal:stop_waiting.signal,body:new URLSearchParams({message:'hello'})})\
    .catch(()=>{document.title='gave up'})\">Hand over</button></div>";

// The action cannot be done once more by itself, because its control is gone. The approval stands for the same request
// of what the agent does next.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_approval_stays_when_the_page_has_another_control_or_document() {
    let retry = "stop_waiting.abort(); d.innerHTML = d.innerHTML.replace('Hand over<', 'Try again<'); true";
    for (way, script, name, opens_again) in [
        ("retry", retry, "Try again", false),
        ("left", "onpagehide = () => stop_waiting.abort(); location.href = '/room'", "Hand over", true),
    ] {
        let mut talk = Talk::start(&[]).await;
        let question = press_in(&mut talk, GIVES_UP).await;
        let mut desk = talk.page("/html").await;
        desk.run(script).await;
        desk.shows("document.title === 'gave up' || location.pathname === '/room'").await;
        if opens_again {
            talk.script([talk.shows(GIVES_UP)]);
        }
        talk.script([Reply::click("button", name), Reply::stop("Handed over.")]);
        talk.answer(&question, json!({"confirmed": true})).await;
        talk.ends_as("succeeded").await;
        assert_eq!(talk.site.sent(), ["message=hello"], "{way}");
        assert_eq!(talk.events("effect").len(), 1, "{way}: {:?}", talk.events("effect"));
        talk.assert_path(&["held_request:GivenUp", "policy_gate:Gone", "maybe_observe:Seen"]).await;
        talk.finish().await;
    }
}

// Pressing twice asks again: an approval covers one request.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_approval_that_stays_covers_one_request() {
    let mut talk = Talk::start(&[]).await;
    let question = press_in(&mut talk, GIVES_UP).await;
    let mut desk = talk.page("/html").await;
    // The control of a page that is drawn anew is found again, and pressed once more.
    desk.run("stop_waiting.abort(); d.innerHTML = d.innerHTML; true").await;
    desk.until("document.title === 'gave up'").await;
    talk.script([press()]);
    talk.send_answer(&question, json!({"confirmed": true})).await;
    let second = talk.wait_for_question().await;
    assert_eq!(talk.site.sent(), ["message=hello"]);
    assert_eq!(second["payload"]["changed"], Value::Null, "{second}");
    talk.answer(&second, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    assert_eq!(talk.site.sent(), ["message=hello"]);
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_approval_stays_when_the_request_of_the_page_times_out() {
    let page = "<title>Desk</title><button onclick=\"const x=new XMLHttpRequest();x.open('POST','/send');x.timeout=300;\
        x.ontimeout=()=>{document.title='gave up'};x.send(new URLSearchParams({message:'hello'}))\">Hand over</button>";
    let mut talk = Talk::start(&[]).await;
    let question = press_in(&mut talk, page).await;
    talk.page("/html").await.until("document.title === 'gave up'").await;
    talk.script([Reply::stop("Handed over.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), ["message=hello"]);
    talk.assert_path(&["held_request:GivenUp", "policy_gate:Allowed", "execute_action:Executed"]).await;
    talk.finish().await;
}

// A body of an unknown type is shown by its type and size alone, and compared as a whole.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_body_that_is_not_shown_is_compared_too() {
    let page = "<title>Desk</title><button onclick=\"window.stop_waiting=new AbortController();fetch('/send',\
        {method:'POST',signal:stop_waiting.signal,headers:{'content-type':'application/octet-stream'},\
        body:new Uint8Array([0,159,146,150,window.last||1])}).catch(()=>{document.title='gave up'})\">Hand over</button>";
    let mut talk = Talk::start(&[]).await;
    let question = press_in(&mut talk, page).await;
    let mut desk = talk.page("/html").await;
    desk.run("window.last = 2; stop_waiting.abort()").await;
    desk.until("document.title === 'gave up'").await;
    talk.send_answer(&question, json!({"confirmed": true})).await;
    let second = talk.wait_for_question().await;
    assert_eq!(second["payload"]["changed"][0]["name"], "body", "{second}");
    talk.answer(&second, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn what_leaves_the_second_time_is_compared_with_the_approved() {
    let page = "<title>Desk</title><button onclick=\"window.stop_waiting=new AbortController();fetch('/send',\
        {method:'POST',signal:stop_waiting.signal,body:new URLSearchParams({message:window.text||'hello'})})\
        .catch(()=>{document.title='gave up'})\">Hand over</button>";
    let mut talk = Talk::start(&[]).await;
    let question = press_in(&mut talk, page).await;
    let mut desk = talk.page("/html").await;
    desk.run("window.text = 'send money'; stop_waiting.abort()").await;
    desk.until("document.title === 'gave up'").await;
    talk.send_answer(&question, json!({"confirmed": true})).await;
    let second = talk.wait_for_question().await;
    assert_eq!(
        second["payload"]["changed"],
        json!([{"name": "message", "approved": "hello", "actual": "send money"}]),
        "{second}"
    );
    talk.answer(&second, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

// A dead Chromium voids the question: nothing was sent, and the run looks again.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_held_request_is_void_when_its_chromium_has_ended() {
    let mut talk = Talk::start(&[]).await;
    let question = press_in(&mut talk, SENDER).await;
    for pid in chromium_of(&talk.app.data()) {
        let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).unwrap());
        let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
    }
    talk.ws.until("agent_message").await;
    talk.script([Reply::stop("It was not handed over.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.assert_path(&["execute_action:Held", "held_request:Void", "maybe_observe:Seen"]).await;
    talk.finish().await;
}

// Closing a page that nobody needs while the person thinks voids it, too: the run looks again and asks again.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_held_request_is_void_when_its_idle_page_was_closed() {
    let mut talk = Talk::start(&[("ASKFIRST_BROWSER__IDLE_S", "1")]).await;
    let question = press_in(&mut talk, SENDER).await;
    let data = talk.app.data();
    until("the idle Chromium ends", Duration::from_secs(15), || chromium_of(&data).is_empty()).await;
    talk.script([press(), Reply::stop("Handed over.")]);
    talk.send_answer(&question, json!({"confirmed": true})).await;
    let again = talk.wait_for_question().await;
    assert_eq!(talk.site.sent(), Vec::<String>::new(), "the first approval was void");
    talk.answer(&again, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), ["message=hello"]);
    talk.assert_path(&["execute_action:Held", "held_request:Void", "maybe_observe:Seen"]).await;
    talk.finish().await;
}

// A late request counts as caused by the last action: it is asked about before the run ends.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_late_request_is_asked_about_before_the_run_ends() {
    let page = "<title>Desk</title><button onclick=\"window.send_now=()=>fetch('/send',{method:'POST',\
        body:new URLSearchParams({message:'late'})})\">Hand over</button>";
    let mut talk = Talk::start(&[]).await;
    let (stop, release) = Reply::stop("Done.").stalled();
    talk.script([talk.shows(page), press(), stop]);
    talk.say("hand it over").await;
    talk.model.arrived(3).await;
    talk.page("/html").await.run("send_now(); true").await;
    drop(release);
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["caused_by"], "a1", "{question}");
    talk.answer(&question, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.assert_path(&["maybe_stop_or_continue:RequestHeld", "held_request:Declined"]).await;
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_request_sent_while_the_agent_asks_is_asked_about_next() {
    let page = "<title>Desk</title><button onclick=\"window.send_now=()=>fetch('/send',{method:'POST',\
        body:new URLSearchParams({message:'late'})})\">Hand over</button>";
    let mut talk = Talk::start(&[]).await;
    let ask = Reply::act("ask_user", json!({"question": "Which letter?", "answer_key": "letter"}));
    talk.script([talk.shows(page), press(), ask]);
    talk.say("hand it over").await;
    let asked = talk.wait_for_question().await;
    talk.page("/html").await.run("send_now(); true").await;
    talk.send_answer(&asked, json!({"text": "The first."})).await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["layer"], "wire", "{question}");
    talk.answer(&question, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    talk.assert_path(&["question:Answered", "maybe_observe:RequestHeld", "held_request:Declined"]).await;
    talk.finish().await;
}

// Chromium passes nothing on to a page whose next document is held: the picture is that of the last look.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_question_about_a_held_navigation_has_a_picture() {
    let page = "<title>Desk</title><form id=f><input name=message value=hello></form>\
        <button onclick=\"f.method='post';f.action='/hand-in';f.submit()\">Hand over</button>";
    let mut talk = Talk::start(&[]).await;
    let question = press_in(&mut talk, page).await;
    assert!(question["payload"]["screenshot"].is_string(), "{question}");
    assert!(question["payload"]["target"]["box"].is_array(), "{question}");
    talk.answer(&question, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

// The approved request has left, and the document that it asks for never comes.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_released_navigation_that_fails_is_reported_as_failed() {
    let page = "<title>Desk</title><form id=f><input name=message value=hello></form>\
        <button onclick=\"f.method='post';f.action='/hand-in';f.submit()\">Hand over</button>";
    let mut talk = Talk::start(&[("ASKFIRST_BROWSER__LOAD_TIMEOUT_S", "2")]).await;
    let question = press_in(&mut talk, page).await;
    talk.script([Reply::stop("It did not answer.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    talk.site.handed_in(1).await;
    talk.assert_path(&["execute_action:Held", "held_request:Failed"]).await;
    talk.finish().await;
}

// Text of one site goes to another only after a question, asked once for the pair of sites in a run.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn text_of_one_site_goes_to_another_after_a_question() {
    let account = "<title>Bank</title><h1>Account</h1><p>Your reference is QX71-88204-KD</p>";
    let board = |talk: &Talk| {
        let html =
            "<title>Board</title><label>Code <input name=code></label><label>Note <input name=note></label>";
        let body = url::form_urlencoded::byte_serialize(html.as_bytes()).collect::<String>();
        let url = talk.site.url(&format!("/html?{body}")).replace("127.0.0.1", "localhost");
        Reply::act("navigate", json!({"url": url}))
    };
    for (answer, way, outcome) in [
        (json!({"confirmed": false}), "flow_consent:Declined", "cancelled"),
        (json!({"confirmed": false, "comment": "Leave it."}), "flow_consent:Redirected", "succeeded"),
        (json!({"confirmed": true}), "flow_consent:Approved", "succeeded"),
    ] {
        let mut talk = Talk::start(&[]).await;
        talk.script([talk.shows(account), board(&talk), Reply::fill("Code", "QX71-88204-KD")]);
        talk.say("look at my account").await;
        let question = talk.wait_for_question().await;
        assert_eq!(question["payload"]["layer"], "flow", "{question}");
        assert!(question["payload"]["flow"]["text"].as_str().unwrap().contains("88204"), "{question}");
        assert_eq!(question["payload"]["flow"]["to"], talk.site.host.replace("127.0.0.1", "localhost"));
        if answer["confirmed"] == true {
            // The pair is consented to: the same text is not asked about again.
            talk.script([Reply::fill("Note", "QX71-88204-KD")]);
        }
        if outcome == "succeeded" {
            talk.script([Reply::stop("Done.")]);
        }
        talk.answer(&question, answer).await;
        talk.ends_as(outcome).await;
        talk.assert_path(&["policy_gate:NeedsFlowConsent", way]).await;
        talk.finish().await;
    }
}
